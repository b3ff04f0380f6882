//! An inner error is classified by name where it crosses a layer.
//!
//! ## What it does
//!
//! Looks for arms that take anything (`_ =>`, a bare name) in every `error.rs`
//! of `crates/`, and in every file there that turns one error into another.
//! Tests are left out.
//!
//! ## Why
//!
//! A new inner error must not compile until somebody decides what a caller
//! gets to see of it. An arm that takes anything decides in advance.
//!
//! ## How to mend
//!
//! Name every variant. Where the inner enum is open, ask for the values that
//! matter one by one and let the rest be one thing.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "error_unclassified";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    for (file, text) in &subject.workspace.sources {
        let converts = text
            .lines()
            .any(|line| line.starts_with("impl From<") && line.contains("Error"));
        if !file.starts_with("crates/") || !(converts || file.ends_with("/error.rs")) {
            continue;
        }
        let program = text.lines().take_while(|line| *line != "#[cfg(test)]");
        for (index, line) in program.enumerate() {
            if takes_anything(line.trim_start()) {
                found.push(Problem::edit(
                    ID,
                    file,
                    "",
                    format!("line {} takes whatever is left: {}", index + 1, line.trim()),
                    "a new inner error would cross the layer without a decision",
                    "name every variant",
                ));
            }
        }
    }
    found
}

/// Whether a line of formatted code begins an arm that takes anything.
fn takes_anything(line: &str) -> bool {
    let Some((pattern, _)) = line.split_once(" =>") else {
        return false;
    };
    let pattern = pattern.split(" if ").next().unwrap_or(pattern);
    pattern.split(" | ").any(|one| {
        let mut letters = one.trim_start_matches("ref ").chars();
        letters
            .next()
            .is_some_and(|first| first == '_' || first.is_ascii_lowercase())
            && letters.all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
    })
}
