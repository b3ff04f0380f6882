//! What is not understood equals only what says the same, where it says it.

use serde_json::{Value, json};
use xtask::sets::{Answer, Document, Options, contained};

fn is_proven(old: &Document, new: &Document) -> bool {
    contained(old, new, &Options::default()).answer == Answer::Proven
}

/// Names a pair by how its schemas begin and end.
fn shown(old: &str, new: &str) -> String {
    let ends = |text: &str| {
        let last = text.len().saturating_sub(60);
        format!("{} … {}", text.get(..60).unwrap_or(text), &text[last..])
    };
    format!("{} in {}", ends(old), ends(new))
}

/// Both ways round, and each within an object, where it is a part.
fn proven_anywhere(old: &str, new: &str) -> Vec<String> {
    let wrap = |schema: &str| format!("{{\"allOf\":[{schema}],\"minItems\":1}}");
    let pairs = [
        (old.to_owned(), new.to_owned()),
        (new.to_owned(), old.to_owned()),
        (wrap(old), wrap(new)),
        (wrap(new), wrap(old)),
    ];
    let read = |text: &str| Document::read(text).expect("JSON");
    let proven = pairs
        .into_iter()
        .filter(|(old, new)| is_proven(&read(old), &read(new)));
    proven.map(|(old, new)| shown(&old, &new)).collect()
}

#[test]
fn what_is_not_understood_is_never_proven_equal_to_something_else() {
    let long = |leaf: &str| {
        let mut defs: serde_json::Map<String, Value> = (0..13_000)
            .map(|at| {
                let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
                (format!("d{at}"), json!({ "allOf": [next] }))
            })
            .collect();
        defs.insert("d13000".to_owned(), json!({ "type": leaf }));
        json!({ "$ref": "#/$defs/d0", "$defs": defs }).to_string()
    };
    let (long_string, long_integer) = (long("string"), long("integer"));
    let pairs = [
        (r#"{"minLength":1e30}"#, r#"{"minLength":1e31}"#),
        (r#"{"maxLength":1e30}"#, r#"{"maxLength":1e31}"#),
        (r#"{"minItems":1e30}"#, r#"{"minItems":1e31}"#),
        (
            r#"{"contains":{"type":"string"},"minContains":1e30}"#,
            r#"{"contains":{"type":"number"},"minContains":1e30}"#,
        ),
        (r#"{"minLength":"1"}"#, r#"{"minLength":"2"}"#),
        (r#"{"type":"text"}"#, r#"{"type":"word"}"#),
        (r#"{"required":[1]}"#, r#"{"required":[2]}"#),
        (r#"{"properties":1}"#, r#"{"properties":2}"#),
        (r#"{"dependencies":1}"#, r#"{"dependencies":2}"#),
        (
            r#"{"dependencies":{"a":[1]}}"#,
            r#"{"dependencies":{"b":[1]}}"#,
        ),
        (
            r#"{"dependentRequired":{"a":[1]}}"#,
            r#"{"dependentRequired":{"b":[1]}}"#,
        ),
        (r#"{"items":1}"#, r#"{"items":2}"#),
        (r#"{"$ref":1}"#, r#"{"$ref":2}"#),
        (r#"{"pattern":"("}"#, r#"{"pattern":"(("}"#),
        (r#"{"pattern":"(?=a)"}"#, r#"{"pattern":"(?=b)"}"#),
        (
            r#"{"$schema":"https://example.org/own","min":1}"#,
            r#"{"$schema":"https://example.org/own","min":2}"#,
        ),
        (
            r##"{"$ref":"https://example.org/x.json#/a"}"##,
            r##"{"$ref":"https://example.org/x.json#/b"}"##,
        ),
        (&long_string, &long_integer),
    ];
    let proven: Vec<String> = pairs
        .iter()
        .flat_map(|(old, new)| proven_anywhere(old, new))
        .collect();
    assert!(proven.is_empty(), "{proven:#?}");
}

#[test]
fn the_same_text_in_another_context_is_something_else() {
    // A list whose items are told by whoever refers to it.
    let lists = |chosen: &str| {
        let list_of = |name: &str, kind: &str| {
            json!({
                "$id": format!("https://example.org/{name}"),
                "$ref": "list",
                "$defs": { "item": { "$dynamicAnchor": "item", "type": kind } }
            })
        };
        json!({
            "$id": "https://example.org/root",
            "$ref": chosen,
            "$defs": {
                "list": {
                    "$id": "https://example.org/list",
                    "type": "array",
                    "items": { "$dynamicRef": "#item" },
                    "$defs": { "item": { "$dynamicAnchor": "item" } }
                },
                "strings": list_of("strings", "string"),
                "numbers": list_of("numbers", "number")
            }
        })
    };
    let both = json!({
        "$id": "https://example.org/root",
        "allOf": [{ "$ref": "strings" }],
        "not": { "$ref": "numbers" },
        "$defs": lists("strings")["$defs"]
    });
    let based = |base: &str| json!({ "$id": base, "items": { "$ref": "x.json" } });
    let tree = |leaf: &str| {
        json!({
            "$id": "https://example.org/tree",
            "$schema": "https://json-schema.org/draft/2019-09/schema",
            "$recursiveAnchor": true,
            "type": ["object", leaf],
            "additionalProperties": { "$ref": "node" },
            "$defs": { "node": {
                "$id": "https://example.org/node",
                "$recursiveAnchor": true,
                "items": { "$recursiveRef": "#" }
            } }
        })
    };
    let around = |leaf: &str| {
        json!({
            "$ref": "https://example.org/elsewhere",
            "$defs": { "item": { "$dynamicAnchor": "item", "type": leaf } }
        })
    };
    let pairs = [
        (lists("strings"), lists("numbers")),
        (both, json!(false)),
        (
            based("https://example.org/a/"),
            based("https://example.org/b/"),
        ),
        (
            json!({ "$ref": "x.json" }),
            json!({ "$ref": "x.json", "minItems": 0 }),
        ),
        (
            json!({ "$ref": "#/$defs/x", "$defs": { "y": {} } }),
            json!({ "$ref": "#/$defs/x", "$defs": { "z": {} } }),
        ),
        (tree("string"), tree("null")),
        (around("string"), around("number")),
        (
            json!({ "properties": [{ "$ref": "#/$defs/b" }], "$defs": { "b": true } }),
            json!({ "properties": [{ "$ref": "#/$defs/b" }], "$defs": { "b": false } }),
        ),
    ];
    let proven: Vec<String> = pairs
        .iter()
        .filter(|(old, new)| is_proven(&Document::new(old), &Document::new(new)))
        .map(|(old, new)| shown(&old.to_string(), &new.to_string()))
        .collect();
    assert!(proven.is_empty(), "{proven:#?}");
}

#[test]
fn what_is_not_understood_equals_what_says_the_same() {
    let parts = [
        json!({ "minLength": 1e30 }),
        json!({ "minLength": "1" }),
        json!({ "pattern": "(?=a)" }),
        json!({ "$ref": "https://example.org/x.json" }),
        json!({ "$schema": "https://example.org/own", "min": 1 }),
    ];
    for part in parts {
        let narrow = json!({ "properties": { "a": part, "b": { "type": "integer" } } });
        let wide = json!({ "properties": { "a": part, "b": { "type": "number" } } });
        let (narrow, wide) = (Document::new(&narrow), Document::new(&wide));
        assert!(is_proven(&narrow, &wide), "{part}");
        assert!(!is_proven(&wide, &narrow), "{part}");
    } // All but the words of a document is the document.
    let named = |title: &str| {
        let shape =
            json!({ "properties": { "title": { "$ref": "#/$defs/lost", "title": title } } });
        Document::new(&shape)
    };
    assert!(is_proven(&named("a"), &named("b")));
    let renamed = json!({ "properties": { "name": { "$ref": "#/$defs/lost" } } });
    assert!(!is_proven(&named("a"), &Document::new(&renamed)));
    let given = |title: &str| Document::new(&json!({ "const": { "title": title } }));
    assert!(!is_proven(&given("a"), &given("b")));
}
