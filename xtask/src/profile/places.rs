//! Every schema within a tool, with its place.

use serde_json::Value;

use crate::profile::Finding;

/// A schema within a tool.
pub struct Place<'a> {
    /// Where it stands in the list.
    pub pointer: String,
    /// The schema itself.
    pub schema: &'a Value,
    /// Whether callers send it; otherwise they get it.
    pub is_input: bool,
    /// Whether it is the whole input or output.
    pub is_root: bool,
}

impl Place<'_> {
    /// Returns whether the schema has this keyword.
    pub fn has(&self, word: &str) -> bool {
        self.schema.get(word).is_some()
    }

    /// Returns whether the schema is of this one type.
    pub fn is_of(&self, name: &str) -> bool {
        self.schema.get("type").is_some_and(|kind| kind == name)
    }

    /// Returns whether a value is sent for it: a property or an item, no branch
    /// of a combination.
    pub fn is_value(&self) -> bool {
        let mut parts = self.pointer.rsplit('/');
        let (last, before) = (parts.next(), parts.next());
        last == Some("items") || before == Some("properties")
    }

    /// Returns a finding about a part of the schema.
    pub fn finding(&self, part: &str, what: &str) -> Finding {
        Finding::new(format!("{}{part}", self.pointer), what)
    }

    /// Returns a finding for each of these keywords that the schema has.
    pub fn keywords_among(&self, words: &[&str]) -> Vec<Finding> {
        let side = if self.is_input {
            "an input"
        } else {
            "an output"
        };
        let present = words.iter().filter(|word| self.has(word));
        present
            .map(|word| self.finding(&format!("/{word}"), &format!("{word} in {side}")))
            .collect()
    }
}

/// Keywords that hold one schema.
const ONE: [&str; 12] = [
    "items",
    "additionalProperties",
    "additionalItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
/// Keywords that hold a list of schemas.
const LIST: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
/// Keywords that hold schemas by name.
const NAMED: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];

/// Returns every schema of the tool at this index.
pub fn places(index: usize, tool: &Value) -> Vec<Place<'_>> {
    let mut found = Vec::new();
    for (key, is_input) in [("inputSchema", true), ("outputSchema", false)] {
        if let Some(schema) = tool.get(key) {
            let start = found.len();
            collect(format!("/{index}/{key}"), schema, is_input, &mut found);
            if let Some(root) = found.get_mut(start) {
                root.is_root = true;
            }
        }
    }
    found
}

fn collect<'a>(pointer: String, schema: &'a Value, is_input: bool, found: &mut Vec<Place<'a>>) {
    if let Some(keywords) = schema.as_object() {
        found.push(Place {
            pointer: pointer.clone(),
            schema,
            is_input,
            is_root: false,
        });
        for (keyword, value) in keywords {
            let word = keyword.as_str();
            if LIST.contains(&word)
                && let Some(items) = value.as_array()
            {
                for (index, item) in items.iter().enumerate() {
                    collect(format!("{pointer}/{word}/{index}"), item, is_input, found);
                }
            } else if NAMED.contains(&word)
                && let Some(map) = value.as_object()
            {
                for (name, inner) in map {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    collect(format!("{pointer}/{word}/{name}"), inner, is_input, found);
                }
            } else if ONE.contains(&word) && (value.is_object() || !closes(word)) {
                collect(format!("{pointer}/{word}"), value, is_input, found);
            }
        }
    } else {
        found.push(Place {
            pointer,
            schema,
            is_input,
            is_root: false,
        });
    }
}

/// Returns whether a boolean under this keyword is its plain use, and no
/// schema to a reader.
fn closes(word: &str) -> bool {
    matches!(
        word,
        "additionalProperties" | "additionalItems" | "unevaluatedItems" | "unevaluatedProperties"
    )
}
