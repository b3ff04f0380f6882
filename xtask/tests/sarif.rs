//! Reports for a code review, against what SARIF 2.1.0 demands of the parts
//! that they are made of.

use std::fs;

use serde_json::{Value, json};

use crate::fixture::{folders, package, repository, run};

/// Returns the demands of the standard: its objects are closed but for bags of
/// properties, and an address is a reference of a URI.
fn standard() -> Value {
    let closed = |required: &[&str], properties: Value| json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties });
    let list = |name: &str, unique: bool| json!({ "type": "array", "items": { "$ref": format!("#/$defs/{name}") }, "uniqueItems": unique });
    let text = json!({ "type": "string" });
    json!({
        "$ref": "#/$defs/log",
        "$defs": {
            "log": closed(&["version", "runs"], json!({ "$schema": { "type": "string", "format": "uri" }, "version": { "enum": ["2.1.0"] }, "runs": list("run", false), "properties": { "type": "object" } })),
            "run": closed(&["tool"], json!({ "tool": { "$ref": "#/$defs/tool" }, "results": list("result", false), "properties": { "type": "object" } })),
            "tool": closed(&["driver"], json!({ "driver": { "$ref": "#/$defs/driver" } })),
            "driver": closed(&["name"], json!({ "name": text, "rules": list("rule", true) })),
            "rule": closed(&["id"], json!({ "id": text, "shortDescription": { "$ref": "#/$defs/message" } })),
            "message": closed(&["text"], json!({ "text": text })),
            "result": closed(&["message"], json!({ "ruleId": text, "level": { "enum": ["none", "note", "warning", "error"] }, "message": { "$ref": "#/$defs/message" }, "locations": list("location", false) })),
            "location": closed(&[], json!({ "physicalLocation": closed(&["artifactLocation"], json!({ "artifactLocation": closed(&[], json!({ "uri": { "type": "string", "format": "uri-reference" } })) })), "logicalLocations": list("logical", true) })),
            "logical": closed(&[], json!({ "fullyQualifiedName": text })),
        },
    })
}

fn sarif(from: &str, to: &str) -> Value {
    let arguments = ["diff", "--from", from, "--to", to, "--format", "sarif"];
    let run = run(&repository(), &arguments);
    assert_eq!((run.code, run.errors.as_str()), (0, ""), "{from}");
    serde_json::from_str(&run.text).expect("JSON")
}

fn assert_holds(report: &Value, name: &str) {
    let mut options = jsonschema::options();
    options = options.should_validate_formats(true);
    let validator = options.build(&standard()).expect("a schema");
    let faults: Vec<String> = validator
        .iter_errors(report)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert_eq!(faults, Vec::<String>::new(), "{name}");
    let at = |pointer: &str| report.pointer(pointer).unwrap_or(&Value::Null);
    let ids = |list: &Value, key: &str| -> Vec<String> {
        let entries = list.as_array().expect("a list").iter();
        let ids = entries.map(|entry| entry[key].as_str().expect("an id").to_owned());
        ids.collect()
    };
    let rules = ids(at("/runs/0/tool/driver/rules"), "id");
    for rule in ids(at("/runs/0/results"), "ruleId") {
        assert!(rules.contains(&rule), "{name}: {rule}");
    }
}

#[test]
fn every_kind_of_change_is_reported_as_sarif_demands() {
    let place = package().join("tests/diff");
    for kind in folders(&place) {
        let side = |name: &str| place.join(&kind).join(name).to_string_lossy().into_owned();
        let report = sarif(&side("old.json"), &side("new.json"));
        assert_holds(&report, &kind);
        let n_results = report["runs"][0]["results"].as_array().map(Vec::len);
        assert_ne!(n_results, Some(0), "{kind}");
    }
}

#[test]
fn a_file_of_any_name_is_an_address() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (old, new) = (path("old 100%.json"), path("new<#1>^.json"));
    fs::write(&old, "[]").expect("written");
    fs::write(
        &new,
        r#"[{ "name": "t", "inputSchema": { "type": "object" } }]"#,
    )
    .expect("written");
    let report = sarif(&old, &new);
    assert_holds(&report, "odd names");
    let uri = report.pointer("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri");
    let uri = uri.and_then(Value::as_str).expect("an address");
    assert!(uri.ends_with("/new%3C%231%3E%5E.json"), "{uri}");
}
