//! An icon is an object with a source.
//!
//! ## What it does
//!
//! Reports `icons` that are no list of objects with a string `src` and,
//! where they have them, a list of `sizes`.
//!
//! ## Why
//!
//! A strict client refuses the whole list for one icon.
//!
//! ## How to mend
//!
//! Write a list of objects, each with `src`, and `sizes` as a list.

use serde_json::Value;

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write a list of objects with src, and sizes as a list";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.tools()
        .filter_map(|(index, tool)| {
            let icons = tool.get("icons")?.as_array();
            let is_sound = icons.is_some_and(|icons| icons.iter().all(is_icon));
            let finding = || Finding::new(format!("/{index}/icons"), "an icon of another shape");
            (!is_sound).then(finding)
        })
        .collect()
}

fn is_icon(icon: &Value) -> bool {
    icon.get("src").is_some_and(Value::is_string) && icon.get("sizes").is_none_or(Value::is_array)
}
