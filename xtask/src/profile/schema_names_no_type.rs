//! Every argument has a type.
//!
//! ## What it does
//!
//! Reports a schema of an input with neither `type` nor a combination of
//! schemas.
//!
//! ## Why
//!
//! One client skips the tool, and one host refuses the request, because it
//! does not know what to send.
//!
//! ## How to mend
//!
//! Name one type.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "name one type";

const INSTEAD: [&str; 4] = ["oneOf", "anyOf", "allOf", "$ref"];

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.inputs()
        .filter(|place| place.schema.is_object() && place.is_value() && !place.has("type"))
        .filter(|place| !INSTEAD.iter().any(|word| place.has(word)))
        .map(|place| place.finding("", "an argument without a type"))
        .collect()
}
