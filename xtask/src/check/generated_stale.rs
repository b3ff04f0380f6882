//! Every generated file is what the generator writes now.
//!
//! ## What it does
//!
//! Generates into memory and compares every file byte by byte; time stamps play
//! no part. Reports nothing while the contract cannot be read in full.
//!
//! ## Why
//!
//! A generated file that was edited, or not generated after a change of the
//! schema, makes the code say something else than the contract.
//!
//! ## How to mend
//!
//! Run `cargo xtask codegen` and commit what it writes. To change the output,
//! change `schema/` or an emitter.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "generated_stale";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(expected) = &subject.expected else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, content) in expected {
        let actual = subject.actual.get(name);
        if actual.is_some_and(|actual| actual != content) {
            found.push(Problem::run(
                ID,
                name.clone(),
                "the content is not what schema/ generates",
                "code and contract would say different things",
                "cargo xtask codegen",
            ));
        }
    }
    found
}
