//! The routes for scripts: the same tools, the same error body, the token.

use serde_json::{Value, json};

use crate::harness::{Era, MAX_LINE_BYTES, Response, Site, fresh, json_file, tool_call};

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

fn assert_names_request_and_contract(what: &str, response: &Response) {
    let version = json_file("schema/contract.json")["version"].clone();
    assert_eq!(
        response.header("x-zero-memory-contract"),
        version.as_str(),
        "{what}"
    );
    let id = response
        .header("x-request-id")
        .unwrap_or_else(|| panic!("{what} has no request id"));
    assert!(id.starts_with("req_") && id.len() == 30, "{what}: {id}");
}

#[test]
fn every_route_names_its_request_and_the_contract() {
    let data = fresh();
    let site = Site::start(data.path());
    let mut ids = std::collections::BTreeSet::new();
    let accept = [("Accept", "application/json, text/event-stream")];
    let evil = [("Origin", "https://evil.example")];
    let answers = [
        ("health", site.send("GET", "/healthz", &[], b"")),
        (
            "a tool",
            site.owner("POST", "/api/tools/recall", &[], b"{\"query\":\"x\"}"),
        ),
        (
            "a refusal",
            site.owner("POST", "/api/tools/recall", &[], b"{}"),
        ),
        (
            "no such tool",
            site.owner("POST", "/api/tools/nothing", &[], b"{}"),
        ),
        ("no such route", site.owner("GET", "/nowhere", &[], b"")),
        (
            "another method",
            site.owner("GET", "/api/tools/recall", &[], b""),
        ),
        (
            "no token",
            site.send("POST", "/api/tools/recall", &[], b"{}"),
        ),
        ("mcp", site.owner("POST", "/mcp", &accept, PING)),
        (
            "mcp without token",
            site.send("POST", "/mcp", &accept, PING),
        ),
        ("mcp by GET", site.owner("GET", "/mcp", &accept, b"")),
        ("a foreign origin", site.owner("POST", "/mcp", &evil, PING)),
    ];
    for (what, response) in answers {
        assert_names_request_and_contract(what, &response);
        assert!(
            ids.insert(response.header("x-request-id").map(str::to_owned)),
            "{what} shares an id"
        );
    }
}

#[test]
fn without_the_token_nothing_is_answered() {
    let data = fresh();
    let site = Site::start(data.path());
    let token = site.token().to_owned();
    let near = format!("{}x", &token[..token.len() - 1]);
    let cases = [
        None,
        Some("Bearer".to_owned()),
        Some("Bearer ".to_owned()),
        Some("Bearer wrong".to_owned()),
        Some(format!("Bearer {near}")),
        Some(format!("Bearer {token}{token}")),
        Some(format!("Basic {token}")),
        Some(token.clone()),
    ];
    for case in cases {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        if let Some(value) = &case {
            headers.push(("Authorization", value));
        }
        let plain = site.send("POST", "/api/tools/recall", &headers, b"{\"query\":\"x\"}");
        assert_eq!(plain.status, 401, "{case:?}");
        assert_eq!(plain.json()["error"]["code"], "unauthorized");
        assert!(
            plain
                .header("www-authenticate")
                .is_some_and(|value| value.starts_with("Bearer"))
        );
        let mcp = site.send("POST", "/mcp", &headers, PING);
        assert_eq!(mcp.status, 401, "{case:?}");
        assert!(
            mcp.header("www-authenticate")
                .is_some_and(|value| value.starts_with("Bearer"))
        );
        assert!(mcp.text().contains("unauthorized"), "{}", mcp.text());
        for answer in [plain, mcp] {
            assert!(
                !answer.text().contains(&token),
                "the answer shows the token"
            );
        }
    }
    // A token in the address is none.
    let path = format!("/api/tools/recall?token={token}&access_token={token}");
    assert_eq!(
        site.send("POST", &path, &[], b"{\"query\":\"x\"}").status,
        401
    );
    assert_eq!(
        site.send("GET", "/healthz", &[], b"").status,
        200,
        "health needs none"
    );
}

#[test]
fn a_tool_is_called_by_post_and_refuses_with_the_mapped_status() {
    let data = fresh();
    let site = Site::start(data.path());
    let call = |tool: &str, body: &str| {
        site.owner("POST", &format!("/api/tools/{tool}"), &[], body.as_bytes())
    };
    let stored = call(
        "remember",
        r#"{"scope":"core","content":"A dunlin rests."}"#,
    );
    assert_eq!(stored.status, 200, "{}", stored.text());
    let id = stored.json()["memory_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert_eq!(
        call("recall", r#"{"query":"dunlin"}"#).json()["memories"][0]["id"],
        json!(id)
    );
    let retired = call("forget", &json!({ "memory_id": id }).to_string());
    assert_eq!(retired.json()["invalidated"], true);

    let missing = "mem_00000000000000000000000000";
    for (tool, body, status, code) in [
        ("recall", "{}".to_owned(), 400, "validation_failed"),
        ("recall", "{".to_owned(), 400, "validation_failed"),
        ("recall", "[]".to_owned(), 400, "validation_failed"),
        ("recall", "7".to_owned(), 400, "validation_failed"),
        ("recall", String::new(), 400, "validation_failed"),
        (
            "forget",
            json!({ "memory_id": missing }).to_string(),
            404,
            "not_found",
        ),
        (
            "challenge",
            json!({ "memory_id": id, "reason": "x" }).to_string(),
            409,
            "conflict",
        ),
        ("nothing", "{}".to_owned(), 404, "not_found"),
        ("re%63all/../x", "{}".to_owned(), 404, "not_found"),
    ] {
        let response = call(tool, &body);
        assert_eq!(
            (response.status, response.json()["error"]["code"].clone()),
            (status, json!(code)),
            "{tool} {body}"
        );
    }
    // The entities tool needs no argument, so an empty body is enough.
    assert_eq!(call("entities", "").status, 200);
    for method in ["GET", "PUT", "DELETE", "PATCH"] {
        let response = site.owner(method, "/api/tools/recall", &[], b"");
        assert_eq!(response.status, 405, "{method}");
        assert_eq!(response.json()["error"]["code"], "validation_failed");
    }
}

#[test]
fn an_id_that_is_missing_and_one_that_is_of_another_sort_say_nothing_more() {
    let data = fresh();
    let site = Site::start(data.path());
    let ask = |id: &str| {
        site.owner(
            "POST",
            "/api/tools/forget",
            &[],
            json!({ "memory_id": id }).to_string().as_bytes(),
        )
    };
    let first = ask("mem_00000000000000000000000000");
    let second = ask("mem_7zzzzzzzzzzzzzzzzzzzzzzzzz");
    assert_eq!((first.status, second.status), (404, 404));
    let without_id = |text: String, id: &str| text.replace(id, "the id");
    assert_eq!(
        without_id(first.text(), "mem_00000000000000000000000000"),
        without_id(second.text(), "mem_7zzzzzzzzzzzzzzzzzzzzzzzzz")
    );
}

#[test]
fn requests_that_are_no_http_do_not_end_the_server() {
    use std::io::{Read, Write};
    let data = fresh();
    let site = Site::start(data.path());
    for garbage in [
        &b"\x16\x03\x01\x02\x00"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
    ] {
        let mut stream = std::net::TcpStream::connect(site.address()).expect("it listens");
        stream.write_all(garbage).expect("it takes bytes");
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
    }
    // A client that goes in the middle of a body.
    let mut stream = std::net::TcpStream::connect(site.address()).expect("it listens");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 1000\r\n\r\n{{",
        site.address()
    );
    stream.write_all(head.as_bytes()).expect("it takes bytes");
    drop(stream);
    assert_eq!(
        site.ask(Era::Legacy, "ping", json!({}))["result"],
        json!({})
    );
}

#[test]
fn a_body_that_is_announced_far_too_long_is_refused_before_it_comes() {
    use std::io::{Read, Write};
    let data = fresh();
    let site = Site::start(data.path());
    for route in ["/mcp", "/api/tools/recall"] {
        let mut stream = std::net::TcpStream::connect(site.address()).expect("it listens");
        let head = format!(
            "POST {route} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
            site.address(),
            site.token(),
        );
        stream.write_all(head.as_bytes()).expect("it takes bytes");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .expect("an answer and the end");
        assert!(answer.contains("a body may have at most"), "{answer}");
    }
}

#[test]
fn a_refusal_on_the_mcp_endpoint_is_a_json_rpc_error_with_the_id() {
    let data = fresh();
    let site = Site::start(data.path());
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":{{\"a\":{}{}}}}}",
        "[".repeat(300),
        "]".repeat(300)
    );
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}";
    type Row<'a> = (&'a [(&'a str, &'a str)], &'a str, u16, i64, Value);
    let table: [Row<'_>; 6] = [
        (&[], "{}", 400, -32600, Value::Null),
        (&[], "{\"jsonrpc\":\"2.0\",\"id\":9}", 400, -32600, json!(9)),
        (&[], &deep, 400, -32700, json!(9)),
        (&[], "[]", 400, -32600, Value::Null),
        (&[("Accept", "text/html")], ping, 406, -32600, json!(9)),
        (
            &[("MCP-Protocol-Version", "1999-01-01")],
            ping,
            400,
            -32600,
            json!(9),
        ),
    ];
    for (headers, body, status, code, id) in table {
        let response = site.owner("POST", "/mcp", headers, body.as_bytes());
        let answer = response.json();
        assert_eq!(response.status, status, "{body}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{body}: {answer}");
        assert_eq!(answer["id"], id, "{body}: {answer}");
    }
}

#[test]
fn a_message_that_is_too_long_is_refused_under_its_id_wherever_that_stands() {
    let data = fresh();
    let site = Site::start(data.path());
    let filler = "x".repeat(MAX_LINE_BYTES);
    let first = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"ping\",\"params\":{{\"a\":\"{filler}\"}}}}"
    );
    let last = format!(
        "{{\"method\":\"ping\",\"params\":{{\"a\":\"{filler}\"}},\"jsonrpc\":\"2.0\",\"id\":\"late\"}}"
    );
    for (body, id) in [
        (first, json!(77)),
        (last, json!("late")),
        (filler + "x", Value::Null),
    ] {
        let response = site.owner("POST", "/mcp", &[], body.as_bytes());
        let answer = response.json();
        assert_eq!(response.status, 413, "{answer}");
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert_eq!(answer["id"], id, "{answer}");
    }
}

#[test]
fn the_program_behind_a_call_is_noted_in_both_eras() {
    let data = fresh();
    let site = Site::start(data.path());
    let agent = |era: Era, content: &str| {
        let arguments = format!("{{\"scope\":\"core\",\"content\":\"{content}\"}}");
        let message = tool_call(era, 1, "remember", &arguments);
        let mut headers = vec![("User-Agent", "robin/1.2 (test)")];
        if era == Era::Modern {
            headers.extend([
                ("Accept", "application/json, text/event-stream"),
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", "remember"),
            ]);
        }
        let stored = site
            .owner("POST", "/mcp", &headers, message.as_bytes())
            .json();
        let id = stored["result"]["structuredContent"]["memory_id"].clone();
        let uri = format!("zm://memory/{}", id.as_str().expect("it is stored"));
        let read = site.ask(Era::Modern, "resources/read", json!({ "uri": uri }));
        let text = read["result"]["contents"][0]["text"].as_str();
        let row: Value = serde_json::from_str(text.expect("it is read")).expect("it is JSON");
        row["agent"].clone()
    };
    assert_eq!(agent(Era::Legacy, "A robin sings."), "robin");
    // In the 2026 era every request names its program itself.
    let named = agent(Era::Modern, "A robin sings again.");
    assert!(
        named.is_string() && named != "rmcp" && named != "robin",
        "{named}"
    );
}

#[test]
fn a_list_of_millions_is_refused_in_few_words() {
    let data = fresh();
    let site = Site::start(data.path());
    let body = format!(
        "{{\"query\":\"x\",\"kinds\":[{}1]}}",
        "1,".repeat(2_000_000)
    );
    let response = site.owner("POST", "/api/tools/recall", &[], body.as_bytes());
    assert_eq!(response.status, 400);
    assert_eq!(response.json()["error"]["code"], "validation_failed");
    assert!(response.text().len() < 10_000);
    let name = "k".repeat(1_000_000);
    let body = format!("{{\"query\":\"x\",\"{name}\":1}}");
    let response = site.owner("POST", "/api/tools/recall", &[], body.as_bytes());
    assert_eq!(response.status, 400);
    assert!(response.text().len() < 10_000);
}

#[test]
fn a_refused_request_leaves_its_connection_to_the_next_one() {
    use std::io::{ErrorKind, Read as _, Write as _};
    let data = fresh();
    let site = Site::start(data.path());
    let body = r#"{"query":"heron"}"#;
    for path in ["/api/tools/recall", "/mcp"] {
        let mut stream = std::net::TcpStream::connect(site.address()).expect("it listens");
        stream
            .set_read_timeout(Some(crate::harness::DEADLINE))
            .expect("a time");
        for _ in 0..3 {
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer tok_wrong\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                site.address(),
                body.len()
            );
            // The body comes when the refusal could be on its way already.
            stream.write_all(head.as_bytes()).expect("it is taken");
            std::thread::sleep(std::time::Duration::from_millis(50));
            stream.write_all(body.as_bytes()).expect("it is taken");
            let mut answer = [0; 4096];
            let n_read = loop {
                match stream.read(&mut answer) {
                    // A child of another test ended meanwhile.
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => break read.expect("it is answered"),
                }
            };
            let answer = String::from_utf8_lossy(&answer[..n_read]).into_owned();
            assert!(answer.starts_with("HTTP/1.1 401"), "{path}: {answer:?}");
        }
    }
}
