//! No two branches release different contents under one number.
//!
//! ## What it does
//!
//! Finds a release of the claimed version whose additions the contract lacks, while
//! the contract would be a right step after the release before.
//!
//! ## Why
//!
//! Two branches each took the next number. Whoever comes second would overwrite
//! what clients of the first rely on.
//!
//! ## How to mend
//!
//! Merge what the release added, then raise the version to the next one.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_taken";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    if !since.is_taken {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!(
            "{} is released with other content ({})",
            since.claimed,
            since.example()
        ),
        "another branch took the number first",
        "merge what that release added, then take the next version",
    )]
}
