//! The schema refuses what an example says it refuses, and only that.
//!
//! ## What it does
//!
//! Validates, as served, the input of every invalid example. One with
//! `refused_by: schema` must be refused, one with `refused_by: handler` must be
//! accepted.
//!
//! ## Why
//!
//! What only the handler refuses, a client cannot know beforehand, and what the
//! schema refuses, the handler never sees. An example on the wrong side tests
//! nothing: it would pass for another reason than it states.
//!
//! ## How to mend
//!
//! Change `refused_by`, or the input so that it breaks what its name says and
//! nothing else.

use crate::check::Subject;
use crate::contract::{RefusedBy, Verdict};
use crate::problem::Problem;
use crate::verdicts::judge;

/// Id of the rule.
pub const ID: &str = "example_accepted";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        for (index, example) in tool.examples.iter().enumerate() {
            let Verdict::Refusal { refused_by, .. } = &example.verdict else {
                continue;
            };
            let faults = judge(contract, &subject.validators, tool, example).input;
            let (what, fix) = match (refused_by, faults.first()) {
                (RefusedBy::Schema, None) => (
                    "the schema accepts it".to_owned(),
                    "write refused_by handler, or break the schema",
                ),
                (RefusedBy::Handler, Some(fault)) => (
                    format!("the schema refuses it before the handler: {}", fault.what),
                    "write refused_by schema, or keep to the schema",
                ),
                (RefusedBy::Schema, Some(_)) | (RefusedBy::Handler, None) => continue,
            };
            found.push(Problem::edit(
                ID,
                &file,
                format!("/examples/{index}/input"),
                format!("{}: {what}", example.name),
                "an example that fails for another reason tests nothing",
                fix,
            ));
        }
    }
    found
}
