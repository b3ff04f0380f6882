//! What a second import makes of what changed at its source, went back, or was
//! forgotten here.

use std::fs;

use serde_json::json;

use super::{Bench, TOPIC};
use crate::harness::Door;

#[test]
fn a_changed_item_takes_the_place_of_its_older_version() {
    let bench = Bench::new();
    let topic = bench.file("cc/memory/tabs.md", TOPIC);
    let folder = bench.source.path().join("cc/memory");
    let options = ["--project", "/code/ibis", "--write"];
    bench.import(&folder, &options);
    fs::write(
        &topic,
        TOPIC.replace("Indent with tabs", "Indent with two blanks"),
    )
    .expect("it can be written");
    let (_, done) = bench.import(&folder, &options);
    assert_eq!(
        (&done["imported"], &done["superseding"]),
        (&json!(1), &json!(1)),
        "{done}"
    );
    let mut door = bench.door();
    let rows = door.rows("ibis linter");
    assert_eq!(rows.len(), 1, "the older version is still served: {rows:?}");
    assert!(
        rows[0]["content"]
            .as_str()
            .is_some_and(|text| text.contains("two blanks"))
    );
}

#[test]
fn what_was_forgotten_does_not_come_back_with_the_next_import() {
    let bench = Bench::new();
    let path = bench.file("m.json", r#"[{"id":"1","memory":"the ibis wades"}]"#);
    let options = ["--into", "personal", "--write"];
    bench.import(&path, &options);
    let mut door = bench.door();
    let id = door.rows("ibis")[0]["id"].clone();
    door.ok("forget", json!({ "memory_id": id }));
    door.close();
    let (_, again) = bench.import(&path, &options);
    assert_eq!(again["imported"], 0, "{again}");
    assert!(bench.door().rows("ibis").is_empty());
}

#[test]
fn what_goes_back_to_an_older_text_at_its_source_goes_back_here() {
    let bench = Bench::new();
    let folder = bench.source.path().join("cc/memory");
    let options = ["--project", "/code/ibis", "--write"];
    for (n, port) in [1111, 2222, 1111, 2222].into_iter().enumerate() {
        bench.file(
            "cc/memory/tabs.md",
            TOPIC.replace("Indent with tabs", &format!("Port {port} it is")),
        );
        let (_, done) = bench.import(&folder, &options);
        let superseding = u64::from(n > 0);
        assert_eq!(
            (&done["imported"], &done["superseding"]),
            (&json!(1), &json!(superseding)),
            "{n}: {done}"
        );
        let mut door = bench.door();
        let rows = door.rows("ibis linter");
        assert_eq!(rows.len(), 1, "{n}: {rows:?}");
        assert!(
            rows[0]["content"]
                .as_str()
                .is_some_and(|text| text.contains(&format!("Port {port}"))),
            "{n}: {rows:?}"
        );
        door.close();
        let (_, again) = bench.import(&folder, &options);
        assert_eq!(again["imported"], 0, "{n}: {again}");
    }
}

#[test]
fn an_older_export_does_not_take_the_place_of_a_newer_one() {
    let bench = Bench::new();
    let options = ["--into", "personal", "--write"];
    let export = |text: &str, at: &str| {
        json!([{ "id": "a", "memory": text, "created_at": "2020-01-01T00:00:00Z", "updated_at": at }])
            .to_string()
    };
    let new = bench.file(
        "new.json",
        export("The ibis lives in Rome", "2025-06-01T00:00:00Z"),
    );
    let old = bench.file(
        "old.json",
        export("The ibis lives in Paris", "2024-02-01T00:00:00Z"),
    );
    bench.import(&new, &options);
    let (_, done) = bench.import(&old, &options);
    assert_eq!(
        (&done["imported"], &done["skipped"]),
        (
            &json!(0),
            &json!({ "older than the version that is there": 1 })
        ),
        "{done}"
    );
    let rows = bench.door().rows("ibis lives");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["content"], "The ibis lives in Rome");
}
