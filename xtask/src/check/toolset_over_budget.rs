//! A toolset fits what a model is ready to read.
//!
//! ## What it does
//!
//! Adds up what a model is shown of each toolset: names, descriptions and input
//! schemas as compact JSON. Compares the bytes with `toolset_core_max_bytes`
//! and `toolset_full_max_bytes` of `contract.json`.
//!
//! ## Why
//!
//! Every session pays for the tools before its first word. Clients drop servers
//! that ask for too much, or hide their tools behind a search.
//!
//! ## How to mend
//!
//! Shorten descriptions, starting with the tools that the finding names, or
//! move a tool to the set `full`.

use serde_json::Value;

use crate::check::Subject;
use crate::contract::Toolset;
use crate::lower::{model_view, tools_of};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "toolset_over_budget";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, toolset) in Toolset::ALL {
        let key = format!("toolset_{name}_max_bytes");
        let budget = contract.settings.budget(&key);
        let views: Vec<Value> = tools_of(contract, toolset)
            .map(|tool| model_view(contract, tool))
            .collect();
        let n_bytes = Value::from(views).to_string().len();
        if n_bytes <= budget {
            continue;
        }
        let mut sizes: Vec<(usize, &str)> = tools_of(contract, toolset)
            .map(|tool| {
                (
                    model_view(contract, tool).to_string().len(),
                    tool.name.as_str(),
                )
            })
            .collect();
        sizes.sort_by(|left, right| right.cmp(left));
        let largest: Vec<String> = sizes
            .iter()
            .take(3)
            .map(|(size, name)| format!("{name} {size}"))
            .collect();
        found.push(Problem::edit(
            ID,
            "schema/contract.json",
            format!("/budgets/{key}"),
            format!(
                "the toolset {name} takes {n_bytes} bytes of {budget} (largest: {})",
                largest.join(", ")
            ),
            "every session pays for it before its first word",
            "shorten descriptions, or move a tool to another set",
        ));
    }
    found
}
