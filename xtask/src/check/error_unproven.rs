//! Every error that a tool lists is provoked by one of its examples.
//!
//! ## What it does
//!
//! Looks for an invalid example with the code and the prefix of every entry of
//! `errors`. `internal` is left out: nobody can ask for it.
//!
//! ## Why
//!
//! Callers write branches for what is listed. An error that no example shows
//! may never come, may come with another code, or in another case.
//!
//! ## How to mend
//!
//! Write an example that provokes it; `scene` brings about what no call can.
//! If nothing provokes it, take the entry out.

use crate::check::Subject;
use crate::contract::Verdict;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "error_unproven";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        for (index, error) in tool.errors.iter().enumerate() {
            let provoked = tool.examples.iter().any(|example| {
                matches!(&example.verdict, Verdict::Refusal { code, prefix, .. }
                    if *code == error.code && *prefix == error.prefix)
            });
            if provoked || error.code == "internal" {
                continue;
            }
            let prefix = error
                .prefix
                .as_ref()
                .map_or(String::new(), |text| format!(" and {text}"));
            found.push(Problem::edit(
                ID,
                &file,
                format!("/errors/{index}"),
                format!("no example fails with {}{prefix}", error.code),
                "callers write a branch for it that nothing shows to be right",
                "write an example that provokes it, or take the entry out",
            ));
        }
    }
    found
}
