//! Two tools, or two examples of a tool, never go by one name.
//!
//! ## What it does
//!
//! Compares the first `tool_name_distinct_prefix` characters of all tool
//! names, and the names of the examples of each tool.
//!
//! ## Why
//!
//! Clients put the name of the server before the name of the tool and cut the
//! result. Two tools that are equal up to the cut become one. An example is a
//! test vector in a file of its name, and of two the second overwrites the
//! first.
//!
//! ## How to mend
//!
//! Rename one so that they differ earlier.

use std::collections::BTreeMap;

use crate::check::Subject;
use crate::places::tool_file;
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
    for (stem, tool) in &contract.tools {
        let beginning: String = tool.name.chars().take(n_distinct).collect();
        if let Some(other) = first.get(&beginning) {
            found.push(Problem::edit(
                ID,
                tool_file(stem),
                "/name",
                format!("it begins like {other} for {n_distinct} characters"),
                "clients cut names, and two tools become one",
                "rename one so that they differ earlier",
            ));
        } else {
            first.insert(beginning, tool.name.clone());
        }
        for (index, example) in tool.examples.iter().enumerate() {
            let mut before = tool.examples.iter().take(index);
            if before.any(|other| other.name == example.name) {
                found.push(Problem::edit(
                    ID,
                    tool_file(stem),
                    format!("/examples/{index}/name"),
                    format!("another example is named {} too", example.name),
                    "an example is a test vector in a file of its name",
                    "say in the name what this one shows",
                ));
            }
        }
    }
    found
}
