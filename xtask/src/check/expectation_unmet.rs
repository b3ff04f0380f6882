//! The sample answer of an example meets what the example expects.
//!
//! ## What it does
//!
//! Looks up every pointer of `expect` in the `output` of the same example and
//! compares the values. Expectations with a `${name}` are looked up only.
//!
//! ## Why
//!
//! `expect` is what a live answer is held to. A pointer that leads nowhere in
//! the sample is a misspelling, and a value that differs makes documentation
//! and tests say different things.
//!
//! ## How to mend
//!
//! Correct the pointer, the value or the sample.

use serde_json::Value;

use crate::check::Subject;
use crate::contract::Verdict;
use crate::dialect::escape;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "expectation_unmet";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        for (index, example) in tool.examples.iter().enumerate() {
            let Verdict::Answer { output, expect } = &example.verdict else {
                continue;
            };
            for (pointer, expected) in expect {
                let is_filled_in = expected.as_str().is_some_and(|text| text.contains("${"));
                let what = match output.pointer(pointer) {
                    None => "the sample answer has no such place".to_owned(),
                    Some(sample) if !is_filled_in && !is_same(sample, expected) => {
                        format!("the sample answer has {sample}, expected is {expected}")
                    }
                    Some(_) => continue,
                };
                found.push(Problem::edit(
                    ID,
                    &file,
                    format!("/examples/{index}/expect/{}", escape(pointer)),
                    format!("{}: {what}", example.name),
                    "live answers are held to the expectation",
                    "correct the pointer, the value or the sample",
                ));
            }
        }
    }
    found
}

/// Compares numbers by value: 1 and 1.0 are the same in JSON.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}
