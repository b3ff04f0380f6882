//! The generated Rust types hold what the schemas say: every valid instance
//! survives them, and the schema derived from each type equals its source.
//!
//! The types are no validators, so what a type cannot hold is taken out of the
//! source first; `as_types_can` says what, and why.

use std::collections::BTreeMap;
use std::fs;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use xtask::sets::{Answer, Document, Options, contained};

use crate::fixture::{files, repository};

#[expect(
    clippy::derivable_impls,
    unused_qualifications,
    reason = "written by the type generator"
)]
#[path = "../../generated/rust/types.rs"]
#[rustfmt::skip]
mod types;

#[path = "../../tests/agreement/sampler.rs"]
mod sampler;

use sampler::{Sampler, Verdict};

include!("../../generated/rust/every_type.rs");

/// What a test does with a type.
struct Type {
    name: &'static str,
    rewrite: fn(&Value) -> Result<Value, String>,
    derived: fn() -> Value,
}

fn rewrite<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, String> {
    let read: T = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    serde_json::to_value(read).map_err(|error| error.to_string())
}

fn derived<T: JsonSchema>() -> Value {
    serde_json::to_value(schemars::schema_for!(T)).expect("a schema is JSON")
}

macro_rules! table {
    ($($name:ident)*) => {
        [$(Type {
            name: stringify!($name),
            rewrite: rewrite::<types::$name>,
            derived: derived::<types::$name>,
        }),*]
    };
}

fn sources(folder: &str) -> BTreeMap<String, Value> {
    let folder = repository().join("schema").join(folder);
    let read = |name: String| {
        let text = fs::read_to_string(folder.join(&name)).expect("a source");
        (name, serde_json::from_str(&text).expect("JSON"))
    };
    files(&folder).into_iter().map(read).collect()
}

fn type_name(name: &str) -> String {
    name.split('_')
        .map(|word| word[..1].to_ascii_uppercase() + &word[1..])
        .collect()
}

/// Returns the source of every type by name, and what samples them.
fn schemas() -> (BTreeMap<String, Value>, Sampler) {
    let shapes = sources("shapes");
    let mut schemas = BTreeMap::new();
    for (file, shape) in &shapes {
        schemas.insert(type_name(file.trim_end_matches(".json")), shape.clone());
    }
    for tool in sources("tools").values() {
        let name = type_name(tool["name"].as_str().expect("a name"));
        schemas.insert(format!("{name}Input"), tool["inputSchema"].clone());
        schemas.insert(format!("{name}Output"), tool["outputSchema"].clone());
    }
    (schemas, Sampler::new(shapes))
}

/// Brings whole numbers into the form that the door hands on: `3.0` as `3`.
fn whole(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "small and whole")]
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => json!(float as i64),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(whole).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(key, item)| (key.clone(), whole(item)))
                .collect()
        }
        other => other.clone(),
    }
}

#[test]
fn every_valid_instance_survives_its_type() {
    let (schemas, sampler) = schemas();
    let (mut lost, mut n_samples) = (Vec::new(), 0);
    for held in every_type!(table) {
        for sample in sampler.samples(&schemas[held.name]) {
            // A type reads past a field of a later version and drops it.
            let is_later = sample.why.contains("a field of a later version");
            if sample.verdict == Verdict::Invalid || is_later {
                continue;
            }
            n_samples += 1;
            let value = whole(&sample.value);
            match (held.rewrite)(&value) {
                Ok(written) if whole(&written) == value => {}
                other => lost.push(format!("{}: {}: {other:?}", held.name, sample.why)),
            }
        }
    }
    assert!(n_samples > 500, "only {n_samples} instances");
    assert!(
        lost.is_empty(),
        "{} of {n_samples}\n{}",
        lost.len(),
        lost.join("\n")
    );
}

#[test]
fn what_is_made_of_other_parts_is_refused_by_its_type() {
    let (schemas, sampler) = schemas();
    let (mut read, mut n_samples) = (Vec::new(), 0);
    for held in every_type!(table) {
        for sample in sampler.samples(&schemas[held.name]) {
            if sample.verdict != Verdict::Invalid || !sample.by_type {
                continue;
            }
            // serde reads a list as the fields of a struct in their order; the
            // door has refused it by then.
            if sample.why.contains("array in place of object") {
                continue;
            }
            n_samples += 1;
            let Ok(written) = (held.rewrite)(&sample.value) else {
                continue;
            };
            // An Option takes null for absent, and absent for null.
            if accepts(
                &as_types_can(&sampler.inlined(&schemas[held.name])),
                &sample.value,
            ) {
                continue;
            }
            read.push(format!("{}: {}: {written:.200}", held.name, sample.why));
        }
    }
    assert!(n_samples > 500, "only {n_samples} instances");
    assert!(
        read.is_empty(),
        "{} of {n_samples}\n{}",
        read.len(),
        read.join("\n")
    );
}

fn accepts(schema: &Value, value: &Value) -> bool {
    let validator = jsonschema::draft202012::new(schema).expect("the schema compiles");
    validator.is_valid(value)
}

/// Returns the schema without what a Rust type cannot hold.
///
/// - Bounds, patterns and formats (`minLength`, `maxLength`, `x-max-bytes`,
///   `pattern`, `format`, `minimum`, `maximum`, `minItems`, `maxItems`,
///   `uniqueItems`): a type says what a value is made of, the door the rest.
/// - Members of an open enum: the type reads any text, on purpose.
/// - Absent against null: serde reads both as `None`, so an optional property
///   also takes null, and one that may be null is not required.
///
/// `description`, `default`, `deprecated` and `x-deprecation` say nothing about
/// sets of instances and stay.
fn as_types_can(schema: &Value) -> Value {
    const UNHELD: [&str; 10] = [
        "minLength",
        "maxLength",
        "x-max-bytes",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "uniqueItems",
    ];
    let Value::Object(map) = schema else {
        return schema.clone();
    };
    let is_open = map.get("x-open-enum") == Some(&json!(true));
    let mut held: Map<String, Value> = map
        .iter()
        .filter(|(key, _)| !UNHELD.contains(&key.as_str()))
        .filter(|(key, _)| !(is_open && ["enum", "x-open-enum"].contains(&key.as_str())))
        .map(|(key, value)| {
            let value = match (key.as_str(), value) {
                ("items", item) => as_types_can(item),
                ("oneOf", Value::Array(variants)) => variants.iter().map(as_types_can).collect(),
                (_, other) => other.clone(),
            };
            (key.clone(), value)
        })
        .collect();
    if let Some(Value::Object(properties)) = map.get("properties") {
        let is_required = |name: &str| {
            let names = map.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|known| known == name))
        };
        let takes_null = |property: &Value| property["type"].is_array();
        let held_properties = properties.iter().map(|(name, property)| {
            let inner = as_types_can(property);
            let inner = if is_required(name) {
                inner
            } else {
                json!({ "anyOf": [inner, { "type": "null" }] })
            };
            (name.clone(), inner)
        });
        let required: Vec<&String> = properties
            .iter()
            .filter(|(name, property)| is_required(name) && !takes_null(property))
            .map(|(name, _)| name)
            .collect();
        held.insert("properties".to_owned(), held_properties.collect());
        held.insert("required".to_owned(), json!(required));
    }
    Value::Object(held)
}

/// Returns a derived schema without the formats that name Rust's numbers.
fn without_formats(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map
                .iter()
                .filter(|(key, value)| *key != "format" || !value.is_string());
            kept.map(|(key, inner)| (key.clone(), without_formats(inner)))
                .collect()
        }
        Value::Array(items) => items.iter().map(without_formats).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_schema_of_every_type_equals_its_source() {
    let (schemas, sampler) = schemas();
    let mut differing = Vec::new();
    for held in every_type!(table) {
        let source = Document::new(&as_types_can(&sampler.inlined(&schemas[held.name])));
        let derived = Document::new(&without_formats(&(held.derived)()));
        let options = Options::default();
        for (what, left, right) in [
            (
                "the type refuses what the source accepts",
                &source,
                &derived,
            ),
            (
                "the type accepts what the source refuses",
                &derived,
                &source,
            ),
        ] {
            match contained(left, right, &options).answer {
                Answer::Proven => {}
                other => differing.push(format!("{}: {what}: {other:?}", held.name)),
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
