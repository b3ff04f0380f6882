//! What each form of the dialect becomes: pinned in every language and
//! document, and the Rust is compiled here and reads and writes what it must.
//!
//! `INSTA_UPDATE=always` rewrites the pinned files.

use std::fs;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::fixture::{Fixture, files, folders, package};

macro_rules! goldens {
    ($($name:ident)*) => {
        $(mod $name {
            // A module that expects dead code keeps all of it alive, and the
            // expectation is never met.
            #![allow(dead_code, unused_qualifications, reason = "read in part")]
            #![allow(clippy::derivable_impls, reason = "written by the type generator")]

            #[path = "golden/types.rs"]
            mod types;
            pub use types::*;
        })*

        /// What is compiled here.
        const COMPILED: &[&str] = &[$(stringify!($name)),*];
    };
}

goldens!(arrays deprecation enums numbers objects references strings tagged_unions);

/// Pinned files and where the generator writes them.
const PINNED: [(&str, &str); 6] = [
    ("contract.ts", "typescript/contract.ts"),
    ("find.md", "docs/tools/find.md"),
    ("openapi.json", "openapi.json"),
    ("tools_list.json", "tools_list/full.json"),
    ("types.py", "python/zero_memory_client/types.py"),
    ("types.rs", "rust/types.rs"),
];

fn folder() -> PathBuf {
    package().join("tests/emit")
}

#[test]
fn every_form_is_emitted_as_pinned() {
    let updates = std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always");
    let mut differing = Vec::new();
    for case in folders(&folder()) {
        let overlay = folder().join(&case);
        let fixture = Fixture::overlaid(&overlay);
        for (pinned, name) in PINNED {
            let path = overlay.join("golden").join(pinned);
            let actual = fs::read_to_string(fixture.root().join("generated").join(name));
            let actual = actual.expect("the case generates");
            if updates {
                fs::create_dir_all(overlay.join("golden")).expect("a folder");
                fs::write(&path, &actual).expect("a pinned file");
            }
            let expected = fs::read_to_string(&path).unwrap_or_default();
            if let Some(line) = first_difference(&expected, &actual) {
                differing.push(format!("{case}/golden/{pinned}: {line}"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Returns the first line in which two texts differ.
fn first_difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (mut left, mut right) = (expected.lines(), actual.lines());
    let mut number = 0;
    loop {
        number += 1;
        let (pinned, emitted) = (left.next(), right.next());
        if pinned != emitted || pinned.is_none() {
            return Some(format!(
                "line {number} is pinned as {pinned:?} and emitted as {emitted:?}"
            ));
        }
    }
}

#[test]
fn every_golden_is_compiled_here() {
    assert_eq!(folders(&folder()), COMPILED);
    for case in COMPILED {
        let pinned = files(&folder().join(case).join("golden"));
        assert_eq!(pinned, PINNED.map(|(name, _)| name));
    }
}

/// Reads a value as a type and writes it again.
fn rewrite<T: DeserializeOwned + Serialize>(value: &Value) -> Value {
    let typed: T = serde_json::from_value(value.clone()).expect("the type reads the value");
    serde_json::to_value(typed).expect("the type is written")
}

fn assert_kept<T: DeserializeOwned + Serialize>(value: Value) {
    assert_eq!(rewrite::<T>(&value), value);
}

#[test]
fn an_optional_empty_array_is_not_lost() {
    assert_kept::<arrays::FindInput>(json!({ "names": [], "pairs": [] }));
    assert_kept::<arrays::FindInput>(json!({ "pairs": [{ "left": "a", "at": 1 }] }));
    assert_kept::<arrays::FindOutput>(json!({ "grid": [[], [0.5]], "maybe": ["a", null] }));
}

#[test]
fn a_time_keeps_its_offset_and_its_digits() {
    let output = json!({
        "at": "2026-12-01T09:00:00.120+09:00",
        "token": "A0B1C2D3-0000-4000-8000-000000000000",
        "label": null,
        "quoted": "a \"b\" \\ */",
    });
    assert_kept::<strings::FindOutput>(output);
}

#[test]
fn a_required_null_is_written() {
    let output = json!({
        "count": 0, "score": -0.25, "rank": null, "ratio": null, "found": false, "sure": null
    });
    assert_kept::<numbers::FindOutput>(output);
    let output = json!({ "place": { "name": "a", "inner": { "deep": true } }, "last": null });
    assert_kept::<objects::FindOutput>(output);
}

#[test]
fn an_input_refuses_what_it_does_not_know_at_any_depth() {
    for value in [
        json!({ "plaice": 1 }),
        json!({ "place": { "row": 1, "rows": 2 } }),
    ] {
        let read = serde_json::from_value::<objects::FindInput>(value);
        let message = read.expect_err("an unknown field").to_string();
        assert!(message.starts_with("unknown field"), "{message}");
    }
}

#[test]
fn an_output_reads_past_a_field_that_a_later_version_adds() {
    let output = json!({ "place": { "name": "a", "inner": { "deep": true, "new": 1 } }, "last": { "id": "b", "new": 1 }, "new": 1 });
    let read: objects::FindOutput = serde_json::from_value(output).expect("it is read");
    assert_eq!(read.last.map(|last| last.id), Some("b".to_owned()));
}

#[test]
fn every_variant_of_a_union_is_kept() {
    let output = json!({
        "changes": [
            { "sort": "kept", "id": "itm_aaaa" },
            { "sort": "lent-out", "to": "me" },
            { "sort": "lent-out", "to": "you", "may_return": false },
            { "sort": "lost" },
        ],
        "last": { "sort": "lost" },
        "why": { "sort": "rule", "rule": "first come" },
    });
    assert_kept::<tagged_unions::FindOutput>(output);
    let whim = json!({ "changes": [], "why": { "sort": "whim" } });
    assert_kept::<tagged_unions::FindOutput>(whim);
}

#[test]
fn a_union_has_the_name_of_its_place_and_no_unknown_variant() {
    let whim: tagged_unions::FindOutputWhy =
        serde_json::from_value(json!({ "sort": "whim" })).expect("a variant");
    assert_eq!(whim, tagged_unions::FindOutputWhy::Whim);
    let unknown = serde_json::from_value::<tagged_unions::Change>(json!({ "sort": "sold" }));
    let message = unknown.expect_err("no such variant").to_string();
    assert!(message.starts_with("unknown variant `sold`"), "{message}");
}

#[test]
fn an_open_enum_reads_a_member_that_a_later_version_adds() {
    assert_kept::<enums::FindOutput>(json!({ "mood": "so-so", "source": "fax", "type": "self" }));
    let closed = json!({ "mood": "bad", "source": "mail", "type": "self" });
    let read = serde_json::from_value::<enums::FindOutput>(closed);
    let message = read.expect_err("a closed enum").to_string();
    assert!(message.starts_with("unknown variant `bad`"), "{message}");
}

#[test]
fn references_are_one_type_wherever_they_stand() {
    let item = json!({ "id": "itm_aaaa", "label": null, "text": "a" });
    let output =
        json!({ "pair": { "left": item, "right": item, "ids": ["itm_aaaa"] }, "tags": [] });
    assert_kept::<references::FindOutput>(output);
    let absent = json!({ "tags": ["a"] });
    assert_kept::<references::FindOutput>(absent);
}

#[test]
fn what_is_announced_to_go_still_works_and_warns() {
    assert_kept::<deprecation::FindInput>(json!({ "k": 3, "query": "a" }));
    let read: deprecation::FindOutput =
        serde_json::from_value(json!({ "total": 2, "count": 1 })).expect("it is read");
    #[expect(deprecated, reason = "the warning is what is proven")]
    let total = read.total;
    assert_eq!((total, read.count), (2, 1));
}
