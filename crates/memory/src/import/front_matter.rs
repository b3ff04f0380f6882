//! Reads the block of keys between two lines of dashes at the top of a
//! Markdown file: as YAML, or line by line where it is none.
//!
//! Nothing in it is expanded: YAML comes as a stream of events, and a block
//! with an alias in it is read line by line.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// Bytes of a block that is looked at.
const LONGEST: usize = 64 * 1024;
/// Levels that a block may nest.
const DEEPEST: usize = 16;

/// A file taken apart.
pub struct Parts<'t> {
    /// The block, without its dashes.
    pub block: &'t str,
    /// What follows it.
    pub body: &'t str,
    /// Bytes before the body.
    pub body_start: usize,
}

/// Takes a file apart, if it opens with a block.
pub fn split(text: &str) -> Option<Parts<'_>> {
    let open = text.len() - text.trim_start().len();
    let rest = text.get(open..)?;
    let first_end = rest.find('\n')?;
    if rest.get(..first_end)?.trim_end() != "---" {
        return None;
    }
    let start = open + first_end + 1;
    let mut at = start;
    for line in text.get(start..)?.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            let body_start = at + line.len();
            return Some(Parts {
                block: text.get(start..at)?,
                body: text.get(body_start..)?,
                body_start,
            });
        }
        at += line.len();
        if at - start > LONGEST {
            return None;
        }
    }
    None
}

/// Returns the keys of a block: as YAML, or else line by line.
pub fn fields(block: &str) -> Map<String, Value> {
    yaml(block).unwrap_or_else(|| lines(block))
}

/// Returns the keys of a block that is a mapping in YAML.
pub fn yaml(block: &str) -> Option<Map<String, Value>> {
    let mut open: Vec<(Value, Option<String>)> = Vec::new();
    let mut done = None;
    for event in Parser::new_from_str(block) {
        let (event, _) = event.ok()?;
        let value = match event {
            Event::Alias(_) => return None,
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= DEEPEST => {
                return None;
            }
            Event::SequenceStart(..) => {
                open.push((Value::Array(Vec::new()), None));
                continue;
            }
            Event::MappingStart(..) => {
                open.push((Value::Object(Map::new()), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop()?.0,
            Event::Scalar(text, style, ..) => scalar(&text, style),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => continue,
        };
        match open.last_mut() {
            None => {
                if done.is_some() {
                    return None;
                }
                done = Some(value);
            }
            Some((Value::Array(items), _)) => items.push(value),
            Some((Value::Object(map), key)) => match key.take() {
                None => *key = Some(plain(&value)),
                Some(key) => {
                    map.insert(key, value);
                }
            },
            Some(_) => return None,
        }
    }
    match done? {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => Value::String(text.to_owned()),
    }
}

/// Returns the keys of a block that is no YAML: `key: value` by line, with
/// lists and one level of keys below a key.
pub fn lines(block: &str) -> Map<String, Value> {
    let mut map = Map::new();
    let mut last: Option<String> = None;
    for line in block.lines() {
        let line = line.trim_end();
        let indented = line.starts_with([' ', '\t']) || line.starts_with("- ");
        let inner = line.trim();
        if inner.is_empty() || inner.starts_with('#') {
            continue;
        }
        if indented && let Some(parent) = &last {
            nest(map.entry(parent.clone()).or_insert(Value::Null), inner);
            continue;
        }
        let Some((key, value)) = inner.split_once(':') else {
            continue;
        };
        let key = key.trim().to_owned();
        map.insert(key.clone(), plain_value(value.trim()));
        last = Some(key);
    }
    map
}

fn nest(parent: &mut Value, line: &str) {
    if let Some(entry) = line.strip_prefix('-') {
        if !parent.is_array() {
            *parent = Value::Array(Vec::new());
        }
        if let Value::Array(items) = parent {
            items.push(plain_value(entry.trim()));
        }
    } else if let Some((key, value)) = line.split_once(':') {
        if !parent.is_object() {
            *parent = Value::Object(Map::new());
        }
        if let Value::Object(map) = parent {
            map.insert(key.trim().to_owned(), plain_value(value.trim()));
        }
    }
}

fn plain_value(text: &str) -> Value {
    if text.len() >= 2 && text.starts_with('"') && text.ends_with('"') {
        let unquoted = text.get(1..text.len() - 1).unwrap_or_default();
        return serde_json::from_str(text).unwrap_or_else(|_| Value::String(unquoted.to_owned()));
    }
    if text.len() >= 2 && text.starts_with('\'') && text.ends_with('\'') {
        let unquoted = text.get(1..text.len() - 1).unwrap_or_default();
        return Value::String(unquoted.replace("''", "'"));
    }
    if let Some(list) = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return list
            .split(',')
            .map(|entry| plain_value(entry.trim()))
            .collect();
    }
    scalar(text, ScalarStyle::Plain)
}

/// Returns a scalar as text.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Returns a field as text, if it says something.
pub fn word(fields: &Map<String, Value>, key: &str) -> Option<String> {
    let text = fields.get(key).map(plain)?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns a field as a list: a list, or a text with commas.
pub fn list(fields: &Map<String, Value>, key: &str) -> Vec<String> {
    let found: Vec<String> = match fields.get(key) {
        Some(Value::Array(items)) => items.iter().map(plain).collect(),
        Some(Value::String(text)) => text.split(',').map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let trimmed = found.iter().map(|entry| entry.trim().to_owned());
    trimmed.filter(|entry| !entry.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_block_is_read_as_yaml_or_else_by_line() {
        let cases = [
            (
                "name: x\ntags: [a, b]\n",
                json!({"name": "x", "tags": ["a", "b"]}),
            ),
            (
                "name: \"a: \\\"b\\\" \\u00e9\"\r\n",
                json!({"name": "a: \"b\" é"}),
            ),
            (
                "metadata: \n  node_type: memory\n  type: user\n",
                json!({"metadata": {"node_type": "memory", "type": "user"}}),
            ),
            (
                "description: Use when: a change\n",
                json!({"description": "Use when: a change"}),
            ),
            (
                "globs: **/*.ts, **/*.tsx\nalwaysApply: false\n",
                json!({"globs": "**/*.ts, **/*.tsx", "alwaysApply": false}),
            ),
            ("globs:\n", json!({"globs": null})),
            ("a: &x [1]\nb: *x\n", json!({"a": "&x [1]", "b": "*x"})),
            ("tags:\n- one\n- two\n", json!({"tags": ["one", "two"]})),
        ];
        for (block, expected) in cases {
            assert_eq!(Value::Object(fields(block)), expected, "{block}");
        }
    }

    #[test]
    fn what_nests_without_end_is_not_followed() {
        assert_eq!(yaml(&"[".repeat(100_000)), None);
        assert_eq!(yaml(&format!("a: {}", "{b: ".repeat(50_000))), None);
    }

    #[test]
    fn a_file_is_taken_apart_only_where_a_block_opens_and_ends() {
        assert!(split("text\n---\na: b\n---\n").is_none());
        assert!(split("---\na: b\n").is_none());
        let parts = split("\n---\r\na: b\r\n---\r\nbody").unwrap();
        assert_eq!((parts.block, parts.body), ("a: b\r\n", "body"));
    }
}
