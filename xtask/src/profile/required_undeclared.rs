//! What is required is declared.
//!
//! ## What it does
//!
//! Reports a name in `required` of an input that is not among its
//! `properties`.
//!
//! ## Why
//!
//! A model host refuses the request: "property is not defined".
//!
//! ## How to mend
//!
//! Declare it, or take it out of `required`.

use serde_json::Value;

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "declare it under properties, or take it out of required";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for place in list.inputs().filter(|place| place.is_of("object")) {
        let required = place.schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let properties = place.schema.get("properties");
            if properties.and_then(|all| all.get(name)).is_none() {
                let what = format!("{name} is required and not declared");
                found.push(place.finding("/required", &what));
            }
        }
    }
    found
}
