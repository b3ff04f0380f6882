//! What the door forgives, guided by the schema: surrounding space, `null` for
//! an optional argument, a list sent as JSON text, whole numbers written as
//! fractions. Nothing else is guessed.

use serde_json::{Map, Value};

/// Unknown arguments that are looked at.
const MOST_UNKNOWN: usize = 20;

/// Brings arguments into the form that the schema describes.
pub fn normalise(schema: &Value, arguments: &mut Value) {
    if arguments.is_null() {
        *arguments = Value::Object(Map::new());
    }
    visit(schema, arguments);
}

fn visit(schema: &Value, value: &mut Value) {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => visit_object(schema, value),
        Some("array") => {
            unwrap_list(value);
            if let (Some(items), Value::Array(values)) = (schema.get("items"), value) {
                // One too many still breaks the rule; millions would only be
                // described at length.
                let most = schema.get("maxItems").and_then(Value::as_u64);
                let most = most.and_then(|most| usize::try_from(most).ok());
                values.truncate(most.unwrap_or(usize::MAX).saturating_add(1));
                for value in values {
                    visit(items, value);
                }
            }
        }
        Some("string") => {
            if let Value::String(text) = value {
                trim(text);
            }
        }
        Some("integer") => whole(value),
        _ => {}
    }
}

fn visit_object(schema: &Value, value: &mut Value) {
    let Value::Object(fields) = value else {
        return;
    };
    let required = |name: &str| {
        schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|known| known == name))
    };
    if let Some(Value::Object(properties)) = schema.get("properties") {
        // An unknown argument stays, so that it is refused; a few of them say
        // enough.
        let mut n_unknown = 0;
        fields.retain(|name, field| {
            if !properties.contains_key(name) {
                n_unknown += 1;
                return n_unknown <= MOST_UNKNOWN;
            }
            required(name) || !stands_for_nothing(field)
        });
        for (name, field) in fields {
            if let Some(property) = properties.get(name) {
                visit(property, field);
            }
        }
    }
}

/// Whether an optional argument says "absent": clients that must fill every
/// argument send null, or its four letters.
fn stands_for_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text == "null",
        _ => false,
    }
}

/// Unwraps a list that a client sent as JSON text.
fn unwrap_list(value: &mut Value) {
    if let Value::String(text) = value
        && text.trim_start().starts_with('[')
        && let Ok(list @ Value::Array(_)) = serde_json::from_str(text)
    {
        *value = list;
    }
}

/// Cuts surrounding space; a text without any visible character becomes empty,
/// which the schema then refuses.
fn trim(text: &mut String) {
    let kept = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    let kept = if kept.chars().all(invisible) {
        ""
    } else {
        kept
    };
    if kept.len() != text.len() {
        *text = kept.to_owned();
    }
}

/// Whether a character leaves nothing on the page. NUL is not among them: it
/// has a violation of its own.
fn invisible(letter: char) -> bool {
    (letter.is_control() && letter != '\0')
        || letter.is_whitespace()
        || matches!(
            letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

fn whole(value: &mut Value) {
    // 2^53: beyond it a fraction no longer names one whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(number) = value.as_f64()
        && !value.is_i64()
        && number.fract() == 0.0
        && number.abs() <= EXACT
    {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the range was just checked"
        )]
        let number = number as i64;
        *value = number.into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(sent: Value, expected: Value) {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "k": { "type": "integer" },
                "kinds": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["query"],
        });
        let mut arguments = sent;
        normalise(&schema, &mut arguments);
        assert_eq!(arguments, expected);
    }

    #[test]
    fn forgives_what_it_says_and_nothing_else() {
        check(Value::Null, json!({}));
        check(json!({ "query": " a \n" }), json!({ "query": "a" }));
        check(json!({ "query": "a", "k": null }), json!({ "query": "a" }));
        check(
            json!({ "query": "a", "k": "null" }),
            json!({ "query": "a" }),
        );
        check(json!({ "query": null }), json!({ "query": null }));
        check(
            json!({ "query": "a", "q": null }),
            json!({ "query": "a", "q": null }),
        );
        check(json!({ "query": "null" }), json!({ "query": "null" }));
        check(json!({ "k": 10.0 }), json!({ "k": 10 }));
        check(json!({ "k": 10.5 }), json!({ "k": 10.5 }));
        check(json!({ "k": "10" }), json!({ "k": "10" }));
        check(
            json!({ "kinds": "[\"fact\", \" task \"]" }),
            json!({ "kinds": ["fact", "task"] }),
        );
        check(json!({ "kinds": "fact" }), json!({ "kinds": "fact" }));
        check(json!({ "kinds": "[broken" }), json!({ "kinds": "[broken" }));
    }

    #[test]
    fn text_without_a_visible_character_becomes_empty() {
        for blank in [
            "",
            "  ",
            "\u{200b}",
            "\u{200b}\u{2060}\t",
            "\u{feff}",
            "\u{7}\u{1b}",
        ] {
            check(json!({ "query": blank }), json!({ "query": "" }));
        }
        check(json!({ "query": "\0" }), json!({ "query": "\0" }));
        check(
            json!({ "query": "❤\u{fe0f}" }),
            json!({ "query": "❤\u{fe0f}" }),
        );
    }
}
