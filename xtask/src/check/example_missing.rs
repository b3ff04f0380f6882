//! Every tool has two valid and two invalid examples.
//!
//! ## What it does
//!
//! Counts the examples of every tool: at least two with an `output` and at
//! least two with an `error`.
//!
//! ## Why
//!
//! Examples are the test vectors of every language and of the live server. One
//! of a kind proves a value; two begin to prove a rule, and a tool without
//! refusals is tested by half.
//!
//! ## How to mend
//!
//! Add the missing ones: one plain call, one at an edge, one refused by the
//! schema, one refused by the handler.

use crate::check::Subject;
use crate::contract::Verdict;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "example_missing";

/// Fewest examples of each kind.
const FEWEST: usize = 2;

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        let n_valid = tool
            .examples
            .iter()
            .filter(|example| matches!(example.verdict, Verdict::Answer { .. }))
            .count();
        let n_invalid = tool.examples.len() - n_valid;
        for (kind, n_present) in [("valid", n_valid), ("invalid", n_invalid)] {
            if n_present < FEWEST {
                found.push(Problem::edit(
                    ID,
                    &file,
                    "/examples",
                    format!("{kind} examples: {n_present} of at least {FEWEST}"),
                    "examples are the test vectors of every language",
                    format!("add {kind} examples"),
                ));
            }
        }
    }
    found
}
