//! What is there already: ours under any name and in any place, another
//! program of our name, and what is switched off.

use serde_json::{Value, json};

use super::text;
use crate::harness::{Person, binary};

/// Returns what is listed of a client.
pub(super) fn listed(person: &Person, client: &str) -> Value {
    let all = person.run(&["connect", "--json"]).json();
    let all = all["clients"].as_array().expect("a list").clone();
    let found = all.into_iter().find(|entry| entry["client"] == client);
    found.expect("it is listed")
}

/// An entry that starts this program on this person's folder.
pub(super) fn started(person: &Person) -> Value {
    json!({ "command": binary(), "args": ["stdio", "--data", person.data()] })
}

#[test]
fn what_the_client_itself_was_told_for_this_folder_is_seen() {
    let person = Person::new();
    // As `claude mcp add` writes it.
    let folder = person.work();
    let work = folder.to_str().expect("text");
    let settings = json!({ "projects": {
        "/elsewhere": { "mcpServers": { "zero-memory": { "command": "x", "args": [] } } },
        work: { "mcpServers": { "zero-memory": {
            "type": "http", "url": "http://127.0.0.1:8787/mcp",
            "headers": { "Authorization": "Bearer tok_SECRET" },
        } } },
    } });
    let path = person.write(".claude.json", &settings.to_string());
    let found = listed(&person, "claude-code");
    assert_eq!(found["user"]["state"], "no");
    assert_eq!(found["local"]["state"], "http");
    assert_eq!(found["local"]["name"], "zero-memory");
    let table = person.run(&["connect"]).out;
    assert!(table.contains("http, local"), "{table}");
    // It counts in all of a checkout, and not below any other folder.
    let below = person.work().join("src");
    std::fs::create_dir(&below).expect("a folder can be made");
    for state in ["no", "http"] {
        let there = person.run_with(&below, &["connect", "--json"], "").json();
        assert_eq!(there["clients"][0]["local"]["state"], state);
        std::fs::create_dir_all(person.work().join(".git")).expect("a folder can be made");
    }
    let elsewhere = person.run_with(&person.home(), &["connect", "--json"], "");
    assert_eq!(elsewhere.json()["clients"][0]["local"]["state"], "no");

    for more in [&[][..], &["--write"], &["--remove"]] {
        let told = person.run(&[&["connect", "claude-code"], more].concat());
        assert_eq!(told.code, 0, "{}", told.err);
        let way_out = "claude mcp remove zero-memory --scope local";
        assert!(told.err.contains(way_out), "{}", told.err);
        assert!(!told.err.contains("SECRET") && !told.out.contains("SECRET"));
    }
    let new: Value = serde_json::from_str(&text(&path)).expect("JSON");
    assert_eq!(new["projects"], settings["projects"]);
}

#[test]
fn ours_of_another_name_is_listed_and_not_put_there_twice() {
    let person = Person::new();
    let command = binary().to_str().expect("text");
    for entry in [
        started(&person),
        json!({ "command": "/old/zero-memory", "args": started(&person)["args"] }),
        json!({ "command": "C:\\tools\\zero-memory.exe", "args": started(&person)["args"] }),
    ] {
        let old = json!({ "mcpServers": { "notes": entry } }).to_string();
        let path = person.write(".cursor/mcp.json", &old);
        let found = listed(&person, "cursor");
        assert_eq!(found["user"]["state"], "stdio", "{old}");
        assert_eq!(found["user"]["name"], "notes");
        assert!(person.run(&["connect"]).out.contains("stdio as notes"));
        let refused = person.run(&["connect", "cursor", "--write"]);
        let told = refused.failed(1);
        assert!(told.contains("--name notes"), "{told}");
        let left = person.run(&["connect", "cursor", "--remove", "--write"]);
        assert!(left.err.contains("--name notes"), "{}", left.err);
        assert_eq!(text(&path), old);
    }
    // It is renewed or taken away by its name.
    let path = person.home().join(".cursor/mcp.json");
    let named = ["connect", "cursor", "--name", "notes", "--write"];
    assert_eq!(person.run(&named).code, 0);
    let new: Value = serde_json::from_str(&text(&path)).expect("JSON");
    assert_eq!(new["mcpServers"]["notes"], started(&person));
    person.run(&[&named[..], &["--remove"]].concat());
    assert!(!text(&path).contains("notes"));

    // What a person has another program start may lead anywhere.
    let wrapped = json!({ "command": "wsl", "args": ["/usr/bin/zero-memory", "stdio"] });
    let old = json!({ "mcpServers": { "notes": wrapped } }).to_string();
    person.write(".cursor/mcp.json", &old);
    assert_eq!(listed(&person, "cursor")["user"]["name"], "notes");
    let refused = person.run(&named);
    assert!(refused.failed(1).contains("is started by another program"));
    let kept = person.run(&[&named[..], &["--remove"]].concat());
    assert!(kept.err.contains("was left alone"), "{}", kept.err);
    assert_eq!(text(&path), old);
    let told = person.run(&["connect", "cursor", "--write"]);
    assert!(told.err.contains("has it too, as notes"), "{}", told.err);
    let table = person.run(&["connect"]);
    assert!(table.err.contains("too, as notes"), "{}", table.err);

    // Another folder is another memory, and other programs are not ours.
    for entry in [
        json!({ "command": command, "args": ["stdio", "--data", "/other"] }),
        json!({ "command": command, "args": ["stdio"], "env": { "ZERO_MEMORY_DATA": "/other" } }),
        json!({ "command": "github-mcp-server", "args": ["stdio"] }),
        json!({ "command": "/opt/zero-memory/bin/other", "args": ["stdio"] }),
        json!({ "command": command, "args": ["doctor"] }),
        json!({ "url": "https://example.com/mcp" }),
    ] {
        let old = json!({ "mcpServers": { "notes": entry } });
        person.write(".cursor/mcp.json", &old.to_string());
        let written = person.run(&["connect", "cursor", "--write"]);
        assert_eq!(written.code, 0, "{old}: {}", written.err);
        let new: Value = serde_json::from_str(&text(&path)).expect("JSON");
        assert_eq!(new["mcpServers"]["notes"], entry);
        assert_eq!(new["mcpServers"]["zero-memory"], started(&person));
    }
    let mut entry = started(&person);
    entry["env"] = json!({ "RUST_BACKTRACE": "1" });
    let old = json!({ "mcpServers": { "zero-memory": entry } });
    person.write(".cursor/mcp.json", &old.to_string());
    let renewed = person.run(&["connect", "cursor", "--write"]);
    assert!(!renewed.err.contains("go with the way"), "{}", renewed.err);
    let url = ["connect", "cursor", "--url", "--token-in", "env", "--write"];
    let switched = person.run(&url);
    assert!(switched.err.contains("go with the way"), "{}", switched.err);
    let old = "[mcp_servers.notes]\nurl = \"http://localhost:8787/mcp\"\n";
    let path = person.write(".codex/config.toml", old);
    assert_eq!(listed(&person, "codex")["user"]["name"], "notes");
    let refused = person.run(&["connect", "codex", "--write"]);
    assert!(refused.failed(1).contains("--name notes"));
    assert_eq!(text(&path), old);
}

#[test]
fn another_program_of_our_name_is_neither_replaced_nor_taken() {
    let person = Person::new();
    let json = |entry: Value| json!({ "mcpServers": { "zero-memory": entry } }).to_string();
    for (client, file, old) in [
        (
            "cursor",
            ".cursor/mcp.json",
            json(
                json!({ "command": "npx", "args": ["-y", "other-memory"], "env": { "K": "SECRET" } }),
            ),
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            json(json!({ "url": "https://SECRET.example.com/mcp" })),
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            json(json!({ "command": "other", "args": ["stdio"], "env": { "K": "SECRET" } })),
        ),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.zero-memory]\ncommand = \"uvx\" # SECRET\n".to_owned(),
        ),
    ] {
        let path = person.write(file, &old);
        assert_eq!(listed(&person, client)["user"]["state"], "foreign", "{old}");
        for more in [&["--write"][..], &[], &["--url", "--token-in", "env"]] {
            let refused = person.run(&[&["connect", client], more].concat());
            let told = refused.failed(1);
            assert!(
                told.contains("--name") && !told.contains("SECRET"),
                "{told}"
            );
        }
        let left = person.run(&["connect", client, "--remove", "--write"]);
        assert_eq!(left.code, 0, "{}", left.err);
        assert!(left.err.contains("was left alone"), "{}", left.err);
        assert_eq!(text(&path), old);
        let beside = person.run(&["connect", client, "--name", "zm", "--write"]);
        assert_eq!(beside.code, 0, "{}", beside.err);
        assert_eq!(listed(&person, client)["user"]["state"], "stdio");
    }
}

#[test]
fn no_name_that_is_given_makes_an_entry_ours() {
    let person = Person::new();
    for entry in [
        json!({ "command": "github-mcp-server", "args": ["stdio"] }),
        json!({ "command": "uvx", "args": ["other"] }),
        json!({ "url": "http://127.0.0.1:3845/mcp" }),
        json!({ "url": "http://127.0.0.1:3845/mcp", "headers": { "Authorization": "Bearer x" } }),
    ] {
        let old = json!({ "mcpServers": { "other": entry } }).to_string();
        let path = person.write(".cursor/mcp.json", &old);
        let named = ["connect", "cursor", "--name", "other", "--write"];
        let refused = person.run(&named);
        assert!(
            refused.failed(1).contains("take that one out by hand"),
            "{old}"
        );
        let left = person.run(&[&named[..], &["--remove"]].concat());
        assert!(left.err.contains("was left alone"), "{}", left.err);
        assert_eq!(text(&path), old);
    }
}

#[test]
fn whatever_we_wrote_ourselves_is_ours() {
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_0123456789");
    for client in ["cursor", "codex", "vscode", "gemini-cli"] {
        for before in [
            &["--command", "/opt/anything"][..],
            &["--url", "https://memory.example.com"],
            &["--url", "https://memory.example.com", "--token-in", "env"],
            &["--url", "http://127.0.0.1:9999"],
        ] {
            let connect = ["connect", client, "--write"];
            let put = person.run(&[&connect[..], before].concat());
            assert_eq!(put.code, 0, "{client} {before:?}: {}", put.err);
            assert_ne!(listed(&person, client)["user"]["state"], "foreign");
            assert_eq!(person.run(&connect).code, 0, "{client} {before:?}");
            person.run(&[&connect[..], before].concat());
            person.run(&[&connect[..], &["--remove"]].concat());
            assert_eq!(listed(&person, client)["user"]["state"], "no", "{before:?}");
        }
    }
}

#[test]
fn what_is_switched_off_stays_so_and_is_told() {
    let person = Person::new();
    let mut entry = started(&person);
    entry["disabled"] = json!(true);
    let old = json!({ "mcpServers": { "zero-memory": entry } }).to_string();
    let cursor = person.write(".cursor/mcp.json", &old);
    let old = "[mcp_servers.zero-memory]\ncommand = \"/old/zero-memory\"\nargs = [\"stdio\"]\nenabled = false\n";
    let codex = person.write(".codex/config.toml", old);
    let old = json!({ "context_servers": { "zero-memory": {
        "command": "/old/zero-memory", "args": ["stdio"], "enabled": false,
    } } });
    let zed = person.write(".config/zed/settings.json", &old.to_string());
    for (client, path, word) in [
        ("cursor", cursor, "\"disabled\":true"),
        ("codex", codex, "enabled = false"),
        ("zed", zed, "\"enabled\":false"),
    ] {
        let found = listed(&person, client);
        assert_eq!(found["user"]["off"], true, "{client}");
        let told = person.run(&["connect", client, "--write"]);
        assert_eq!(told.code, 0, "{}", told.err);
        assert!(told.err.contains("is switched off in"), "{}", told.err);
        assert!(
            text(&path).replace("\": ", "\":").contains(word),
            "{client}"
        );
    }
    let table = person.run(&["connect"]).out;
    assert_eq!(table.matches("stdio, off").count(), 3, "{table}");

    // Clients keep it elsewhere, too.
    let person = Person::new();
    let folder = person.work();
    let work = folder.to_str().expect("text");
    for (client, file, place, settings) in [
        (
            "gemini-cli",
            ".gemini/settings.json",
            "user",
            json!({
                "mcp": { "excluded": ["zero-memory"] },
            }),
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "user",
            json!({
                "mcp": { "allowed": ["other"] },
            }),
        ),
        (
            "claude-code",
            ".claude.json",
            "user",
            json!({
                "projects": { work: { "disabledMcpServers": ["zero-memory"] } },
            }),
        ),
        (
            "claude-code",
            ".claude.json",
            "project",
            json!({
                "projects": { work: { "disabledMcpjsonServers": ["zero-memory"] } },
            }),
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "project",
            json!({
                "disabledMcpjsonServers": ["other", "zero-memory"],
            }),
        ),
    ] {
        let path = person.write(file, &settings.to_string());
        let connect = ["connect", client, "--scope", place, "--write"];
        person.run(&connect);
        assert_eq!(listed(&person, client)[place]["off"], true, "{settings}");
        let told = person.run(&connect);
        assert!(
            told.err.contains("is switched off in its settings"),
            "{told:?}"
        );
        person.run(&[&connect[..], &["--remove"]].concat());
        std::fs::write(&path, "{}").expect("it is ours");
        person.run(&connect);
        assert_eq!(listed(&person, client)[place]["off"], false, "{settings}");
        person.run(&[&connect[..], &["--remove"]].concat());
    }
    person.write(".claude/settings.json", "{ \"disableAllHooks\": true }");
    let table = person.run(&["connect"]);
    assert!(
        table.err.contains("switches every hook off"),
        "{}",
        table.err
    );
}

#[test]
fn hooks_are_found_wherever_a_session_reads_them() {
    for file in [".claude/settings.json", ".claude/settings.local.json"] {
        let person = Person::new();
        assert_eq!(listed(&person, "claude-code")["hooks"], false);
        assert_eq!(listed(&person, "cursor")["hooks"], Value::Null);
        let printed = person.run(&["connect", "claude-code", "--hooks", "--print"]);
        let at = printed.out.find("{\n  \"hooks\"").expect("the hooks");
        let path = person.work().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        std::fs::write(&path, &printed.out[at..]).expect("a file can be made");
        let found = listed(&person, "claude-code");
        assert_eq!(found["hooks"], true, "{file}");
        assert_eq!(found["hooks_in"], json!([path]));
        let table = person.run(&["connect"]);
        assert!(table.err.contains(file), "{}", table.err);
        for more in ["--write", "--remove"] {
            let told = person.run(&["connect", "claude-code", "--hooks", more]);
            assert!(told.err.contains(file), "{}", told.err);
        }
    }
}
