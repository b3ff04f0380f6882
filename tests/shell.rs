//! The memory from a shell: the same answers as through MCP, tables for
//! people, and an exit code for every reason to refuse.

use std::process::Command;

use serde_json::json;

use crate::harness::{Door as _, Era, Person, Pipes, Site, binary, json_file};

mod completed;
mod refused;
mod shown;

/// An id that no memory has.
const NOBODY: &str = "mem_00000000000000000000000000";

/// Returns the id of a memory that is stored now.
fn remembered(person: &Person, arguments: &[&str]) -> String {
    let mut all = vec!["remember"];
    all.extend(arguments);
    let answer = person.run(&all).json();
    answer["memory_id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_shell_answers_what_the_tools_answer() {
    let person = Person::new();
    let id = remembered(&person, &["The roof is red.", "--scope", "core"]);
    let old = remembered(&person, &["The door is green.", "--scope", "personal"]);
    let new = remembered(
        &person,
        &[
            "The door is blue.",
            "--scope",
            "personal",
            "--supersedes",
            &old,
        ],
    );
    let mut pipes = Pipes::open(&person.data(), Era::Modern);
    for (arguments, tool, input) in [
        (
            vec!["recall", "--no-project", "roof", "door"],
            "recall",
            json!({ "query": "roof door" }),
        ),
        (
            vec!["recall", "--scope", "core", "-k", "1", "roof"],
            "recall",
            json!({ "query": "roof", "k": 1, "scopes": ["core"] }),
        ),
        (
            vec![
                "brief",
                "--no-project",
                "--max-tokens",
                "900",
                "the",
                "roof",
            ],
            "build_context",
            json!({ "topic": "the roof", "max_tokens": 900 }),
        ),
        (
            vec!["history", &new],
            "history",
            json!({ "memory_id": new.as_str() }),
        ),
        (vec!["scopes"], "list_scopes", json!({})),
    ] {
        let here = person.run(&arguments).json();
        let there = pipes.ok(tool, input);
        assert_eq!(here, there, "{arguments:?}");
    }
    assert_eq!(person.run(&["rules"]).json(), json!({ "rules": [] }));
    assert_eq!(
        person.run(&["forget", &id, "--reason", "repainted"]).json()["invalidated"],
        true
    );
    // Whoever types is no agent.
    let dump = person.run(&["export"]).out;
    assert!(dump.contains("\"author_kind\":\"human\"") && !dump.contains("\"agent\":\""));
    let history = person.run(&["history", &id]).out;
    assert!(history.contains("repainted"), "{history}");
}

#[test]
fn loops_are_listed_until_they_are_closed() {
    let person = Person::new();
    let id = remembered(&person, &["Paint the fence.", "--kind", "task"]);
    let open = person.run(&["loops"]).json();
    assert_eq!(open["open_loops"][0]["id"], id.as_str());
    let table = person.run(&["loops", "--table"]).out;
    assert!(table.contains(&id) && table.contains("Paint the fence."));
    let closed = person.run(&["close", &id, "--resolution", "done"]).json();
    assert_eq!(closed["closed"], true);
    let none = person.run(&["loops", "--table"]);
    assert_eq!(none.out, "nothing is open\n");
}

#[test]
fn a_statement_goes_to_the_project_of_the_checkout() {
    let person = Person::new();
    let shop = person.home().join("shop");
    let deep = shop.join("src");
    std::fs::create_dir_all(shop.join(".git")).expect("a folder can be made");
    std::fs::create_dir_all(&deep).expect("a folder can be made");
    std::fs::write(
        shop.join(".git/config"),
        "[remote \"origin\"]\n\turl = https://me:hunter2@example.com/acme/storefront.git\n",
    )
    .expect("a file can be made");
    let stored = person.run_with(&deep, &["remember", "-"], "Totals are in cents.\n");
    assert_eq!(stored.json()["scope"], "proj.me.storefront");
    let found = person.run_with(&deep, &["recall", "cents"], "").json();
    assert_eq!(found["project_scope"], "proj.me.storefront");
    assert_eq!(found["memories"][0]["content"], "Totals are in cents.");

    // However the folder is named, it is that project.
    let path = shop.to_str().expect("text");
    let named = person.run(&["recall", "cents", "--project", path]).json();
    assert_eq!(named["project_scope"], "proj.me.storefront");
    let list = person.write("facts.jsonl", &one_entity("Sums are rounded up."));
    let list = list.to_str().expect("text");
    person.run(&["import", list, "--project", path, "--write"]);
    std::fs::write(shop.join("CLAUDE.md"), "# Style\n\n- Names are short.\n").expect("a file");
    person.run(&["import", path, "--write"]);
    for words in ["rounded", "names"] {
        let found = person.run_with(&deep, &["recall", words], "").json();
        let place = &found["memories"][0]["scope"];
        assert_eq!(place, "proj.me.storefront", "{found}");
    }

    // A home folder is nobody's project.
    let home = person.run_with(&person.home(), &["remember", "Lost."], "");
    home.failed(10);
    let message = home.document()["error"]["message"].clone();
    let message = message.as_str().expect("a message").to_owned();
    assert!(message.starts_with("scope_target_required:"), "{message}");
}

/// Returns a memory as the official server keeps it.
fn one_entity(text: &str) -> String {
    let entity = json!({
        "type": "entity", "name": "shop", "entityType": "project", "observations": [text],
    });
    format!("{entity}\n")
}

#[test]
fn what_is_stored_moves_no_cursor_in_json_either() {
    let person = Person::new();
    let text = "red \u{1b}[31m \u{9b}2J door \u{7f} \u{202e} and \u{e0041} 屋根";
    remembered(&person, &[text, "--scope", "core"]);
    let shown = person.run(&["recall", "door", "--json"]);
    let moved = ['\u{1b}', '\u{9b}', '\u{7f}', '\u{202e}', '\u{e0041}'];
    assert!(!shown.out.contains(moved), "{}", shown.out);
    assert!(shown.out.contains("屋根"), "{}", shown.out);
    assert_eq!(shown.json()["memories"][0]["content"], text);
}

#[test]
fn a_table_obeys_the_width_and_nothing_that_was_stored() {
    let mut person = Person::new();
    let text = "red \u{1b}[31m door \u{202e} and a 屋根 that is quite long, so that it wraps";
    remembered(&person, &[text, "--scope", "core"]);
    person.set("COLUMNS", "44");
    let shown = person.run(&["recall", "door", "--table"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.contains("\\u{1b}[31m"), "{}", shown.out);
    assert!(!shown.out.contains(['\u{1b}', '\u{202e}']), "{}", shown.out);
    let lines: Vec<&str> = shown.out.lines().collect();
    // Five columns do not fit: each cell says what it is.
    let heads = ["ID: mem_", "KIND: fact", "SCOPE: user.", "DAY: 2", "  red "];
    assert!(lines.len() > heads.len(), "{lines:?}");
    for (line, head) in lines.iter().zip(heads) {
        assert!(line.starts_with(head), "{head}: {lines:?}");
    }
    assert!(
        lines.iter().all(|line| line.chars().count() <= 44),
        "{lines:?}"
    );
    assert_eq!(
        person.run(&["recall", "nothing", "--table"]).out,
        "nothing found\n"
    );
}

#[test]
fn a_server_is_asked_in_place_of_the_folder() {
    let mut person = Person::new();
    let other = Person::new();
    std::fs::create_dir(other.data()).expect("a folder can be made");
    let site = Site::start(&other.data());
    let url = format!("http://{}/mcp", site.address());
    person.set("ZERO_MEMORY_SERVER", &url);

    let stranger = person.run(&["scopes"]);
    assert!(stranger.failed(11).contains("ZERO_MEMORY_TOKEN"));
    assert_eq!(stranger.document()["error"]["code"], "unauthorized");
    assert!(
        person
            .run(&["rules"])
            .failed(11)
            .contains("ZERO_MEMORY_TOKEN")
    );

    for token in ["ключ", "a b", "a\nb"] {
        person.set("ZERO_MEMORY_TOKEN", token);
        for arguments in [["scopes"], ["rules"]] {
            let refused = person.run(&arguments);
            let told = refused.failed(1);
            assert!(told.contains("ZERO_MEMORY_TOKEN is no token"), "{told}");
        }
    }
    person.set("ZERO_MEMORY_TOKEN", site.token());
    let id = remembered(&person, &["The roof is red.", "--scope", "core"]);
    let there = person.run(&["history", &id]).json();
    assert_eq!(there, other.run(&["history", &id]).json());
    assert_eq!(person.run(&["rules"]).json(), json!({ "rules": [] }));
    person.run(&["history", NOBODY]).failed(13);
    assert!(!person.data().exists(), "the local folder is left alone");

    site.kill();
    // A server that means something else by its answers is asked nothing.
    let all = ["--toolset", "full", "--announced-contract"];
    for (version, code) in [("3.0.0", 1), ("1.9.0", 1), ("2.0.0", 0), ("2.99.0", 0)] {
        let site = Site::start_with(&other.data(), &[&all[..], &[version]].concat());
        person.set("ZERO_MEMORY_SERVER", format!("http://{}", site.address()));
        let text = format!("The contract is {version}.");
        let stored = person.run(&["remember", &text, "--scope", "core"]);
        assert_eq!(stored.code, code, "{version}: {}", stored.err);
        assert_eq!(
            stored.err.contains(&format!("speaks contract {version}")),
            code == 1
        );
        let is_older = version == "2.0.0";
        let told = stored.err.contains("an older server, of contract 2.0.0");
        assert_eq!(told, is_older, "{version}: {}", stored.err);
        let dump = other.run(&["export"]).out;
        assert_eq!(dump.contains(&text), code == 0, "{version}");
        site.kill();
    }
    let gone = person.run(&["scopes"]);
    assert!(gone.failed(1).contains("zero-memory serve"));
    // A folder that is named on the command line is meant, and no server.
    let there = other.home().join("elsewhere");
    let there = there.to_str().expect("text");
    let here = person.run(&["remember", "Elsewhere.", "--scope", "core", "--data", there]);
    assert_eq!(here.code, 0, "{}", here.err);
    let found = person.run(&["recall", "elsewhere", "--data", there]).json();
    assert_eq!(found["memories"][0]["content"], "Elsewhere.");
    person.set("ZERO_MEMORY_SERVER", "http://127.0.0.1:9");
    let here = person.run(&["rules", "--handle", "me"]);
    assert!(here.failed(1).contains("no memory"), "{}", here.err);
    for folder in ["--data", "--handle"] {
        let both = ["rules", "--server", "http://127.0.0.1:9", folder, there];
        let told = person.run(&both);
        assert!(told.failed(2).contains(folder), "{}", told.err);
    }
    for url in ["https://127.0.0.1:9", "http://192.0.2.1:9", "nonsense"] {
        let refused = person.run(&["scopes", "--server", url]);
        assert!(refused.failed(1).contains("127.0.0.1") || refused.err.contains("loopback"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_relative_folder_of_data_is_none_by_the_specification() {
    let person = Person::new();
    let stored = Command::new(binary())
        .args(["remember", "The roof is red.", "--scope", "core"])
        .current_dir(person.work())
        .env_clear()
        .env("HOME", person.home())
        .env("XDG_DATA_HOME", "here")
        .output()
        .expect("it starts");
    assert!(stored.status.success(), "{stored:?}");
    let usual = person.home().join(".local/share/zero-memory/memory.db");
    assert!(usual.exists() && !person.work().join("here").exists());
}

/// It would be another folder wherever a program is started.
#[cfg(target_os = "linux")]
#[test]
fn a_relative_home_is_none() {
    let person = Person::new();
    let ways: [(&[&str], &str); 3] = [
        (&["loops"], "--data"),
        (&["connect", "cursor", "--write"], "HOME"),
        (&["connect", "claude-code", "--hooks", "--write"], "HOME"),
    ];
    for (words, way_out) in ways {
        let told = Command::new(binary())
            .args(words)
            .current_dir(person.work())
            .env_clear()
            .env("HOME", "here")
            .output()
            .expect("it starts");
        let errors = String::from_utf8_lossy(&told.stderr);
        assert_eq!(told.status.code(), Some(1), "{words:?}: {errors}");
        assert!(errors.contains(way_out), "{words:?}: {errors}");
        assert!(!person.work().join("here").exists(), "{words:?}");
    }
}

#[test]
fn completions_and_the_manual_know_every_command_and_code() {
    let person = Person::new();
    let verbs = [
        "remember",
        "recall",
        "brief",
        "loops",
        "forget",
        "close",
        "history",
        "scopes",
        "rules",
        "completions",
        "man",
    ];
    let help = person.run(&["--help"]).out;
    let manual = person.run(&["man"]);
    assert_eq!(manual.code, 0, "{}", manual.err);
    for verb in verbs {
        assert!(help.contains(&format!("  {verb} ")), "{verb}");
        assert!(manual.out.contains(verb), "{verb}");
        for shell in ["bash", "zsh", "fish"] {
            let script = person.run(&["completions", shell]);
            assert!(script.out.contains(verb), "{shell} {verb}");
        }
    }
    let formats = person.run(&["completions", "zsh"]).out;
    assert!(formats.contains("basic-memory"), "{formats}");
    let fish = person.run(&["completions", "fish"]).out;
    let clients = person.run(&["connect", "--json"]).json();
    for client in clients["clients"].as_array().expect("a list") {
        let id = client["client"].as_str().expect("text");
        assert!(fish.contains(id), "{id}");
    }

    let errors = json_file("schema/errors.json");
    let codes = errors["codes"].as_object().expect("a table");
    let page = person.run(&["recall", "--help"]).out;
    for name in codes.keys() {
        assert!(
            manual.out.contains(&format!("Refused with {name}")),
            "{name}"
        );
        assert!(page.contains(name), "{name}");
    }
    let recall = person.run(&["man", "recall"]).out;
    assert!(recall.contains(".TH zero-memory-recall 1"), "{recall}");
    person.run(&["man", "nonsense"]).failed(1);
    let prompt = person.run(&["man", "hook", "prompt"]).out;
    assert!(prompt.contains(".TH zero-memory-hook-prompt 1"), "{prompt}");
    person.run(&["man", "hook", "nonsense"]).failed(1);
    let kinds = json_file("schema/shapes/kind.json");
    let wrong = person.run(&["recall", "x", "--kind", "nonsense"]);
    for kind in kinds["enum"].as_array().expect("a list") {
        let kind = kind.as_str().expect("text");
        assert!(wrong.failed(2).contains(kind), "{}", wrong.err);
        for shell in ["bash", "zsh", "fish"] {
            let script = person.run(&["completions", shell]).out;
            assert!(script.contains(kind), "{shell} {kind}");
        }
        let stored = person.run(&["remember", kind, "--kind", kind]);
        assert_eq!(stored.code, 0, "{}", stored.err);
    }

    let script = person.run(&["completions", "bash"]).out;
    let mut bash = Command::new("bash");
    bash.arg("-n");
    let read = person.finish(bash, &person.work(), &script);
    assert_eq!(read.code, 0, "{}", read.err);
}
