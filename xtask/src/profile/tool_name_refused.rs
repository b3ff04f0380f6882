//! The name of a tool is a word of ASCII.
//!
//! ## What it does
//!
//! Reports names that are not 1 to 64 of `a-z`, `A-Z`, `0-9`, `_`, `-`.
//!
//! ## Why
//!
//! One violation hides every tool of the server.
//!
//! ## How to mend
//!
//! Rename it.

use serde_json::Value;

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "rename it: 1 to 64 letters, digits, underscores, hyphens";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.tools()
        .filter_map(|(index, tool)| {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            let is_sound = (1..=64).contains(&name.len()) && name.chars().all(is_part);
            let what = format!("\"{name}\" is refused as a name");
            (!is_sound).then(|| Finding::new(format!("/{index}/name"), what))
        })
        .collect()
}
