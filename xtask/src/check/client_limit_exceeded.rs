//! The served tool list keeps every known limit of a client.
//!
//! ## What it does
//!
//! Runs the rules of `xtask/src/profile/` on the full toolset as it is served.
//! `cargo xtask explain` lists them with the others; `cargo xtask lint FILE`
//! runs them on the list of any server.
//!
//! ## Why
//!
//! One schema that a client cannot read empties the whole server for its user,
//! and often the other servers of the same request.
//!
//! ## How to mend
//!
//! The finding begins with the id of the rule: `cargo xtask explain` has its
//! page.

use serde_json::Value;

use crate::check::Subject;
use crate::contract::Toolset;
use crate::lower::{served_tool, tools_of};
use crate::problem::{Fix, Problem};
use crate::profile;

/// Id of the rule.
pub const ID: &str = "client_limit_exceeded";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let served: Vec<Value> = tools_of(contract, Toolset::Full)
        .map(|tool| served_tool(contract, tool))
        .collect();
    let file = "generated/tools_list/full.json";
    let found = profile::lint(&served, &contract.settings.name, file, &contract.surface);
    found
        .into_iter()
        .map(|problem| Problem {
            what: format!("{}: {}", problem.rule, problem.what),
            fix: Fix::Edit(match problem.fix {
                Fix::Edit(how) => format!("in schema/tools/, {how}"),
                Fix::Run(command) => command,
            }),
            rule: ID,
            ..problem
        })
        .collect()
}
