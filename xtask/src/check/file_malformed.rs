//! Every file of schema/ is JSON that its meta schema accepts.
//!
//! ## What it does
//!
//! Parses every `.json` file below `schema/`, refuses a key that stands twice,
//! and validates the file against the schema in `schema/meta/` that is made for
//! its place. A file in a place without a meta schema and a missing file of the
//! five single ones are findings as well.
//!
//! ## Why
//!
//! The generator reads only what it can name in full. A misspelled field that
//! is silently ignored is a promise that nobody keeps.
//!
//! ## How to mend
//!
//! The finding names the pointer and what the meta schema says. An editor that
//! knows the `$schema` line completes the rest.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "file_malformed";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    subject.while_loading(ID)
}

/// Returns a finding; loading finds them.
pub fn problem(file: &str, pointer: &str, what: impl Into<String>, fix: &str) -> Problem {
    let why = "the generator reads only what it can name in full";
    Problem::edit(ID, file, pointer, what, why, fix)
}
