//! The command line of the official Inspector lists and calls every tool, in
//! both eras.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};

use crate::conformance::node;
use crate::harness::{Door, Era, Pipes, at, binary, filled, fresh, json_file, repository, vectors};

/// Inspectors that run at a time; each is a Node of its own.
const AT_A_TIME: usize = 3;

/// Runs the Inspector once; returns what it printed.
fn inspect(data: &std::path::Path, era: &str, arguments: &[&str]) -> Result<Value, String> {
    let config = data.join("inspector.json");
    let server = json!({
        "type": "stdio",
        "command": binary(),
        "args": ["stdio", "--toolset", "full", "--data", data],
        "protocolEra": era,
    });
    let servers = json!({ "mcpServers": { "memory": server } });
    std::fs::write(&config, servers.to_string()).expect("a config can be written");
    let launcher = "tests/conformance/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    let output = Command::new(node())
        .arg(repository().join(launcher))
        .args([
            "--cli", "--quiet", "--format", "json", "--server", "memory", "--config",
        ])
        .arg(&config)
        .args(arguments)
        .env("HOME", data)
        .env("MCP_INSPECTOR_SECRET_STORE", "memory")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {text}{errors}", output.status));
    }
    serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
}

/// Returns the first vector of every tool that succeeds.
fn first_valid() -> Vec<Value> {
    let mut seen = BTreeSet::new();
    vectors()
        .into_iter()
        .map(|(_, vector)| vector)
        .filter(|vector| vector.get("error").is_none())
        .filter(|vector| seen.insert(vector["tool"].to_string()))
        .collect()
}

/// Calls a tool with a vector after the calls that come first.
fn call(era: &str, vector: &Value) -> Result<(), String> {
    let data = fresh();
    let mut kept = Map::from_iter([("empty".to_owned(), json!(""))]);
    let given = vector["given"].as_array();
    if given.is_some_and(|steps| !steps.is_empty()) {
        let mut pipes = Pipes::open(data.path(), Era::Legacy);
        for step in given.into_iter().flatten() {
            let tool = step["tool"].as_str().unwrap_or_default();
            let payload = pipes.ok(tool, filled(&step["input"], &kept));
            for (name, pointer) in step["keep"].as_object().into_iter().flatten() {
                let value = at(&payload, pointer.as_str().unwrap_or_default());
                kept.insert(name.clone(), value);
            }
        }
        pipes.close();
    }
    let tool = vector["tool"].as_str().unwrap_or_default();
    let input = filled(&vector["input"], &kept).to_string();
    let arguments = [
        "--method",
        "tools/call",
        "--tool-name",
        tool,
        "--tool-args-json",
        &input,
    ];
    let printed = inspect(data.path(), era, &arguments)?;
    let result = printed.get("result").unwrap_or(&printed);
    if !result["structuredContent"].is_object() || result["isError"] == true {
        return Err(format!("{tool}: {printed}"));
    }
    for (pointer, wanted) in vector["expect"].as_object().into_iter().flatten() {
        let value = at(&result["structuredContent"], pointer);
        if value != filled(wanted, &kept) {
            return Err(format!("{tool}: {pointer} is {value} in place of {wanted}"));
        }
    }
    Ok(())
}

fn lists_and_calls_every_tool(era: &str) {
    let data = fresh();
    let printed = inspect(data.path(), era, &["--method", "tools/list"]).expect("it lists");
    let result = printed.get("result").unwrap_or(&printed);
    let names = |list: &Value| -> BTreeSet<String> {
        let tools = list["tools"].as_array().or(list.as_array());
        let tools = tools.unwrap_or_else(|| panic!("no tools in {list}")).iter();
        tools.map(|tool| tool["name"].to_string()).collect()
    };
    let generated = json_file("generated/tools_list/full.json");
    assert_eq!(names(result), names(&generated));

    let calls = first_valid();
    assert_eq!(calls.len(), names(&generated).len(), "a tool has no vector");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(vector) = calls.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = call(era, vector) {
                        failures
                            .lock()
                            .expect("nobody panics with it")
                            .push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("nobody panics with it");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_inspector_lists_and_calls_every_tool_in_the_initialize_era() {
    lists_and_calls_every_tool("legacy");
}

#[test]
fn the_inspector_lists_and_calls_every_tool_in_the_2026_era() {
    lists_and_calls_every_tool("modern");
}
