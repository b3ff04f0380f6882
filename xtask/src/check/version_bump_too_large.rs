//! The version moves no further than the changes ask for, unless it says why.
//!
//! ## What it does
//!
//! Compares the contract with the last release. A larger bump than needed passes
//! only with a `version_reason` in `contract.json`.
//!
//! ## Why
//!
//! A major version without a break makes every client stop for nothing; most often
//! the break was taken back and the number forgotten.
//!
//! ## How to mend
//!
//! Lower the version to the one that the finding names, or write the reason into
//! `version_reason`.

use crate::check::Subject;
use crate::diff::bump::Standing;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_bump_too_large";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    if since.standing() != Ok(Standing::TooLarge) || subject.has_version_reason() {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!(
            "{} follows {}, but what changed asks for {} only",
            since.claimed,
            since.last.version,
            since.wanted()
        ),
        "clients would stop for nothing",
        format!(
            "set the version to {}, or say why in version_reason",
            since.wanted()
        ),
    )]
}
