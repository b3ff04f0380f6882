//! Nothing is left undecided.
//!
//! ## What it does
//!
//! Reports every text of a tool file, and every handler, that still holds the
//! mark which `cargo xtask new-tool` leaves where a person has to decide: the
//! word "undecided" in capitals.
//!
//! ## Why
//!
//! A stub has the right form and passes every other rule, so it would be
//! released, and clients would be told its placeholders.
//!
//! ## How to mend
//!
//! Write what belongs there.

use serde_json::Value;

use crate::check::Subject;
use crate::dialect::escape;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "undecided";

/// What stands where a person has to decide.
pub const MARK: &str = concat!("UN", "DECIDED");

/// Where handlers stand.
const HANDLERS: &str = "crates/memory/src/tools/";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut places: Vec<(&str, String)> = Vec::new();
    for (file, value) in &subject.sources {
        if file.starts_with("schema/tools/") {
            let mut pointers = Vec::new();
            collect(value, "", &mut pointers);
            places.extend(pointers.into_iter().map(|pointer| (file.as_str(), pointer)));
        }
    }
    for (file, text) in &subject.workspace.sources {
        if file.starts_with(HANDLERS) && text.contains(MARK) {
            places.push((file, String::new()));
        }
    }
    places
        .into_iter()
        .map(|(file, pointer)| {
            Problem::edit(
                ID,
                file,
                pointer,
                format!("\"{MARK}\" stands where a person has to decide"),
                "a stub has the right form and would be released as it is",
                "write what belongs there",
            )
        })
        .collect()
}

/// Adds the pointer of every text that holds the mark.
fn collect(value: &Value, pointer: &str, pointers: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(MARK) => pointers.push(pointer.to_owned()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &format!("{pointer}/{index}"), pointers);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                collect(item, &format!("{pointer}/{}", escape(key)), pointers);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
