//! The version moves only when something changed.
//!
//! ## What it does
//!
//! Compares the contract with the last release and finds nothing that a client
//! could notice.
//!
//! ## Why
//!
//! A number that stands for nothing makes people look for what it stands for.
//!
//! ## How to mend
//!
//! Set the version back to the last release.

use crate::check::Subject;
use crate::diff::bump::Standing;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_bump_without_change";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    if since.standing() != Ok(Standing::WithoutChange) {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!(
            "{} follows {}, but nothing changed",
            since.claimed, since.last.version
        ),
        "people would look for a change that is not there",
        format!("set the version back to {}", since.last.version),
    )]
}
