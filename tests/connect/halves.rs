//! Half a surrogate pair in JSON: `JSON.stringify` writes one where a text was
//! cut inside a character, and histories of prompts are cut anywhere.

use serde_json::Value;

use super::present::listed;
use super::{names, text};
use crate::harness::Person;

/// Halves in every spelling, whole pairs, and backslashes that begin none of
/// them.
const ODD: &str = r#"{ // C:\new \udc00
  "history": ["cut \ud83d", "\uD83D\ude00 \uDE00", "\\ud83d \u00e9 \n", "\ude00\ud83d"],
  "k\udfff": { "b": "SECRET \ud83d" }, /* \ud800 */
  "projects": {}
}
"#;

/// Every escape of a text, in the letters that stand there.
fn escapes(text: &str) -> Vec<String> {
    let after = text.split('\\').skip(1);
    after.map(|after| after.chars().take(5).collect()).collect()
}

#[test]
fn half_a_character_is_no_reason_to_refuse_and_stays_to_the_byte() {
    let person = Person::new();
    let path = person.write(".claude.json", ODD);
    let shown = person.run(&["connect", "claude-code"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(!shown.out.contains("SECRET"), "{}", shown.out);
    assert_eq!(listed(&person, "claude-code")["user"]["state"], "no");

    let written = person.run(&["connect", "claude-code", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let new = text(&path);
    assert!(new.contains("zero-memory"), "{new}");
    assert_eq!(escapes(&new), escapes(ODD), "{new}");
    assert_eq!(listed(&person, "claude-code")["user"]["state"], "stdio");
    let copy = person.home().join(".claude.json.before-zero-memory");
    assert_eq!(text(&copy), ODD);
    let again = person.run(&["connect", "claude-code", "--write"]);
    assert_eq!(again.out, "nothing to do: it is so already\n");

    // What is added meanwhile stays, too.
    let more = new.replacen("\"cut ", "\"more \\udbff\", \"cut ", 1);
    std::fs::write(&path, &more).expect("it is ours");
    let removed = person.run(&["connect", "claude-code", "--remove", "--write"]);
    assert_eq!(removed.code, 0, "{}", removed.err);
    let left = text(&path);
    assert_eq!(escapes(&left), escapes(&more), "{left}");
    assert!(!left.contains("zero-memory"), "{left}");
}

#[test]
fn half_a_character_comes_back_with_every_other_byte() {
    let person = Person::new();
    for (words, file) in [
        (&["connect", "claude-code", "--write"][..], ".claude.json"),
        (&["connect", "cursor", "--write"], ".cursor/mcp.json"),
        (
            &["connect", "claude-code", "--hooks", "--write"],
            ".claude/settings.json",
        ),
    ] {
        let path = person.write(file, ODD);
        let written = person.run(words);
        assert_eq!(written.code, 0, "{}", written.err);
        assert_ne!(text(&path), ODD, "{file}");
        let removed = person.run(&[words, &["--remove"]].concat());
        assert_eq!(removed.code, 0, "{}", removed.err);
        assert_eq!(text(&path), ODD, "{file}");
    }
}

/// What is shown of a key is what stands there, and no mark of ours.
#[test]
fn half_a_character_in_a_name_is_shown_as_it_stands() {
    let person = Person::new();
    person.write(
        ".cursor/mcp.json",
        r#"{"mcpServers":{"k\udfff":{"command":"x"}}}"#,
    );
    let shown = person.run(&["connect", "cursor"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.contains(r#""k\udfff""#), "{}", shown.out);
}

/// A character that hides halves elsewhere is one of the text here.
#[test]
fn a_character_that_nothing_should_hold_stays_what_it_is() {
    let person = Person::new();
    for old in ["{ \"a\": \"\u{10ffff}d83d\" }\n", "{ \"\u{10ffff}\": 1 }"] {
        let path = person.write(".cursor/mcp.json", old);
        let written = person.run(&["connect", "cursor", "--write"]);
        assert_eq!(written.code, 0, "{}", written.err);
        assert!(text(&path).contains('\u{10ffff}'), "{}", text(&path));
        person.run(&["connect", "cursor", "--remove", "--write"]);
        assert_eq!(text(&path), old);
    }
    // Beside a half another one stands in.
    let both = "{ \"a\": \"\u{10ffff}\", \"b\": \"\\ud83d\" }";
    let path = person.write(".cursor/mcp.json", both);
    let written = person.run(&["connect", "cursor", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let new = text(&path);
    assert!(
        new.contains('\u{10ffff}') && new.contains("\\ud83d"),
        "{new}"
    );
    person.run(&["connect", "cursor", "--remove", "--write"]);
    assert_eq!(text(&path), both);
    // None is left that could.
    let all = both.replace('\u{10ffff}', "\u{10ffff}\u{10fffe}\u{fffff}\u{ffffe}");
    let path = person.write(".cursor/mcp.json", &all);
    let refused = person.run(&["connect", "cursor", "--write"]);
    let told = refused.failed(1);
    assert!(told.contains("stands for no character"), "{told}");
    assert_eq!(text(&path), all);
}

/// A token goes out of the copy although half a character stands beside it.
#[test]
fn a_token_beside_half_a_character_is_in_no_copy() {
    let person = Person::new();
    let ours = r#"{"mcpServers":{"zero-memory":{"url":"http://127.0.0.1:8787/mcp","headers":{"Authorization":"Bearer tok_SECRET\ud83d"}}}}"#;
    let path = person.write(".cursor/mcp.json", ours);
    let removed = person.run(&["connect", "cursor", "--remove", "--write"]);
    assert_eq!(removed.code, 0, "{}", removed.err);
    let left: Value = serde_json::from_str(&text(&path)).expect("JSON");
    assert_eq!(left["mcpServers"]["zero-memory"], Value::Null);
    let folder = path.parent().expect("a folder");
    for name in names(folder) {
        let text = text(&folder.join(&name));
        assert!(!text.contains("SECRET"), "{name}: {text}");
    }
}

/// A path may hold what stands for half a character while a text is edited.
#[test]
fn what_is_put_in_beside_half_a_character_is_what_was_asked_for() {
    let person = Person::new();
    person.write(".cursor/mcp.json", r#"{ "note": "cut \ud83d" }"#);
    let folder = person.home().join("d\u{10ffff}x");
    let folder = folder.to_str().expect("text");
    let written = person.run(&["connect", "cursor", "--data", folder, "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let new = text(&person.home().join(".cursor/mcp.json"));
    assert!(new.contains(folder) && new.contains("cut \\ud83d"), "{new}");
    assert_eq!(listed(&person, "cursor")["user"]["state"], "stdio");
}
