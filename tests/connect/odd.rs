//! Entries that are no usual ones of ours: of another memory, of another
//! server, in no form at all, or of a program that is gone.

use std::process::Command;

use serde_json::json;

use super::present::{listed, started};
use super::text;
use crate::harness::{Person, binary};

#[test]
fn a_memory_of_another_folder_stays_beside_ours_and_is_told() {
    let person = Person::new();
    let old = json!({ "mcpServers": {
        "work": { "command": "/old/zero-memory", "args": ["stdio", "--data", "/other"] },
    } });
    let path = person.write(".cursor/mcp.json", &old.to_string());
    let told = person.run(&["connect", "cursor", "--write"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.err.contains("as work"), "{}", told.err);
    let new = text(&path);
    assert!(
        new.contains("/other") && new.contains("\"zero-memory\""),
        "{new}"
    );
}

#[test]
fn two_that_lead_to_one_memory_are_not_made_and_are_told_of() {
    let person = Person::new();
    let other = person.work().join("other");
    let other = other.to_str().expect("text");
    let connect = ["connect", "gemini-cli", "--write"];
    assert_eq!(person.run(&connect).code, 0);
    let work = [&connect[..], &["--name", "work", "--data", other]].concat();
    assert_eq!(person.run(&work).code, 0);
    // Renewed so, both would answer with the same.
    let path = person.home().join(".gemini/settings.json");
    let before = text(&path);
    let refused = person.run(&[&connect[..], &["--data", other]].concat());
    let told = refused.failed(1);
    assert!(told.contains("as work: pass --name work"), "{told}");
    assert_eq!(text(&path), before);
    // Where a person made two, taking one away says that the other stays.
    let folder = person.data();
    let folder = folder.to_str().expect("text");
    std::fs::write(&path, before.replace(other, folder)).expect("it is ours");
    assert_eq!(person.run(&connect).code, 0, "it is so already");
    let removed = person.run(&["connect", "gemini-cli", "--remove", "--write"]);
    assert_eq!(removed.code, 0, "{}", removed.err);
    assert!(
        removed.err.contains("as work: pass --name work"),
        "{}",
        removed.err
    );
    assert!(text(&path).contains("work") && !text(&path).contains("zero-memory\": {"));
}

#[test]
fn a_server_of_others_on_this_machine_is_not_ours_by_its_name_alone() {
    let person = Person::new();
    let theirs = "{\"mcpServers\":{\"zero-memory\":{\"url\":\"http://127.0.0.1:3000/other\",\"headers\":{\"X-Key\":\"k\"}}}}";
    let path = person.write(".cursor/mcp.json", theirs);
    let refused = person.run(&["connect", "cursor", "--write"]);
    let told = refused.failed(1);
    assert!(told.contains("calls another server"), "{told}");
    let removed = person.run(&["connect", "cursor", "--remove", "--write"]);
    assert!(removed.err.contains("was left alone"), "{}", removed.err);
    assert_eq!(text(&path), theirs);
}

#[test]
fn the_hooks_of_one_are_not_to_be_led_to_the_memory_of_another() {
    let person = Person::new();
    let connect = ["connect", "claude-code", "--write"];
    assert_eq!(person.run(&[&connect[..], &["--hooks"]].concat()).code, 0);
    let second = ["--name", "second", "--data", "/two"];
    let told = person.run(&[&connect[..], &second].concat());
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(!told.err.contains("--hooks renews them"), "{}", told.err);
    let moved = person.run(&[&connect[..], &["--command", "/new/zero-memory"]].concat());
    assert!(moved.err.contains("--hooks renews them"), "{}", moved.err);
}

#[test]
fn what_has_no_form_of_an_entry_is_said_to_be_none_and_left() {
    let person = Person::new();
    let command = binary().to_str().expect("text");
    for entry in [
        json!(null),
        json!([]),
        json!({}),
        json!({ "command": command, "args": "stdio" }),
        json!({ "command": command, "args": ["stdio", 1] }),
        json!({ "command": { "path": command, "args": ["stdio"] } }),
    ] {
        let old = json!({ "mcpServers": { "zero-memory": entry } }).to_string();
        let path = person.write(".cursor/mcp.json", &old);
        assert_eq!(listed(&person, "cursor")["user"]["state"], "foreign");
        let refused = person.run(&["connect", "cursor", "--write"]);
        let told = refused.failed(1);
        assert!(
            told.contains("is no entry of a form that is known here"),
            "{old}: {told}"
        );
        let left = person.run(&["connect", "cursor", "--remove", "--write"]);
        assert_eq!(left.code, 0, "{}", left.err);
        assert!(left.err.contains("was left alone"), "{}", left.err);
        assert_eq!(text(&path), old);
    }
}

#[test]
fn a_program_that_is_gone_is_told_with_what_brings_it_back() {
    let person = Person::new();
    let entry = |name: &str, program: &str| {
        let mut entry = started(&person);
        entry["command"] = json!(program);
        json!({ "mcpServers": { name: entry } }).to_string()
    };
    let there = binary().to_str().expect("text");
    person.write(".cursor/mcp.json", &entry("notes", "/old/zero-memory"));
    person.write(".gemini/settings.json", &entry("zero-memory", there));
    // Where it lies is the client's to find out.
    let path = person.write(
        ".codeium/windsurf/mcp_config.json",
        &entry("zero-memory", "zero-memory"),
    );
    assert!(path.exists());
    let table = person.run(&["connect"]);
    assert!(table.out.contains("stdio as notes, gone"), "{}", table.out);
    assert_eq!(table.out.matches("gone").count(), 1, "{}", table.out);
    let way_out = "zero-memory connect cursor --name notes --write";
    assert!(table.err.contains(way_out), "{}", table.err);
    for (client, is_gone) in [("cursor", true), ("gemini-cli", false), ("windsurf", false)] {
        let user = &listed(&person, client)["user"];
        assert_eq!(
            (&user["state"], &user["gone"]),
            (&json!("stdio"), &json!(is_gone))
        );
    }
    let renewed = person.run(&["connect", "cursor", "--name", "notes", "--write"]);
    assert_eq!(renewed.code, 0, "{}", renewed.err);
    assert_eq!(listed(&person, "cursor")["user"]["gone"], false);
}

#[test]
fn hooks_whose_program_is_gone_are_told_with_what_brings_them_back() {
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_0123456789");
    let connect = ["connect", "claude-code", "--hooks", "--write"];
    let hooks = |person: &Person| {
        let listed = listed(person, "claude-code");
        (listed["hooks"].clone(), listed["hooks_gone"].clone())
    };
    let none = json!([]);
    assert_eq!(hooks(&person), (json!(false), none.clone()));
    assert_eq!(listed(&person, "cursor")["hooks_gone"], json!(null));
    let url = "http://127.0.0.1:18787/mcp";
    for (more, way_out) in [
        (&[][..], "--hooks --write"),
        (&["--url"], "--hooks --write"),
        (&["--url", url], "--hooks --write"),
        (&["--scope", "project"], "--hooks --scope project --write"),
        (
            &["--scope", "project", "--url"],
            "--hooks --scope project --write",
        ),
    ] {
        let file = if more.contains(&"project") {
            person.work().join(".claude/settings.local.json")
        } else {
            person.home().join(".claude/settings.json")
        };
        // As a copy of the program wrote it that was removed since.
        let gone = person.home().join("old place/zero-memory");
        let gone = gone.to_str().expect("text");
        let written = person.run(&[&connect[..], &["--command", gone], more].concat());
        assert_eq!(written.code, 0, "{}", written.err);
        assert_eq!(hooks(&person), (json!(true), json!([file])), "{more:?}");
        let table = person.run(&["connect"]);
        assert!(table.out.contains("yes, gone"), "{}", table.out);
        let told = format!(
            "hooks in {} start a program that is not there any more: zero-memory connect claude-code {way_out} renews them, with the --url, --data, --name and --token-in that you connected with\n",
            file.display()
        );
        assert!(table.err.contains(&told), "{told} {}", table.err);

        let renewed = person.run(&[&connect[..], more].concat());
        assert_eq!(renewed.code, 0, "{}", renewed.err);
        assert_eq!(hooks(&person), (json!(true), none.clone()), "{more:?}");
        let table = person.run(&["connect"]);
        assert!(!table.out.contains("gone"), "{}", table.out);
        assert!(!table.err.contains("any more"), "{}", table.err);
        person.run(&[&connect[..], &["--remove"], more].concat());
        std::fs::remove_file(file).expect("it is ours");
    }
    // Where a shell finds it is the shell's to know.
    for program in ["zero-memory", "~/bin/zero-memory", "$HOME/zero-memory"] {
        let hook = |turn: &str| json!([{ "hooks": [{ "type": "command", "command": format!("{program} hook {turn}") }] }]);
        let all = json!({ "hooks": {
            "SessionStart": hook("session-start"), "UserPromptSubmit": hook("prompt"), "SessionEnd": hook("session-end"),
        } });
        person.write(".claude/settings.json", &all.to_string());
        assert_eq!(hooks(&person), (json!(true), none.clone()), "{program}");
        // Nobody here writes hooks into the file that is shared.
        let shared = person.work().join(".claude/settings.json");
        let gone = all.to_string().replace(program, "/old/zero-memory");
        std::fs::write(&shared, gone).expect("it is written");
        assert_eq!(hooks(&person).1, json!([shared]));
        let told = person.run(&["connect"]).err;
        assert!(told.contains("any more: take them out by hand"), "{told}");
        std::fs::remove_file(shared).expect("it is ours");
    }
}

#[test]
fn what_to_paste_is_printed_without_a_home_folder() {
    let person = Person::new();
    let homeless = || {
        let mut command = Command::new("env");
        command
            .args(["-u", "HOME", "-u", "ZERO_MEMORY_DATA"])
            .arg(binary());
        command
    };
    for more in [
        &["cursor"][..],
        &["cursor", "--url"],
        &["claude-desktop"],
        &["claude-code", "--hooks"],
        &["--url"],
    ] {
        let mut homeless = homeless();
        homeless.args(["connect", "--print"]).args(more);
        let printed = person.finish(homeless, &person.work(), "");
        assert_eq!(printed.code, 0, "{more:?}: {}", printed.err);
        let what = if more.contains(&"--url") {
            "Bearer"
        } else {
            "stdio"
        };
        assert!(printed.out.contains(what), "{more:?}: {}", printed.out);
        if more.contains(&"--hooks") {
            assert!(
                printed.out.contains("hook session-start"),
                "{}",
                printed.out
            );
        }
    }
    let mut homeless = homeless();
    homeless.args(["connect", "cursor"]);
    let refused = person.finish(homeless, &person.work(), "");
    assert!(refused.failed(1).contains("set HOME"), "{}", refused.err);
}
