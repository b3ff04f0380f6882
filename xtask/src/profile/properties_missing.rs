//! An object lists its properties, even if it has none.
//!
//! ## What it does
//!
//! Reports a schema of type `object` in an input without `properties`.
//!
//! ## Why
//!
//! A model host answers every request that offers such a tool with "object
//! schema missing properties".
//!
//! ## How to mend
//!
//! Write an empty object under `properties`.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write properties, empty if there are none";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.inputs()
        .filter(|place| place.is_of("object") && !place.has("properties"))
        .map(|place| place.finding("", "an object without properties"))
        .collect()
}
