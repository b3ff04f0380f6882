//! A tool's description fits its budget.
//!
//! ## What it does
//!
//! Counts the bytes of `description` of every tool against
//! `tool_description_max_bytes` of `contract.json`.
//!
//! ## Why
//!
//! Clients cut a long description without a word, and what is left reads as if
//! it were whole (source: `clients.json`). The budget also keeps the context
//! that every session pays for small.
//!
//! ## How to mend
//!
//! Shorten it. What a caller needs only after a failure belongs into the
//! message of the error; what concerns one argument belongs to that argument.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "description_over_budget";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let budget = contract.settings.budget("tool_description_max_bytes");
    subject
        .tools()
        .filter(|(_, tool)| tool.description.len() > budget)
        .map(|(file, tool)| {
            Problem::edit(
                ID,
                file,
                "/description",
                format!(
                    "the description has {} bytes of {budget}",
                    tool.description.len()
                ),
                "clients cut what is longer without a word",
                "shorten it; the decisive facts come first",
            )
        })
        .collect()
}
