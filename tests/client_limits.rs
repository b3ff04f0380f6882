//! Every row of `schema/clients.json` that the server observes, under the name
//! of its client: what it must not be sent is not sent, in both eras.

use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::{
    DEADLINE, Door, Era, MODERN, NEWEST_LEGACY, Pipes, Site, fresh, hello, json_file,
};

/// Where a result says what its instructions go without.
const DROPPED: &str = "zero-memory/instructions-dropped";

/// Opens a connection of an era as a client of this name; returns how it was
/// opened and the content blocks of a `recall`.
fn connect(data: &std::path::Path, era: Era, name: &str) -> (Value, Vec<Value>) {
    let mut pipes = Pipes::start(data);
    let client = json!({ "name": name, "version": "1.0" });
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": client,
    });
    let mut call = json!({ "name": "recall", "arguments": { "query": "roof" } });
    let opened = match era {
        Era::Legacy => {
            let hello = json!({
                "protocolVersion": NEWEST_LEGACY, "capabilities": {}, "clientInfo": client,
            });
            let opened = pipes.ask_bare("initialize", hello);
            pipes.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
            opened
        }
        Era::Modern => {
            call["_meta"] = meta.clone();
            pipes.ask_bare("server/discover", json!({ "_meta": meta }))
        }
    };
    let answer = pipes.ask_bare("tools/call", call);
    let blocks = answer["result"]["content"].as_array();
    let blocks = blocks.unwrap_or_else(|| panic!("{answer}")).clone();
    (opened["result"].clone(), blocks)
}

/// Returns the links among content blocks.
fn links(blocks: &[Value]) -> Vec<&Value> {
    let is_link = |block: &&Value| block["type"] == "resource_link";
    blocks.iter().filter(is_link).collect()
}

fn fractions(blocks: &[Value]) -> usize {
    let priorities = blocks.iter().map(|block| &block["annotations"]["priority"]);
    priorities.filter(|priority| priority.is_f64()).count()
}

fn two_memories() -> tempfile::TempDir {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    pipes.remember("The roof is red.");
    pipes.remember("The roof is steep.");
    data
}

#[test]
fn a_client_without_known_limits_gets_links_with_priorities() {
    let data = two_memories();
    for era in [Era::Legacy, Era::Modern] {
        let (opened, blocks) = connect(data.path(), era, "someone-else");
        assert_eq!(links(&blocks).len(), 2, "{blocks:?}");
        assert_eq!(fractions(&blocks), 2, "{blocks:?}");
        // The first answer on stdio does not wait for the rules.
        assert_eq!(opened["_meta"][DROPPED], json!(["rules"]));
    }
}

#[test]
fn every_known_limit_is_kept_under_the_name_of_its_client() {
    let data = two_memories();
    let file = json_file("schema/clients.json");
    for row in file["clients"].as_array().expect("a list") {
        for name in row["client_names"].as_array().expect("a list") {
            let name = name.as_str().expect("a name");
            for name in [name.to_owned(), name.to_ascii_uppercase()] {
                for era in [Era::Legacy, Era::Modern] {
                    let (opened, blocks) = connect(data.path(), era, &name);
                    match row["limit"].as_str().expect("a limit") {
                        "instructions_max_bytes" => {
                            let text = opened["instructions"].as_str().expect("a text");
                            let most = row["value"].as_u64().expect("a number");
                            assert!(text.len() as u64 <= most, "{name}: {text}");
                        }
                        "integer_priority" => assert_eq!(fractions(&blocks), 0, "{name}"),
                        "no_resource_links" => assert_eq!(links(&blocks).len(), 0, "{name}"),
                        other => panic!("nobody has written down how {other} is seen"),
                    }
                }
            }
        }
    }
}

#[test]
fn over_http_a_client_of_the_initialize_era_is_known_by_its_user_agent() {
    let data = two_memories();
    let site = Site::start(data.path());
    for (agent, n_links) in [("codex-mcp-client/0.150", 0), ("someone/1.0", 2)] {
        let token = format!("Bearer {}", site.token());
        let headers = [
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", NEWEST_LEGACY),
            ("User-Agent", agent),
        ];
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "recall", "arguments": { "query": "roof" } },
        });
        let answer = site.send("POST", "/mcp", &headers, call.to_string().as_bytes());
        let answer = answer.json();
        let blocks = answer["result"]["content"].as_array().expect("blocks");
        assert_eq!(links(blocks).len(), n_links, "{answer}");
    }
}

/// Returns a folder with one standing rule, whose processes are gone.
fn one_rule() -> tempfile::TempDir {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    let id = pipes.remember("Rule number 0: always say why.");
    let told = pipes.ok(
        "promote_rule",
        json!({ "memory_id": id, "scope": "personal" }),
    );
    // Whatever the transport: a briefing brings it, connecting may not.
    let note = told["delivery_note"].as_str().expect("a text");
    assert!(note.contains("every briefing of build_context"), "{note}");
    assert!(note.contains("open already"), "{note}");
    data
}

/// Returns whether the rule is there; it is that or said to be left out.
fn has_rule(opened: &Value, dropped: &Value) -> bool {
    let text = opened["instructions"].as_str().expect("a text");
    let has_rule = text.contains("Rule number 0");
    let expected = if has_rule { &Value::Null } else { dropped };
    assert_eq!(&opened["_meta"][DROPPED], expected, "{opened}");
    has_rule
}

#[test]
fn a_new_process_on_stdio_says_what_its_first_answer_goes_without() {
    let data = one_rule();
    for (options, dropped) in [
        (&[][..], json!(["rules"])),
        (&["--project", "nest"], json!(["attached", "rules"])),
    ] {
        let mut pipes = Pipes::start_as(data.path(), options);
        assert!(!has_rule(&pipes.initialize(NEWEST_LEGACY), &dropped));
    }
    let mut pipes = Pipes::open(data.path(), Era::Modern);
    let first = pipes.ask("server/discover", json!({}))["result"].clone();
    assert!(!has_rule(&first, &json!(["rules"])));
    // Nobody may keep what is incomplete.
    assert_eq!(first["ttlMs"], 0);
    assert_eq!(pipes.found("rule").len(), 1);
    let later = pipes.ask("server/discover", json!({}))["result"].clone();
    assert!(has_rule(&later, &Value::Null));
    assert_ne!(later["ttlMs"], 0);
}

#[test]
fn a_new_server_brings_rules_at_connect_though_nobody_called_a_tool() {
    let data = one_rule();
    for (era, method) in [
        (Era::Legacy, "initialize"),
        (Era::Modern, "server/discover"),
    ] {
        let site = Site::start(data.path());
        let started = Instant::now();
        loop {
            let given = match era {
                Era::Legacy => hello(NEWEST_LEGACY),
                Era::Modern => json!({}),
            };
            let opened = site.ask(era, method, given)["result"].clone();
            if has_rule(&opened, &json!(["rules"])) {
                break;
            }
            assert!(started.elapsed() < DEADLINE, "{opened}");
        }
    }
}

#[test]
fn instructions_hold_all_rules_or_none_and_say_so() {
    let data = fresh();
    let site = Site::start(data.path());
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    let mut n_rules = 0;
    for wanted in [0, 1, 12, 500] {
        while n_rules < wanted {
            let text = format!("Rule number {n_rules}: always say why.");
            let id = pipes.remember(&text);
            pipes.ok(
                "promote_rule",
                json!({ "memory_id": id, "scope": "personal", "pinned": true }),
            );
            n_rules += 1;
        }
        // The rules are read once the store is open.
        site.ask(
            Era::Legacy,
            "resources/read",
            json!({ "uri": "zm://rules" }),
        );
        for (name, cap) in [("claude-code", Some(2048)), ("someone-else", None)] {
            let client = json!({ "name": name, "version": "1.0" });
            let hello = json!({
                "protocolVersion": NEWEST_LEGACY, "capabilities": {}, "clientInfo": client,
            });
            let discover = json!({
                "jsonrpc": "2.0", "id": 1, "method": "server/discover",
                "params": { "_meta": {
                    "io.modelcontextprotocol/protocolVersion": MODERN,
                    "io.modelcontextprotocol/clientCapabilities": {},
                    "io.modelcontextprotocol/clientInfo": client,
                } },
            });
            let discovered = site.post(Era::Modern, "server/discover", None, &discover.to_string());
            let opened = [
                site.ask(Era::Legacy, "initialize", hello),
                discovered.json(),
            ];
            for answer in opened {
                let result = &answer["result"];
                let text = result["instructions"].as_str().expect("a text");
                assert!(cap.is_none_or(|cap| text.len() <= cap), "{name}: {text}");
                let n_shown = text.matches("Rule number").count();
                let dropped = &result["_meta"][DROPPED];
                if cap.is_some() && wanted == 500 {
                    assert_eq!((n_shown, dropped), (0, &json!(["rules"])), "{answer}");
                } else {
                    assert_eq!((n_shown, dropped), (wanted, &Value::Null), "{answer}");
                }
            }
        }
    }
}
