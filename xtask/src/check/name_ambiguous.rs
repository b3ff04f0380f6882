//! Two tool names differ early enough for every client.
//!
//! ## What it does
//!
//! Compares the first `tool_name_distinct_prefix` characters of all tool names.
//!
//! ## Why
//!
//! Clients put the name of the server before the name of the tool and cut the
//! result. Two tools that are equal up to the cut become one.
//!
//! ## How to mend
//!
//! Rename one so that they differ earlier.

use std::collections::BTreeMap;

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "name_ambiguous";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let n_distinct = contract.settings.budget("tool_name_distinct_prefix");
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        let beginning: String = tool.name.chars().take(n_distinct).collect();
        if let Some(other) = first.get(&beginning) {
            found.push(Problem::edit(
                ID,
                file,
                "/name",
                format!("it begins like {other} for {n_distinct} characters"),
                "clients cut names, and two tools become one",
                "rename one so that they differ earlier",
            ));
        } else {
            first.insert(beginning, tool.name.clone());
        }
    }
    found
}
