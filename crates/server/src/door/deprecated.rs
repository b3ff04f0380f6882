//! Counts how often what will go is still used, and says so once per thing and
//! process. It keeps no content: a place in the contract and a number.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use contract::ToolName;
use serde_json::Value;

/// How often each deprecated place was used.
#[derive(Default)]
pub struct Uses(Mutex<BTreeMap<(ToolName, &'static str), u64>>);

impl Uses {
    /// Counts what of a call will go.
    pub fn count(&self, tool: ToolName, places: &'static [&'static str], arguments: &Value) {
        for place in places.iter().filter(|place| is_used(arguments, place)) {
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry((tool, place)).or_default();
            *count = count.saturating_add(1);
            if *count == 1 {
                let tool = tool.as_str();
                tracing::warn!(target: "zero_memory", tool, place, "a client uses what will go; see DEPRECATIONS.md");
            }
        }
    }

    /// Returns how often a place was used.
    #[cfg(test)]
    fn of(&self, tool: ToolName, place: &'static str) -> u64 {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.get(&(tool, place)).copied().unwrap_or_default()
    }
}

/// Whether the arguments hold something at the place; `*` is any index.
fn is_used(value: &Value, place: &str) -> bool {
    let Some(rest) = place.strip_prefix('/') else {
        return true;
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (key, rest) = rest.split_at(end);
    match value {
        Value::Array(items) if key == "*" => items.iter().any(|item| is_used(item, rest)),
        Value::Object(map) => map.get(key).is_some_and(|inner| is_used(inner, rest)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_will_go_is_counted_where_it_is_used() {
        let uses = Uses::default();
        let places: &[&str] = &["", "/k", "/links/*/note"];
        let tool = ToolName::Recall;
        uses.count(
            tool,
            places,
            &json!({ "k": 3, "links": [{}, { "note": "x" }] }),
        );
        uses.count(tool, places, &json!({ "links": [] }));
        let counts = ["", "/k", "/links/*/note"].map(|place| uses.of(tool, place));
        assert_eq!(counts, [2, 1, 1]);
    }

    #[test]
    fn what_stays_is_not_counted() {
        let uses = Uses::default();
        uses.count(ToolName::Recall, &[], &json!({ "k": 3 }));
        uses.count(ToolName::Recall, &["/k"], &json!({ "query": "k" }));
        assert_eq!(uses.of(ToolName::Recall, "/k"), 0);
    }
}
