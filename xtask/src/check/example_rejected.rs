//! The schemas accept every valid example with all its steps.
//!
//! ## What it does
//!
//! Validates, as served, the input and the output of every valid example, and
//! the input of every step in `given`, also of invalid examples. `${name}`
//! stands for a value that a step keeps: it is filled in from a valid example
//! of the tool that the step calls. `${empty}` stands for nothing.
//!
//! ## Why
//!
//! The examples run against the live server and every SDK, and people copy
//! them. One that its own schema refuses teaches a mistake.
//!
//! ## How to mend
//!
//! Correct the example or the schema; the finding names the place in the
//! example and what the schema says. For a `keep` that no example shows, add an
//! example of that tool whose output has the place.

use crate::check::Subject;
use crate::problem::Problem;
use crate::verdicts::{Judgement, judge};

/// Id of the rule.
pub const ID: &str = "example_rejected";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        for (index, example) in tool.examples.iter().enumerate() {
            let judgement = judge(contract, &subject.validators, tool, example);
            let Judgement {
                steps,
                input,
                output,
                ..
            } = judgement;
            let own = if example.is_valid() {
                [input, output].concat()
            } else {
                Vec::new()
            };
            for fault in steps.into_iter().chain(own) {
                found.push(Problem::edit(
                    ID,
                    &file,
                    format!("/examples/{index}{}", fault.pointer),
                    format!("{}: {}", example.name, fault.what),
                    "examples are test vectors and are copied",
                    "correct the example or the schema",
                ));
            }
        }
    }
    found
}
