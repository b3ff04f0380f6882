//! One line of log a request, with what happened and nothing of what was said:
//! every text that a caller can send is marked, and no mark may come out, at
//! any level.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::harness::{Door, Era, Pipes, Reply, Site, fresh, json_file, params, signal};

/// Stands in every text that is sent. Breaking the line would forge another.
const MARK: &str =
    "canary7391\nERROR forged\u{1b}[31m\r\n2026-01-01T00:00:00.000000Z ERROR zebra5582";

/// What must not come out of it.
const PARTS: [&str; 3] = ["canary7391", "forged", "zebra5582"];

/// Returns every value worth sending for a schema: marked where a text may be
/// anything, and an id that exists where an id is wanted.
fn marked(schema: &Value, id: &str, is_valid: bool) -> Value {
    if let Some(one) = schema["enum"].as_array().and_then(|all| all.first()) {
        return if is_valid { one.clone() } else { json!(MARK) };
    }
    match schema["type"].as_str() {
        Some("string") if !is_valid => json!(MARK),
        Some("string") if schema.get("pattern").is_some() => json!(id),
        Some("string") if schema["format"] == "date-time" => json!("2026-01-01T00:00:00Z"),
        Some("string") => json!(MARK),
        Some("integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!([marked(&schema["items"], id, is_valid)]),
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let fields: Map<String, Value> = fields
                .map(|(name, schema)| (name.clone(), marked(schema, id, is_valid)))
                .collect();
            Value::Object(fields)
        }
        other => panic!("{other:?} is no type of an input"),
    }
}

/// Returns marked calls of every tool: all arguments at once, each one alone
/// beside those that are required, all of them wrong, and one that is unknown.
fn calls(id: &str) -> Vec<(String, Value)> {
    let tools = json_file("generated/tools_list/full.json");
    let tools = tools.as_array().expect("a list").clone();
    let mut calls = Vec::new();
    for tool in tools {
        let name = tool["name"].as_str().expect("a name").to_owned();
        let schema = &tool["inputSchema"];
        let whole = marked(schema, id, true);
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for field in whole.as_object().expect("an object").keys() {
            let mut part = whole.clone();
            let fields = part.as_object_mut().expect("an object");
            fields.retain(|name, _| name == field || required.contains(&name.as_str()));
            calls.push((name.clone(), part));
        }
        calls.push((name.clone(), marked(schema, id, false)));
        calls.push((name.clone(), json!({ MARK: MARK })));
        calls.push((name, whole));
    }
    // What erases the account ends the proof.
    calls.sort_by_key(|(name, _)| name == "delete_account");
    calls
}

/// Checks every line; returns those of requests.
fn checked<'a>(lines: impl Iterator<Item = &'a str>, token: &str) -> Vec<&'a str> {
    let mut requests = Vec::new();
    for line in lines {
        let shown: String = line.chars().take(300).collect();
        for part in PARTS {
            assert!(!line.contains(part), "{part}: {shown}");
        }
        assert!(
            token.is_empty() || !line.contains(token),
            "the token: {shown}"
        );
        assert!(
            !line.contains(|letter: char| letter.is_control()),
            "{shown:?}"
        );
        // Each line is one of ours, from its beginning.
        let is_dated = line.starts_with("20") && line.get(10..11) == Some("T");
        assert!(is_dated, "{shown}");
        if line.contains(" outcome=") {
            requests.push(line);
        }
    }
    requests
}

/// Checks that lines tell what they have to.
fn tell(requests: &[&str], n_calls: usize) {
    assert!(requests.len() >= n_calls, "{} of {n_calls}", requests.len());
    let mut ids = std::collections::BTreeSet::new();
    for line in requests {
        for field in [
            "request_id=\"req_",
            "tool=\"",
            "n_scopes=",
            "duration_us=",
            "outcome=",
        ] {
            assert!(line.contains(field), "{field}: {line}");
        }
        let (_, rest) = line.split_once("request_id=\"").expect("an id");
        ids.insert(rest.split('"').next().unwrap_or_default().to_owned());
    }
    assert_eq!(ids.len(), requests.len(), "two lines of one request");
}

#[test]
fn t22_t23_no_level_of_the_log_on_stdio_tells_what_was_said() {
    for level in ["info", "debug"] {
        let data = fresh();
        let mut pipes = Pipes::start_as(data.path(), &["--log", level, "--project", MARK]);
        let hello = json!({
            "protocolVersion": crate::harness::NEWEST_LEGACY,
            "capabilities": {},
            "clientInfo": { "name": MARK, "version": MARK },
        });
        pipes.ask_bare("initialize", hello);
        let id = pipes.remember("A mark has to begin somewhere.");
        let calls = calls(&id);
        for (tool, arguments) in &calls {
            let reply = pipes.call(tool, arguments.clone());
            let is_internal =
                matches!(&reply, Reply::Refused(error) if error["code"] == "internal");
            assert!(!is_internal, "{tool}: {reply:?}");
        }
        for (method, given) in [
            (
                "tools/call",
                json!({ "name": MARK, "arguments": { MARK: MARK } }),
            ),
            (
                "resources/read",
                json!({ "uri": format!("zm://memory/{MARK}") }),
            ),
            (
                "prompts/get",
                json!({ "name": "brief", "arguments": { "topic": MARK } }),
            ),
            ("prompts/get", json!({ "name": MARK })),
            (
                "completion/complete",
                json!({
                    "ref": { "type": "ref/prompt", "name": "brief" },
                    "argument": { "name": "topic", "value": MARK },
                }),
            ),
            (MARK, json!({})),
        ] {
            pipes.ask(method, given);
        }
        pipes.line(MARK.replace('\n', " "));
        pipes.next();
        pipes.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": MARK, "reason": MARK },
        }));
        for list in [
            "tools/list",
            "resources/list",
            "resources/templates/list",
            "prompts/list",
        ] {
            pipes.ask(list, json!({}));
        }
        pipes.ask("ping", json!({}));
        // The line of an answer may come after the answer.
        let log = pipes.whole_log();
        let requests = checked(log.lines(), "");
        tell(&requests, calls.len());
        // What is answered without a memory has its line, too.
        for (tool, outcome, n_lines) in [
            ("initialize", "ok", 1),
            ("tools/list", "ok", 1),
            ("resources/list", "ok", 1),
            ("resources/templates/list", "ok", 1),
            ("prompts/list", "ok", 1),
            ("ping", "ok", 1),
            ("tools/call", "invalid_params", 1),
            ("prompts/get", "invalid_params", 1),
            ("-", "method_not_found", 1),
        ] {
            let told = format!("tool=\"{tool}\"");
            let ended = format!("outcome=\"{outcome}\"");
            let lines = requests.iter();
            let n = lines.filter(|line| line.contains(&told) && line.contains(&ended));
            assert_eq!(n.count(), n_lines, "{tool} {outcome}: {log}");
        }
        let scopes = requests
            .iter()
            .find(|line| line.contains("tool=\"remember\""));
        assert!(
            scopes.is_some_and(|line| line.contains("n_scopes=1")),
            "{scopes:?}"
        );
    }
}

#[test]
fn t22_t23_no_level_of_the_log_over_http_tells_what_was_said() {
    for level in ["info", "debug"] {
        let data = fresh();
        let site = Site::start_with(data.path(), &["--toolset", "full", "--log", level]);
        let token = site.token().to_owned();
        // Said once, to the person who started it.
        assert!(site.log_line().contains(&token));
        let agent = [("User-Agent", "canary7391/zebra5582")];
        let first = json!({ "scope": "core", "content": "A mark has to begin somewhere." });
        let path = "/api/tools/remember";
        let answer = site.owner("POST", path, &agent, first.to_string().as_bytes());
        let id = answer.json()["memory_id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let calls = calls(&id);
        for (tool, arguments) in &calls {
            let path = format!("/api/tools/{tool}");
            let answer = site.owner("POST", &path, &agent, arguments.to_string().as_bytes());
            assert_ne!(answer.status, 500, "{tool}: {}", answer.text());
        }
        let wrong = [("Authorization", "Bearer canary7391zebra5582")];
        let mut n_refused = 0;
        for (method, path, headers) in [
            ("POST", "/api/tools/canary7391?zebra5582=forged", &agent[..]),
            ("GET", "/canary7391/zebra5582", &agent[..]),
            ("DELETE", "/mcp?canary7391", &agent[..]),
            (
                "POST",
                "/api/tools/recall",
                &[("Origin", "http://canary7391.example")][..],
            ),
        ] {
            let answer = site.owner(method, path, headers, MARK.as_bytes());
            assert!(answer.status >= 400, "{path}");
            n_refused += 1;
        }
        let answer = site.send("POST", "/api/tools/recall", &wrong, MARK.as_bytes());
        assert_eq!(answer.status, 401);
        for era in [Era::Legacy, Era::Modern] {
            let given = json!({ "name": "recall", "arguments": { "query": MARK } });
            site.ask(era, "tools/call", given);
            let message = json!({
                "jsonrpc": "2.0", "id": MARK, "method": "tools/call",
                "params": params(era, json!({ "name": MARK, "arguments": { MARK: MARK } })),
            });
            site.post(era, "tools/call", Some("canary7391"), &message.to_string());
        }
        let site = Arc::new(site);
        signal("TERM", site.pid());
        let site = Arc::into_inner(site).expect("the only one");
        let (_, log) = site.wait();
        let requests = checked(log.iter().map(String::as_str), &token);
        tell(&requests, calls.len() + 1 + n_refused + 1 + 2);
    }
}
