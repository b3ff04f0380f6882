//! Every Rust file opens by saying what it is for.
//!
//! ## What it does
//!
//! Wants `//!` as the first line of every Rust file of `crates/`, `tests/` and
//! `xtask/`. Fixtures are left alone.
//!
//! ## Why
//!
//! A reader decides by the first line whether this is the file to read. A file
//! whose purpose cannot be said in one line holds two things.
//!
//! ## How to mend
//!
//! Write one line that says what the file is for; then what it must not do, if
//! that is a rule.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "module_undocumented";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    subject
        .workspace
        .sources
        .iter()
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(file, _)| {
            Problem::edit(
                ID,
                file,
                "",
                "the first line does not say what the file is for",
                "a reader decides by it whether this is the file to read",
                "open the file with a line of //! documentation",
            )
        })
        .collect()
}
