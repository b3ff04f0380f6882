//! What the server says on the wire, against the protocol's own published
//! schema of each revision: every kind of result, and every tool in the list.

use std::process::Command;

use serde_json::{Value, json};

use crate::conformance::node;
use crate::harness::{Era, MODERN, Pipes, fresh, repository};
use crate::official_clients::told;

/// Returns what the schemas have against results of these types.
fn faults(asked: &[Value]) -> Vec<String> {
    let mut command = Command::new(node());
    command.arg(repository().join("tests/conformance/wire_schemas.mjs"));
    let told = told(command, &json!(asked));
    let faults = told.as_array().expect("a list").iter();
    faults
        .map(|fault| fault.as_str().expect("a text").to_owned())
        .collect()
}

/// Returns one result of every kind, as a client of this revision gets them.
fn results(version: &str) -> Vec<Value> {
    let data = fresh();
    let mut pipes = Pipes::start(data.path());
    let mut all = Vec::new();
    let mut keep = |kind: &str, result: &Value| {
        assert!(result.is_object(), "{version} {kind}: {result}");
        all.push(json!({ "version": version, "type": kind, "result": result }));
    };
    if version == MODERN {
        pipes.speak(Era::Modern);
        let response = pipes.ask("server/discover", json!({}));
        keep("DiscoverResult", &response["result"]);
    } else {
        let hello = pipes.initialize(version);
        assert_eq!(hello["protocolVersion"], version);
        keep("InitializeResult", &hello);
    }
    let stored = pipes.ask(
        "tools/call",
        json!({ "name": "remember", "arguments": { "content": "Bread is out.", "scope": "core" } }),
    );
    let id = &stored["result"]["structuredContent"]["memory_id"];
    let uri = format!("zm://memory/{}", id.as_str().expect("an id"));
    keep("CallToolResult", &stored["result"]);
    let asked = [
        ("ListToolsResult", "tools/list", json!({})),
        (
            "CallToolResult",
            "tools/call",
            json!({ "name": "recall", "arguments": { "query": "bread" } }),
        ),
        (
            "CallToolResult",
            "tools/call",
            json!({ "name": "recall", "arguments": {} }),
        ),
        ("ListResourcesResult", "resources/list", json!({})),
        (
            "ListResourceTemplatesResult",
            "resources/templates/list",
            json!({}),
        ),
        (
            "ReadResourceResult",
            "resources/read",
            json!({ "uri": uri }),
        ),
        (
            "ReadResourceResult",
            "resources/read",
            json!({ "uri": "zm://rules" }),
        ),
        ("ListPromptsResult", "prompts/list", json!({})),
        (
            "GetPromptResult",
            "prompts/get",
            json!({ "name": "brief", "arguments": { "topic": "bread" } }),
        ),
        (
            "CompleteResult",
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "brief" }, "argument": { "name": "topic", "value": "" } }),
        ),
    ];
    for (kind, method, given) in asked {
        let response = pipes.ask(method, given);
        keep(kind, &response["result"]);
    }
    all
}

#[test]
fn every_result_is_what_its_revision_publishes() {
    let mut asked = Vec::new();
    for version in ["2025-06-18", "2025-11-25", MODERN] {
        asked.extend(results(version));
    }
    let n_tools = |result: &Value| result["result"]["tools"].as_array().map(Vec::len);
    assert!(asked.iter().filter_map(n_tools).all(|n_tools| n_tools > 8));
    for (question, fault) in asked.iter().zip(faults(&asked)) {
        assert_eq!(fault, "", "{} {}", question["version"], question["type"]);
    }
}

#[test]
fn a_list_that_its_revision_forbids_is_found() {
    for version in ["2025-06-18", "2025-11-25", MODERN] {
        let mut asked = results(version);
        let list = asked
            .iter_mut()
            .find(|question| question["type"] == "ListToolsResult")
            .expect("a list was asked for");
        list["result"]["tools"][0]["inputSchema"]["type"] = json!("array");
        let list = [list.clone()];
        assert_ne!(faults(&list), [""], "{version}");
    }
}
