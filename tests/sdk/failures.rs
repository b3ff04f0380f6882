//! Failures that no server of this contract answered: every one is a kind of
//! the package, in every language, and says what to do.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::{Value, json};
use zero_memory_client::{Error, ErrorCode, Options, Program, Protocol, ZeroMemory, types};

use super::between::{Between, Edit};
use super::kit::{KITS, Kit};
use super::rust::{refused, run};
use crate::harness::{Site, fresh};

/// What something else than the server answers: a status, a kind and a body.
/// The message names the status, but of a stream.
struct Odd(&'static str, &'static str, &'static str);

const ODD: [Odd; 21] = [
    // It hangs up.
    Odd("", "", ""),
    Odd("502 Bad Gateway", "text/html", "<b>no</b>"),
    Odd("503 Service Unavailable", "text/html", ""),
    Odd("403 Forbidden", "text/html", "<b>no</b>"),
    Odd("404 Not Found", "text/html", "<b>no</b>"),
    Odd(
        "404 Not Found",
        "application/json",
        r#"{"error":{"code":404,"message":"no"}}"#,
    ),
    Odd("204 No Content", "", ""),
    Odd("200 OK", "application/json", ""),
    Odd("200 OK", "text/html", "<b>hi</b>"),
    Odd("200 OK", "application/json", "hello"),
    Odd("200 OK", "application/json", "[]"),
    Odd("200 OK", "application/json", r#"{"status":"up"}"#),
    Odd("200 OK", "application/json", r#"{"jsonrpc":"2.0","id":1}"#),
    Odd(
        "200 OK",
        "application/json",
        r#"{"jsonrpc":"2.0","id":1,"result":"up"}"#,
    ),
    // Of another kind than the protocol has.
    Odd(
        "200 OK",
        "text/plain",
        r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
    ),
    Odd(
        "200 OK",
        "text/plain",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ),
    // Nobody asked that.
    Odd(
        "200 OK",
        "application/json",
        r#"{"jsonrpc":"2.0","id":9000,"result":{}}"#,
    ),
    // Streams that end before an answer: at once, after something else, and
    // within a line.
    Odd("200 OK", "text/event-stream", ""),
    Odd("200 OK", "text/event-stream", "data: hello\n\n"),
    Odd("200 OK", "text/event-stream", "data: {\"jsonrpc\""),
    Odd(
        "200 OK",
        "text/event-stream",
        "data: {\"jsonrpc\":\"2.0\",\"id\":9000,\"result\":{}}\n\n",
    ),
];

impl Odd {
    fn answer(&self) -> String {
        let Self(status, kind, body) = self;
        if status.is_empty() {
            return String::new();
        }
        let kind = if kind.is_empty() {
            String::new()
        } else {
            format!("Content-Type: {kind}\r\n")
        };
        format!(
            "HTTP/1.1 {status}\r\n{kind}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }

    /// Says what is so: that the connection broke, or was none yet, or who
    /// answered.
    fn assert_worded(&self, is_open: bool, message: &str, place: &str) {
        // Of an answer in a stream that nobody asked for, one sees this and
        // another that.
        let is_seen = self.2.contains("9000") && message.contains("to another request");
        let is_stream = self.1 == "text/event-stream";
        let maybe = "may have been carried out";
        let (begin, end) = match self.0.is_empty() || (is_stream && !is_seen) {
            true if is_open => ("the connection broke: ", maybe),
            true => ("no connection was opened: ", "in its log, and try again"),
            false => ("something else than a zero-memory server answered: ", maybe),
        };
        assert!(message.starts_with(begin), "{place}: {message}");
        assert!(message.ends_with(end), "{place}: {message}");
        assert!(!message.contains("reached"), "{place}: {message}");
    }

    /// One kind for all of them, and it says what came.
    fn assert_told(&self, is_open: bool, error: &Value, place: &str) {
        let place = format!("{place}: {} {}", self.0, self.2);
        assert_ours(error, &["TransportError"], &place);
        let message = error["message"].as_str().expect("text");
        self.assert_worded(is_open, message, &place);
        // What is wrong with a stream is found by the official clients, too.
        if self.1 != "text/event-stream" {
            let status = self.0.split(' ').next().expect("a word");
            assert!(message.contains(status), "{place}: {message}");
        }
        assert!(message.len() < 600, "{place}: {message}");
    }
}

/// A refusal of something that stands before the server.
const GATE: &str = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const CROWD: &str = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// Answers everybody the same; it ends with the tests.
pub(super) fn answering(answer: impl Into<String>) -> String {
    let answer = answer.into();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(mut client) = client else { continue };
            // One read takes the whole of a request so small.
            let _ = client.read(&mut [0; 1 << 16]);
            let _ = client.write_all(answer.as_bytes());
        }
    });
    url
}

/// Returns an address where nobody listens.
pub(super) fn nobody() -> String {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}/mcp", closed.local_addr().expect("an address"))
}

/// Where nobody took the connection, nothing can have been done.
fn assert_unreached(message: &Value, place: &str) {
    let message = message.as_str().expect("text");
    let begin = "the server cannot be reached: ";
    assert!(message.starts_with(begin), "{place}: {message}");
    assert!(
        message.contains("nothing was carried out"),
        "{place}: {message}"
    );
    assert!(message.ends_with("try again"), "{place}: {message}");
}

pub(super) fn recall() -> Value {
    json!({ "method": "recall", "given": { "query": "heron" } })
}

/// A kind of the package, with what was raised beside it.
fn assert_ours(error: &Value, kinds: &[&str], place: &str) {
    assert_eq!(error["isOurs"], true, "{place}: {error}");
    assert_eq!(error["hasCause"], true, "{place}: {error}");
    let class = error["class"].as_str().unwrap_or_default();
    assert!(kinds.contains(&class), "{place}: {error}");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.len() > 40, "{place}: it says what to do: {message}");
}

#[test]
fn whoever_is_no_server_is_told_as_a_kind_of_the_package() {
    let urls: Vec<String> = ODD.iter().map(|odd| answering(odd.answer())).collect();
    for kit in KITS {
        // No call was on its way where no TLS came about, or an address is not
        // taken.
        let plain = urls[1].replace("http:", "https:");
        let named = urls[1].replace("http://", "http://me:secret@");
        let unsent = kit.refusals(&[plain, named], "tok", &json!({}));
        assert_unreached(&unsent[0]["message"], &format!("{kit:?} TLS"));
        if let Kit::TypeScript(..) = kit {
            let told = unsent[1]["message"].as_str().expect("text");
            assert!(told.starts_with("no call was sent: "), "{kit:?}: {told}");
            assert!(!told.contains("secret"), "{kit:?}: {told}");
        }
        let asked = [vec![nobody()], urls.clone()].concat();
        let refusals = kit.refusals(&asked, "tok", &json!({}));
        assert_ours(
            &refusals[0],
            &["TransportError"],
            &format!("{kit:?} nobody"),
        );
        assert_unreached(&refusals[0]["message"], &format!("{kit:?}"));
        for (odd, refusal) in ODD.iter().zip(&refusals[1..]) {
            odd.assert_told(false, refusal, &format!("{kit:?}"));
        }
        assert_eq!(refusals.len(), asked.len(), "{kit:?}");
    }
    let refused = run(ZeroMemory::http(nobody(), Some("tok"))).expect_err("nobody is there");
    assert_unreached(&json!(refused.to_string()), "Rust");
    let absent = Program::new("no-such-program-of-anybody");
    let refused = run(ZeroMemory::stdio(absent)).expect_err("it is not there");
    assert_unreached(&json!(refused.to_string()), "Rust");
    let options = Options::new().header("no header", "open");
    let refused = run(ZeroMemory::http_with(nobody(), None, options)).expect_err("it is none");
    let message = refused.to_string();
    assert!(message.starts_with("no call was sent: "), "{message}");
    for (odd, url) in ODD.iter().zip(&urls) {
        for protocol in [Protocol::Auto, Protocol::Handshake, Protocol::Stateless] {
            let options = Options::new().protocol(protocol);
            let opened = run(ZeroMemory::http_with(url.as_str(), Some("tok"), options));
            let place = format!("{protocol:?}: {} {}", odd.0, odd.2);
            let error = opened.expect_err(&place);
            assert!(matches!(error, Error::Transport(_)), "{place}: {error:?}");
            odd.assert_worded(false, &error.to_string(), &place);
        }
    }
}

#[test]
fn a_call_that_something_else_answers_is_told_as_a_kind_of_the_package() {
    let data = fresh();
    let site = Site::start(data.path());
    let answers: Vec<String> = ODD.iter().map(Odd::answer).collect();
    for kit in KITS {
        let between = Between::breaking_in_turn(site.address(), &answers);
        let options = json!({ "timeoutS": 20 });
        let calls = json!(vec![recall(); ODD.len() + 1]);
        let report = kit.calls(&between.url(), site.token(), &options, &calls);
        for (index, odd) in ODD.iter().enumerate() {
            let error = &report["outcomes"][index]["error"];
            odd.assert_told(true, error, &format!("{kit:?} {report}"));
        }
        // The connection goes on.
        let last = &report["outcomes"][ODD.len()];
        assert_eq!(last["answer"]["memories"], json!([]), "{kit:?}: {report}");
    }
    for odd in &ODD {
        let between = Between::breaking(site.address(), odd.answer().as_bytes());
        let broken = run(async {
            let memory = ZeroMemory::http(between.url(), Some(site.token())).await;
            let memory = memory.expect("it opens");
            memory.recall(types::RecallInput::new("heron")).await
        });
        let place = format!("{} {}", odd.0, odd.2);
        let error = broken.expect_err(&place);
        assert!(matches!(error, Error::Transport(_)), "{place}: {error:?}");
        odd.assert_worded(true, &error.to_string(), &place);
    }
}

/// Between a client and the server there may be one that answers so.
#[test]
fn an_answer_that_comes_in_a_stream_is_read() {
    let data = fresh();
    let site = Site::start(data.path());
    let missing = "mem_00000000000000000000000000";
    for kit in KITS {
        // Whatever else comes in it.
        let between = Between::streaming(site.address());
        let calls = json!([recall()]);
        let report = kit.calls(&between.url(), site.token(), &json!({}), &calls);
        let answer = &report["outcomes"][0]["answer"];
        assert!(answer["memories"].is_array(), "{kit:?}: {report}");
        let between = Between::streaming_curtly(site.address());
        let remember = json!({ "scope": "core", "content": format!("The {kit:?} stands.") });
        let calls = json!([
            { "method": "remember", "given": remember },
            { "method": "recall", "given": { "query": "stands" } },
            { "method": "memory", "given": missing },
            { "method": "recall", "given": { "query": "stands", "k": 0 } },
        ]);
        let report = kit.calls(&between.url(), site.token(), &json!({}), &calls);
        let outcomes = &report["outcomes"];
        let stored = &outcomes[0]["answer"]["memory_id"];
        assert!(stored.is_string(), "{kit:?}: {report}");
        let found = &outcomes[1]["answer"]["memories"];
        let is_found = |row: &Value| row["id"] == *stored;
        let found = found.as_array().expect("a list");
        assert!(found.iter().any(is_found), "{kit:?}: {report}");
        assert_eq!(
            outcomes[2]["error"]["code"], "not_found",
            "{kit:?}: {report}"
        );
        // What the server says, without what an official client puts before it.
        let said = outcomes[2]["error"]["message"].as_str().unwrap_or_default();
        assert!(
            said.starts_with("there is no such resource"),
            "{kit:?}: {said}"
        );
        let refused = &outcomes[3]["error"]["code"];
        assert_eq!(refused, "validation_failed", "{kit:?}: {report}");
        if let Kit::TypeScript(..) = kit {
            assert_eq!(report["complaints"], json!([]), "{kit:?}");
        }
    }
    for protocol in [Protocol::Auto, Protocol::Handshake, Protocol::Stateless] {
        let between = Between::streaming(site.address());
        let options = Options::new().protocol(protocol);
        run(async {
            let memory = ZeroMemory::http_with(between.url(), Some(site.token()), options).await;
            let memory = memory.expect("it opens");
            let found = memory.recall(types::RecallInput::new("stands")).await;
            assert_eq!(found.expect("it is read").memories.len(), KITS.len());
            refused(memory.memory(missing).await, ErrorCode::NotFound);
        });
    }
}

/// So may one that makes everything shorter.
#[test]
fn what_comes_compressed_is_read_and_its_end_is_seen() {
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        for streams in [true, false] {
            let between = Between::zipping(site.address(), streams, Box::new(|_, _| ()));
            let calls = json!([recall()]);
            let report = kit.calls(&between.url(), site.token(), &json!({}), &calls);
            let answer = &report["outcomes"][0]["answer"];
            assert_eq!(answer["memories"], json!([]), "{kit:?}: {report}");
            // Nothing would be compressed for who takes it not.
            assert!(between.n_zipped() > 1, "{kit:?}");
        }
        let none: Edit = Box::new(|request, answer| {
            if request["method"] == "tools/call" {
                *answer = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": 1, "progress": 1 } });
            }
        });
        let between = Between::zipping(site.address(), true, none);
        let options = json!({ "timeoutS": 20 });
        let calls = json!([recall()]);
        let report = kit.calls(&between.url(), site.token(), &options, &calls);
        let error = &report["outcomes"][0]["error"];
        assert_ours(error, &["TransportError"], &format!("{kit:?}"));
        let message = error["message"].as_str().unwrap_or_default();
        assert!(
            message.starts_with("the connection broke: "),
            "{kit:?}: {error}"
        );
    }
}

#[test]
fn a_gate_that_refuses_in_its_own_words_is_told_by_its_status() {
    let (gate, crowd) = (answering(GATE), answering(CROWD));
    for kit in KITS {
        let once = json!({ "maxAttempts": 1 });
        let report = kit.calls(&gate, "tok", &once, &json!([]));
        assert_eq!(
            report["refused"]["class"], "UnauthorizedError",
            "{kit:?}: {report}"
        );
        let report = kit.calls(&crowd, "tok", &once, &json!([]));
        assert_eq!(
            report["refused"]["class"], "RateLimitedError",
            "{kit:?}: {report}"
        );
        assert_eq!(report["refused"]["retryAfterS"], 7.0, "{kit:?}: {report}");
    }
    for protocol in [Protocol::Handshake, Protocol::Stateless] {
        let options = Options::new().protocol(protocol);
        let opened = ZeroMemory::http_with(gate.as_str(), Some("tok"), options.clone());
        refused(run(opened), ErrorCode::Unauthorized);
        let opened = ZeroMemory::http_with(crowd.as_str(), Some("tok"), options);
        let error = refused(run(opened), ErrorCode::RateLimited);
        assert_eq!(error.retry_after_s, Some(7.0));
    }
}

#[test]
fn an_unknown_tool_is_a_fault_of_the_protocol() {
    let data = fresh();
    let site = Site::start(data.path());
    let url = format!("http://{}/mcp", site.address());
    let guess = json!([{ "method": "call", "given": { "tool": "guess", "input": {} } }]);
    for kit in KITS {
        let report = kit.calls(&url, site.token(), &json!({}), &guess);
        let error = &report["outcomes"][0]["error"];
        assert_ours(error, &["ProtocolError"], &format!("{kit:?}"));
        assert_eq!(error["code"], -32602, "{kit:?}: {error}");
        let message = error["message"].as_str().unwrap_or_default();
        assert_eq!(message.matches("-32602").count(), 1, "{kit:?}: {message}");
    }
    let raised = run(async {
        let memory = ZeroMemory::http(url, Some(site.token())).await;
        memory
            .expect("it opens")
            .call("guess", serde_json::Map::new())
            .await
    });
    assert!(
        matches!(raised, Err(Error::Protocol { code: -32602, .. })),
        "{raised:?}"
    );
}

#[test]
fn a_number_that_json_cannot_carry_is_refused_before_it_is_sent() {
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        let between = Between::start(site.address(), Box::new(|_, _| ()));
        let calls = json!([
            { "method": "recall", "given": { "query": "heron", "k": "<NaN>" } },
            { "method": "recall", "given": { "query": "heron", "k": "<Infinity>" } },
            { "method": "call", "given": { "tool": "recall", "input": { "query": "heron", "k": "<-Infinity>" } } },
            { "method": "remember", "given": {
                "scope": "core", "content": "A heron.", "links": [{ "type": "refines", "target": "<NaN>" }],
            } },
            recall(),
            { "method": "recall", "given": { "query": "heron" }, "options": { "timeoutS": "<NaN>" } },
        ]);
        let report = kit.calls(&between.url(), site.token(), &json!({}), &calls);
        let class = match kit {
            Kit::TypeScript(..) => "TypeError",
            Kit::Python(..) => "ValueError",
        };
        let error = &report["outcomes"][5]["error"];
        assert_eq!(error["class"], class, "{kit:?}: {error}");
        let pointers = ["/k", "/k", "/k", "/links/0/target"];
        for (index, pointer) in pointers.into_iter().enumerate() {
            let error = &report["outcomes"][index]["error"];
            assert_eq!(error["class"], "ValidationFailedError", "{kit:?}: {report}");
            assert_eq!(
                error["violations"][0]["pointer"], pointer,
                "{kit:?}: {error}"
            );
            let message = error["message"].as_str().expect("text");
            assert!(message.contains(pointer), "{message}");
        }
        assert!(
            report["outcomes"][4]["answer"].is_object(),
            "{kit:?}: {report}"
        );
        assert_eq!(between.n_calls(), 1, "{kit:?}");
    }
}

#[test]
fn a_token_that_no_header_can_carry_is_called_malformed_and_not_shown() {
    let data = fresh();
    let site = Site::start(data.path());
    let url = format!("http://{}/mcp", site.address());
    let begin = &site.token()[..12];
    for end in ["\n", "\r\nX-Evil: 1", "\u{e9}", " and more", "\u{7f}"] {
        let token = format!("{begin}{end}");
        let assert_said = |message: &str| {
            assert!(message.contains("malformed"), "{token:?}: {message}");
            assert!(!message.contains(begin), "{token:?} is shown: {message}");
        };
        for kit in KITS {
            let report = kit.calls(&url, &token, &json!({}), &json!([]));
            let error = &report["refused"];
            assert_eq!(
                error["class"], "UnauthorizedError",
                "{kit:?} {token:?}: {error}"
            );
            assert_said(error["message"].as_str().expect("text"));
        }
        let error = refused(
            run(ZeroMemory::http(url.as_str(), Some(&token))),
            ErrorCode::Unauthorized,
        );
        assert_said(&format!("{error} {error:?}"));
    }
    for kit in KITS {
        let report = kit.calls(&url, "", &json!({}), &json!([]));
        let message = report["refused"]["message"].as_str().expect("text");
        assert!(message.contains("malformed"), "{kit:?}: {message}");
    }
}

#[test]
fn a_header_that_is_none_is_named_and_its_value_is_not_shown() {
    for kit in KITS {
        for header in [
            json!({ "no header": "open" }),
            json!({ "X-Gate": "secret\n" }),
            json!({ "X-Gate": "secr\u{151}t" }),
        ] {
            let options = json!({ "headers": header });
            let report = kit.calls("http://127.0.0.1:9/mcp", "tok", &options, &json!([]));
            let error = &report["refused"];
            assert_eq!(error["class"], "TransportError", "{kit:?}: {error}");
            let message = error["message"].as_str().expect("text");
            assert!(message.contains("makes no header"), "{kit:?}: {message}");
            assert!(message.starts_with("no call was sent: "), "{message}");
            assert!(!message.contains("secr"), "{kit:?}: {message}");
        }
    }
}
