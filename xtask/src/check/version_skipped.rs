//! The version follows the last release in one step.
//!
//! ## What it does
//!
//! Wants the next patch, minor or major after the last release.
//!
//! ## Why
//!
//! A gap looks like a release that somebody missed.
//!
//! ## How to mend
//!
//! Set the version to the one that the finding names.

use crate::check::Subject;
use crate::diff::bump::Standing;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_skipped";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    if since.standing() != Ok(Standing::Skipped) {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!(
            "no single bump leads from {} to {}",
            since.last.version, since.claimed
        ),
        "people would look for the release between the two",
        format!("set the version to {}", since.wanted()),
    )]
}
