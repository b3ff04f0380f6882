//! Holds the comparison of sets against pairs of known relation, against
//! instances, and against what is hostile.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use xtask::sets::{Answer, Document, Options, contained};

mod hostile;
mod large;
mod mutated;
mod opaque;
mod random;
mod sampled;
mod suite;

/// Says whether every old instance is a new one, and the other way round.
fn expected(relation: &str) -> (bool, bool) {
    match relation {
        "eq" => (true, true),
        "widen" => (true, false),
        "narrow" => (false, true),
        _ => {
            assert_eq!(relation, "incomparable");
            (false, false)
        }
    }
}

/// Returns what is wrong with the verdicts on a pair.
fn wrong(name: &str, relation: &str, old: &Value, new: &Value) -> Vec<String> {
    let (first, second) = expected(relation);
    [
        ("old in new", old, new, first),
        ("new in old", new, old, second),
    ]
    .into_iter()
    .filter_map(|(direction, a, b, proven)| {
        let verdict = contained(&Document::new(a), &Document::new(b), &Options::default());
        let right = match &verdict.answer {
            Answer::Proven => proven,
            Answer::Refuted { counterexample } => {
                !proven && valid(a, counterexample) && !valid(b, counterexample)
            }
            Answer::Unknown { .. } => false,
        };
        (!right).then(|| format!("{name}, {direction}: {:?}", verdict.answer))
    })
    .collect()
}

/// Asks a stock validator; the edition is told from the spelling, as a
/// person would tell it.
fn valid(schema: &Value, instance: &Value) -> bool {
    let text = schema.to_string();
    let draft = if schema.get("$schema").is_some() {
        None
    } else if text.contains("\"exclusiveMaximum\":true") {
        Some(jsonschema::Draft::Draft4)
    } else if text.contains("\"additionalItems\"") {
        Some(jsonschema::Draft::Draft7)
    } else {
        Some(jsonschema::Draft::Draft202012)
    };
    let mut options = jsonschema::options().should_validate_formats(false);
    if let Some(draft) = draft {
        options = options.with_draft(draft);
    }
    let validator = options
        .build(schema)
        .expect("a schema that a stock validator reads");
    validator.is_valid(instance)
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sets")
}

/// Returns the pairs of every fixture file.
fn fixtures() -> Vec<Value> {
    let mut pairs = Vec::new();
    for entry in fs::read_dir(folder()).expect("fixtures") {
        let path = entry.expect("a fixture").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let text = fs::read_to_string(&path).expect("a fixture");
            let read: Vec<Value> = serde_json::from_str(&text).expect("a list of pairs");
            pairs.extend(read);
        }
    }
    pairs
}

#[test]
fn every_fixture_has_its_relation() {
    let pairs = fixtures();
    assert!(pairs.len() >= 150, "{} pairs", pairs.len());
    let text = |pair: &Value, key: &str| pair[key].as_str().expect("a text").to_owned();
    let wrong: Vec<String> = pairs
        .iter()
        .flat_map(|pair| {
            let (name, relation) = (text(pair, "name"), text(pair, "relation"));
            wrong(&name, &relation, &pair["old"], &pair["new"])
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_shared_pairs_have_their_relations() {
    let path = folder().join("../../../../shared/cases/schema-pairs.json");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("the shared pairs are absent; nothing was compared");
        return;
    };
    let pairs: Value = serde_json::from_str(&text).expect("JSON");
    let mut faults = Vec::new();
    for pair in pairs["cases"].as_array().expect("cases") {
        let id = pair["id"].as_str().expect("an id");
        let relation = pair["relation_new_vs_old"].as_str().expect("a relation");
        faults.extend(wrong(id, relation, &pair["old"], &pair["new"]));
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_schema_is_within_itself() {
    for pair in fixtures() {
        for key in ["old", "new"] {
            let schema = &pair[key];
            // Another object around it, so that equality is not enough.
            let same = serde_json::json!({ "allOf": [schema], "description": "the same" });
            let whole = [Document::new(schema)];
            let inner = Document::new(&same).at("/allOf/0").expect("it is there");
            let relocated = schema.to_string().contains("#/") || schema.get("$schema").is_some();
            for document in whole.iter().chain((!relocated).then_some(&inner)) {
                let verdict = contained(document, &whole[0], &Options::default());
                assert_eq!(verdict.answer, Answer::Proven, "{schema}");
            }
        }
    }
}
