//! The guide for people who connect a client: every command that it shows is
//! run as it stands there.

use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Era, Person, Pipes, Site, binary, fresh, json_file, repository};

#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let guide = repository().join("crates/server/CLIENTS.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_of_the_guide");
    let folder = binary().parent().expect("it lies in a folder");
    let path = std::env::var("PATH").expect("there is a path");
    let path = format!("{}:{path}", folder.display());
    person.set("PATH", &path);
    let mut n_commands = 0;
    for block in guide.split("```sh\n").skip(1) {
        let (block, _) = block.split_once("```").expect("the block ends");
        for line in block.lines() {
            assert!(line.contains("zero-memory "), "{line}");
            let mut shell = Command::new("sh");
            shell.args(["-c", line]);
            let run = person.finish(shell, &person.work(), "");
            assert_eq!(run.code, 0, "{line}: {}", run.err);
            n_commands += 1;
        }
    }
    assert!(n_commands > 15, "the guide shows {n_commands} commands");
    for id in [
        "claude-code",
        "claude-desktop",
        "cursor",
        "codex",
        "vscode",
        "gemini-cli",
        "zed",
        "windsurf",
    ] {
        assert!(guide.contains(&format!("connect {id} ")), "{id}");
    }
    let listed = person.run(&["connect", "--json"]).json();
    for client in listed["clients"].as_array().expect("a list") {
        let state = if client["client"] == "cursor" {
            "http"
        } else {
            "stdio"
        };
        assert_eq!(client["user"]["state"], state, "{client}");
    }
    let found = person.run(&["recall", "cents"]).json();
    assert_eq!(found["memories"].as_array().map(Vec::len), Some(1));
}

/// Returns a page of the generated documentation.
pub(crate) fn page(name: &str) -> String {
    let path = repository().join("generated/docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_page_on_writing_a_client_says_what_a_server_does() {
    let page = page("write_a_client.md");
    let data = fresh();
    let mut codes = Vec::new();
    for era in [Era::Legacy, Era::Modern] {
        let mut pipes = Pipes::open(data.path(), era);
        let uri = "zm://memory/mem_00000000000000000000000000";
        let absent = pipes.ask("resources/read", json!({ "uri": uri }));
        assert_eq!(absent["error"]["data"]["uri"], uri, "{absent}");
        codes.push(absent["error"]["code"].to_string());
    }
    let absent = format!(
        "`{}` with a handshake and `{}` without one, with `data.uri`",
        codes[0], codes[1]
    );
    assert!(page.contains(&absent), "{absent}");
    let errors = json_file("schema/errors.json");
    for (name, code) in errors["codes"].as_object().expect("a table") {
        let repeat = if code["retryable"] == true {
            "yes"
        } else {
            "no"
        };
        let status = &code["http_status"];
        let remedy = code["remedy"].as_str().expect("text");
        let row = format!("| `{name}` | {status} | {repeat} | {remedy} |");
        assert!(page.contains(&row), "{row}");
    }
    // As often as every SDK tries unless it is told otherwise.
    let options = zero_memory_client::Options::new();
    assert_eq!(options.max_attempts, 3);
    assert!(page.contains("Three attempts are enough"));
    let contract = json_file("schema/contract.json");
    for fact in ["version", "capability", "version_header"] {
        let fact = contract[fact].as_str().expect("text");
        assert!(page.contains(fact), "{fact}");
    }
}

/// Returns the rows of a table of a page below its head, as their cells.
pub(crate) fn rows(page: &str, head: &str) -> Vec<Vec<String>> {
    let (_, below) = page.split_once(head).expect("the table is there");
    let lines = below
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

#[test]
fn a_request_without_a_handshake_carries_what_the_page_says() {
    let page = page("write_a_client.md");
    let person = Person::new();
    let data = person.data();
    std::fs::create_dir(&data).expect("a folder can be made");
    let site = Site::start(&data);
    let (_, call) = page.split_once("```json\n").expect("an example");
    let (call, _) = call.split_once("\n```").expect("its end");
    let whole: Value = serde_json::from_str(call).expect("the example is JSON");
    let token = format!("Bearer {}", site.token());
    let revision = whole["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].clone();
    let said = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
        ("MCP-Protocol-Version", revision.as_str().expect("text")),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "recall"),
    ];
    let over_http = |call: &Value, left_out: &str| {
        let mut headers = vec![("Authorization", token.as_str())];
        headers.extend(said.into_iter().filter(|(name, _)| *name != left_out));
        let answer = site.send("POST", "/mcp", &headers, call.to_string().as_bytes());
        answer.json()
    };
    let mut pipes = Pipes::start(&data);
    let mut over_pipes = |call: &Value| {
        pipes.send(call);
        pipes.response(1)
    };
    assert!(over_http(&whole, "")["result"]["content"].is_array());
    assert!(over_pipes(&whole)["result"]["content"].is_array());
    let rows = rows(&page, "| where | what | if it is missing |");
    assert_eq!(rows.len(), 3 + said.len());
    for row in rows {
        let name = row[2].split('`').nth(1).expect("a name");
        let fault = row[3].trim_matches('`').parse::<i64>().ok();
        if row[1].starts_with("header") {
            assert!(said.iter().any(|(known, _)| *known == name), "{name}");
            let code = over_http(&whole, name)["error"]["code"].as_i64();
            assert_eq!(code, fault, "{name}");
            continue;
        }
        let mut less = whole.clone();
        let gone = less["params"]["_meta"]
            .as_object_mut()
            .expect("a table")
            .remove(name);
        assert!(gone.is_some(), "{name}");
        for answer in [over_http(&less, ""), over_pipes(&less)] {
            assert_eq!(answer["error"]["code"].as_i64(), fault, "{name}: {answer}");
        }
        if fault.is_some() {
            continue;
        }
        assert_eq!(row[3], "a memory is noted as written by the person");
        for (mut call, author) in [(whole.clone(), "agent"), (less, "human")] {
            call["params"]["name"] = json!("remember");
            call["params"]["arguments"] = json!({ "content": author, "scope": "core" });
            over_pipes(&call);
            let dump = person.run(&["export"]).out;
            let stored = dump
                .lines()
                .find(|line| line.contains(&format!("\"content\":\"{author}\"")));
            let kind = format!("\"author_kind\":\"{author}\"");
            assert!(stored.is_some_and(|line| line.contains(&kind)), "{dump}");
        }
    }
}
