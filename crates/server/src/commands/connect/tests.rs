//! Every client on every system, and settings that hold what people put there.
//! What is expected lies beside this file; ZERO_MEMORY_BLESS=1 writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::clients::{CLIENTS, Client, Format, hooks_of_user};
use super::entry::{self, Entry, Reach};
use super::surroundings::{Surroundings, System};
use super::{hooks, json, toml};
use crate::commands::hook::Event;

mod others;

/// Compares with what is expected.
#[track_caller]
fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/commands/connect/tests")
        .join(name);
    if std::env::var_os("ZERO_MEMORY_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{name} differs:\n{text}");
}

fn on(system: System, variables: &[(&str, &str)]) -> Surroundings {
    let (home, project) = match system {
        System::Linux => (("HOME", "/home/ada"), "/home/ada/shop"),
        System::Mac => (("HOME", "/Users/ada"), "/Users/ada/shop"),
        System::Windows => (("USERPROFILE", r"C:\Users\ada"), r"C:\Users\ada\shop"),
    };
    let variables: BTreeMap<String, String> = [home]
        .iter()
        .chain(variables)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Surroundings {
        system,
        variables,
        project: project.to_owned(),
    }
}

fn client(id: &str) -> &'static Client {
    CLIENTS.iter().find(|client| client.id == id).unwrap()
}

fn stdio() -> Reach {
    Reach::Stdio {
        program: "/opt/zero memory/zero-memory".to_owned(),
        arguments: vec!["stdio".to_owned()],
    }
}

fn http(token: Option<&str>) -> Reach {
    Reach::Http {
        url: "http://127.0.0.1:8787/mcp".to_owned(),
        token: token.map(str::to_owned),
    }
}

fn put(client: &Client, text: &str, entry: &Entry) -> anyhow::Result<String> {
    match client.format {
        Format::Json => json::put(text, client.servers, "zero-memory", entry),
        Format::Toml => toml::put(text, client.servers, "zero-memory", entry),
    }
}

fn take(client: &Client, text: &str) -> anyhow::Result<String> {
    let texts = match client.format {
        Format::Json => json::takes(text, client.servers, "zero-memory"),
        Format::Toml => return toml::take(text, client.servers, "zero-memory"),
    };
    Ok(texts?.swap_remove(0))
}

#[test]
fn every_client_has_its_place_on_every_system() {
    let mut text = String::new();
    let own = [
        ("XDG_CONFIG_HOME", "/xdg"),
        ("CLAUDE_CONFIG_DIR", "/claude"),
        ("CODEX_HOME", "/codex"),
    ];
    let roaming = [("APPDATA", r"D:\Roaming")];
    for (name, at) in [
        ("Linux", on(System::Linux, &[])),
        ("Linux with variables", on(System::Linux, &own)),
        ("macOS", on(System::Mac, &[])),
        ("Windows", on(System::Windows, &[])),
        ("Windows with variables", on(System::Windows, &roaming)),
    ] {
        writeln!(text, "{name}").unwrap();
        for client in CLIENTS {
            writeln!(text, "  {}: {}", client.id, (client.user)(&at).unwrap()).unwrap();
            if let Some(parts) = client.project {
                writeln!(
                    text,
                    "  {} in a project: {}",
                    client.id,
                    at.in_project(parts)
                )
                .unwrap();
            }
        }
        writeln!(text, "  hooks: {}", hooks_of_user(&at).unwrap()).unwrap();
    }
    check("places.txt", &text);
    let nobody = Surroundings {
        variables: BTreeMap::new(),
        ..on(System::Linux, &[])
    };
    assert!(
        CLIENTS
            .iter()
            .all(|client| (client.user)(&nobody).is_none())
    );
}

#[test]
fn every_client_gets_its_own_spelling_in_a_new_file() {
    let mut text = String::new();
    for client in CLIENTS {
        for (way, reach) in [
            ("stdio", stdio()),
            ("http, token in the file", http(Some("tok_0123"))),
            ("http, token in the environment", http(None)),
        ] {
            writeln!(text, "=== {}, {way}", client.id).unwrap();
            match entry::of(client, &reach) {
                Err(error) => writeln!(text, "refused: {error}").unwrap(),
                Ok(entry) => {
                    let new = put(client, "", &entry).unwrap();
                    assert_eq!(put(client, &new, &entry).unwrap(), new, "{}", client.id);
                    text.push_str(&new);
                }
            }
        }
    }
    check("new.txt", &text);
}

/// Settings as people keep them: comments, odd indents, other servers.
const FULL_JSON: &str = "// My settings.\n{\n\t\"theme\": \"dark\", // at night\n\
\t/* servers */\n\t\"LIST\": {\n\t\t// the first one\n\t\t\"other\": { \"command\": \"x\", \"args\": [ ] },\n\
\t\t\"last\": {\"url\": \"http://example.com\"}, // trailing comma\n\t},\n\t\"z\": [1,\n2]\n}";

const FULL_TOML: &str = "# My settings.\nmodel = \"m\" # the good one\n\n[mcp_servers.other]\ncommand = 'x'\n\
args = [ \"a\",  # why\n  \"b\" ]\n# env = \"kept as a note\"\n\n# About profiles.\n[profiles.fast]\nmodel = \"f\"\n\n# The end.\n";

fn full(client: &Client) -> String {
    match client.format {
        Format::Json => FULL_JSON.replace("LIST", client.servers),
        Format::Toml => FULL_TOML.to_owned(),
    }
}

#[test]
fn what_others_keep_in_the_file_stays_to_the_byte() {
    let mut text = String::new();
    for client in CLIENTS {
        let old = full(client);
        let entry = entry::of(client, &stdio()).unwrap();
        let new = put(client, &old, &entry).unwrap();
        assert_eq!(put(client, &new, &entry).unwrap(), new, "{}", client.id);
        for line in old.lines() {
            let bare = line.trim().trim_end_matches(',');
            assert!(new.contains(bare), "{} lost {line}:\n{new}", client.id);
        }
        assert_eq!(take(client, &new).unwrap(), old, "{}", client.id);
        assert_eq!(take(client, &old).unwrap(), old, "{}", client.id);
        if ["claude-code", "codex", "zed"].contains(&client.id) {
            write!(text, "=== {}\n{new}\n", client.id).unwrap();
        }
    }
    check("merged.txt", &text);
}

#[test]
fn lines_that_end_as_on_windows_stay_so() {
    for client in CLIENTS {
        let old = full(client).replace('\n', "\r\n");
        let entry = entry::of(client, &stdio()).unwrap();
        let new = put(client, &old, &entry).unwrap();
        let bare = new.replace("\r\n", "");
        assert!(!bare.contains('\n'), "{}:\n{new:?}", client.id);
        assert_eq!(take(client, &new).unwrap(), old, "{}", client.id);
    }
}

#[test]
fn the_other_way_to_reach_it_replaces_the_first_and_keeps_the_rest() {
    for client in CLIENTS.iter().filter(|client| client.http.is_some()) {
        let ways =
            [stdio(), http(Some("tok_0123"))].map(|reach| entry::of(client, &reach).unwrap());
        let [stdio, http] = &ways;
        let mut text = put(client, "", stdio).unwrap();
        let own = match client.format {
            Format::Json => {
                text = text.replace("\"args\"", "\"disabled\": false, /* mine */ \"args\"");
                "\"disabled\": false"
            }
            Format::Toml => {
                text.push_str("disabled = false # mine\n");
                "disabled = false # mine"
            }
        };
        let over = put(client, &text, http).unwrap();
        assert!(over.contains(own) && over.contains("tok_0123"), "{over}");
        assert!(!over.contains("command"), "{over}");
        let back = put(client, &over, stdio).unwrap();
        assert!(back.contains(own) && back.contains("zero memory"), "{back}");
        assert!(
            !back.contains("tok_0123") && !back.contains("8787"),
            "{back}"
        );
    }
}

#[test]
fn a_file_that_is_not_understood_is_refused() {
    for (id, text, why) in [
        ("cursor", "{ \"mcpServers\": {", "it is no JSON"),
        ("cursor", "{ 'mcpServers': {} }", "it is no JSON"),
        ("cursor", "{ \"a\": 1 \"b\": 2 }", "it is no JSON"),
        ("cursor", "[]", "it is no object"),
        (
            "cursor",
            "{ \"mcpServers\": [] }",
            "mcpServers is no object",
        ),
        (
            "cursor",
            "{ \"mcpServers\": null }",
            "mcpServers is no object",
        ),
        (
            "cursor",
            "{ \"mcpServers\": {\"zero-memory\": 1} }",
            "is no object",
        ),
        (
            "cursor",
            "{ \"mcpServers\": {}, \"mcpServers\": {} }",
            "stands there twice",
        ),
        ("codex", "[mcp_servers", "it is no TOML"),
        ("codex", "mcp_servers = 1\n", "mcp_servers is no table"),
        (
            "codex",
            "[[mcp_servers]]\na = 1\n",
            "mcp_servers is no table",
        ),
        ("codex", "[mcp_servers]\nzero-memory = 1\n", "is no table"),
    ] {
        let client = client(id);
        let entry = entry::of(client, &stdio()).unwrap();
        let error = put(client, text, &entry).unwrap_err();
        assert!(format!("{error:#}").contains(why), "{text}: {error:#}");
    }
}

#[test]
fn odd_forms_of_the_list_are_kept() {
    let codex = client("codex");
    let entry = entry::of(codex, &stdio()).unwrap();
    for old in [
        "mcp_servers = { other = { command = \"x\" } } # inline\n# the end\n",
        "mcp_servers.other.command = \"x\" # dotted\n",
        "[mcp_servers]\n# a table of its own\nother = { command = \"x\" }\n",
        "[mcp_servers.other]\ncommand = \"x\"\n[[list]]\na = 1\n\n# last\n[[list]]\na = 2\n",
    ] {
        let new = put(codex, old, &entry).unwrap();
        let read = toml::object(&new, &["mcp_servers", "zero-memory"]).unwrap();
        let keys: Vec<&str> = read.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["command", "args"], "{new}");
        assert_eq!(take(codex, &new).unwrap(), old);
    }
}

#[test]
fn a_comment_above_our_table_stays_when_the_table_goes() {
    let text = "[a]\nx = 1\n# y = 2\n\n[mcp_servers.zero-memory]\ncommand = \"z\"\n\n[mcp_servers.zero-memory.env]\nA = \"1\"\n\n# about b\n[b]\n";
    let left = take(client("codex"), text).unwrap();
    assert_eq!(left, "[a]\nx = 1\n# y = 2\n\n\n# about b\n[b]\n");
    let last = "[a]\nx = 1\n# y = 2\n\n[mcp_servers.zero-memory]\ncommand = \"z\"\n";
    assert_eq!(
        take(client("codex"), last).unwrap(),
        "[a]\nx = 1\n# y = 2\n"
    );
}

#[test]
fn hooks_are_put_beside_those_of_others_and_go_alone() {
    let with = |program: &'static str| {
        move |event: Event| hooks::command(System::Linux, program, event, None)
    };
    let others = "{\n  // mine\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"date\" } // now\n        ]\n      }\n    ],\n    \"Stop\": []\n  },\n  \"model\": \"opus\"\n}\n";
    let mut text = String::new();
    for old in ["", "{}\n", others] {
        let new = hooks::put(old, with("/opt/zero-memory")).unwrap();
        write!(text, "=== from {old:?}\n{new}").unwrap();
        assert!(hooks::are_there(&new).unwrap());
        assert_eq!(hooks::put(&new, with("/opt/zero-memory")).unwrap(), new);
        // A program that moved is found again, and put in once.
        let moved = hooks::put(&new, with("/usr/bin/zero-memory")).unwrap();
        assert_eq!(moved, new.replace("/opt/", "/usr/bin/"));
        let left = hooks::takes(&new).unwrap().pop().unwrap();
        assert!(!hooks::are_there(&left).unwrap());
        assert_eq!(hooks::takes(&left).unwrap().pop().unwrap(), left);
        if old == others {
            assert_eq!(left, old);
        }
    }
    check("hooks.txt", &text);
    assert!(hooks::put("{ \"hooks\": [] }", with("x")).is_err());
    assert!(hooks::put("{ \"hooks\": { \"SessionEnd\": {} } }", with("x")).is_err());
    assert!(hooks::put("{ \"hooks\": { \"SessionEnd\": [1] } }", with("x")).is_err());
}

#[test]
fn a_hook_is_one_line_that_a_shell_reads_as_it_was_meant() {
    let line = |system, program: &str, data| hooks::command(system, program, Event::Prompt, data);
    assert_eq!(
        line(System::Linux, "/opt/a b/it's", Some("/data")),
        r"'/opt/a b/it'\''s' hook prompt --data /data"
    );
    assert_eq!(
        line(System::Windows, r"C:\Program Files\zero-memory.exe", None),
        "'C:/Program Files/zero-memory.exe' hook prompt"
    );
    assert_eq!(
        line(
            System::Mac,
            "/usr/local/bin/zero-memory",
            Some("$(touch x)")
        ),
        "/usr/local/bin/zero-memory hook prompt --data '$(touch x)'"
    );
}
