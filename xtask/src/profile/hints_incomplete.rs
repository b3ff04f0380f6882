//! A tool has a title and says all four hints.
//!
//! ## What it does
//!
//! Looks for `annotations` with `title`, `readOnlyHint`, `destructiveHint`,
//! `idempotentHint` and `openWorldHint`.
//!
//! ## Why
//!
//! An absent hint means the worst: the user is asked before a harmless read.
//! Some clients show only the title of the annotations.
//!
//! ## How to mend
//!
//! Write all of them down, in agreement with what the handler does.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write the title and all four hints under annotations";

const WANTED: [&str; 5] = [
    "title",
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.tools()
        .filter_map(|(index, tool)| {
            let is_said = |word: &str| {
                let value = tool.pointer(&format!("/annotations/{word}"));
                value.is_some_and(|value| value.is_boolean() || (word == "title" && value.is_string()))
            };
            let missing: Vec<&str> = WANTED.into_iter().filter(|word| !is_said(word)).collect();
            let what = format!("{} missing or of another type", missing.join(", "));
            (!missing.is_empty()).then(|| Finding::new(format!("/{index}/annotations"), what))
        })
        .collect()
}
