//! Faults that people reported of programs like this one, by the number under
//! which they were collected: what was missed, mistaken, or crashed.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::{Fixture, Run, repository, run};

/// Compares two files.
fn compare(old: &Value, new: &Value) -> (Run, Value) {
    let folder = TempDir::new().expect("a temporary folder");
    let side = |name: &str, value: &Value| {
        let path = folder.path().join(name);
        std::fs::write(&path, value.to_string()).expect("a written side");
        path.to_string_lossy().into_owned()
    };
    let (old, new) = (side("old.json", old), side("new.json", new));
    let run = run(
        &repository(),
        &["diff", "--from", &old, "--to", &new, "--format", "json"],
    );
    let report = serde_json::from_str(&run.text).unwrap_or_default();
    (run, report)
}

/// Returns the report on a schema as an argument, or as an answer.
fn report(position: &str, old: Value, new: Value) -> Value {
    let tool = |schema: Value| {
        let object = json!({ "type": "object" });
        match position {
            "input" => json!([{ "name": "keep", "inputSchema": schema }]),
            _ => json!([{ "name": "keep", "inputSchema": object, "outputSchema": schema }]),
        }
    };
    let (run, report) = compare(&tool(old), &tool(new));
    assert_eq!(run.errors, "");
    assert_eq!(run.code, 0);
    report
}

/// Asserts the smallest legal bump in each position.
fn check(old: &Value, new: &Value, input: Option<&str>, output: Option<&str>) {
    for (position, expected) in [("input", input), ("output", output)] {
        if let Some(expected) = expected {
            let report = report(position, old.clone(), new.clone());
            let bump = report.get("bump").and_then(Value::as_str);
            assert_eq!(bump, Some(expected), "{position}: {report:#}");
        }
    }
}

fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

#[test]
fn c01_a_change_inside_the_values_of_a_map_is_seen() {
    let map = |schema: Value| {
        object(
            json!({ "m": { "type": "object", "additionalProperties": object(json!({ "p": schema })) } }),
        )
    };
    let report = report(
        "output",
        map(json!({ "type": "integer" })),
        map(json!({ "type": "string" })),
    );
    assert_eq!(report["bump"], "major");
    let pointer = report["changes"][0]["pointer"].as_str().expect("a pointer");
    assert!(
        pointer.contains("/additionalProperties/properties/p"),
        "{pointer}"
    );
}

#[test]
fn c02_a_change_inside_a_variant_is_seen() {
    let union = |required: Value| {
        object(json!({ "u": { "oneOf": [
            { "type": "object", "properties": { "t": { "enum": ["a"] }, "x": { "type": "string" } }, "required": required },
            { "type": "object", "properties": { "t": { "enum": ["b"] } }, "required": ["t"] },
        ] } }))
    };
    check(
        &union(json!(["t", "x"])),
        &union(json!(["t"])),
        None,
        Some("major"),
    );
}

#[test]
fn c03_a_new_variant_of_an_answer_is_seen() {
    let a =
        json!({ "type": "object", "properties": { "t": { "enum": ["a"] } }, "required": ["t"] });
    let b =
        json!({ "type": "object", "properties": { "t": { "enum": ["b"] } }, "required": ["t"] });
    check(
        &object(json!({ "u": { "oneOf": [a] } })),
        &object(json!({ "u": { "oneOf": [a, b] } })),
        None,
        Some("major"),
    );
}

#[test]
fn c04_a_property_that_moved_into_a_parent_is_not_removed() {
    let bar = json!({ "type": "string" });
    check(
        &object(json!({ "bar1": bar, "bar2": bar })),
        &json!({ "type": "object", "allOf": [{ "$ref": "#/$defs/parent" }], "properties": { "bar1": bar }, "$defs": { "parent": { "properties": { "bar2": bar } } } }),
        Some("none"),
        Some("none"),
    );
}

#[test]
fn c06_an_array_that_became_an_object_breaks_both_ways() {
    check(
        &object(json!({ "p": { "type": "array", "items": { "type": "string" } } })),
        &json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/new" } }, "$defs": { "new": { "type": "object" } } }),
        Some("major"),
        Some("major"),
    );
}

#[test]
fn c07_closing_an_input_breaks() {
    let old = object(json!({ "a": { "type": "string" } }));
    let mut new = old.clone();
    new["additionalProperties"] = json!(false);
    check(&old, &new, Some("major"), None);
}

#[test]
fn c09_a_raised_bound_of_a_variant_can_narrow_a_union() {
    let union = |bound: u64| {
        object(json!({ "p": { "oneOf": [{ "type": "string" }, { "maxLength": bound }] } }))
    };
    let report = report("input", union(5), union(10));
    assert_eq!(report["bump"], "major");
    let change = &report["changes"][0];
    assert_eq!(change["proof"], "refuted", "{report:#}");
    let witness = change["counterexample"]["p"].as_str().expect("a text");
    assert!((6..=10).contains(&witness.chars().count()), "{witness}");
}

#[test]
fn c11_a_union_of_references_equals_its_inline_form() {
    let a = json!({ "type": "string", "enum": ["a"] });
    let b = json!({ "type": "integer" });
    check(
        &json!({ "type": "object", "properties": { "p": { "oneOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/b" }] } }, "$defs": { "a": a, "b": b } }),
        &object(json!({ "p": { "oneOf": [a, b] } })),
        Some("none"),
        Some("none"),
    );
}

#[test]
fn c12_mutual_recursion_ends_and_hides_no_break() {
    let recursive = |w: Value| {
        json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/p" } }, "$defs": {
            "p": { "type": "object", "properties": { "q": { "$ref": "#/$defs/q" } } },
            "q": { "type": "object", "properties": { "p": { "$ref": "#/$defs/p" }, "w": w } },
        } })
    };
    check(
        &recursive(json!({ "type": ["string", "null"] })),
        &recursive(json!({ "type": "string" })),
        Some("major"),
        None,
    );
}

#[test]
fn c13_recursion_and_long_chains_end_without_overflow() {
    let list = |value: &str| json!({ "type": "object", "properties": { "next": { "$ref": "#" }, "v": { "type": value } } });
    check(
        &list("string"),
        &list("integer"),
        Some("major"),
        Some("major"),
    );
    let chain = |leaf: &str| {
        let mut defs = serde_json::Map::new();
        for n in 0..10_000 {
            let next = json!({ "type": "object", "properties": { "n": { "$ref": format!("#/$defs/d{}", n + 1) } } });
            defs.insert(format!("d{n}"), next);
        }
        defs.insert("d10000".to_owned(), json!({ "type": leaf }));
        json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/d0" } }, "$defs": defs })
    };
    check(&chain("string"), &chain("integer"), Some("major"), None);
}

#[test]
fn c14_a_looser_exclusive_bound_is_no_break_of_an_input() {
    check(
        &object(json!({ "p": { "type": "number", "minimum": 2 } })),
        &object(json!({ "p": { "type": "number", "exclusiveMinimum": 1 } })),
        Some("minor"),
        Some("major"),
    );
}

#[test]
fn c15_an_answer_that_may_be_null_breaks() {
    check(
        &object(json!({ "p": { "type": "string" } })),
        &object(json!({ "p": { "type": ["string", "null"] } })),
        Some("minor"),
        Some("major"),
    );
}

#[test]
fn c16_an_answer_of_another_type_breaks() {
    check(
        &object(json!({ "p": { "type": "string" } })),
        &object(json!({ "p": { "type": "integer" } })),
        None,
        Some("major"),
    );
}

#[test]
fn c17_mixed_enums_and_boolean_schemas_are_read() {
    check(
        &object(json!({ "p": { "enum": ["auto", 1] }, "q": true })),
        &object(json!({ "p": { "enum": ["auto", 1, 2] }, "q": true })),
        Some("minor"),
        None,
    );
    check(
        &object(json!({ "p": { "enum": ["auto", 1] } })),
        &object(json!({ "p": { "enum": [1, "auto"] } })),
        Some("none"),
        Some("none"),
    );
}

#[test]
fn c18_a_relaxed_requirement_is_minor_for_an_input_only() {
    let object = |required: Value| {
        let text = json!({ "type": "string" });
        json!({ "type": "object", "properties": { "a": text, "b": text }, "required": required })
    };
    check(
        &object(json!(["a", "b"])),
        &object(json!(["a"])),
        Some("minor"),
        Some("major"),
    );
}

#[test]
fn c19_decimal_steps_are_exact() {
    let step = |step: Value| object(json!({ "p": { "type": "number", "multipleOf": step } }));
    check(
        &step(json!(0.1)),
        &step(json!(0.3)),
        Some("major"),
        Some("minor"),
    );
}

#[test]
fn c20_a_wider_note_of_what_is_reserved_deletes_nothing() {
    // The ledger is no surface: what it says of the past changes no client.
    let ledger =
        |reserved: Value| json!({ "files": { "deprecations.json": { "reserved": reserved } } });
    let (run, report) = compare(&ledger(json!([1, 2, 3])), &ledger(json!([1, 2, 3, 4])));
    assert_eq!((run.code, &report["bump"]), (0, &json!("none")));
}

#[test]
fn c22_a_closed_enum_of_an_answer_may_not_grow() {
    check(
        &object(json!({ "p": { "type": "string", "enum": ["a"] } })),
        &object(json!({ "p": { "type": "string", "enum": ["a", "b"] } })),
        Some("minor"),
        Some("major"),
    );
}

#[test]
fn c26_a_bump_that_is_big_enough_hides_no_change() {
    let side = |version: &str, tools: Value| json!({ "serverInfo": { "version": version }, "tools": tools });
    let tool = json!({ "name": "keep", "inputSchema": { "type": "object" } });
    let (_, report) = compare(&side("0.2.0", json!([tool])), &side("0.3.0", json!([])));
    assert_eq!(report["bump"], "major");
    assert_eq!(report["changes"].as_array().expect("changes").len(), 1);
}

#[test]
fn c27_merged_tools_are_removed_tools_and_below_1_0_0_too() {
    let tool =
        |name: &str, properties: Value| json!({ "name": name, "inputSchema": object(properties) });
    let text = json!({ "type": "string" });
    let old = json!({ "serverInfo": { "version": "0.30.3" }, "tools": [tool("run", json!({ "a": text, "b": text })), tool("stop", json!({}))] });
    let new = json!({ "serverInfo": { "version": "0.31.0" }, "tools": [tool("run", json!({ "a": text }))] });
    let (_, report) = compare(&old, &new);
    assert_eq!(report["bump"], "major");
    assert_eq!(report["next_version"], "0.31.0");
    let mut rules: Vec<&str> = report["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .filter_map(|change| change["rule"].as_str())
        .collect();
    rules.sort_unstable();
    assert_eq!(rules, ["field_removed", "tool_removed"]);
    let folder = TempDir::new().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(path("old.json"), old.to_string()).expect("a side");
    std::fs::write(path("new.json"), new.to_string()).expect("a side");
    let (old, new) = (path("old.json"), path("new.json"));
    let text = run(&repository(), &["diff", "--from", &old, "--to", &new]).text;
    assert!(
        text.contains("below 1.0.0 a break raises the second number"),
        "{text}"
    );
}

#[test]
fn c29_a_file_with_marks_of_a_conflict_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("side.json");
    std::fs::write(&path, "[\n<<<<<<< ours\n]\n").expect("a side");
    let name = path.to_string_lossy().into_owned();
    let run = run(&repository(), &["diff", "--from", &name, "--to", &name]);
    assert_eq!((run.code, run.text.as_str()), (1, ""));
    assert!(
        run.errors
            .contains("marks of a merge conflict, first in line 2"),
        "{}",
        run.errors
    );
}

#[test]
fn c72_a_baseline_that_is_not_there_is_no_pass() {
    let fixture = Fixture::base();
    let missing = fixture
        .root()
        .join("gone.json")
        .to_string_lossy()
        .into_owned();
    for from in ["9.9.9", "no-such-revision", &missing] {
        let run = fixture.run(&["diff", "--from", from]);
        assert_eq!((run.code, run.text.as_str()), (3, ""), "{from}");
        assert!(run.errors.starts_with("error: "), "{}", run.errors);
    }
    let run = fixture.run(&["diff"]);
    assert_eq!((run.code, run.text.as_str()), (3, ""));
    assert!(run.errors.contains("there is no release"), "{}", run.errors);
}

#[test]
fn a_change_behind_any_reference_is_seen() {
    let closed = |more: Value| {
        let mut schema = json!({ "type": "object", "properties": { "a": { "type": "string", "default": "x" }, "b": { "type": "string" } }, "additionalProperties": false });
        for (key, value) in more.as_object().expect("an object") {
            schema[key] = value.clone();
        }
        schema
    };
    for (reference, more, name) in [
        (
            json!({ "$ref": "#/$defs/Page%3CItem%3E" }),
            json!({}),
            "Page<Item>",
        ),
        (json!({ "$ref": "#m" }), json!({ "$anchor": "m" }), "page"),
        (
            json!({ "$ref": "m.json" }),
            json!({ "$id": "m.json" }),
            "page",
        ),
        (
            json!({ "$dynamicRef": "#m" }),
            json!({ "$dynamicAnchor": "m" }),
            "page",
        ),
    ] {
        let side = |page: Value| {
            let mut root = object(json!({ "p": reference }));
            root["$defs"] = json!({ name: page });
            root
        };
        let old = closed(more.clone());
        let mut moved = old.clone();
        moved["properties"]["a"]["default"] = json!("y");
        check(
            &side(old.clone()),
            &side(moved),
            Some("major"),
            Some("patch"),
        );
        let mut fewer = old.clone();
        fewer["properties"]
            .as_object_mut()
            .expect("fields")
            .remove("b");
        check(&side(old), &side(fewer), Some("major"), Some("major"));
    }
}

#[test]
fn a_default_below_any_keyword_is_seen() {
    let side = |path: &str, default: u64| {
        let leaf = object(json!({ "a": { "type": "integer", "default": default } }));
        let below = match path {
            "dependentSchemas" | "patternProperties" => json!({ "k": leaf }),
            "prefixItems" => json!([leaf]),
            _ => leaf,
        };
        object(json!({ "p": { path: below, "if": { "type": "object" } } }))
    };
    for path in [
        "additionalProperties",
        "contains",
        "dependentSchemas",
        "else",
        "items",
        "patternProperties",
        "prefixItems",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ] {
        check(&side(path, 1), &side(path, 2), Some("major"), Some("patch"));
    }
    let tuple = |default: u64| json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": { "p": { "items": [{ "default": default }], "additionalItems": { "default": 0 } } } });
    check(&tuple(1), &tuple(2), Some("major"), Some("patch"));
}

#[test]
fn what_the_walk_cannot_pair_counts_as_breaking() {
    let side = |default: u64| {
        let part = |default: u64| json!({ "anyOf": [{ "type": "integer", "default": default }, { "type": "string" }] });
        object(
            json!({ "p": { "allOf": [{ "anyOf": [{ "type": "integer" }, { "type": "boolean" }] }, part(default)] } }),
        )
    };
    let report = report("input", side(1), side(2));
    assert_eq!(report["bump"], "major", "{report:#}");
    assert_eq!(report["changes"][0]["proof"], "unknown", "{report:#}");
}

#[test]
fn a_field_that_was_named_anywhere_was_declared() {
    let x = json!({ "x": { "type": "integer" } });
    for named in [
        json!({ "anyOf": [object(json!({ "x": { "type": "string" } })), object(json!({ "y": { "type": "string" } }))] }),
        json!({ "dependentRequired": { "x": ["z"] } }),
        json!({ "if": { "required": ["x"] }, "then": {} }),
        json!({ "anyOf": [{ "required": ["x"] }, { "required": ["z"] }] }),
    ] {
        let mut old = object(json!({ "z": { "type": "string" } }));
        for (key, value) in named.as_object().expect("keywords") {
            old[key] = value.clone();
        }
        let mut new = old.clone();
        new["properties"]["x"] = x["x"].clone();
        check(&old, &new, Some("major"), None);
    }
    let map = object(json!({ "m": { "type": "object" } }));
    check(
        &map,
        &object(json!({ "m": object(x.clone()) })),
        Some("major"),
        None,
    );
    // Nobody knew of it before.
    check(&object(json!({})), &object(x.clone()), Some("minor"), None);
    // It is no open object.
    let mut closed = object(json!({ "z": {} }));
    closed["additionalProperties"] = json!({ "type": "string" });
    let mut new = closed.clone();
    new["properties"]["x"] = x["x"].clone();
    check(&closed, &new, Some("major"), None);
}

#[test]
fn an_open_enum_grows_by_texts_only() {
    let side = |values: Value| object(json!({ "p": { "enum": values, "x-open-enum": true } }));
    for (values, bump) in [
        (json!(["a", "b"]), "minor"),
        (json!(["a", 1]), "major"),
        (json!(["a", null]), "major"),
    ] {
        check(&side(json!(["a"])), &side(values), None, Some(bump));
    }
    check(&side(json!([1])), &side(json!([1, 2])), None, Some("major"));
}

#[test]
fn a_field_that_no_value_fits_is_removed() {
    let old = object(json!({ "p": { "type": "string" } }));
    for none in [json!(false), json!({ "not": {} }), json!({ "enum": [] })] {
        let report = report("output", old.clone(), object(json!({ "p": none })));
        assert_eq!(report["bump"], "major", "{report:#}");
        assert_eq!(report["changes"][0]["rule"], "field_removed", "{report:#}");
    }
}

#[test]
fn a_counterexample_of_one_change_shows_a_break_of_the_whole() {
    let old = object(json!({ "p": { "type": "integer", "maximum": 10 } }));
    let new = object(json!({ "p": { "type": "string" } }));
    let report = report("output", old, new);
    for change in report["changes"].as_array().expect("changes") {
        let value = &change["counterexample"]["p"];
        assert!(value.is_string(), "{change:#}");
    }
}

#[test]
fn a_harmless_change_beside_a_break_stays_harmless() {
    let old = object(
        json!({ "p": { "type": "string", "maxLength": 5 }, "q": { "type": "string", "maxLength": 5 } }),
    );
    let new = object(
        json!({ "p": { "type": "string", "maxLength": 4 }, "q": { "type": "string", "maxLength": 6 } }),
    );
    let report = report("input", old, new);
    let verdicts: Vec<&str> = report["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .filter_map(|change| change["verdict"].as_str())
        .collect();
    assert!(
        verdicts.contains(&"minor") && verdicts.contains(&"major"),
        "{report:#}"
    );
}

#[test]
fn a_variant_that_comes_no_more_breaks_who_sends_it_only() {
    let a =
        json!({ "type": "object", "properties": { "t": { "enum": ["a"] } }, "required": ["t"] });
    let b =
        json!({ "type": "object", "properties": { "t": { "enum": ["b"] } }, "required": ["t"] });
    for key in ["oneOf", "anyOf"] {
        check(
            &object(json!({ "u": { key: [a, b] } })),
            &object(json!({ "u": { key: [a] } })),
            Some("major"),
            Some("minor"),
        );
        // A choice of more takes nothing away, and may answer what is new.
        check(
            &object(json!({ "u": a })),
            &object(json!({ "u": { key: [b, a] } })),
            Some("minor"),
            Some("major"),
        );
        check(
            &object(json!({ "u": { key: [b, a] } })),
            &object(json!({ "u": a })),
            Some("major"),
            Some("minor"),
        );
        // One of one is that one.
        check(
            &object(json!({ "u": { key: [a] } })),
            &object(json!({ "u": a })),
            Some("none"),
            Some("none"),
        );
    }
}

#[test]
fn fields_named_like_the_members_of_an_open_enum_are_fields() {
    let old = json!({ "state": { "type": "string", "enum": ["a"], "x-open-enum": true }, "a": { "type": "integer" } });
    let mut new = old.clone();
    new["state"]["enum"] = json!(["a", "b"]);
    new["b"] = json!({ "type": "integer" });
    check(
        &object(old.clone()),
        &object(new.clone()),
        None,
        Some("minor"),
    );
    new.as_object_mut().expect("fields").remove("a");
    check(&object(old), &object(new), None, Some("major"));
}

#[test]
fn a_single_value_is_no_list_that_may_grow() {
    let side = |value: Value| object(json!({ "p": { "const": value, "x-open-enum": true } }));
    let report = report("output", side(json!("a")), side(json!("b")));
    assert_eq!(report["bump"], "major", "{report:#}");
    let rules: Vec<&str> = report["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .filter_map(|change| change["rule"].as_str())
        .collect();
    assert!(rules.contains(&"enum_value_added"), "{report:#}");
}

#[test]
fn a_number_that_cannot_be_read_whole_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let side = |name: &str, limit: &str| {
        let path = folder.path().join(name);
        let text = format!(
            r#"[{{ "name": "keep", "inputSchema": {{ "type": "object", "properties": {{ "n": {{ "maximum": {limit} }} }} }} }}]"#
        );
        std::fs::write(&path, text).expect("a side");
        path.to_string_lossy().into_owned()
    };
    // Both are the same double.
    let (old, new) = (
        side("old.json", "100000000000000000001"),
        side("new.json", "100000000000000000000"),
    );
    let arguments = ["diff", "--from", &old, "--to", &new];
    let found = run(&repository(), &arguments);
    assert_eq!((found.code, found.text.as_str()), (1, ""));
    assert!(
        found.errors.contains("more digits than"),
        "{}",
        found.errors
    );
    let (old, new) = (
        side("old.json", "9007199254740993"),
        side("new.json", "9007199254740992"),
    );
    let found = run(
        &repository(),
        &["diff", "--from", &old, "--to", &new, "--format", "json"],
    );
    let report: Value = serde_json::from_str(&found.text).expect("a report");
    assert_eq!(report["bump"], "major", "{report:#}");
    assert_eq!(
        report["changes"][0]["counterexample"]["n"],
        9007199254740993_u64
    );
}

#[test]
fn a_key_that_stands_twice_is_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("side.json");
    let text = r#"[{ "name": "keep", "inputSchema": { "type": "object", "type": "array" } }]"#;
    std::fs::write(&path, text).expect("a side");
    let name = path.to_string_lossy().into_owned();
    let found = run(&repository(), &["diff", "--from", &name, "--to", &name]);
    assert_eq!((found.code, found.text.as_str()), (1, ""));
    assert!(found.errors.contains("a key repeats"), "{}", found.errors);
}

#[test]
fn each_change_of_an_answer_is_shown_by_an_instance_of_its_own() {
    let side = |p: u64, q: u64| {
        object(
            json!({ "p": { "type": "string", "maxLength": p }, "q": { "type": "string", "maxLength": q } }),
        )
    };
    let report = report("output", side(2, 2), side(3, 4));
    for change in report["changes"].as_array().expect("changes") {
        let pointer = change["pointer"].as_str().expect("a pointer");
        let field = if pointer.contains("/p/") { "p" } else { "q" };
        let text = change["counterexample"][field].as_str().expect("a text");
        assert!(text.len() > 2, "{change:#}");
    }
}

#[test]
fn beyond_some_dozens_of_changes_the_whole_stands_for_the_rest() {
    let side = |most: u64| {
        let fields: serde_json::Map<String, Value> = (0..90)
            .map(|at| {
                (
                    format!("f{at}"),
                    json!({ "type": "string", "maxLength": most }),
                )
            })
            .collect();
        object(Value::Object(fields))
    };
    let report = report("input", side(3), side(2));
    let changes = report["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 90);
    let shown: std::collections::BTreeSet<String> = changes
        .iter()
        .map(|change| change["counterexample"].to_string())
        .collect();
    assert!((30..70).contains(&shown.len()), "{}", shown.len());
    assert!(changes.iter().all(|change| change["proof"] == "refuted"));
}

#[test]
fn a_pattern_of_names_that_came_is_told_where_it_stands() {
    let side = |patterns: Value| object(json!({ "p": { "patternProperties": patterns } }));
    let old = side(json!({ "^a": { "type": "integer" } }));
    let new = side(json!({ "^a": { "type": "integer" }, "^b": { "type": "string" } }));
    let report = report("input", old, new);
    let change = &report["changes"][0];
    assert_eq!(change["rule"], "constraint_changed", "{report:#}");
    let pointer = change["pointer"].as_str().unwrap_or_default();
    assert!(
        pointer.ends_with("/properties/p/patternProperties"),
        "{report:#}"
    );
}

#[test]
fn what_stands_beside_a_new_union_is_seen() {
    let field = |schema: Value| object(json!({ "p": schema }));
    let plain = json!({ "type": "string" });
    let bounded = json!({ "anyOf": [plain, { "type": "integer" }], "x-max-bytes": 5 });
    check(&field(plain), &field(bounded), Some("major"), None);
    // The default of a variant is not the default of the field.
    let plain = json!({ "type": "string", "default": "a" });
    let joint = json!({ "anyOf": [plain, { "type": "integer" }] });
    check(&field(plain), &field(joint), Some("major"), None);
}
