//! A tool's description is read to its end.
//!
//! ## What it does
//!
//! Counts the bytes of each tool's `description`.
//!
//! ## Why
//!
//! What is longer is cut without a word, and the model acts on half a
//! sentence.
//!
//! ## How to mend
//!
//! Shorten it; put the decisive facts first.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "shorten it, the decisive facts first";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let most = list.smallest();
    list.tools()
        .filter_map(|(index, tool)| {
            let length = tool.get("description")?.as_str()?.len();
            let what = format!("{length} bytes; at most {most} are read");
            (length > most).then(|| Finding::new(format!("/{index}/description"), what))
        })
        .collect()
}
