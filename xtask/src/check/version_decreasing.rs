//! The version never goes back.
//!
//! ## What it does
//!
//! Compares the version with that of the last release.
//!
//! ## Why
//!
//! A client that asks for at least the last release would refuse a server that has
//! everything it needs.
//!
//! ## How to mend
//!
//! Set the version to the one that the finding names.

use crate::check::Subject;
use crate::diff::bump::Standing;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_decreasing";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    if since.standing() != Ok(Standing::Decreasing) {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!(
            "{} comes before the last release {}",
            since.claimed, since.last.version
        ),
        "clients compare versions by their numbers",
        format!("set the version to {}", since.wanted()),
    )]
}
