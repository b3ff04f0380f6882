//! Releases end to end: what is refused, what is frozen, and every way to name
//! a side of a comparison.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::fixture::{Fixture, Run, files};

/// Merges keys into an object of a file.
fn set(fixture: &Fixture, file: &str, pointer: &str, value: Value) {
    let text = fs::read_to_string(fixture.root().join(file)).expect("a source");
    let mut source: Value = serde_json::from_str(&text).expect("JSON");
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    source.pointer_mut(parent).expect("a place")[key] = value;
    fixture.write(file, &format!("{source:#}\n"));
}

fn add_total(fixture: &Fixture) {
    set(
        fixture,
        "schema/tools/find.json",
        "/outputSchema/properties/total",
        json!({ "description": "How many there are.", "type": "integer", "minimum": 0 }),
    );
}

fn set_version(fixture: &Fixture, version: &str) {
    set(fixture, "schema/contract.json", "/version", json!(version));
}

/// Generates, commits, and tries to release.
fn try_release(fixture: &Fixture) -> Run {
    assert_eq!(fixture.run(&["codegen"]).code, 0);
    fixture.commit();
    fixture.run(&["release"])
}

fn report(run: &Run) -> Value {
    assert_eq!((run.code, run.errors.as_str()), (0, ""));
    serde_json::from_str(&run.text).expect("a report is JSON")
}

#[test]
fn a_release_freezes_the_contract_and_names_itself() {
    let fixture = Fixture::base();
    fixture.release();
    add_total(&fixture);
    set_version(&fixture, "1.2.0");
    let run = try_release(&fixture);
    assert_eq!(run.code, 0, "{}", run.errors);
    let wrote = "wrote schema/releases/1.2.0.json\nwrote schema/contract.json\n\
                 wrote generated/docs/changelog.md\n";
    assert!(run.text.starts_with(wrote), "{}", run.text);
    assert!(
        run.text.ends_with(" files, 1 written, 0 removed.\n"),
        "{}",
        run.text
    );
    assert_eq!(fixture.run(&["check"]).text, "The contract holds.\n");
    let changelog = fs::read_to_string(fixture.root().join("generated/docs/changelog.md"));
    let changelog = changelog.expect("a changelog");
    let entry = "- **minor** `field_added_optional` at `schema/tools/find.json#/outputSchema/properties/total` (find)";
    assert!(changelog.contains(entry), "{changelog}");
    assert!(changelog.contains("## 1.1.0\n"), "{changelog}");
    let diff = fixture
        .run(&["diff", "--from", "1.1.0", "--to", "1.2.0"])
        .text;
    assert!(
        diff.ends_with("\nsmallest legal bump: minor (1.1.0 to 1.2.0)\n"),
        "{diff}"
    );
}

#[test]
fn freezing_the_same_contract_gives_the_same_bytes() {
    let bytes = || {
        let fixture = Fixture::base();
        fixture.release();
        fs::read(fixture.root().join("schema/releases/1.1.0.json")).expect("a release")
    };
    assert!(bytes() == bytes());
}

#[test]
fn a_number_that_is_spelled_otherwise_is_no_change() {
    let fixture = Fixture::base();
    let example = "/examples/1/input/k";
    set(&fixture, "schema/tools/find.json", example, json!(3.0));
    fixture.release();
    assert_eq!(fixture.run(&["check"]).text, "The contract holds.\n");
    set(&fixture, "schema/tools/find.json", example, json!(4.0));
    assert_eq!(fixture.run(&["codegen"]).code, 0);
    let text = fixture.run(&["check"]).text;
    assert!(text.contains("broken[version_bump_missing]"), "{text}");
}

#[test]
fn a_release_under_too_small_a_bump_is_refused() {
    let fixture = Fixture::base();
    fixture.release();
    add_total(&fixture);
    set_version(&fixture, "1.1.1");
    let run = try_release(&fixture);
    assert_eq!(run.code, 100);
    assert!(
        run.text.contains("broken[version_bump_too_small]"),
        "{}",
        run.text
    );
    assert_eq!(
        files(&fixture.root().join("schema/releases")),
        ["1.1.0.json"]
    );
}

#[test]
fn a_release_of_a_dirty_tree_is_refused() {
    let fixture = Fixture::base();
    fixture.commit();
    fixture.write("notes.txt", "not committed\n");
    let run = fixture.run(&["release"]);
    assert_eq!(run.code, 100);
    assert!(
        run.text.contains("not committed:\n?? notes.txt\n"),
        "{}",
        run.text
    );
    assert!(!fixture.root().join("schema/releases").exists());
}

#[test]
fn a_release_without_git_is_refused() {
    let fixture = Fixture::base();
    let run = fixture.run(&["release"]);
    assert_eq!((run.code, run.text.as_str()), (1, ""));
    assert!(
        run.errors.contains("git cannot say what is"),
        "{}",
        run.errors
    );
}

#[test]
fn a_version_is_released_once() {
    let fixture = Fixture::base();
    fixture.release();
    let run = try_release(&fixture);
    assert_eq!(run.code, 100);
    assert!(
        run.text.starts_with("1.1.0 is released already."),
        "{}",
        run.text
    );
}

#[test]
fn c28_an_edited_release_is_a_clear_error_of_its_own() {
    let fixture = Fixture::base();
    fixture.release();
    set(
        &fixture,
        "schema/releases/1.1.0.json",
        "/files/errors.json/codes",
        json!({}),
    );
    let run = fixture.run(&["check"]);
    assert_eq!(run.code, 100);
    assert!(
        run.text
            .contains("broken[release_edited] schema/releases/1.1.0.json"),
        "{}",
        run.text
    );
    assert!(
        run.text.contains("hint: restore it: git checkout -- "),
        "{}",
        run.text
    );
    let run = fixture.run(&["diff", "--from", "1.1.0"]);
    assert_eq!((run.code, run.text.as_str()), (3, ""));
    assert!(
        run.errors.contains("its content no longer has the hash"),
        "{}",
        run.errors
    );
}

#[test]
fn a_baseline_that_is_not_sound_is_no_pass() {
    const LAST: &str = "schema/releases/1.2.0.json";
    const SETTINGS: &str = "schema/contract.json";
    type Damage = fn(&Fixture);
    let cases: [(&str, Damage, i32, &str); 7] = [
        (
            "gone",
            |fixture| fs::remove_file(fixture.root().join(LAST)).expect("it was there"),
            3,
            "there is no release 1.2.0",
        ),
        (
            "all gone",
            |fixture| fs::remove_dir_all(fixture.root().join("schema/releases")).expect("there"),
            3,
            "there is no release 1.2.0",
        ),
        (
            "empty",
            |fixture| fixture.write(LAST, ""),
            100,
            "1.2.0.json is no release: it is no JSON",
        ),
        (
            "no text",
            |fixture| fs::write(fixture.root().join(LAST), b"\xff\xfe").expect("written"),
            100,
            "1.2.0.json is no release: it is no text in UTF-8",
        ),
        (
            "in conflict",
            |fixture| fixture.write(LAST, "<<<<<<< HEAD\n"),
            100,
            "the marks of a merge conflict",
        ),
        (
            "nameless",
            |fixture| {
                let text = fs::read_to_string(fixture.root().join(SETTINGS)).expect("there");
                let mut settings: Value = serde_json::from_str(&text).expect("JSON");
                settings.as_object_mut().expect("a map").remove("baseline");
                fixture.write(SETTINGS, &format!("{settings:#}\n"));
            },
            3,
            "does not name the last release 1.2.0",
        ),
        (
            "of another hash",
            |fixture| {
                set(
                    fixture,
                    SETTINGS,
                    "/baseline/hash",
                    json!(format!("sha256:{}", "0".repeat(64))),
                )
            },
            100,
            "names another hash of 1.2.0",
        ),
    ];
    for (name, damage, checked, says) in cases {
        let fixture = Fixture::base();
        fixture.release();
        add_total(&fixture);
        set_version(&fixture, "1.2.0");
        assert_eq!(try_release(&fixture).code, 0, "{name}");
        assert_eq!(fixture.run(&["diff"]).code, 0, "{name}");
        damage(&fixture);
        let run = fixture.run(&["diff"]);
        assert_eq!((run.code, run.text.as_str()), (3, ""), "{name}");
        assert!(run.errors.contains(says), "{name}: {}", run.errors);
        let run = fixture.run(&["check"]);
        assert_eq!(run.code, checked, "{name}: {}", run.text);
    }
}

#[test]
fn a_release_that_was_exchanged_below_a_later_one_is_seen() {
    let other = Fixture::base();
    set(
        &other,
        "schema/tools/find.json",
        "/description",
        json!("Finds."),
    );
    other.release();
    let fixture = Fixture::base();
    fixture.release();
    add_total(&fixture);
    set_version(&fixture, "1.2.0");
    assert_eq!(try_release(&fixture).code, 0);
    let file = "schema/releases/1.1.0.json";
    let exchanged = fs::read_to_string(other.root().join(file)).expect("a release");
    fixture.write(file, &exchanged);
    assert_eq!(fixture.run(&["codegen"]).code, 0);
    let run = fixture.run(&["check"]);
    assert_eq!(run.code, 100, "{}", run.text);
    let says = "1.2.0 was made after another content of it";
    assert!(run.text.contains(says), "{}", run.text);
}

#[test]
fn c30_words_that_were_edited_in_a_release_only_are_seen() {
    let fixture = Fixture::base();
    fixture.release();
    let file = "schema/releases/1.1.0.json";
    set(
        &fixture,
        file,
        "/files/tools~1find.json/description",
        json!("Finds."),
    );
    assert!(
        fixture
            .run(&["check"])
            .text
            .contains("broken[release_edited]")
    );
    // Even where content and hash agree, the bytes are those of the release.
    let fixture = Fixture::base();
    fixture.release();
    let text = fs::read_to_string(fixture.root().join(file)).expect("a release");
    fixture.write(file, &text.replacen("  ", "    ", 1));
    assert!(
        fixture
            .run(&["check"])
            .text
            .contains("its bytes are not those")
    );
}

#[test]
fn a_git_revision_and_the_working_tree_are_sides() {
    let fixture = Fixture::base();
    fixture.commit();
    add_total(&fixture);
    let run = fixture.run(&["diff", "--from", "HEAD", "--to", ".", "--format", "json"]);
    let found = report(&run);
    assert_eq!(found["bump"], "minor");
    assert_eq!(found["next_version"], "1.2.0");
    assert_eq!(found["changes"][0]["file"], "schema/tools/find.json");
    assert_eq!(
        found["changes"][0]["pointer"],
        "/outputSchema/properties/total"
    );
}

#[test]
fn a_shallow_clone_is_no_pass() {
    let fixture = Fixture::base();
    fixture.commit();
    add_total(&fixture);
    fixture.commit();
    let clone = tempfile::TempDir::new().expect("a temporary folder");
    let from = format!("file://{}", fixture.root().display());
    let status = Command::new("git")
        .args(["clone", "--quiet", "--depth", "1", &from])
        .arg(clone.path())
        .status()
        .expect("git starts");
    assert!(status.success());
    let run = crate::fixture::run(clone.path(), &["diff", "--from", "HEAD~1"]);
    assert_eq!((run.code, run.text.as_str()), (3, ""));
    assert!(
        run.errors.contains("git fetch --unshallow"),
        "{}",
        run.errors
    );
}

#[test]
fn every_form_of_a_tool_list_is_read() {
    let fixture = Fixture::base();
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let forms = [
        json!([tool("a")]),
        json!({ "tools": [tool("a")] }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": [tool("a")] } }),
    ];
    let path = |name: &str| fixture.root().join(name).to_string_lossy().into_owned();
    for (index, form) in forms.iter().enumerate() {
        fixture.write(&format!("{index}.json"), &form.to_string());
    }
    let of = |from: &str, to: &str| {
        let run = fixture.run(&[
            "diff",
            "--from",
            &path(from),
            "--to",
            &path(to),
            "--format",
            "json",
        ]);
        report(&run)["bump"].clone()
    };
    assert_eq!(of("0.json", "1.json"), "none");
    assert_eq!(of("1.json", "2.json"), "none");
    fixture.write("more.json", &json!([tool("a"), tool("b")]).to_string());
    assert_eq!(of("2.json", "more.json"), "minor");
    for (name, content, says) in [
        (
            "twice.json",
            json!([tool("a"), tool("a")]),
            "lists the tool \"a\" twice",
        ),
        (
            "page.json",
            json!({ "tools": [], "nextCursor": "x" }),
            "is one page of several",
        ),
        ("nameless.json", json!([{}]), "has no name"),
        ("other.json", json!({ "a": 1 }), "is no list of tools"),
        (
            "error.json",
            json!({ "error": { "code": -1 } }),
            "is an error, not a list of tools",
        ),
    ] {
        fixture.write(name, &content.to_string());
        let run = fixture.run(&["diff", "--from", &path(name), "--to", &path("0.json")]);
        assert_eq!((run.code, run.text.as_str()), (1, ""), "{name}");
        assert!(run.errors.contains(says), "{name}: {}", run.errors);
    }
}

/// A server in shell: it logs to the wrong place, asks back, and pages.
#[cfg(unix)]
const SERVER: &str = r#"
while read -r line; do
  case "$line" in
    *'"initialize"'*) echo 'starting'; echo '{"jsonrpc":"2.0","id":"x","method":"ping"}'
      echo '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s","version":"1.4.2"},"capabilities":{"tools":{}}}}' ;;
    *'"cursor":"two"'*) echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}}' ;;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"two"}}' ;;
  esac
done
"#;

#[cfg(unix)]
#[test]
fn a_server_that_is_started_is_a_side() {
    let fixture = Fixture::base();
    fixture.write("server.sh", SERVER);
    fixture.write(
        "old.json",
        r#"[{"name":"a","inputSchema":{"type":"object"}}]"#,
    );
    let path = |name: &str| fixture.root().join(name).to_string_lossy().into_owned();
    let command = format!("sh '{}'", path("server.sh"));
    let run = fixture.run(&[
        "diff",
        "--from-command",
        &command,
        "--to",
        &path("old.json"),
    ]);
    assert_eq!(run.errors, "");
    assert!(
        run.text.contains("major[tool_removed] tools/list#/tools/1"),
        "{}",
        run.text
    );
    assert!(
        run.text
            .ends_with("\nsmallest legal bump: major (1.4.2 to 2.0.0)\n"),
        "{}",
        run.text
    );
    let to = format!("cmd:{command}");
    let allowed = |bump: &str| {
        let old = path("old.json");
        fixture
            .run(&["diff", "--from", &old, "--to", &to, "--allow", bump])
            .code
    };
    assert_eq!((allowed("minor"), allowed("patch")), (0, 100));
    let run = fixture.run(&[
        "diff",
        "--from-command",
        "sh -c exit",
        "--to",
        &path("old.json"),
    ]);
    assert_eq!((run.code, run.text.as_str()), (1, ""));
    assert!(
        run.errors.contains("ended before it answered"),
        "{}",
        run.errors
    );
}

#[test]
fn markdown_and_sarif_say_the_same() {
    let fixture = Fixture::base();
    fixture.commit();
    add_total(&fixture);
    let markdown = fixture
        .run(&["diff", "--from", "HEAD", "--format", "markdown"])
        .text;
    assert!(
        markdown.starts_with("### Contract: smallest legal bump: minor (1.1.0 to 1.2.0)\n"),
        "{markdown}"
    );
    let row = "| minor | `field_added_optional` | `schema/tools/find.json#/outputSchema/properties/total`, output of find | nothing comes that was not promised before |";
    assert!(markdown.contains(row), "{markdown}");
    let sarif = report(&fixture.run(&["diff", "--from", "HEAD", "--format", "sarif"]));
    assert_eq!(sarif["version"], "2.1.0");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "field_added_optional");
    assert_eq!(result["level"], "warning");
}

#[test]
fn markdown_stays_in_its_cells_whatever_a_tool_is_called() {
    let fixture = Fixture::base();
    let path = |name: &str| fixture.root().join(name).to_string_lossy().into_owned();
    let tools = json!([{ "name": "a|b`c<d", "inputSchema": { "type": "object" } }]);
    fixture.write("old.json", &tools.to_string());
    // A byte order mark is no part of the text.
    fixture.write("new`.json", "\u{feff}[]");
    let (old, new) = (path("old.json"), path("new`.json"));
    let run = fixture.run(&["diff", "--from", &old, "--to", &new, "--format", "markdown"]);
    assert_eq!((run.code, run.errors.as_str()), (0, ""));
    let says = format!("`{old}` to `` {new} ``: 1 major.");
    assert!(run.text.contains(&says), "{}", run.text);
    let row = run.text.lines().last().expect("a row");
    assert!(
        row.ends_with(", of a\\|b\\`c\\<d | a client that calls it gets an error |"),
        "{row}"
    );
}

#[test]
fn a_schema_is_read_behind_a_byte_order_mark() {
    let fixture = Fixture::base();
    fixture.write("schema.json", "\u{feff}true");
    let path = fixture
        .root()
        .join("schema.json")
        .to_string_lossy()
        .into_owned();
    let run = fixture.run(&["diff", "--schema", &path, &path]);
    assert_eq!((run.code, run.errors.as_str()), (0, ""));
}
