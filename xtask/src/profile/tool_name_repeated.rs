//! A name stands for one tool.
//!
//! ## What it does
//!
//! Reports a name that an earlier tool of the list has.
//!
//! ## Why
//!
//! The request is refused, or the second tool hides the first.
//!
//! ## How to mend
//!
//! Rename one.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "rename one";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.tools()
        .filter_map(|(index, tool)| {
            let name = tool.get("name")?;
            let mut before = list.tools.iter().take(index);
            let is_taken = before.any(|other| other.get("name") == Some(name));
            let what = format!("another tool is named {name}");
            is_taken.then(|| Finding::new(format!("/{index}/name"), what))
        })
        .collect()
}
