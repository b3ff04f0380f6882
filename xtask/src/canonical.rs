//! One spelling per value: keys in order, whole numbers without a fraction;
//! and the hash of it. Releases, drift and the diff compare by it.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Numbers up to this size are whole in every JSON reader.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns the value in its one spelling.
pub fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let sorted: Map<String, Value> = entries
                .into_iter()
                .map(|(key, inner)| (key.clone(), canonical(inner)))
                .collect();
            Value::Object(sorted)
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        Value::Number(number) => {
            let whole = number
                .as_f64()
                .filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < MAX_EXACT);
            // The bound above keeps every digit.
            #[expect(clippy::cast_possible_truncation, reason = "checked above")]
            whole.map_or_else(|| value.clone(), |float| Value::from(float as i64))
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// Returns the text of a file that holds the value.
pub fn text(value: &Value) -> String {
    format!("{:#}\n", canonical(value))
}

/// Returns the SHA-256 of the one spelling, as `sha256:` and hexadecimal.
pub fn hash(value: &Value) -> String {
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(canonical(value).to_string().as_bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
