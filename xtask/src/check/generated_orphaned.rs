//! generated/ holds nothing that the generator does not write.
//!
//! ## What it does
//!
//! Generates into memory and reports every file below `generated/` that is not
//! among the results. Reports nothing while the contract cannot be read in
//! full.
//!
//! ## Why
//!
//! A file that nothing writes any more is never updated, yet it is still read,
//! packaged and believed.
//!
//! ## How to mend
//!
//! Run `cargo xtask codegen`, which removes it. A file of yours belongs
//! elsewhere.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "generated_orphaned";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(expected) = &subject.expected else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for name in subject.actual.keys() {
        if !expected.contains_key(name) {
            found.push(Problem::run(
                ID,
                name.clone(),
                "nothing generates this file",
                "what nobody updates is still read and believed",
                "cargo xtask codegen",
            ));
        }
    }
    found
}
