//! What a release added is not taken back under a small bump.
//!
//! ## What it does
//!
//! Finds an earlier release that says just what the contract says now, while the
//! version claims less than a break.
//!
//! ## Why
//!
//! A release that added something made a promise. Taking it back breaks whoever
//! used it meanwhile, even if the contract was fine without it before.
//!
//! ## How to mend
//!
//! Put back what the release added, or take the next major version and announce
//! the removal first.

use crate::check::Subject;
use crate::diff::bump::Standing;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_reverted";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    if since.standing() != Ok(Standing::TooSmall) || since.like.is_none() {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!(
            "{} says what {} said before {}: taking a release back is a break",
            since.claimed,
            since
                .like
                .map_or_else(String::new, |version| version.to_string()),
            since.last.version
        ),
        "clients of the last release rely on what it added",
        format!(
            "restore what {} added, or set the version to {}",
            since.last.version,
            since.wanted()
        ),
    )]
}
