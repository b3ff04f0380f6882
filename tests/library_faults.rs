//! Faults of the protocol library that the server mends or guards, one test
//! each. A panicking handler cannot be had from outside; that one is proven
//! inside the server.

use serde_json::{Value, json};

use crate::harness::{Door, Era, MAX_LINE_BYTES, Pipes, Site, fresh, params};

fn misshapen() -> Vec<(&'static str, Value)> {
    vec![
        (
            "tools/call",
            json!({ "name": "recall", "arguments": "a string" }),
        ),
        (
            "tools/call",
            json!({ "name": "recall", "arguments": ["a list"] }),
        ),
        ("tools/call", json!({ "arguments": { "query": "no name" } })),
        ("tools/call", json!({ "name": 7, "arguments": {} })),
        ("resources/read", json!({ "uri": 7 })),
        ("resources/read", json!({})),
        ("tools/list", json!({ "cursor": 7 })),
    ]
}

#[test]
fn a_misshapen_parameters_are_invalid_and_not_an_unknown_method() {
    let data = fresh();
    let site = Site::start(data.path());
    for era in [Era::Legacy, Era::Modern] {
        let mut pipes = Pipes::open(data.path(), era);
        for (method, given) in misshapen() {
            let response = pipes.ask(method, given.clone());
            assert_eq!(
                response["error"]["code"], -32602,
                "{method} {given}: {response}"
            );
            let response = site.ask(era, method, given.clone());
            // Over HTTP, a header may be missed before the body is looked at.
            let code = response["error"]["code"].clone();
            assert!(
                code == -32602 || (era == Era::Modern && code == -32020),
                "{method} {given}: {response}"
            );
        }
        let response = pipes.ask("tools/frobnicate", json!({}));
        assert_eq!(response["error"]["code"], -32601, "{response}");
    }
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/frobnicate", "params": params(Era::Modern, json!({})) });
    let response = site.post(Era::Modern, "tools/frobnicate", None, &message.to_string());
    assert_eq!(
        (response.status, response.json()["error"]["code"].clone()),
        (404, json!(-32601))
    );
}

#[test]
fn a_a_method_that_the_2026_era_removed_is_unknown_to_it() {
    let data = fresh();
    let site = Site::start(data.path());
    for method in ["initialize", "ping", "logging/setLevel"] {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params(Era::Modern, json!({})) });
        let response = site.post(Era::Modern, method, None, &message.to_string());
        assert_eq!(
            (response.status, response.json()["error"]["code"].clone()),
            (404, json!(-32601)),
            "{method}"
        );
    }
}

#[test]
fn b_an_early_notification_does_not_end_the_process() {
    let data = fresh();
    let early = [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1, "reason": "x" } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/of_my_own", "params": { "a": 1 } }),
    ];
    for notification in &early {
        let mut pipes = Pipes::start(data.path());
        pipes.send(notification);
        pipes.initialize("2025-06-18");
        assert!(pipes.ask("ping", json!({}))["result"].is_object());
    }
    // What clients do that probe, give up, and fall back.
    let mut pipes = Pipes::start(data.path());
    pipes.speak(Era::Modern);
    let probe = pipes.send_request("server/discover", json!({}));
    pipes.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": probe } }));
    pipes.speak(Era::Legacy);
    pipes.initialize("2025-11-25");
    pipes.remember("A wren hides in the hedge.");
    assert_eq!(pipes.found("wren").len(), 1);
}

#[test]
fn d_a_line_that_is_no_json_is_answered_with_a_parse_error() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    for line in [
        "{",
        "nonsense",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
        "\u{0}",
        "{'single': 1}",
        "[1,",
        "{\"a\":1e999}",
    ] {
        pipes.line(line);
        let answer = pipes.next();
        assert_eq!(answer["error"]["code"], -32700, "{line}: {answer}");
        assert!(answer["id"].is_null(), "{answer}");
    }
    pipes.line([0xff, 0xfe, b'{', b'}']);
    assert_eq!(pipes.next()["error"]["code"], -32700);
    assert!(pipes.ask("ping", json!({}))["result"].is_object());
}

#[test]
fn d_no_unreadable_line_goes_unanswered_between_others() {
    const N: usize = 300;
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    for _ in 0..N {
        // A long answer keeps the output busy while the line is refused.
        pipes.send_request("tools/list", json!({}));
        pipes.line("{");
    }
    let answers: Vec<Value> = (0..2 * N).map(|_| pipes.next()).collect();
    let refused = answers.iter().filter(|answer| answer["id"].is_null());
    assert_eq!(refused.count(), N);
}

#[test]
fn d_json_that_is_no_message_is_an_invalid_request() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    for line in [
        "{}",
        "7",
        "\"text\"",
        "null",
        "{\"id\":5}",
        "{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":7}",
    ] {
        pipes.line(line);
        let answer = pipes.next();
        assert_eq!(answer["error"]["code"], -32600, "{line}: {answer}");
    }
    // Empty lines and carriage returns are no messages at all.
    pipes.line("");
    pipes.line("  \t ");
    pipes.line("\r");
    pipes.line("{\"jsonrpc\":\"2.0\",\"id\":\"text id\",\"method\":\"ping\"}\r");
    assert_eq!(pipes.next()["id"], "text id");
}

#[test]
fn d_an_over_long_line_is_answered_and_the_next_one_is_read() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    let filler = "x".repeat(MAX_LINE_BYTES);
    pipes.line(format!("{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{{\"name\":\"remember\",\"arguments\":{{\"scope\":\"core\",\"content\":\"{filler}\"}}}}}}"));
    let answer = pipes.next();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(77), &json!(-32600))
    );
    // Some clients write the id last.
    pipes.line(format!("{{\"method\":\"tools/call\",\"params\":{{\"name\":\"remember\",\"arguments\":{{\"content\":\"{filler}\"}}}},\"jsonrpc\":\"2.0\",\"id\":\"late\"}}"));
    let answer = pipes.next();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!("late"), &json!(-32600))
    );
    // What has no shape has no id.
    pipes.line(filler + "x");
    let answer = pipes.next();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
    assert!(pipes.ask("ping", json!({}))["result"].is_object());
    assert!(pipes.found("xxxx").is_empty());
}

#[test]
fn d_a_batch_is_answered() {
    let data = fresh();
    let batch = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]";
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    pipes.line(batch);
    assert_eq!(pipes.next()["error"]["code"], -32600);
    let site = Site::start(data.path());
    for (body, code) in [(batch, -32600), ("[]", -32600), ("{", -32700), ("", -32700)] {
        let response = site.post(Era::Legacy, "ping", None, body);
        assert_eq!(
            (response.status, response.json()["error"]["code"].clone()),
            (400, json!(code)),
            "{body}"
        );
    }
}

#[test]
fn e_a_cancelled_request_leaves_the_connection_alive_and_silent() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    for round in 0..10 {
        let arguments =
            json!({ "scope": "core", "content": format!("A wren was called off {round}.") });
        let id = pipes.send_call("remember", &arguments.to_string());
        pipes.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
        let ping = pipes.send_request("ping", json!({}));
        pipes.response(ping);
    }
    // Cancelling what never was, or is over, changes nothing.
    for id in [json!(1), json!(999_999), json!("no such id"), json!(null)] {
        pipes.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    }
    let found = pipes.found("wren");
    let mut contents = found.clone();
    contents.dedup();
    assert_eq!(found.len(), contents.len());
    pipes.remember("A wren is heard again.");
}

#[test]
fn f_a_foreign_origin_or_host_is_refused_on_every_route() {
    let data = fresh();
    let site = Site::start(data.path());
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    let port = site
        .address()
        .rsplit(':')
        .next()
        .unwrap_or_default()
        .to_owned();
    let near = format!("http://127.0.0.1.evil.example:{port}");
    let ours = format!("http://{}", site.address());
    let host_of_ours = format!("localhost:{port}");
    for (method, path, body) in [
        ("POST", "/mcp", ping),
        ("POST", "/api/tools/recall", "{\"query\":\"x\"}"),
        ("GET", "/healthz", ""),
        ("OPTIONS", "/mcp", ""),
        ("GET", "/nowhere", ""),
    ] {
        for origin in [
            "https://evil.example",
            "null",
            "http://localhost.evil.example",
            near.as_str(),
            "http://127.0.0.1:1",
        ] {
            let response = site.owner(
                method,
                path,
                &[("Origin", origin), ("Accept", "*/*")],
                body.as_bytes(),
            );
            assert_eq!(response.status, 403, "{method} {path} from {origin}");
        }
        for host in [
            "evil.example",
            "attacker.example:8787",
            "127.0.0.1.evil.example",
            "",
        ] {
            let response = site.owner(
                method,
                path,
                &[("Host", host), ("Accept", "*/*")],
                body.as_bytes(),
            );
            assert!(
                response.status == 403 || response.status == 400,
                "{method} {path} at {host}: {}",
                response.status
            );
        }
        let allowed = site.owner(
            method,
            path,
            &[
                ("Origin", &ours),
                ("Host", &host_of_ours),
                ("Accept", "*/*"),
            ],
            body.as_bytes(),
        );
        assert_ne!(allowed.status, 403, "{method} {path}");
    }
}

#[test]
fn f_other_methods_on_the_endpoint_are_refused_at_once() {
    let data = fresh();
    let site = Site::start(data.path());
    for method in ["GET", "DELETE", "PUT", "PATCH"] {
        let response = site.owner(method, "/mcp", &[("Accept", "text/event-stream")], b"");
        assert_eq!(
            (response.status, response.header("allow")),
            (405, Some("POST")),
            "{method}"
        );
    }
}

#[test]
fn a_client_that_accepts_only_json_is_served() {
    let data = fresh();
    let site = Site::start(data.path());
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    for accept in [
        "application/json",
        "*/*",
        "application/json, text/event-stream",
        "text/event-stream, application/json;q=0.9",
    ] {
        let response = site.owner("POST", "/mcp", &[("Accept", accept)], ping);
        assert_eq!(response.status, 200, "{accept}");
        assert!(response.json()["result"].is_object(), "{accept}");
    }
    assert_eq!(
        site.owner("POST", "/mcp", &[], ping).status,
        200,
        "no Accept at all"
    );
}
