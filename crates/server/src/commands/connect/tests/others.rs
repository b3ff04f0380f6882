//! Settings that others wrote or changed: an entry for another way to reach the
//! memory, line ends of two sorts, hooks of programs with any name.

use serde_json::{Value, json};

use super::{client, http, put, stdio, take};
use crate::commands::connect::clients::{CLIENTS, Format};
use crate::commands::connect::surroundings::System;
use crate::commands::connect::{entry, hooks, toml};
use crate::commands::hook::Event;

/// What any client calls the way to a server.
const WAYS: [&str; 8] = [
    "type",
    "transport",
    "url",
    "httpUrl",
    "serverUrl",
    "headers",
    "command",
    "args",
];

#[test]
fn nothing_of_another_way_stays_however_it_was_spelled() {
    for client in CLIENTS.iter().filter(|one| one.format == Format::Json) {
        let all: Vec<String> = WAYS
            .iter()
            .map(|key| format!("\"{key}\": \"old\""))
            .collect();
        let old = format!(
            "{{ \"{}\": {{ \"zero-memory\": {{ {}, \"disabled\": false }} }} }}",
            client.servers,
            all.join(", ")
        )
        .replace("\"headers\": \"old\"", "\"headers\": { \"X-Mine\": \"1\" }");
        for reach in [stdio(), http(Some("tok_0123"))] {
            let Ok(entry) = entry::of(client, &reach) else {
                assert!(client.http.is_none(), "{}", client.id);
                continue;
            };
            let new = put(client, &old, &entry).unwrap();
            assert!(!new.contains("\"old\""), "{}: {new}", client.id);
            assert_eq!(put(client, &new, &entry).unwrap(), new);
            let new: Value = serde_json::from_str(&new).unwrap();
            let new = &new[client.servers]["zero-memory"];
            assert_eq!(new["disabled"], json!(false));
            for key in WAYS {
                let is_ours = entry.fields.contains_key(key);
                assert_eq!(new.get(key).is_some(), is_ours, "{}: {key}", client.id);
            }
        }
    }
}

#[test]
fn codex_is_left_no_key_for_which_it_would_refuse_the_file() {
    let codex = client("codex");
    let table = |text: &str| format!("[mcp_servers.zero-memory]\n{text}enabled = true\n");
    for (old, reach, gone) in [
        (
            "url = \"u\"\nbearer_token_env_var = \"V\"\nenv_http_headers = { A = \"B\" }\n",
            stdio(),
            ["url", "bearer_token_env_var", "env_http_headers"],
        ),
        (
            "command = \"c\"\nenv = { A = \"B\" }\ncwd = \"d\"\n",
            http(None),
            ["command", "env", "cwd"],
        ),
    ] {
        let entry = entry::of(codex, &reach).unwrap();
        let new = put(codex, &table(old), &entry).unwrap();
        let read = toml::object(&new, &["mcp_servers", "zero-memory"]).unwrap();
        let keys: Vec<&str> = read.iter().map(|(key, _)| key.as_str()).collect();
        assert!(keys.iter().all(|key| !gone.contains(key)), "{new}");
        assert!(keys.contains(&"enabled"), "{new}");
    }
}

#[test]
fn every_line_keeps_its_own_end() {
    let codex = client("codex");
    let entry = entry::of(codex, &stdio()).unwrap();
    for old in [
        "a = 1\nb = 2\r\ns = \"\"\"x\ny\"\"\"\n",
        "a = 1\r\nb = 2\ns = \"\"\"x\r\ny\"\"\"\r\n[t]\r\n",
        "# one\r\n[mcp_servers.other]\ncommand = \"x\"\n\r\n[z]\n",
    ] {
        let new = put(codex, old, &entry).unwrap();
        assert!(new.starts_with(old), "{old:?} became {new:?}");
        assert_eq!(put(codex, &new, &entry).unwrap(), new);
        assert_eq!(take(codex, &new).unwrap(), old);
    }
}

#[test]
fn what_is_no_toml_is_refused_without_its_words() {
    let codex = client("codex");
    let entry = entry::of(codex, &stdio()).unwrap();
    for text in [
        "a = 1\nkey = sk-secret\n",
        "sk-secret",
        "[a]\n[a]\nk='sk-secret",
        "k = \"sk-secret\nb = 1\n",
    ] {
        let error = put(codex, text, &entry).unwrap_err();
        let told = format!("{error:#}");
        assert!(
            told.contains("it is no TOML") && told.contains("on line"),
            "{told}"
        );
        assert!(!told.contains("secret"), "{told}");
    }
}

#[test]
fn our_hooks_are_known_whatever_the_program_is_called() {
    for program in [
        "/usr/local/bin/zm",
        "zm",
        "/opt/a b/it's",
        r"C:\Tools\zm.exe",
    ] {
        for data in [None, Some("/data"), Some("/my data")] {
            for system in [System::Linux, System::Windows] {
                let wanted = |event: Event| hooks::command(system, program, event, data);
                let new = hooks::put("{}\n", wanted).unwrap();
                assert!(hooks::are_there(&new).unwrap(), "{new}");
                assert_eq!(hooks::put(&new, wanted).unwrap(), new);
                assert_eq!(hooks::takes(&new).unwrap().pop().unwrap(), "{}\n");
                // It is found again under the name that it has then.
                let moved = |event: Event| hooks::command(system, "/new/memory", event, None);
                let over = hooks::put(&new, moved).unwrap();
                assert_eq!(over, hooks::put("{}\n", moved).unwrap());
            }
        }
    }
}

#[test]
fn hooks_of_other_programs_that_look_alike_are_theirs() {
    for (command, more) in [
        ("zm hook prompt", ""),
        ("zm hook prompt --fast", ", \"timeout\": 5"),
        ("zm hook prompt", ", \"timeout\": 10"),
        ("zm hook prompt", ", \"timeout\": 5, \"async\": true"),
        ("zm hook session-end", ", \"timeout\": 5"),
        ("zm hooks prompt", ", \"timeout\": 5"),
        ("zm hook prompt; rm x", ", \"timeout\": 5"),
        ("zm x hook prompt", ", \"timeout\": 5"),
        ("$ZM hook prompt", ", \"timeout\": 5"),
        ("hook prompt", ", \"timeout\": 5"),
        (" hook prompt", ", \"timeout\": 5"),
        ("zm hook prompt --data a b", ", \"timeout\": 5"),
    ] {
        let theirs = format!(
            "{{ \"hooks\": {{ \"UserPromptSubmit\": [ {{ \"hooks\": [ {{ \"type\": \"command\", \"command\": \"{command}\"{more} }} ] }} ] }} }}"
        );
        assert_eq!(hooks::takes(&theirs).unwrap().pop().unwrap(), theirs);
        let ours = hooks::put(&theirs, |event| {
            hooks::command(System::Linux, "/opt/other", event, None)
        })
        .unwrap();
        assert!(ours.contains(&format!("\"{command}\"{more} }}")), "{ours}");
    }
}
