//! An example fails only in ways that its tool lists.
//!
//! ## What it does
//!
//! Looks up the code and prefix of every invalid example among the `errors` of
//! its tool. `internal` is always allowed.
//!
//! ## Why
//!
//! Clients and documentation rest on the list. A failure that the examples show
//! and the list does not is a promise broken on paper already.
//!
//! ## How to mend
//!
//! Add the error to the tool with the case in which it comes, or correct the
//! example.

use crate::check::Subject;
use crate::contract::Verdict;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "example_error_unlisted";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        for (index, example) in tool.examples.iter().enumerate() {
            let Verdict::Refusal { code, prefix, .. } = &example.verdict else {
                continue;
            };
            let is_listed = tool
                .errors
                .iter()
                .any(|error| error.code == *code && error.prefix == *prefix);
            if !is_listed && code != "internal" {
                let prefix = prefix
                    .as_ref()
                    .map_or(String::new(), |text| format!(" and {text}"));
                found.push(Problem::edit(
                    ID,
                    &file,
                    format!("/examples/{index}/error"),
                    format!(
                        "{} fails with {code}{prefix}, which the tool does not list",
                        example.name
                    ),
                    "callers rely on the list being complete",
                    "add it to errors of the tool, or correct the example",
                ));
            }
        }
    }
    found
}
