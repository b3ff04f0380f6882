//! An input is one object, not a choice.
//!
//! ## What it does
//!
//! Reports `oneOf`, `anyOf`, `allOf`, `not` and `if` at the root of an
//! input.
//!
//! ## Why
//!
//! One client refuses every request that offers such a tool, another drops
//! the keyword and with it the constraint.
//!
//! ## How to mend
//!
//! Write one object with optional properties, and check the combination in
//! the handler.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write one object, and check combinations in the handler";

const REFUSED: [&str; 5] = ["oneOf", "anyOf", "allOf", "not", "if"];

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let roots = list.inputs().filter(|place| place.is_root);
    roots
        .flat_map(|place| place.keywords_among(&REFUSED))
        .collect()
}
