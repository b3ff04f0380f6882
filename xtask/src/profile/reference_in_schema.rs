//! A schema is written out, without references.
//!
//! ## What it does
//!
//! Reports `$ref`, `$dynamicRef`, `$defs` and `definitions`.
//!
//! ## Why
//!
//! Some hosts refuse them, and one reference that leads nowhere empties the
//! whole server.
//!
//! ## How to mend
//!
//! Inline what is referred to.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "inline what it refers to";

const REFUSED: [&str; 4] = ["$ref", "$dynamicRef", "$defs", "definitions"];

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.schemas()
        .flat_map(|place| place.keywords_among(&REFUSED))
        .collect()
}
