//! Hooks in the settings of Claude Code: which are ours, and which a person's
//! own.

use serde_json::{Value, json};

use super::text;
use crate::harness::Person;

/// Returns the settings of Claude Code with these lines as hooks of a start,
/// each in a group of its own, and what would be ours.
fn with_hooks(person: &Person, lines: &[(&str, &str)]) -> std::path::PathBuf {
    let groups: Vec<Value> = lines
        .iter()
        .map(|(matcher, line)| {
            json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": line }] })
        })
        .collect();
    let settings = json!({ "hooks": { "SessionStart": groups } });
    person.write(".claude/settings.json", &settings.to_string())
}

/// Returns the commands of a start, in their order.
fn lines_of(path: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("it is there");
    let settings: Value = serde_json::from_str(&text).expect("JSON");
    let groups = settings["hooks"]["SessionStart"].as_array().cloned();
    let groups = groups.unwrap_or_default();
    groups
        .iter()
        .flat_map(|group| group["hooks"].as_array().expect("a list"))
        .map(|hook| hook["command"].as_str().expect("text").to_owned())
        .collect()
}

const CONNECT: [&str; 6] = [
    "connect",
    "claude-code",
    "--hooks",
    "--write",
    "--command",
    "/new/zero-memory",
];
const DISCONNECT: [&str; 5] = ["connect", "claude-code", "--hooks", "--remove", "--write"];

/// Returns the line that connecting writes.
fn ours(person: &Person) -> String {
    let data = person.data();
    format!(
        "/new/zero-memory hook session-start --data {}",
        data.display()
    )
}

#[test]
fn a_hook_of_a_persons_own_is_neither_replaced_nor_taken() {
    for own in [
        "date; /old/zero-memory hook session-start | tee log",
        "cd ~/src/zero-memory && git hook session-start",
        "/old/zero-memory-notes hook session-start",
        "/opt/zero-memory/bin/tool hook session-start",
        "echo zero-memory hook session-start",
        "/old/zero-memory hook session-started",
        "/old/zero-memory hook session-start && date",
        "/old/zero-memory hook session-start $(date)",
        "sh -c '/old/zero-memory hook session-start'",
        "ZERO_MEMORY_HOOK_DEBUG=1 /old/zero-memory hook session-start 2>>log",
    ] {
        let person = Person::new();
        let path = with_hooks(&person, &[("", own)]);
        let connected = person.run(&CONNECT);
        assert_eq!(connected.code, 0);
        assert_eq!(lines_of(&path), [own, &ours(&person)]);
        let removed = person.run(&DISCONNECT);
        assert_eq!(removed.code, 0);
        assert_eq!(lines_of(&path), [own]);
        // Who runs it twice is told so.
        let is_it = own.contains("/zero-memory hook session-start") && !own.contains("started");
        for told in [connected, removed] {
            assert_eq!(
                told.err.contains("a line of your own"),
                is_it,
                "{own}: {}",
                told.err
            );
        }
    }
    // One that runs this very program is there already, in its own dress.
    let person = Person::new();
    let own = format!("ZERO_MEMORY_HOOK_DEBUG=1 {} 2>> log", ours(&person));
    let path = with_hooks(&person, &[("", &own)]);
    for command in [&CONNECT[..], &DISCONNECT] {
        assert_eq!(person.run(command).code, 0);
        assert_eq!(lines_of(&path), [own.as_str()]);
    }
}

#[test]
fn every_hook_of_ours_is_renewed_however_it_is_spelled_and_a_double_goes() {
    for old in [
        "/old/zero-memory hook session-start",
        "'/old place/zero-memory' hook session-start",
        "\"/old place/zero-memory\" hook session-start --data /old",
        "C:/old/zero-memory.exe hook session-start",
        "\"C:\\old place\\zero-memory.exe\" hook session-start",
        "$HOME/bin/zero-memory hook session-start --data='/old place'",
        "zero-memory hook session-start",
    ] {
        let person = Person::new();
        let path = with_hooks(&person, &[("", old), ("", old)]);
        assert_eq!(person.run(&CONNECT).code, 0);
        assert_eq!(lines_of(&path), [ours(&person)], "{old}");
        assert_eq!(person.run(&DISCONNECT).code, 0);
        assert!(lines_of(&path).is_empty(), "{old}");
    }
    let person = Person::new();
    let old = "/old/zero-memory hook session-start";
    let path = with_hooks(&person, &[("startup", old), ("startup", old)]);
    assert_eq!(person.run(&CONNECT).code, 0);
    assert_eq!(lines_of(&path), [ours(&person)]);
    // What a person wrote in the other one stays.
    let old = "{\"hooks\":{\"SessionEnd\":[{\"hooks\":[OURS},OURS // mine\n}]}]}}";
    let ours_of_end = "{\"type\":\"command\",\"command\":\"/old/zero-memory hook session-end\"";
    let person = Person::new();
    let path = person.write(".claude/settings.json", &old.replace("OURS", ours_of_end));
    assert_eq!(person.run(&CONNECT).code, 0);
    let new = text(&path);
    assert!(
        new.contains("// mine") && new.matches("hook session-end").count() == 1,
        "{new}"
    );
    // Of two, the one stays that a person set up, wherever it stands.
    let old = "{\"hooks\":{\"SessionEnd\":[{\"hooks\":[OURS},OURS,\"timeout\":30},OURS}]}]}}";
    let person = Person::new();
    let path = person.write(".claude/settings.json", &old.replace("OURS", ours_of_end));
    assert_eq!(person.run(&CONNECT).code, 0);
    let new = text(&path);
    assert!(
        new.contains("\"timeout\":30") && new.matches("hook session-end").count() == 1,
        "{new}"
    );
    // For starts of two sorts it takes two.
    let person = Person::new();
    let old = "/old/zero-memory hook session-start";
    let path = with_hooks(
        &person,
        &[("startup", old), ("date", "date"), ("clear", old)],
    );
    assert_eq!(person.run(&CONNECT).code, 0);
    let ours = ours(&person);
    assert_eq!(lines_of(&path), [&ours, "date", &ours]);
    assert_eq!(person.run(&DISCONNECT).code, 0);
    assert_eq!(lines_of(&path), ["date"]);
}

#[test]
fn what_a_person_added_to_a_hook_of_ours_stays() {
    let person = Person::new();
    let old = "/old/zero-memory hook session-start --deadline-ms 900 --data '/mnt/old place' -h";
    let path = with_hooks(&person, &[("", old)]);
    let longer = text(&path).replacen("\"command\":", "\"timeout\": 30, \"command\":", 1);
    std::fs::write(&path, longer).expect("it is ours");
    let told = person.run(&CONNECT);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(
        told.err.contains("led to the memory in /mnt/old place"),
        "{}",
        told.err
    );
    let new = format!("{} --deadline-ms 900 -h", ours(&person));
    assert_eq!(lines_of(&path), [new]);
    assert!(text(&path).contains("\"timeout\": 30"), "{}", text(&path));
    let again = person.run(&CONNECT);
    assert_eq!(again.out, "nothing to do: it is so already\n");
    assert!(!again.err.contains("led to"), "{}", again.err);

    // Wherever its options stand, and however it is spaced or put in a list.
    let loose = "/old/zero-memory  hook  session-start --deadline-ms 900 ";
    let words = json!(["hook", "--deadline-ms", "900", "session-start"]);
    for (line, list) in [
        (
            "/old/zero-memory hook --deadline-ms 900 session-start",
            None,
        ),
        (loose, None),
        ("/old/zero-memory", Some(words)),
    ] {
        let person = Person::new();
        let mut hook = json!({ "type": "command", "command": line });
        if let Some(list) = list {
            hook["args"] = list;
        }
        let settings = json!({ "hooks": { "SessionStart": [{ "hooks": [hook] }] } });
        let path = person.write(".claude/settings.json", &settings.to_string());
        assert_eq!(person.run(&CONNECT).code, 0, "{line}");
        let new = format!("{} --deadline-ms 900", ours(&person));
        assert_eq!(lines_of(&path), [new], "{line}");
        assert!(!text(&path).contains("args"), "{}", text(&path));
        assert_eq!(person.run(&DISCONNECT).code, 0, "{line}");
        assert!(lines_of(&path).is_empty(), "{}", text(&path));
    }
    // A folder is told as it is called, whatever quotes it takes.
    let odd = "/mnt/d\u{e4} \"t' a \u{96ea}";
    person.run(&[&CONNECT[..], &["--data", odd]].concat());
    let told = person.run(&CONNECT);
    let said = format!("led to the memory in {odd} and");
    assert!(told.err.contains(&said), "{}", told.err);
    // A program that was moved takes its hooks along only when it is asked to.
    let moved = [
        "connect",
        "claude-code",
        "--command",
        "/newer/zero-memory",
        "--write",
    ];
    let told = person.run(&moved);
    assert!(told.err.contains("--hooks renews them"), "{}", told.err);
    let stays = person.run(&[
        "connect",
        "claude-code",
        "--command",
        "/new/zero-memory",
        "--write",
    ]);
    assert!(!stays.err.contains("--hooks renews them"), "{}", stays.err);

    let person = Person::new();
    person.write(".claude/settings.json", "{ \"disableAllHooks\": true }");
    let told = person.run(&CONNECT);
    assert!(told.err.contains("disableAllHooks"), "{}", told.err);
}

#[test]
fn hooks_come_and_go_with_the_settings_of_others_untouched() {
    let person = Person::new();
    let old = "{\n  \"hooks\": {\n    \"Stop\": [] // mine\n  }\n}\n";
    let settings = person.write(".claude/settings.json", old);
    let written = person.run(&["connect", "claude-code", "--hooks", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let new = text(&settings);
    for event in ["SessionStart", "UserPromptSubmit", "SessionEnd"] {
        assert!(new.contains(event), "{new}");
    }
    assert!(new.contains("// mine"), "{new}");
    assert!(text(&person.home().join(".claude.json")).contains("\"stdio\""));
    let listed = person.run(&["connect", "--json"]).json();
    assert_eq!(listed["clients"][0]["hooks"], true);

    person.run(&["connect", "claude-code", "--hooks", "--remove", "--write"]);
    assert_eq!(text(&settings), old);
    assert!(text(&person.home().join(".claude.json")).contains("zero-memory"));
    person.run(&["connect", "claude-code", "--remove", "--write"]);
    assert!(!text(&person.home().join(".claude.json")).contains("zero-memory"));

    let local = person.run(&[
        "connect",
        "claude-code",
        "--hooks",
        "--scope",
        "project",
        "--write",
    ]);
    assert_eq!(local.code, 0, "{}", local.err);
    assert!(person.work().join(".claude/settings.local.json").is_file());
    assert!(person.work().join(".mcp.json").is_file());
}
