//! A list that holds nothing when ours goes: it stays where somebody else made
//! it or wrote beside it, whatever became of the file meanwhile.

use super::{names, text};
use crate::harness::Person;

const CURSOR: (&[&str], &str) = (&["cursor"], ".cursor/mcp.json");
const VSCODE: (&[&str], &str) = (&["vscode"], ".config/Code/User/mcp.json");
const CODEX: (&[&str], &str) = (&["codex"], ".codex/config.toml");
const HOOKS: (&[&str], &str) = (&["claude-code", "--hooks"], ".claude/settings.json");

/// Returns what is left of a file that was connected, changed otherwise and
/// let go of.
fn left(client: (&[&str], &str), before: &str, change: (&str, &str), has_copies: bool) -> String {
    let person = Person::new();
    let (words, file) = client;
    let path = person.write(file, before);
    let connect = [&["connect", "--write"], words].concat();
    assert_eq!(person.run(&connect).code, 0, "{before}");
    let changed = text(&path).replacen(change.0, change.1, 1);
    assert_ne!(changed, text(&path), "{before}");
    std::fs::write(&path, &changed).expect("it is ours");
    let folder = path.parent().expect("a folder");
    for name in names(folder).iter().filter(|name| name.contains("before")) {
        if !has_copies {
            std::fs::remove_file(folder.join(name)).expect("it is ours");
        }
    }
    let removed = person.run(&[&connect[..], &["--remove"]].concat());
    assert_eq!(removed.code, 0, "{}", removed.err);
    let left = text(&path);
    assert!(!left.contains("zero-memory"), "{left}");
    left
}

/// Returns a text without its layout: editing makes it anew.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

const MODEL: (&str, &str) = ("\"opus\"", "\"haiku\"");

#[test]
fn an_empty_list_that_was_there_before_stays() {
    for (client, before) in [
        (
            CODEX,
            "# my servers go here\nmcp_servers = {}\nmodel = \"opus\"\n",
        ),
        (
            CURSOR,
            "{\n  \"mcpServers\": // the team uses these\n  {},\n  \"model\": \"opus\"\n}\n",
        ),
        (
            CURSOR,
            "{\n  // mine go here\n  \"mcpServers\": {},\n  \"model\": \"opus\"\n}\n",
        ),
        (
            VSCODE,
            "{\n  \"servers\": {},\n  \"inputs\": [],\n  \"model\": \"opus\"\n}\n",
        ),
    ] {
        let after = before.replace(MODEL.0, MODEL.1);
        assert_eq!(left(client, before, MODEL, true), after);
    }
    // Editing lays their lines out anew.
    for before in [
        "{\"hooks\":{\"SessionStart\":[],\"SessionEnd\":[]},\"model\":\"opus\"}",
        "{\"hooks\":{\"UserPromptSubmit\":[]},\"model\":\"opus\"}",
        "{\"hooks\":{},\"model\":\"opus\"}",
    ] {
        let left = left(HOOKS, before, MODEL, true);
        assert_eq!(bare(&left), before.replace(MODEL.0, MODEL.1));
    }
}

#[test]
fn an_empty_list_that_came_with_ours_goes_with_it() {
    for (client, before) in [
        (CODEX, "model = \"opus\"\n"),
        (CURSOR, "{\n  \"model\": \"opus\"\n}\n"),
        (VSCODE, "{\n  \"model\": \"opus\" // mine\n}\n"),
        (HOOKS, "{\n  \"model\": \"opus\"\n}\n"),
    ] {
        let after = before.replace(MODEL.0, MODEL.1);
        for has_copies in [true, false] {
            assert_eq!(left(client, before, MODEL, has_copies), after);
        }
    }
    let others = "{\"hooks\":{\"Stop\":[]},\"model\":\"opus\"}";
    let left = left(HOOKS, others, MODEL, true);
    assert_eq!(bare(&left), others.replace(MODEL.0, MODEL.1));
}

#[test]
fn an_empty_list_goes_with_no_comment_where_no_copy_tells_whose_it_was() {
    for (client, before) in [
        (
            CODEX,
            "# my servers go here\nmcp_servers = {} # beside\nmodel = \"opus\"\n",
        ),
        (
            CURSOR,
            "{\n  \"mcpServers\": // the team uses these\n  {},\n  \"model\": \"opus\"\n}\n",
        ),
        (
            CURSOR,
            "{\n  \"mcpServers\": { /* none */ },\n  \"model\": \"opus\"\n}\n",
        ),
    ] {
        let after = before.replace(MODEL.0, MODEL.1);
        assert_eq!(bare(&left(client, before, MODEL, false)), bare(&after));
    }
    let before = "{\"hooks\": /* a */ {\"SessionEnd\": /* b */ []},\"model\":\"opus\"}";
    let left = left(HOOKS, before, MODEL, false);
    assert_eq!(bare(&left), bare(&before.replace(MODEL.0, MODEL.1)));
}
