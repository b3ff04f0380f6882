//! How long the packages wait for an answer: as long as they say, whatever the
//! official clients and those of HTTP would do by themselves.

use std::time::Duration;

use serde_json::{Value, json};
use zero_memory_client::{Options, ZeroMemory, types};

use super::between::{Between, Edit, refusing};
use super::failures::{answering, recall};
use super::kit::{KITS, Kit};
use super::relay::{Hang, Relay};
use super::rust::run;
use crate::harness::{Site, binary, fresh, repository};

/// What the package for Python waits in place of minutes, in a test.
const SHORT_SECONDS: f64 = 0.3;

/// How many calls are left without an answer, one after the other.
const N_HUNG: usize = 4;

/// The scripts give their own client of HTTP less time than anything takes.
#[test]
fn a_client_of_ones_own_waits_as_long_as_the_package_whatever_it_is_set_to() {
    let data = fresh();
    let site = Site::start(data.path());
    let url = format!("http://{}/mcp", site.address());
    for kit in KITS {
        let given = json!({ "url": url, "token": site.token(), "own": true, "calls": [recall()] });
        let report = kit.runs("calls", given);
        let answer = &report["outcomes"][0]["answer"];
        assert_eq!(answer["memories"], json!([]), "{kit:?}: {report}");
    }
}

#[test]
fn a_call_without_a_limit_ends_by_that_of_the_package_over_http() {
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        // The others take the limit of an official client, or have a test of
        // their own.
        let Kit::Python(..) = kit else { continue };
        for how in [Hang::Silent, Hang::Pings] {
            let relay = Relay::before(&site);
            relay.hang(how);
            for is_own in [false, true] {
                let given = json!({
                    "url": relay.url(), "token": site.token(), "own": is_own,
                    "longestCallS": SHORT_SECONDS, "calls": vec![recall(); N_HUNG],
                });
                let report = kit.runs("calls", given);
                let error = &report["outcomes"][0]["error"];
                let place = format!("{kit:?} {how:?} {is_own}: {report}");
                assert_eq!(error["class"], "CallTimeoutError", "{place}");
                let message = error["message"].as_str().expect("text");
                let told = format!("no answer came within {SHORT_SECONDS} s; ");
                assert!(message.starts_with(&told), "{place}");
            }
            // The one before may still be about to be closed.
            assert!(relay.most_hung() <= 2, "{kit:?} {how:?}: connections stay");
        }
    }
}

/// Returns what the README of a package says of an option that is left out.
fn left_out(kit: Kit, option: &str) -> String {
    let language = match kit {
        Kit::TypeScript(..) => "typescript",
        Kit::Python(..) => "python",
    };
    let path = repository()
        .join("generated")
        .join(language)
        .join("README.md");
    let text = std::fs::read_to_string(path).expect("it is there");
    let begin = format!("| `{option}`: ");
    let row = text.lines().find(|line| line.starts_with(&begin));
    let row = row.unwrap_or_else(|| panic!("{kit:?} tells nothing of {option}"));
    let cells = row.trim_end_matches(" |").rsplit(" | ");
    cells.into_iter().next().expect("a cell").to_owned()
}

/// A call is sent again after a little less than a minute, and not after a
/// little more.
#[test]
fn what_is_left_out_is_what_the_readmes_say() {
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        let asked = std::sync::Mutex::new(vec![Some(60.5), None, Some(59.5)]);
        let edit: Edit = Box::new(move |request, answer| {
            if request["method"] == "tools/call"
                && let Some(Some(seconds)) = asked.lock().expect("nobody panics with it").pop()
            {
                let details = json!({ "retry_after_s": seconds });
                refusing(1, "rate_limited", details)(request, answer);
            }
        });
        let between = Between::start(site.address(), edit);
        let given = json!({ "url": between.url(), "token": site.token() });
        let seen = kit.runs("waits", given);
        let place = format!("{kit:?}: {seen}");
        assert_eq!(
            seen["outcomes"],
            json!(["answered", "RateLimitedError"]),
            "{place}"
        );
        assert_eq!(seen["pauses"], json!([59.5]), "{place}");
        assert_eq!(between.n_calls(), 3, "{place}");
        let folder = fresh();
        let program = json!({ "binary": binary(), "data": folder.path() });
        let piped = kit.runs("waits", program);
        let place = format!("{place} {piped}");
        match kit {
            // The official client has limits of its own beside ours.
            Kit::TypeScript(..) => {
                for seen in [&seen, &piped] {
                    let has = |what: &str, seconds: f64| {
                        let set = seen[what].as_array().expect("a list");
                        let is_longest = set.iter().all(|each| each.as_f64() <= Some(60.0));
                        is_longest && set.iter().any(|each| each == seconds)
                    };
                    assert!(has("opening", 30.0) && has("call", 60.0), "{place}");
                }
                assert_eq!(left_out(kit, "timeoutS"), "60, and 30 for the opening");
                assert_eq!(left_out(kit, "maxWaitS"), "60");
                assert_eq!(left_out(kit, "maxAttempts"), "3");
            }
            Kit::Python(..) => {
                assert_eq!(seen["opening"], json!([30.0]), "{place}");
                assert_eq!(piped["opening"], json!([30.0]), "{place}");
                assert_eq!(seen["call"], json!([300.0, 300.0]), "{place}");
                assert_eq!(piped["call"], json!([null]), "{place}");
                let told =
                    "300 with `over` and `http`, any time with `stdio`, and 30 for the opening";
                assert_eq!(left_out(kit, "timeout_s"), told);
                assert_eq!(left_out(kit, "max_wait_s"), "60");
                assert_eq!(left_out(kit, "max_attempts"), "3");
            }
        }
    }
    let options = Options::new();
    assert_eq!(options.max_wait, Duration::from_secs(60));
    assert_eq!(options.max_attempts, 3);
}

/// A timer of JavaScript fires at once where it cannot count so far.
#[test]
fn a_limit_of_many_years_is_one() {
    let data = fresh();
    let site = Site::start(data.path());
    let url = format!("http://{}/mcp", site.address());
    let seconds = 1e10;
    for kit in KITS {
        let options = json!({ "timeoutS": seconds });
        let report = kit.calls(&url, site.token(), &options, &json!([recall()]));
        let answer = &report["outcomes"][0]["answer"];
        assert_eq!(answer["memories"], json!([]), "{kit:?}: {report}");
    }
    let found = run(async {
        let options = Options::new().timeout(Duration::from_secs_f64(seconds));
        let memory = ZeroMemory::http_with(url, Some(site.token()), options).await;
        let memory = memory.expect("it opens");
        memory.recall(types::RecallInput::new("heron")).await
    });
    assert!(found.is_ok(), "{found:?}");
}

/// What HTTP knows as seconds are digits (RFC 9110, section 10.2.3), and what
/// the contract does is a number from 0 on.
#[test]
fn a_wait_that_is_none_is_not_told() {
    let once = json!({ "maxAttempts": 1 });
    let header = |told: &str| {
        answering(format!(
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: {told}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ))
    };
    let odd = [
        "+7", "-7", "7.5", "7e0", "0x7", "", "soon", "\u{667}", "7, 7",
    ];
    let urls: Vec<String> = odd.iter().map(|told| header(told)).collect();
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        for (told, refusal) in odd.iter().zip(kit.refusals(&urls, "tok", &once)) {
            let place = format!("{kit:?} {told:?}: {refusal}");
            assert_eq!(refusal["class"], "RateLimitedError", "{place}");
            assert_eq!(refusal["retryAfterS"], Value::Null, "{place}");
        }
        for told in [json!(-1), json!(true), json!("7"), json!([7]), json!(0)] {
            let details = json!({ "retry_after_s": told });
            let edit = refusing(1, "rate_limited", details);
            let between = Between::start(site.address(), edit);
            let report = kit.calls(&between.url(), site.token(), &once, &json!([recall()]));
            let error = &report["outcomes"][0]["error"];
            assert_eq!(
                error["class"], "RateLimitedError",
                "{kit:?} {told}: {report}"
            );
            let read = if told == 0 { json!(0) } else { Value::Null };
            assert_eq!(error["retryAfterS"], read, "{kit:?} {told}: {report}");
        }
    }
}

/// JSON has no infinity, and what some write in its place (1e999, NaN) is no
/// reason to lose a connection.
#[test]
fn a_number_that_no_float_holds_ends_one_call_and_not_its_connection() {
    let data = fresh();
    let site = Site::start(data.path());
    let http = |status: &str, head: &str, body: &str| {
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    };
    let long = format!("Retry-After: {}\r\n", "9".repeat(400));
    let error = |code: &str, id: &str| {
        format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32000,"message":"no","data":{code}}}}}"#)
    };
    let answers = [
        http("429 Too Many Requests", &long, ""),
        http("400 Bad Request", "", &error("1e999", "")),
        http("200 OK", "", &error("NaN", r#""id":null,"#)),
        http(
            "503 Service Unavailable",
            "",
            r#"{"error":{"code":"internal","message":"no","details":{"n":-1e999}}}"#,
        ),
    ];
    let calls = json!(vec![recall(); answers.len() + 1]);
    for kit in KITS {
        let between = Between::breaking_in_turn(site.address(), &answers);
        let report = kit.calls(&between.url(), site.token(), &json!({}), &calls);
        let outcomes = report["outcomes"].as_array().expect("a list");
        let (last, broken) = outcomes.split_last().expect("some");
        assert_eq!(
            broken[0]["error"]["class"], "RateLimitedError",
            "{kit:?}: {report}"
        );
        for outcome in broken {
            assert_eq!(outcome["error"]["isOurs"], true, "{kit:?}: {report}");
        }
        assert_eq!(last["answer"]["memories"], json!([]), "{kit:?}: {report}");
    }
}

/// Nothing is unsaid of what the server answered before it.
#[test]
fn an_error_that_is_answered_is_told_though_the_call_was_aborted_then() {
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        let Kit::TypeScript(..) = kit else { continue };
        let edit = refusing(usize::MAX, "conflict", json!({}));
        let between = Between::start(site.address(), edit);
        let given = json!({ "url": between.url(), "token": site.token() });
        let seen = kit.runs("aborted", given);
        assert_eq!(seen["refused"], "ConflictError", "{kit:?}: {seen}");
        assert_eq!(seen["broken"], "reason", "{kit:?}: {seen}");
    }
}
