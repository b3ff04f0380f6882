//! Every array says what it holds.
//!
//! ## What it does
//!
//! Reports a schema of type `array` without `items` or `prefixItems`.
//!
//! ## Why
//!
//! Model hosts and editors refuse the tool, or the whole request, with
//! "array schema missing items".
//!
//! ## How to mend
//!
//! Give the array `items`.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "say under items what the array holds";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.schemas()
        .filter(|place| place.is_of("array"))
        .filter(|place| !place.has("items") && !place.has("prefixItems"))
        .map(|place| place.finding("", "the array does not say what it holds"))
        .collect()
}
