//! Every limit on tool lists names the rule that keeps it.
//!
//! ## What it does
//!
//! Looks up the `rule` of each row of `surface` in `schema/clients.json` among
//! the files of `xtask/src/profile/`.
//!
//! ## Why
//!
//! A limit that is written down and kept by nothing looks kept.
//!
//! ## How to mend
//!
//! Correct the name, or write the rule with its fixtures.

use crate::check::Subject;
use crate::problem::Problem;
use crate::profile;

/// Id of the rule.
pub const ID: &str = "client_limit_unknown";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let rows = contract.surface.iter().enumerate();
    rows.filter(|(_, row)| profile::RULES.iter().all(|rule| rule.id != row.rule))
        .map(|(index, row)| {
            Problem::edit(
                ID,
                "schema/clients.json",
                format!("/surface/{index}/rule"),
                format!("no rule is named {}", row.rule),
                "a limit that nothing keeps looks kept",
                "correct the name, or write xtask/src/profile/<rule>.rs with its fixtures",
            )
        })
        .collect()
}
