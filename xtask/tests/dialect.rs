//! Every keyword of JSON Schema 2020-12 is either in the dialect or refused.

use std::fs;

use serde_json::{Map, Value, json};

use crate::fixture::{Fixture, package};
use crate::rules;

/// A keyword with a value that JSON Schema allows, and the type it stands
/// beside.
const KEYWORDS: &[(&str, &str, &str)] = &[
    ("$anchor", r#""here""#, "string"),
    ("$comment", r#""why""#, "string"),
    ("$defs", "{}", "string"),
    ("$dynamicAnchor", r#""here""#, "string"),
    ("$dynamicRef", r##""#here""##, "string"),
    ("$id", r#""https://example.com/x""#, "string"),
    (
        "$schema",
        r#""https://json-schema.org/draft/2020-12/schema""#,
        "string",
    ),
    ("$vocabulary", "{}", "string"),
    ("additionalProperties", r#"{ "type": "string" }"#, "object"),
    ("allOf", r#"[{ "type": "string" }]"#, "string"),
    ("anyOf", r#"[{ "type": "string" }]"#, "string"),
    ("const", r#""a""#, "string"),
    ("contains", r#"{ "type": "string" }"#, "array"),
    ("contentEncoding", r#""base64""#, "string"),
    ("contentMediaType", r#""text/plain""#, "string"),
    ("contentSchema", "{}", "string"),
    ("definitions", "{}", "string"),
    ("dependentRequired", "{}", "object"),
    ("dependentSchemas", "{}", "object"),
    ("else", "{}", "string"),
    ("examples", "[]", "string"),
    ("exclusiveMaximum", "9", "integer"),
    ("exclusiveMinimum", "1", "number"),
    ("format", r#""email""#, "string"),
    ("if", "{}", "string"),
    ("maxContains", "2", "array"),
    ("maxProperties", "2", "object"),
    ("minContains", "1", "array"),
    ("minProperties", "1", "object"),
    ("multipleOf", "0.1", "number"),
    ("not", r#"{ "type": "object" }"#, "string"),
    ("nullable", "true", "string"),
    (
        "patternProperties",
        r#"{ "^a": { "type": "string" } }"#,
        "object",
    ),
    ("prefixItems", r#"[{ "type": "string" }]"#, "array"),
    ("propertyNames", r#"{ "pattern": "^a" }"#, "object"),
    ("readOnly", "true", "string"),
    ("then", "{}", "string"),
    ("title", r#""A""#, "string"),
    ("unevaluatedItems", "false", "array"),
    ("unevaluatedProperties", "false", "object"),
    ("writeOnly", "true", "string"),
];

/// Keywords of the dialect, each beside every type that has it.
pub const ALLOWED: &[(&str, &str, &[&str])] = &[
    ("default", r#""a""#, &["string"]),
    ("default", "1", &["integer", "number"]),
    ("default", "true", &["boolean"]),
    ("enum", r#"["a"]"#, &["string"]),
    ("format", r#""date""#, &["string"]),
    ("format", r#""date-time""#, &["string"]),
    ("format", r#""uuid""#, &["string"]),
    ("maxItems", "2", &["array"]),
    ("maxLength", "2", &["string"]),
    ("maximum", "2", &["integer", "number"]),
    ("minItems", "1", &["array"]),
    ("minLength", "1", &["string"]),
    ("minimum", "1", &["integer", "number"]),
    ("pattern", r#""^a\\.[b-c]{1,2}$""#, &["string"]),
    ("required", r#"["part"]"#, &["object"]),
    ("uniqueItems", "true", &["array"]),
    ("x-max-bytes", "9", &["string"]),
];

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Returns a plain schema of a type with one more keyword.
fn schema(kind: &str, keyword: &str, value: &str) -> Value {
    let mut map = Map::new();
    map.insert("description".to_owned(), json!("A part."));
    map.insert("type".to_owned(), json!(kind));
    if kind == "array" {
        map.insert("items".to_owned(), json!({ "type": "string" }));
    }
    if kind == "object" {
        let part = json!({ "description": "A part.", "type": "string" });
        map.insert("properties".to_owned(), json!({ "part": part }));
    }
    let value = serde_json::from_str(value).expect("the table holds JSON");
    map.insert(keyword.to_owned(), value);
    Value::Object(map)
}

/// Returns the names of those shapes that the dialect refuses.
fn refused(shapes: &[(String, Value)]) -> Vec<String> {
    let fixture = Fixture::base();
    for (name, schema) in shapes {
        fixture.write(&format!("schema/shapes/{name}.json"), &schema.to_string());
    }
    let report = fixture.run(&["check"]).text;
    shapes
        .iter()
        .map(|(name, _)| name.clone())
        .filter(|name| {
            report.contains(&format!(
                "broken[form_outside_dialect] schema/shapes/{name}.json#"
            ))
        })
        .collect()
}

#[test]
fn every_other_keyword_of_json_schema_is_refused() {
    let shapes: Vec<(String, Value)> = KEYWORDS
        .iter()
        .enumerate()
        .map(|(index, (keyword, value, kind))| {
            (format!("shape_{index}"), schema(kind, keyword, value))
        })
        .collect();
    let refused = refused(&shapes);
    for ((keyword, _, _), (name, schema)) in KEYWORDS.iter().zip(&shapes) {
        assert!(refused.contains(name), "{keyword} is accepted: {schema}");
    }
}

#[test]
fn a_keyword_of_the_dialect_is_refused_beside_a_type_that_does_not_have_it() {
    let mut shapes = Vec::new();
    let mut allowed = Vec::new();
    for (keyword, value, kinds) in ALLOWED {
        for kind in TYPES {
            let name = format!("shape_{}", shapes.len());
            shapes.push((name.clone(), schema(kind, keyword, value)));
            let has = |(known, _, kinds): &(&str, &str, &[&str])| {
                known == keyword && kinds.contains(&kind)
            };
            if kinds.contains(&kind) {
                allowed.push(name);
            } else if ALLOWED.iter().any(has) {
                // Its value is of another type here; another row has it.
                shapes.pop();
            }
        }
    }
    let refused = refused(&shapes);
    for (name, schema) in &shapes {
        assert_ne!(allowed.contains(name), refused.contains(name), "{schema}");
    }
    assert!(allowed.len() > ALLOWED.len());
}

#[test]
fn every_form_of_the_contract_has_an_accepted_fixture() {
    let source = fs::read_to_string(package().join("src/contract.rs")).expect("the contract");
    let file = syn::parse_file(&source).expect("Rust");
    let forms: Vec<String> = file
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Enum(item) if item.ident == "Form" => Some(&item.variants),
            _ => None,
        })
        .flatten()
        .map(|variant| variant.ident.to_string())
        .collect();
    assert_eq!(forms.len(), 9, "{forms:?}");
    let emitted = crate::fixture::folders(&package().join("tests/emit"));
    for form in forms {
        let case = match form.as_str() {
            "Array" => "arrays",
            "Boolean" | "Integer" | "Number" => "numbers",
            "Enum" => "enums",
            "Object" => "objects",
            "Shape" => "references",
            "String" => "strings",
            "Tagged" => "tagged_unions",
            other => panic!("the form {other} has no fixture in tests/emit"),
        };
        assert!(emitted.iter().any(|known| known == case), "{form}");
    }
}

#[test]
fn every_accepted_form_is_accepted_together() {
    let mut cases = rules::cases().iter();
    let case = cases.find(|case| case.rule == "form_outside_dialect" && case.name == "near_miss");
    assert_eq!(case.map(|case| case.code), Some(0));
}
