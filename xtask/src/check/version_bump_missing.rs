//! What changed since the last release has a version of its own.
//!
//! ## What it does
//!
//! Compares the contract with the release of the same version, if it is the last
//! one.
//!
//! ## Why
//!
//! A released version means one content for ever. Two servers of one version that
//! answer differently cannot be told apart.
//!
//! ## How to mend
//!
//! Raise the version to the one that the finding names.

use crate::check::Subject;
use crate::diff::bump::Standing;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_bump_missing";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    if since.standing() != Ok(Standing::Missing) || since.is_taken {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!(
            "{} is released, and the contract changed since ({})",
            since.claimed,
            since.example()
        ),
        "one version would mean two contents",
        format!("set the version to {}", since.wanted()),
    )]
}
