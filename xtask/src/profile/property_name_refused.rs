//! The name of a property is a word of ASCII.
//!
//! ## What it does
//!
//! Reports names of properties of an input that are not 1 to 64 of `a-z`,
//! `A-Z`, `0-9`, `_`, `.`, `-`.
//!
//! ## Why
//!
//! One such name fails every request that offers the tool, whatever it is
//! about.
//!
//! ## How to mend
//!
//! Rename it.

use serde_json::Value;

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "rename it: 1 to 64 letters, digits, underscores, dots, hyphens";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for place in list.inputs() {
        let properties = place.schema.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(|map| map.keys()) {
            if !is_word(name) {
                let what = format!("\"{name}\" is refused as a name");
                found.push(place.finding("/properties", &what));
            }
        }
    }
    found
}

fn is_word(name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    (1..=64).contains(&name.len()) && name.chars().all(is_part)
}
