//! An argument has one type.
//!
//! ## What it does
//!
//! Reports a `type` of an input that is a list, and an argument that is a
//! choice (`anyOf`, `oneOf`) of several types.
//!
//! ## Why
//!
//! A model host whose schema holds one type refuses the request.
//!
//! ## How to mend
//!
//! Name one type. An argument that may be absent is left out of `required`.

use serde_json::Value;

use crate::profile::{Finding, List, Place};

/// What to do.
pub const FIX: &str = "name one type; leave what may be absent out of required";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let lists = list
        .inputs()
        .filter(|place| place.schema.get("type").is_some_and(Value::is_array))
        .map(|place| place.finding("/type", "a list of types"));
    let unions = list.inputs().filter(Place::is_value).flat_map(|place| {
        ["anyOf", "oneOf"]
            .into_iter()
            .filter(|word| is_of_several(place.schema.get(word)))
            .map(|word| place.finding(&format!("/{word}"), "a choice of types"))
            .collect::<Vec<Finding>>()
    });
    lists.chain(unions).collect()
}

fn is_of_several(branches: Option<&Value>) -> bool {
    let branches = branches.and_then(Value::as_array).into_iter().flatten();
    let mut types = branches.filter_map(|branch| branch.get("type"));
    let first = types.next();
    types.any(|other| Some(other) != first)
}
