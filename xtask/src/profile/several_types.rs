//! An argument has one type.
//!
//! ## What it does
//!
//! Reports a `type` of an input that is a list.
//!
//! ## Why
//!
//! A model host whose schema holds one type refuses the request.
//!
//! ## How to mend
//!
//! Name one type. An argument that may be absent is left out of `required`.

use serde_json::Value;

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "name one type; leave what may be absent out of required";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.inputs()
        .filter(|place| place.schema.get("type").is_some_and(Value::is_array))
        .map(|place| place.finding("/type", "a list of types"))
        .collect()
}
