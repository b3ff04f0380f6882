//! What is wrong with arguments, all of it, in words that say what to do and
//! never repeat a value that was sent.

use contract::Error;
use contract::tools::ByteLimit;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::{Value, json};

/// Stands in for half a surrogate pair, which no JSON parser can hand over.
pub const LONE_SURROGATE: char = '\u{fdd0}';

/// Most violations that an answer lists, as its message says; more help
/// nobody.
const MOST: usize = 50;

/// One broken rule.
pub struct Violation {
    pointer: String,
    rule: String,
    message: String,
}

/// Returns the failure that lists them.
pub fn error(violations: Vec<Violation>) -> Error {
    let n_violations = violations.len();
    let mut message = violations.first().map_or_else(String::new, |first| {
        if first.pointer.is_empty() {
            first.message.clone()
        } else {
            format!("{}: {}", first.pointer, first.message)
        }
    });
    if n_violations > 1 {
        let listed = if n_violations <= MOST {
            "all".to_owned()
        } else {
            format!("the first {MOST}")
        };
        message = format!("{message} (1 of {n_violations} violations, {listed} in details)");
    }
    let listed: Vec<Value> = violations
        .into_iter()
        .take(MOST)
        .map(|violation| {
            json!({
                "pointer": violation.pointer,
                "rule": violation.rule,
                "message": violation.message,
            })
        })
        .collect();
    Error::validation(message).with_details(json!({ "violations": listed }))
}

/// Returns what the schema refuses.
pub fn of_schema(validator: &Validator, schema: &Value, arguments: &Value) -> Vec<Violation> {
    validator
        .iter_errors(arguments)
        .flat_map(|error| describe(&error, schema))
        .collect()
}

fn describe(error: &ValidationError<'_>, schema: &Value) -> Vec<Violation> {
    let pointer = error.instance_path().as_str();
    let one = |pointer: String, message: String| Violation {
        pointer,
        rule: error.kind().keyword().to_owned(),
        message,
    };
    if let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() {
        let known = properties_at(schema, error.schema_path().as_str());
        return unexpected
            .iter()
            .map(|name| {
                let segment = shortened(name).replace('~', "~0").replace('/', "~1");
                one(
                    format!("{pointer}/{segment}"),
                    unknown("argument", name, &known),
                )
            })
            .collect();
    }
    if let ValidationErrorKind::Required { property } = error.kind() {
        let name = property.as_str().unwrap_or_default();
        return vec![one(
            format!("{pointer}/{name}"),
            "this argument is required".to_owned(),
        )];
    }
    vec![one(pointer.to_owned(), words(error.kind()))]
}

fn words(kind: &ValidationErrorKind) -> String {
    match kind {
        ValidationErrorKind::Type { kind } => match kind {
            TypeKind::Single(kind) => format!("must be of type {kind}"),
            TypeKind::Multiple(kinds) => {
                let names: Vec<String> = kinds.iter().map(|kind| kind.to_string()).collect();
                format!("must be of type {}", names.join(" or "))
            }
        },
        ValidationErrorKind::Enum { options } => {
            let names: Vec<String> = options
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|option| option.as_str().map(str::to_owned))
                .collect();
            format!("must be one of {}", names.join(", "))
        }
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}"),
        ValidationErrorKind::MinLength { .. } => {
            "must hold at least one visible character".to_owned()
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("must hold at most {limit} characters")
        }
        ValidationErrorKind::MinItems { limit } => format!("must hold at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("must hold at most {limit} items"),
        ValidationErrorKind::UniqueItems => "must not hold the same item twice".to_owned(),
        ValidationErrorKind::Pattern { pattern } => {
            format!("must match the pattern {}", pattern.replace("\\\\", "\\"))
        }
        ValidationErrorKind::Format { format } => format!("must be a {format}"),
        other => format!("breaks the rule \"{}\" of the schema", other.keyword()),
    }
}

/// Returns the names that the object at this place of the schema may hold.
fn properties_at<'a>(schema: &'a Value, schema_path: &str) -> Vec<&'a str> {
    let object = schema_path
        .strip_suffix("/additionalProperties")
        .and_then(|path| schema.pointer(path));
    object
        .and_then(|object| object.get("properties"))
        .and_then(Value::as_object)
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

/// Returns what to say about a name that does not exist, with the nearest.
pub fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    // Similarity under which a suggestion confuses more than it helps.
    const NEAR: f64 = 0.75;
    let beginning: String = name.chars().take(64).collect();
    let nearest = known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&beginning, candidate), *candidate))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .max_by(|left, right| left.0.total_cmp(&right.0));
    let shown = shortened(name);
    match nearest {
        Some((_, candidate)) => {
            format!("unknown {what} \"{shown}\"; did you mean \"{candidate}\"?")
        }
        None => format!("unknown {what} \"{shown}\"; known: {}", known.join(", ")),
    }
}

/// Returns the beginning of a name that a caller made up. It is shorter than
/// any token, so that a misplaced one is not repeated whole.
fn shortened(name: &str) -> String {
    const SHOWN: usize = 24;
    let letters = name.chars().filter(|letter| !letter.is_control());
    let mut shown: String = letters.take(SHOWN).collect();
    if name.chars().count() > SHOWN {
        shown.push('…');
    }
    shown
}

/// Returns the texts that hold what no text may hold.
pub fn of_text(arguments: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    each_text(arguments, "", &mut |pointer, text| {
        let message = if text.contains('\0') {
            "must not hold the character NUL (U+0000)"
        } else if text.contains(LONE_SURROGATE) {
            "must not hold half a surrogate pair (\\ud800 to \\udfff) or U+FDD0"
        } else {
            return;
        };
        found.push(Violation {
            pointer: pointer.to_owned(),
            rule: "characters".to_owned(),
            message: message.to_owned(),
        });
    });
    found
}

fn each_text(value: &Value, pointer: &str, visit: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => visit(pointer, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                each_text(item, &format!("{pointer}/{index}"), visit);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                each_text(field, &format!("{pointer}/{name}"), visit);
            }
        }
        _ => {}
    }
}

/// Returns the texts that are too long in bytes.
pub fn of_bytes(limits: &[ByteLimit], arguments: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    each_text(arguments, "", &mut |pointer, text| {
        let over = limits
            .iter()
            .find(|limit| text.len() > limit.max_bytes && stands_at(limit.pointer, pointer));
        if let Some(limit) = over {
            found.push(Violation {
                pointer: pointer.to_owned(),
                rule: "x-max-bytes".to_owned(),
                message: format!(
                    "must hold at most {} bytes of UTF-8, and this has {}",
                    limit.max_bytes,
                    text.len()
                ),
            });
        }
    });
    found
}

/// Whether a pointer fits a pattern in which `*` is any segment.
fn stands_at(pattern: &str, pointer: &str) -> bool {
    let (mut wanted, mut present) = (pattern.split('/'), pointer.split('/'));
    loop {
        match (wanted.next(), present.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) if left == "*" || left == right => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_segment() {
        assert!(stands_at("/entities/*", "/entities/3"));
        assert!(!stands_at("/entities/*", "/entities"));
        assert!(!stands_at("/content", "/contents"));
        assert!(stands_at("/content", "/content"));
    }

    #[test]
    fn the_nearest_name_is_suggested_or_all_are_listed() {
        let known = ["content", "project_hint", "scope"];
        assert_eq!(
            unknown("argument", "project-hint", &known),
            "unknown argument \"project-hint\"; did you mean \"project_hint\"?"
        );
        assert_eq!(
            unknown("argument", "zzz", &known),
            "unknown argument \"zzz\"; known: content, project_hint, scope"
        );
    }
}
