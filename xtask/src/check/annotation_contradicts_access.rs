//! Hints say what the access of the tool allows.
//!
//! ## What it does
//!
//! Compares the hints of every tool with its `access`:
//!
//! - `readOnlyHint` is true exactly when the access is `read`;
//! - `destructiveHint` is true exactly when the access is `write`;
//! - `idempotentHint` is true when the access is `read`;
//! - `openWorldHint` is false: nothing here reaches beyond the store.
//!
//! Absent hints are the business of `annotation_missing`.
//!
//! ## Why
//!
//! The generated handler gets a view that its `access` allows, so the access is
//! what the compiler enforces. A hint that says something else is a lie that a
//! client acts on: it runs without asking what it should have asked about.
//!
//! ## How to mend
//!
//! Decide what the handler does, set `access`, and make the hints follow.

use crate::check::Subject;
use crate::contract::Access;
use crate::lower::access_word;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "annotation_contradicts_access";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        let stated = &tool.annotations;
        let is_read = tool.access == Access::Read;
        let rules = [
            ("readOnlyHint", stated.read_only, Some(is_read)),
            (
                "destructiveHint",
                stated.destructive,
                Some(tool.access == Access::Write),
            ),
            ("idempotentHint", stated.idempotent, is_read.then_some(true)),
            ("openWorldHint", stated.open_world, Some(false)),
        ];
        for (name, hint, demanded) in rules {
            let (Some(hint), Some(demanded)) = (hint, demanded) else {
                continue;
            };
            if hint != demanded {
                found.push(Problem::edit(
                    ID,
                    &file,
                    format!("/annotations/{name}"),
                    format!(
                        "{name} is {hint}, but the access is {}",
                        access_word(tool.access)
                    ),
                    "a client acts on the hint, the compiler on the access",
                    format!("write {demanded}, or change the access"),
                ));
            }
        }
    }
    found
}
