//! Laws of the generator: the same schema gives the same bytes, in whatever
//! order it is read, and a run without a change touches nothing.

use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

use crate::fixture::{Fixture, files};

fn generated(fixture: &Fixture) -> BTreeMap<String, Vec<u8>> {
    let folder = fixture.root().join("generated");
    files(&folder)
        .into_iter()
        .map(|name| {
            let bytes = fs::read(folder.join(&name)).expect("a generated file");
            (name, bytes)
        })
        .collect()
}

fn times(fixture: &Fixture) -> BTreeMap<String, SystemTime> {
    let folder = fixture.root().join("generated");
    files(&folder)
        .into_iter()
        .map(|name| {
            let facts = fs::metadata(folder.join(&name)).expect("a generated file");
            (name, facts.modified().expect("a file system with times"))
        })
        .collect()
}

#[test]
fn a_second_run_writes_nothing() {
    let fixture = Fixture::base();
    let before = times(&fixture);
    let run = fixture.run(&["codegen"]);
    assert!(
        run.text.ends_with(" 0 written, 0 removed.\n"),
        "{}",
        run.text
    );
    assert_eq!(times(&fixture), before);
}

#[test]
fn removing_the_output_and_generating_restores_every_byte() {
    let fixture = Fixture::base();
    let before = generated(&fixture);
    fs::remove_dir_all(fixture.root().join("generated")).expect("it was there");
    assert_eq!(fixture.run(&["codegen"]).code, 0);
    assert!(generated(&fixture) == before);
}

#[test]
fn a_new_time_stamp_on_the_same_content_is_not_stale() {
    let fixture = Fixture::base();
    for (name, bytes) in generated(&fixture) {
        fs::write(fixture.root().join("generated").join(name), bytes).expect("a written file");
    }
    assert_eq!(fixture.run(&["check"]).text, "The contract holds.\n");
}

#[test]
fn an_old_time_stamp_does_not_hide_an_edit() {
    let fixture = Fixture::base();
    let path = fixture.root().join("generated/docs/errors.md");
    let stamp = fs::metadata(&path).and_then(|facts| facts.modified());
    fs::write(&path, "edited\n").expect("a written file");
    let file = fs::File::options()
        .write(true)
        .open(&path)
        .expect("the file");
    file.set_modified(stamp.expect("a time"))
        .expect("the old time");
    assert_eq!(fixture.run(&["check"]).code, 4);
}

#[test]
fn the_order_in_which_files_were_made_does_not_matter() {
    let fixture = Fixture::base();
    let before = generated(&fixture);
    let schema = fixture.root().join("schema");
    let sources: Vec<(String, String)> = files(&schema)
        .into_iter()
        .map(|name| {
            let text = fs::read_to_string(schema.join(&name)).expect("a source");
            (name, text)
        })
        .collect();
    fs::remove_dir_all(&schema).expect("it was there");
    for (name, text) in sources.iter().rev() {
        fixture.write(&format!("schema/{name}"), text);
    }
    let run = fixture.run(&["codegen"]);
    assert!(
        run.text.ends_with(" 0 written, 0 removed.\n"),
        "{}",
        run.text
    );
    assert!(generated(&fixture) == before);
}

#[test]
fn how_a_source_is_laid_out_does_not_matter() {
    let fixture = Fixture::base();
    for name in [
        "schema/tools/find.json",
        "schema/shapes/item.json",
        "schema/errors.json",
    ] {
        let text = fs::read_to_string(fixture.root().join(name)).expect("a source");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        fixture.write(name, &value.to_string());
    }
    let run = fixture.run(&["codegen"]);
    assert!(
        run.text.ends_with(" 0 written, 0 removed.\n"),
        "{}",
        run.text
    );
}

#[test]
fn check_writes_nothing() {
    let fixture = Fixture::base();
    fs::remove_dir_all(fixture.root().join("generated")).expect("it was there");
    assert_eq!(fixture.run(&["check"]).code, 4);
    assert!(!fixture.root().join("generated").exists());
}

#[test]
fn properties_keep_the_order_of_the_source_everywhere() {
    let fixture = Fixture::base();
    let all = generated(&fixture);
    let text = |name: &str| String::from_utf8(all[name].clone()).expect("text");
    // In the source, k stands before query, and in a name order too; id,
    // label and text as well, so the shape is turned around first.
    let source = fs::read_to_string(fixture.root().join("schema/shapes/item.json"));
    let mut shape: serde_json::Value =
        serde_json::from_str(&source.expect("a source")).expect("JSON");
    let properties = shape["properties"].as_object().expect("properties").clone();
    shape["properties"] = properties.into_iter().rev().collect();
    assert!(text("typescript/contract.ts").contains("export interface Item {"));
    fixture.write("schema/shapes/item.json", &shape.to_string());
    assert_eq!(fixture.run(&["codegen"]).code, 0);
    let all = generated(&fixture);
    let positions = |name: &str, start: &str, fields: [&str; 3]| -> Vec<usize> {
        let text = String::from_utf8(all[name].clone()).expect("text");
        let from = text.find(start).expect("the declaration");
        fields
            .iter()
            .map(|field| from + text[from..].find(field).expect("the field"))
            .collect()
    };
    let orders = [
        positions(
            "typescript/contract.ts",
            "interface Item {",
            ["text:", "label:", "id:"],
        ),
        positions(
            "rust/types.rs",
            "struct Item {",
            ["pub text:", "pub label:", "pub id:"],
        ),
        positions(
            "tools_list/core.json",
            "\"outputSchema\"",
            ["\"text\"", "\"label\"", "\"id\""],
        ),
        positions("docs/shapes.md", "## item", ["`text`", "`label`", "`id`"]),
    ];
    for order in orders {
        assert!(order.is_sorted(), "{order:?}");
    }
}
