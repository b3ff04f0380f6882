//! Both protocol eras on both transports, and how they mix.

use serde_json::{Value, json};

use crate::harness::{
    Door, Era, MODERN, NEWEST_LEGACY, Pipes, Site, TOOLSET, fresh, hello, json_file,
};

fn contract_version() -> Value {
    json_file("schema/contract.json")["version"].clone()
}

fn announced(result: &Value) -> &Value {
    &result["capabilities"]["experimental"]["zero-memory/contract"]["version"]
}

#[test]
fn p13_initialize_echoes_every_version_of_its_era() {
    let data = fresh();
    let site = Site::start(data.path());
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", NEWEST_LEGACY] {
        let mut pipes = Pipes::start(data.path());
        let on_pipes = pipes.initialize(version);
        let over_http = site.ask(Era::Legacy, "initialize", hello(version))["result"].clone();
        for result in [on_pipes, over_http] {
            assert_eq!(result["protocolVersion"], version, "{result}");
            assert_eq!(*announced(&result), contract_version(), "{version}");
            assert!(
                result["instructions"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{result}"
            );
            assert_eq!(result["serverInfo"]["name"], "zero-memory");
        }
    }
}

#[test]
fn p14_initialize_with_a_version_it_does_not_know_answers_its_newest() {
    let data = fresh();
    let site = Site::start(data.path());
    for version in ["2030-01-01", MODERN, "nonsense", ""] {
        let mut pipes = Pipes::start(data.path());
        let on_pipes = pipes.initialize(version);
        let over_http = site.ask(Era::Legacy, "initialize", hello(version))["result"].clone();
        for result in [on_pipes, over_http] {
            assert_eq!(
                result["protocolVersion"], NEWEST_LEGACY,
                "{version}: {result}"
            );
        }
        let listed = pipes.ask("tools/list", json!({}));
        assert!(listed["result"]["tools"].is_array(), "{listed}");
    }
}

#[test]
fn discover_tells_versions_contract_and_instructions() {
    let data = fresh();
    let site = Site::start(data.path());
    let mut pipes = Pipes::start(data.path());
    pipes.speak(Era::Modern);
    for response in [
        pipes.ask("server/discover", json!({})),
        site.ask(Era::Modern, "server/discover", json!({})),
    ] {
        let result = &response["result"];
        assert_eq!(*announced(result), contract_version(), "{response}");
        assert_eq!(result["resultType"], "complete");
        let versions = result["supportedVersions"].as_array().expect("a list");
        assert!(versions.contains(&json!(MODERN)), "{response}");
        assert!(
            result["instructions"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{response}"
        );
        assert!(
            result["ttlMs"].is_u64() && result["cacheScope"].is_string(),
            "{response}"
        );
    }
}

#[test]
fn tools_list_on_the_wire_is_the_generated_one() {
    // Nobody chose, or somebody did.
    for choice in [None, Some("core"), Some("full")] {
        let toolset = choice.unwrap_or("core");
        let arguments = choice.map(|name| ["--toolset", name]);
        let variable = choice.map(|name| (TOOLSET, name));
        let data = fresh();
        let site = Site::start_with(data.path(), arguments.as_slice().as_flattened());
        let mut pipes = Pipes::start_with(data.path(), variable.as_slice());
        let generated = json_file(format!("generated/tools_list/{toolset}.json"));
        let tools = generated.get("tools").unwrap_or(&generated).to_string();
        let told = &json_file("schema/contract.json")["toolsets"][toolset];
        for era in [Era::Legacy, Era::Modern] {
            pipes.speak(era);
            let opening = match era {
                Era::Legacy => "initialize",
                Era::Modern => "server/discover",
            };
            let opened = [
                pipes.ask(opening, hello(NEWEST_LEGACY)),
                site.ask(era, opening, hello(NEWEST_LEGACY)),
            ];
            for answer in opened {
                let words = answer["result"]["instructions"].as_str();
                let told = told.as_str().expect("a text");
                assert!(words.is_some_and(|words| words.contains(told)), "{answer}");
            }
            let listed = [
                pipes.ask("tools/list", json!({})),
                site.ask(era, "tools/list", json!({})),
            ];
            for answer in listed {
                // As text: the order of keys is part of what clients cache.
                let served = answer["result"]["tools"].to_string();
                assert!(served == tools, "{toolset}, {era:?}: {served:.400}…");
                assert!(answer["result"]["nextCursor"].is_null(), "{era:?}");
            }
        }
    }
}

#[test]
fn p15_discover_and_then_initialize_works_on_one_process() {
    let data = fresh();
    let mut pipes = Pipes::start(data.path());
    pipes.speak(Era::Modern);
    assert!(pipes.ask("server/discover", json!({}))["result"].is_object());
    pipes.speak(Era::Legacy);
    assert_eq!(
        pipes.initialize(NEWEST_LEGACY)["protocolVersion"],
        NEWEST_LEGACY
    );
    pipes.remember("A stork asks first and then settles.");
    assert_eq!(pipes.found("stork").len(), 1);
}

#[test]
fn the_eras_mix_on_one_process() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    pipes.remember("A stork of the old era.");
    pipes.speak(Era::Modern);
    pipes.remember("A stork of the new era.");
    assert_eq!(pipes.found("stork era").len(), 2);
    pipes.speak(Era::Legacy);
    assert_eq!(pipes.found("stork era").len(), 2);
}

#[test]
fn a_modern_call_needs_no_opening_of_any_sort() {
    let data = fresh();
    let mut pipes = Pipes::start(data.path());
    pipes.speak(Era::Modern);
    pipes.remember("A stork arrives unannounced.");
    let raw = pipes.ask(
        "tools/call",
        json!({ "name": "recall", "arguments": { "query": "stork" } }),
    );
    assert_eq!(raw["result"]["resultType"], "complete", "{raw}");
}

#[test]
fn an_initialize_after_modern_calls_is_answered() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Modern);
    pipes.remember("A stork of the new era.");
    pipes.speak(Era::Legacy);
    let response = pipes.ask("initialize", hello(NEWEST_LEGACY));
    let usable = response["result"]["protocolVersion"] == NEWEST_LEGACY
        || response["error"]["code"] == -32022;
    assert!(usable, "{response}");
    // The pipe is never closed for it.
    pipes.speak(Era::Modern);
    assert_eq!(pipes.found("stork").len(), 1);
}

#[test]
fn only_a_connection_of_the_initialize_era_has_a_session() {
    let first = json!({ "project_hint": "https://example.com/acme/nest", "content": "The nest is on the roof." });
    let second = json!({ "content": "The roof is red." });

    let data = fresh();
    let mut legacy = Pipes::open(data.path(), Era::Legacy);
    let payload = legacy.ok("remember", first.clone());
    assert_eq!(payload["session"]["attached_project"], "proj.me.nest");
    assert_eq!(
        legacy.ok("remember", second.clone())["scope"],
        "proj.me.nest"
    );

    let data = fresh();
    let mut modern = Pipes::open(data.path(), Era::Modern);
    let payload = modern.ok("remember", first);
    let error = modern.refused("remember", second, "validation_failed");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("scope_target_required:")),
        "{error}"
    );
    // The thread carries it instead.
    let thread = payload["session"]["thread"]
        .as_str()
        .expect("a thread")
        .to_owned();
    let third = json!({ "thread": thread, "content": "The roof is red." });
    assert_eq!(modern.ok("remember", third)["scope"], "proj.me.nest");
}

#[test]
fn p17_headers_that_differ_from_the_body_are_refused() {
    let data = fresh();
    let site = Site::start(data.path());
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": crate::harness::params(Era::Modern, json!({ "name": "recall", "arguments": { "query": "x" } })),
    })
    .to_string();
    let base = [("Accept", "application/json, text/event-stream")];
    let cases: [(&[(&str, &str)], i64); 3] = [
        (
            &[
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", "tools/list"),
                ("Mcp-Name", "recall"),
            ],
            -32020,
        ),
        (
            &[
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", "remember"),
            ],
            -32020,
        ),
        (
            &[
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", "tools/call"),
            ],
            -32020,
        ),
    ];
    for (headers, code) in cases {
        let headers: Vec<(&str, &str)> = base.iter().chain(headers).copied().collect();
        let response = site.owner("POST", "/mcp", &headers, message.as_bytes());
        assert_eq!(
            (response.status, response.json()["error"]["code"].clone()),
            (400, json!(code)),
            "{headers:?}"
        );
    }
    let unknown = message.replace(MODERN, "2031-01-01");
    let headers = [
        base[0],
        ("MCP-Protocol-Version", "2031-01-01"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "recall"),
    ];
    let response = site.owner("POST", "/mcp", &headers, unknown.as_bytes());
    assert_eq!(
        (response.status, response.json()["error"]["code"].clone()),
        (400, json!(-32022))
    );
}

#[test]
fn any_known_version_in_the_header_is_accepted() {
    // Some clients send their own newest version in place of the agreed one.
    let data = fresh();
    let site = Site::start(data.path());
    let message = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", NEWEST_LEGACY] {
        let headers = [
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", version),
        ];
        let response = site.owner("POST", "/mcp", &headers, message.as_bytes());
        assert!(
            response.json()["result"]["tools"].is_array(),
            "{version}: {}",
            response.text()
        );
    }
}

#[test]
fn p12_a_stale_session_id_is_no_obstacle() {
    let data = fresh();
    let site = Site::start(data.path());
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }).to_string();
    let headers = [
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", NEWEST_LEGACY),
        ("Mcp-Session-Id", "of-a-server-long-gone"),
    ];
    let response = site.owner("POST", "/mcp", &headers, message.as_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
    assert!(response.header("mcp-session-id").is_none());
}

#[test]
fn resources_are_listed_and_read_and_missing_ones_answer_alike() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    let content = "A crane stands on one leg. ".repeat(400).trim().to_owned();
    let id = pipes.remember(&content);
    let listed = pipes.ask("resources/list", json!({}));
    assert_eq!(
        listed["result"]["resources"][0]["uri"], "zm://rules",
        "{listed}"
    );
    let templates = pipes.ask("resources/templates/list", json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"][0]["uriTemplate"], "zm://memory/{id}",
        "{templates}"
    );
    let read = pipes.ask(
        "resources/read",
        json!({ "uri": format!("zm://memory/{id}") }),
    );
    let text = read["result"]["contents"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{read}"));
    let row: Value = serde_json::from_str(text).expect("it is JSON");
    assert_eq!(
        row["content"],
        json!(content),
        "the resource has the whole text"
    );
    let rules = pipes.ask("resources/read", json!({ "uri": "zm://rules" }));
    assert!(
        rules["result"]["contents"][0]["text"].is_string(),
        "{rules}"
    );

    let missing = |id: &str| json!({ "uri": format!("zm://memory/{id}") });
    let absent = pipes.ask("resources/read", missing("mem_00000000000000000000000000"));
    assert_eq!(absent["error"]["code"], -32002, "{absent}");
    pipes.speak(Era::Modern);
    let absent = pipes.ask("resources/read", missing("mem_00000000000000000000000000"));
    assert_eq!(absent["error"]["code"], -32602, "{absent}");
    for uri in [
        "zm://memory/",
        "zm://memory/x",
        "zm://nothing",
        "file:///etc/passwd",
        "zm://memory/../rules",
        "",
    ] {
        let refused = pipes.ask("resources/read", json!({ "uri": uri }));
        assert!(refused["error"]["code"].is_i64(), "{uri}: {refused}");
        assert!(refused.get("result").is_none(), "{uri}: {refused}");
    }
}
