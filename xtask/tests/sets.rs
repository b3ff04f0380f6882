//! Holds the comparison of sets against pairs of known relation.

use std::path::PathBuf;

use serde_json::Value;
use xtask::sets::{Answer, Document, Options, contained};

/// Says what both directions of a relation of new to old have to answer.
fn expected(relation: &str) -> (bool, bool) {
    match relation {
        "eq" => (true, true),
        "widen" => (true, false),
        "narrow" => (false, true),
        "incomparable" => (false, false),
        _ => panic!("no relation is called {relation}"),
    }
}

#[test]
fn the_shared_pairs_have_their_relations() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases/schema-pairs.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("the shared pairs are absent; nothing was compared");
        return;
    };
    let pairs: Value = serde_json::from_str(&text).expect("JSON");
    let mut wrong = Vec::new();
    for pair in pairs["cases"].as_array().expect("cases") {
        let (old, new) = (Document::new(&pair["old"]), Document::new(&pair["new"]));
        let id = pair["id"].as_str().expect("an id");
        let (first, second) = expected(pair["relation_new_vs_old"].as_str().expect("a relation"));
        for (name, a, b, proven) in [
            ("old_in_new", &old, &new, first),
            ("new_in_old", &new, &old, second),
        ] {
            let verdict = contained(a, b, &Options::default());
            let right = match &verdict.answer {
                Answer::Proven => proven,
                Answer::Refuted { .. } => !proven,
                Answer::Unknown { .. } => false,
            };
            if !right {
                wrong.push(format!("{id} {name}: {:?}", verdict.answer));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
