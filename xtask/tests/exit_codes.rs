//! What the exit code says: 0 clean, 1 the tool failed, 4 stale, 100 broken.

use std::fs;

use tempfile::TempDir;

use crate::fixture::Fixture;

#[test]
fn a_clean_contract_exits_with_0() {
    let fixture = Fixture::base();
    assert_eq!(fixture.run(&["check"]).code, 0);
    assert_eq!(fixture.run(&["codegen"]).code, 0);
}

#[test]
fn a_root_that_is_not_there_exits_with_1() {
    let folder = TempDir::new().expect("a temporary folder");
    let root = folder.path().join("nothing");
    for command in ["check", "codegen"] {
        let run = crate::fixture::run(&root, &[command]);
        assert_eq!(run.code, 1, "{command}");
        assert_eq!(run.text, "", "{command}");
        assert!(
            run.errors.starts_with("error: there is no folder "),
            "{}",
            run.errors
        );
    }
}

#[test]
fn a_workspace_that_cargo_cannot_read_exits_with_1() {
    let fixture = Fixture::base();
    fixture.write("Cargo.toml", "[workspace\n");
    let run = fixture.run(&["check"]);
    assert_eq!(run.code, 1);
    assert!(
        run.errors
            .starts_with("error: cargo cannot describe the workspace"),
        "{}",
        run.errors
    );
}

#[test]
fn stale_output_exits_with_4_and_codegen_mends_it() {
    let fixture = Fixture::base();
    fixture.write("generated/docs/errors.md", "edited\n");
    fixture.write("generated/left_over.txt", "old\n");
    fs::remove_file(fixture.root().join("generated/rust/types.rs")).expect("it was there");
    let run = fixture.run(&["check"]);
    assert_eq!(run.code, 4, "{}", run.text);
    assert!(
        run.text.contains("\n3 findings; cargo xtask explain "),
        "{}",
        run.text
    );
    let mended = fixture.run(&["codegen"]);
    assert_eq!(mended.code, 0);
    // How many there are in all is no matter of this test.
    let (mended, counts) = mended.text.rsplit_once(" files").expect("a sum");
    assert_eq!(counts, ", 2 written, 1 removed.\n");
    assert_eq!(
        mended.trim_end_matches(|letter: char| letter.is_ascii_digit()),
        "wrote generated/docs/errors.md\n\
         wrote generated/rust/types.rs\n\
         removed generated/left_over.txt\n"
    );
    assert_eq!(fixture.run(&["check"]).code, 0);
}

#[test]
fn a_broken_contract_exits_with_100_even_when_output_is_stale_too() {
    let fixture = Fixture::base();
    fixture.write(
        "schema/shapes/spare.json",
        r#"{ "description": "Spare.", "type": "string" }"#,
    );
    let run = fixture.run(&["check"]);
    assert_eq!(run.code, 100);
    assert!(run.text.contains("stale[generated_stale]"), "{}", run.text);
    assert!(run.text.contains("broken[shape_unused]"), "{}", run.text);
}

#[test]
fn codegen_writes_nothing_from_a_contract_that_it_cannot_read() {
    let fixture = Fixture::base();
    fixture.write(
        "schema/shapes/item_id.json",
        r#"{ "description": "Any.", "type": "any" }"#,
    );
    fs::remove_file(fixture.root().join("generated/rust/types.rs")).expect("it was there");
    let run = fixture.run(&["codegen"]);
    assert_eq!(run.code, 100);
    assert!(run.text.contains("[form_outside_dialect]"), "{}", run.text);
    assert!(!fixture.root().join("generated/rust/types.rs").exists());
}
