//! Inputs and outputs are objects.
//!
//! ## What it does
//!
//! Reports an `inputSchema` that is missing or not of type `object`, and an
//! `outputSchema` that is not.
//!
//! ## Why
//!
//! Until 2026-07-28 the protocol allows nothing else, and clients drop the
//! whole list.
//!
//! ## How to mend
//!
//! Wrap the value in an object.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write an object with the value as a property";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, tool) in list.tools() {
        for (key, is_needed) in [("inputSchema", true), ("outputSchema", false)] {
            let is_object = match tool.get(key) {
                Some(schema) => schema.get("type").is_some_and(|kind| kind == "object"),
                None => !is_needed,
            };
            if !is_object {
                let pointer = format!("/{index}/{key}");
                found.push(Finding::new(pointer, "no schema of type object"));
            }
        }
    }
    found
}
