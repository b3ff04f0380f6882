//! Long texts stand behind every other argument.
//!
//! ## What it does
//!
//! Reports an argument that follows a string of 2,048 characters or more.
//!
//! ## Why
//!
//! A model that is cut off loses what it writes last. A cut text fails where
//! a lost option takes its default unnoticed.
//!
//! ## How to mend
//!
//! Move the long text to the end of `properties`.

use serde_json::Value;

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "move the long text to the end of properties";

/// A string that may be this long is a text.
const LONG: u64 = 2048;

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let roots = list.inputs().filter(|place| place.is_root);
    roots
        .filter_map(|place| {
            let properties = place.schema.get("properties")?.as_object()?;
            let mut rest = properties
                .iter()
                .skip_while(|(_, schema)| !is_long(schema));
            let (name, _) = rest.find(|(_, schema)| !is_long(schema))?;
            let part = format!("/properties/{name}");
            Some(place.finding(&part, "it stands behind a long text"))
        })
        .collect()
}

fn is_long(schema: &Value) -> bool {
    let most = schema.get("maxLength").and_then(Value::as_u64);
    most.is_some_and(|most| most >= LONG)
}
