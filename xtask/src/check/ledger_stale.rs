//! DEPRECATIONS.md says what the ledger says.
//!
//! ## What it does
//!
//! Renders `schema/deprecations.json` and compares it with `DEPRECATIONS.md` at the
//! root of the repository, byte by byte.
//!
//! ## Why
//!
//! People read the page, programs read the data; only one of them can be edited.
//!
//! ## How to mend
//!
//! Run `cargo xtask codegen` and commit what it writes.

use crate::check::Subject;
use crate::deprecations;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "ledger_stale";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    if subject.expected.is_none() || subject.ledger_page == deprecations::page(contract) {
        return Vec::new();
    }
    vec![Problem::run(
        ID,
        deprecations::PAGE,
        "the content is not what schema/deprecations.json says",
        "people read the page, programs read the data",
        "cargo xtask codegen",
    )]
}
