//! Connect-time texts fit the client that cuts them shortest.
//!
//! ## What it does
//!
//! Composes the instructions for a client that caps them, with no standing
//! rules and the longer toolset text, and compares the bytes with
//! `instructions_capped_max_bytes`. Then compares that budget with every
//! `instructions_max_bytes` of `clients.json`.
//!
//! ## Why
//!
//! What does not fit is dropped segment by segment, and what is always served
//! must never be. A budget above what a client takes would be cut by that
//! client in mid-sentence.
//!
//! ## How to mend
//!
//! Shorten a segment, mark one `"clients": "uncapped"`, or lower the budget to
//! what the client takes.

use crate::check::Subject;
use crate::contract::{Limit, SegmentBody, Slot};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "instructions_over_budget";

const BUDGET: &str = "instructions_capped_max_bytes";

/// Bytes between two segments: a blank line.
const GAP: usize = 2;

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let budget = contract.settings.budget(BUDGET);
    let toolset = contract
        .settings
        .toolsets
        .iter()
        .map(|(_, text)| text.len())
        .max()
        .unwrap_or(0);
    let sizes: Vec<usize> = contract
        .segments
        .iter()
        .filter(|segment| !segment.uncapped_only)
        .map(|segment| match &segment.body {
            SegmentBody::Text(text) => text.len(),
            SegmentBody::Slot(Slot::Toolset) => toolset,
            SegmentBody::Slot(Slot::Rules | Slot::AttachedProject) => 0,
        })
        .filter(|size| *size > 0)
        .collect();
    let n_bytes = sizes.iter().sum::<usize>() + GAP * sizes.len().saturating_sub(1);
    let mut found = Vec::new();
    if n_bytes > budget {
        found.push(Problem::edit(
            ID,
            "schema/instructions.json",
            "/segments",
            format!("what is always served has {n_bytes} bytes of {budget}"),
            "a segment that does not fit is dropped whole",
            "shorten a segment, or keep one for uncapped clients",
        ));
    }
    for (index, client) in contract.clients.iter().enumerate() {
        let limit = usize::try_from(client.value).unwrap_or(usize::MAX);
        if client.limit == Limit::InstructionsMaxBytes && budget > limit {
            found.push(Problem::edit(
                ID,
                "schema/contract.json",
                format!("/budgets/{BUDGET}"),
                format!(
                    "the budget is {budget}, but {} takes {limit}",
                    client.client
                ),
                format!(
                    "{} (schema/clients.json#/clients/{index})",
                    client.effect.trim_end_matches('.')
                ),
                format!("lower the budget to {limit}"),
            ));
        }
    }
    found
}
