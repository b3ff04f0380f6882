//! Every file that the generator writes is there.
//!
//! ## What it does
//!
//! Generates into memory and reports every file that `generated/` does not
//! hold. Reports nothing while the contract cannot be read in full.
//!
//! ## Why
//!
//! `generated/` is committed, so that a build needs no generator. A file that
//! is not there breaks whoever builds next.
//!
//! ## How to mend
//!
//! Run `cargo xtask codegen` and commit what it writes.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "generated_missing";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(expected) = &subject.expected else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for name in expected.keys() {
        if !subject.actual.contains_key(name) {
            found.push(Problem::run(
                ID,
                name.clone(),
                "the file is missing",
                "generated files are committed so that a build needs no generator",
                "cargo xtask codegen",
            ));
        }
    }
    found
}
