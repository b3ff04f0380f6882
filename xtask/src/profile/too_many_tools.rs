//! A list is short enough for every client.
//!
//! ## What it does
//!
//! Counts the tools.
//!
//! ## Why
//!
//! What is more is left out, or the request is refused, whatever it is
//! about.
//!
//! ## How to mend
//!
//! Offer fewer: a smaller toolset by default, the rest on demand.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "offer fewer by default";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let most = list.smallest();
    let n_tools = list.tools.len();
    if n_tools <= most {
        return Vec::new();
    }
    let what = format!("{n_tools} tools; some clients take {most}");
    vec![Finding::new("", what)]
}
