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
            let has = |word: &str| tool.pointer(&format!("/annotations/{word}")).is_some();
            let missing: Vec<&str> = WANTED.into_iter().filter(|word| !has(word)).collect();
            let what = format!("{} missing", missing.join(", "));
            (!missing.is_empty()).then(|| Finding::new(format!("/{index}/annotations"), what))
        })
        .collect()
}
