//! A schema is an object, never true or false.
//!
//! ## What it does
//!
//! Reports `true` and `false` in the place of a schema;
//! `additionalProperties: false` is none.
//!
//! ## Why
//!
//! Clients that read schemas as objects fail on the whole list, and no tool
//! is there.
//!
//! ## How to mend
//!
//! Write an object with a type.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write an object with a type";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.schemas()
        .filter(|place| !place.schema.is_object())
        .map(|place| place.finding("", &format!("{} in the place of a schema", place.schema)))
        .collect()
}
