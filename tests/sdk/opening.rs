//! What happens when a connection is opened, in every language: servers that
//! never answer, programs that are not there, refusals, and headers for what
//! stands before the server.

use std::io::Read as _;
use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};
use zero_memory_client::{Error, ErrorCode, Options, Program, Protocol, ZeroMemory};

use super::between::Between;
use super::kit::{KITS, Kit};
use super::relay::Relay;
use super::rust::{refused, run};
use crate::harness::{Site, fresh};

const PROTOCOLS: [Protocol; 3] = [Protocol::Auto, Protocol::Handshake, Protocol::Stateless];

/// A program that ends at once, whatever it is passed.
const ENDS: &str = "true";

/// Nothing comes however long it is waited for.
const SHORT: Duration = Duration::from_millis(200);

fn seconds() -> Value {
    json!({ "timeoutS": SHORT.as_secs_f64() })
}

/// Opens a connection with a package; returns how that failed.
fn failure(kit: Kit, mut given: Value, options: &Value) -> Value {
    given["options"] = options.clone();
    given["calls"] = json!([]);
    let mut report = kit.runs("calls", given);
    report["refused"].take()
}

fn assert_late(late: &Value, kit: Kit) {
    let class = late["class"].as_str().unwrap_or_default();
    assert!(class.ends_with("TimeoutError"), "{kit:?}: {late}");
    assert_eq!(late["isOurs"], true, "{kit:?}: {late}");
}

#[test]
fn a_server_that_takes_a_connection_and_says_nothing_is_given_up_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/mcp", silent.local_addr().expect("an address"));
    for protocol in PROTOCOLS {
        let options = Options::new().timeout(SHORT).protocol(protocol);
        let late = run(ZeroMemory::http_with(url.as_str(), None, options));
        assert!(matches!(late, Err(Error::Timeout(SHORT))), "{late:?}");
    }
    for kit in KITS {
        let late = failure(kit, json!({ "url": url }), &seconds());
        assert_late(&late, kit);
        let message = late["message"].as_str().expect("text");
        assert!(
            message.starts_with("no answer came within 0.2 s"),
            "{message}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_says_nothing_is_given_up_in_time_and_ended() {
    use std::os::unix::fs::PermissionsExt;

    use crate::harness::ends;

    let folder = fresh();
    let program = folder.path().join("silent");
    let pid = folder.path().join("pid");
    let script = format!("#!/bin/sh\necho $$ >> {}\nexec sleep 90\n", pid.display());
    std::fs::write(&program, script).expect("a file");
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("its rights");
    let pids = pid.clone();
    let all_end = move || {
        let started = std::fs::read_to_string(&pids).unwrap_or_default();
        for pid in started.lines() {
            ends(pid.parse().expect("a number"));
        }
    };
    for protocol in PROTOCOLS {
        run(async {
            let options = Options::new().timeout(SHORT).protocol(protocol);
            let late = ZeroMemory::stdio_with(Program::new(&program), options).await;
            assert!(matches!(late, Err(Error::Timeout(SHORT))), "{late:?}");
            tokio::task::spawn_blocking(all_end.clone())
                .await
                .expect("they end");
        });
    }
    for kit in KITS {
        let given = json!({ "binary": program, "data": folder.path() });
        let late = failure(kit, given, &seconds());
        assert_late(&late, kit);
        all_end();
    }
}

#[test]
fn an_amount_that_is_none_is_refused_and_nothing_is_opened() {
    for kit in KITS {
        for (name, snake) in [
            ("timeoutS", "timeout_s"),
            ("maxWaitS", "max_wait_s"),
            ("maxAttempts", "max_attempts"),
        ] {
            for odd in [json!("<NaN>"), json!(-1), json!("1")] {
                let given = json!({ "url": "http://127.0.0.1:9/mcp" });
                let refused = failure(kit, given, &json!({ name: odd }));
                let (class, name) = match kit {
                    Kit::TypeScript(..) => ("TypeError", name),
                    Kit::Python(..) => ("ValueError", snake),
                };
                assert_eq!(refused["class"], class, "{kit:?} {odd}: {refused}");
                let message = refused["message"].as_str().expect("text");
                assert!(message.starts_with(name), "{kit:?} {odd}: {message}");
            }
        }
    }
}

#[test]
fn the_password_of_an_address_is_not_shown() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = closed.local_addr().expect("an address");
    drop(closed);
    let url = format!("http://heron:s3cret@{address}/mcp");
    for protocol in PROTOCOLS {
        let options = Options::new().protocol(protocol);
        let opened = run(ZeroMemory::http_with(url.as_str(), Some("tok"), options));
        let Err(Error::Transport(error)) = opened else {
            panic!("{opened:?}");
        };
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
    for kit in KITS {
        let refused = failure(kit, json!({ "url": url, "token": "tok" }), &json!({}));
        assert_eq!(refused["class"], "TransportError", "{kit:?}: {refused}");
        let message = refused["message"].as_str().expect("text");
        assert!(!message.contains("s3cret"), "{kit:?}: {message}");
    }
}

/// Addresses that none can be reached by, whoever listens.
const NO_ADDRESSES: [&str; 8] = [
    "",
    "nonsense",
    "/mcp",
    "http://",
    "ftp://127.0.0.1/mcp",
    "http://127.0.0.1:99999/mcp",
    "http://me:s3cret@127.0.0.1:port/mcp",
    "http://[::1/mcp",
];

#[test]
fn an_address_that_is_none_is_told_as_a_call_that_was_not_sent() {
    for address in NO_ADDRESSES {
        let opened = run(ZeroMemory::http(address, Some("tok")));
        let Err(Error::Transport(error)) = opened else {
            panic!("{address}: {opened:?}");
        };
        let told = error.to_string();
        assert!(!told.contains("s3cret"), "{address}: {told}");
        let told = Error::Transport(error).to_string();
        assert!(told.starts_with("no call was sent: "), "{address}: {told}");
    }
    let addresses = NO_ADDRESSES.map(str::to_owned);
    for kit in KITS {
        let refusals = kit.refusals(&addresses, "tok", &json!({}));
        assert_eq!(refusals.len(), addresses.len(), "{kit:?}");
        for (address, refusal) in addresses.iter().zip(refusals) {
            let told = refusal["message"].as_str().unwrap_or_default();
            assert!(!told.contains("s3cret"), "{kit:?} {address}: {told}");
            // What no URL can be made of is none of the failures there.
            let is_known = matches!(kit, Kit::TypeScript(..)) && refusal["class"] == "TypeError";
            let is_unsent = told.starts_with("no call was sent: ");
            assert!(is_known || is_unsent, "{kit:?} {address}: {refusal}");
        }
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let nowhere = "/nowhere/zero-memory";
    let absent = run(ZeroMemory::stdio(Program::new(nowhere)));
    let Err(Error::Transport(error)) = absent else {
        panic!("{absent:?}");
    };
    assert!(error.to_string().contains(nowhere), "{error}");
    for kit in KITS {
        let folder = fresh();
        let given = json!({ "binary": nowhere, "data": folder.path() });
        let absent = failure(kit, given, &json!({}));
        let message = absent["message"].as_str().unwrap_or_default();
        assert!(message.contains(nowhere), "{kit:?}: {absent}");
    }
}

/// No call was on its way, whatever became of the connection.
#[test]
fn what_ends_before_it_is_a_connection_carried_nothing_out() {
    let assert_told = |told: &str, place: &str| {
        assert!(
            told.starts_with("no connection was opened: "),
            "{place}: {told}"
        );
        assert!(
            told.contains("nothing was carried out; "),
            "{place}: {told}"
        );
    };
    let cut = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/mcp", cut.local_addr().expect("an address"));
    // It takes every connection, reads what comes first, and closes it.
    std::thread::spawn(move || {
        for mut taken in cut.incoming().flatten() {
            let _ = taken.read(&mut [0; 16 << 10]);
        }
    });
    for protocol in PROTOCOLS {
        let place = format!("{protocol:?}");
        let options = Options::new().protocol(protocol);
        let opened = run(ZeroMemory::http_with(url.as_str(), None, options.clone()));
        assert_told(&opened.expect_err("it is cut").to_string(), &place);
        let opened = run(ZeroMemory::stdio_with(Program::new(ENDS), options));
        assert_told(&opened.expect_err("it ends").to_string(), &place);
    }
    for kit in KITS {
        for given in [
            json!({ "url": url }),
            json!({ "binary": ENDS, "data": "." }),
        ] {
            let place = format!("{kit:?} {given}");
            let failure = failure(kit, given, &json!({}));
            assert_eq!(failure["class"], "TransportError", "{place}: {failure}");
            assert_told(failure["message"].as_str().expect("text"), &place);
        }
    }
}

#[test]
fn a_refusal_of_the_first_request_keeps_its_code() {
    let data = fresh();
    let site = Site::start(data.path());
    let elsewhere = format!("http://{}/nope", site.address());
    let relay = Relay::before(&site);
    relay.add_header("Origin: https://evil.example");
    for (url, code) in [
        (elsewhere, ErrorCode::NotFound),
        (relay.url(), ErrorCode::Forbidden),
    ] {
        for protocol in PROTOCOLS {
            let options = Options::new().protocol(protocol);
            let opened = ZeroMemory::http_with(url.as_str(), Some(site.token()), options);
            refused(run(opened), code);
        }
        for kit in KITS {
            let given = json!({ "url": url, "token": site.token() });
            let refused = failure(kit, given, &json!({}));
            assert_eq!(refused["code"], code.as_str(), "{kit:?}: {refused}");
        }
    }
}

#[test]
fn headers_of_the_caller_go_with_every_request() {
    let data = fresh();
    let site = Site::start(data.path());
    let between = || Between::start(site.address(), Box::new(|_, _| ()));
    let assert_all = |between: &Between, place: &str| {
        let (without, n_all) = between.without("X-Gate: open");
        assert!(n_all > 1, "it opens and calls: {place}");
        assert!(without.is_empty(), "{place}: {without:?}");
    };
    for protocol in PROTOCOLS {
        let between = between();
        let options = Options::new().protocol(protocol).header("X-Gate", "open");
        assert!(
            !format!("{options:?}").contains("open"),
            "it may be a secret"
        );
        run(async {
            let memory = ZeroMemory::http_with(between.url(), Some(site.token()), options).await;
            memory.expect("it opens").rules().await.expect("it is read");
        });
        assert_all(&between, &format!("{protocol:?}"));
    }
    for kit in KITS {
        let between = between();
        let options = json!({ "headers": { "X-Gate": "open" } });
        let calls = json!([{ "method": "rules", "given": {} }]);
        let report = kit.calls(&between.url(), site.token(), &options, &calls);
        assert_all(&between, &format!("{kit:?}: {report}"));
    }
}

#[test]
fn what_makes_no_header_is_refused_before_anything_is_sent() {
    let options = Options::new().header("no header", "open");
    let opened = run(ZeroMemory::http_with(
        "http://127.0.0.1:9/mcp",
        None,
        options,
    ));
    let Err(Error::Transport(error)) = opened else {
        panic!("{opened:?}");
    };
    assert!(error.to_string().contains("makes no header"), "{error}");
}

#[test]
fn a_token_wins_over_a_header_of_its_name_in_whatever_case() {
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        for name in ["Authorization", "authorization", "AUTHORIZATION"] {
            let url = format!("http://{}/mcp", site.address());
            let options = json!({ "headers": { name: "Bearer another" } });
            let report = kit.calls(&url, site.token(), &options, &json!([]));
            assert_eq!(report["refused"], Value::Null, "{kit:?} {name}: {report}");
        }
    }
}
