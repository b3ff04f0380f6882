//! The version moved at least as far as the changes ask for.
//!
//! ## What it does
//!
//! Compares the contract with the last release and takes the gravest verdict of all
//! changes. `cargo xtask diff` lists them.
//!
//! ## Why
//!
//! A client decides by the version whether it can go on. A break behind a small
//! bump reaches people who were told that nothing breaks.
//!
//! ## How to mend
//!
//! Raise the version to the one that the finding names, or take the change back.

use crate::check::Subject;
use crate::diff::bump::Standing;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_bump_too_small";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    if since.standing() != Ok(Standing::TooSmall) || since.like.is_some() {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!(
            "{} follows {}, but what changed asks for {} ({})",
            since.claimed,
            since.last.version,
            since.wanted(),
            since.example()
        ),
        "clients were told that less changed",
        format!(
            "set the version to {}, or take the change back",
            since.wanted()
        ),
    )]
}
