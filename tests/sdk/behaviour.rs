//! What both packages do alike, over both series of their official clients:
//! errors by type, retries, and servers of other versions.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::between::{Between, announcing, answering, both, refusing, refusing_with};
use super::kit::{KITS, Kit};
use crate::harness::{Hold, Site, fresh, json_file};

fn endpoint(site: &Site) -> String {
    format!("http://{}/mcp", site.address())
}

fn recall() -> Value {
    json!({ "method": "recall", "given": { "query": "heron" } })
}

fn version() -> String {
    let settings = json_file("schema/contract.json");
    settings["version"].as_str().expect("a version").to_owned()
}

fn assert_is(error: &Value, class: &str, code: &str, kit: Kit) {
    assert_eq!(error["class"], class, "{kit:?}: {error}");
    assert_eq!(error["code"], code, "{kit:?}: {error}");
}

#[test]
fn each_of_the_seven_codes_is_caught_as_its_type() {
    for kit in KITS {
        let data = fresh();
        let options = ["--toolset", "full", "--panic-in", "history"];
        let site = Site::start_with(data.path(), &options);
        let (url, nobody) = (endpoint(&site), "mem_00000000000000000000000000");
        let calls = json!([
            { "method": "recall", "given": { "query": "heron", "k": 0 } },
            { "method": "forget", "given": { "memory_id": nobody } },
            { "method": "history", "given": { "memory_id": nobody } },
            { "method": "remember", "given": { "content": "A heron stands." } },
        ]);
        let report = kit.calls(&url, site.token(), &json!({}), &calls);
        let error = |index: usize| &report["outcomes"][index]["error"];
        assert_is(error(0), "ValidationFailedError", "validation_failed", kit);
        assert_eq!(error(0)["violations"][0]["pointer"], "/k");
        assert_is(error(1), "NotFoundError", "not_found", kit);
        assert_is(error(2), "InternalError", "internal", kit);
        assert_is(error(3), "ValidationFailedError", "validation_failed", kit);
        assert_eq!(error(3)["prefix"], "scope_target_required:");

        let hold = Hold::writes(data.path());
        let heron = json!({ "method": "remember", "given": { "scope": "core", "content": "A heron stands." } });
        let report = kit.calls(
            &url,
            site.token(),
            &json!({ "maxAttempts": 1 }),
            &json!([heron]),
        );
        let error = &report["outcomes"][0]["error"];
        assert_is(error, "RateLimitedError", "rate_limited", kit);
        assert!(
            error["retryAfterS"].as_f64().is_some_and(|wait| wait > 0.0),
            "{error}"
        );
        drop(hold);

        let report = kit.calls(&url, "tok_wrong", &json!({}), &json!([]));
        assert_is(&report["refused"], "UnauthorizedError", "unauthorized", kit);

        let between = Between::under_another_name(site.address());
        let report = kit.calls(&between.url(), site.token(), &json!({}), &json!([]));
        assert_is(&report["refused"], "ForbiddenError", "forbidden", kit);

        // A fact is no loop that could be closed.
        let fact = json!({ "scope": "core", "content": "A heron stands.", "kind": "fact" });
        // Whoever was refused for the lock is refused for a moment longer.
        let stored = loop {
            let body = fact.to_string();
            let answer = site.owner("POST", "/api/tools/remember", &[], body.as_bytes());
            if answer.status != 429 {
                break answer;
            }
        };
        let given = json!({ "memory_id": stored.json()["memory_id"] });
        let calls = json!([{ "method": "close_loop", "given": given }]);
        let report = kit.calls(&url, site.token(), &json!({}), &calls);
        assert_is(
            &report["outcomes"][0]["error"],
            "ConflictError",
            "conflict",
            kit,
        );
    }
}

#[test]
fn a_code_of_another_major_is_readable_and_no_crash() {
    for kit in KITS {
        let edit = both(
            announcing(Some("3.0.0")),
            refusing(1, "payment_required", json!({})),
        );
        let options = json!({ "allowOtherMajor": true });
        let (report, _) = kit.calls_between(edit, &options, &json!([recall()]));
        let error = &report["outcomes"][0]["error"];
        assert_is(error, "UnknownCodeError", "payment_required", kit);
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains("payment_required"), "{kit:?}: {error}");
    }
}

#[test]
fn a_prefix_is_known_with_its_own_code_only() {
    let hint = json!("project_hint_unresolvable:");
    for (code, prefix) in [("validation_failed", hint), ("conflict", Value::Null)] {
        for kit in KITS {
            let message = "project_hint_unresolvable: no project is called so";
            let edit = refusing_with(1, json!({ "code": code, "message": message }));
            let (report, _) = kit.calls_between(edit, &json!({}), &json!([recall()]));
            let error = &report["outcomes"][0]["error"];
            assert_eq!(error["code"], code, "{kit:?}: {error}");
            assert_eq!(error["prefix"], prefix, "{kit:?}: {error}");
        }
    }
}

#[test]
fn what_is_refused_for_now_is_sent_again_after_the_wait() {
    let soon = json!({ "retry_after_s": 0.05 });
    for kit in KITS {
        let go = |n_first: usize, code: &'static str, details: &Value, options: Value| {
            let edit = refusing(n_first, code, details.clone());
            let (report, n_calls) = kit.calls_between(edit, &options, &json!([recall()]));
            let outcome = report["outcomes"][0].clone();
            (outcome["error"]["code"].clone(), n_calls)
        };
        // The third time is the last.
        assert_eq!(
            go(2, "rate_limited", &soon, json!({})),
            (Value::Null, 3),
            "{kit:?}"
        );
        assert_eq!(
            go(3, "rate_limited", &soon, json!({})),
            (json!("rate_limited"), 3),
            "{kit:?}"
        );
        let once = json!({ "maxAttempts": 1 });
        assert_eq!(
            go(1, "rate_limited", &soon, once),
            (json!("rate_limited"), 1),
            "{kit:?}"
        );
        // Nobody waits an hour unasked, and nothing else is sent twice.
        let late = json!({ "retry_after_s": 3600 });
        assert_eq!(
            go(1, "rate_limited", &late, json!({})),
            (json!("rate_limited"), 1),
            "{kit:?}"
        );
        assert_eq!(
            go(1, "internal", &soon, json!({})),
            (json!("internal"), 1),
            "{kit:?}"
        );
    }
}

#[test]
fn the_wait_is_as_long_as_the_server_said() {
    for kit in KITS {
        let moments: Arc<Mutex<Vec<Instant>>> = Arc::default();
        let seen = Arc::clone(&moments);
        let note = Box::new(move |request: &Value, _: &mut Value| {
            if request["method"] == "tools/call" {
                let mut seen = seen.lock().expect("nobody panics with it");
                seen.push(Instant::now());
            }
        });
        let second = json!({ "retry_after_s": 1 });
        let edit = both(refusing(1, "rate_limited", second), note);
        kit.calls_between(edit, &json!({}), &json!([recall()]));
        let moments = moments.lock().expect("nobody panics with it");
        let waited = moments[1].duration_since(moments[0]);
        assert!(waited >= Duration::from_secs(1), "{kit:?}: {waited:?}");
    }
}

#[test]
fn an_older_minor_is_spoken_to_and_what_it_may_lack_is_named() {
    for kit in KITS {
        // It neither knows the session nor sends a field that is required now.
        let edit = both(
            announcing(Some("2.0.0")),
            answering(|payload| {
                if let Some(payload) = payload.as_object_mut() {
                    payload.remove("session");
                    payload.remove("project_scope");
                }
            }),
        );
        let (report, _) = kit.calls_between(edit, &json!({}), &json!([recall()]));
        assert_eq!(report["refused"], Value::Null, "{kit:?}");
        assert_eq!(report["contractVersion"], "2.0.0", "{kit:?}");
        let warnings = report["warnings"].as_array().expect("a list");
        let [warning] = warnings.as_slice() else {
            panic!("{kit:?}: {report}");
        };
        assert_eq!(warning["kind"], "older_server");
        assert_eq!(warning["clientVersion"], version());
        let session =
            json!({ "since": "2.1.0", "place": "output", "name": "recall", "field": "session" });
        let missing = warning["missing"].as_array().expect("a list");
        assert!(missing.contains(&session), "{kit:?}: {warning}");
        let message = warning["message"].as_str().expect("text");
        assert!(
            message.contains("recall output session (since 2.1.0)"),
            "{message}"
        );
        let outcome = &report["outcomes"][0];
        assert_eq!(
            outcome["answer"]["memories"],
            json!([]),
            "{kit:?}: {outcome}"
        );
    }
}

#[test]
fn another_major_or_none_is_refused_unless_it_is_allowed() {
    for kit in KITS {
        for announced in [Some("1.9.9"), None] {
            let (report, _) =
                kit.calls_between(announcing(announced), &json!({}), &json!([recall()]));
            assert_eq!(
                report["refused"]["class"], "ContractMismatch",
                "{kit:?}: {report}"
            );
            assert_eq!(
                report["refused"]["serverVersion"],
                json!(announced),
                "{kit:?}"
            );
            let message = report["refused"]["message"].as_str().expect("text");
            assert!(message.to_lowercase().contains("major"), "{message}");

            let options = json!({ "allowOtherMajor": true });
            let (report, _) =
                kit.calls_between(announcing(announced), &options, &json!([recall()]));
            assert_eq!(
                report["warnings"][0]["kind"], "other_major",
                "{kit:?}: {report}"
            );
            assert_eq!(
                report["outcomes"][0]["answer"]["memories"],
                json!([]),
                "{kit:?}: {report}"
            );
        }
    }
}

#[test]
fn a_newer_minor_is_taken_in_silence_and_what_it_adds_can_be_read() {
    for kit in KITS {
        let edit = both(
            announcing(Some("2.99.0")),
            answering(|payload| {
                payload["added_later"] = json!({ "deep": [1] });
                if let Some(conflict) = payload.pointer_mut("/conflicts/0") {
                    conflict["cause"] = json!("invented_later");
                }
            }),
        );
        let data = fresh();
        let site = Site::start(data.path());
        let body = json!({ "scope": "core", "content": "A heron stands." }).to_string();
        let id = site
            .owner("POST", "/api/tools/remember", &[], body.as_bytes())
            .json()["memory_id"]
            .clone();
        let between = Between::start(site.address(), edit);
        let calls = json!([
            { "method": "challenge", "given": { "memory_id": id, "reason": "It walks." } },
            { "method": "list_conflicts", "given": {} },
            { "method": "call", "given": { "tool": "recall", "input": { "query": "heron" } } },
        ]);
        let report = kit.calls(&between.url(), site.token(), &json!({}), &calls);
        assert_eq!(
            (&report["warnings"], &report["refused"]),
            (&json!([]), &Value::Null),
            "{kit:?}"
        );
        for outcome in report["outcomes"].as_array().expect("a list") {
            assert_eq!(
                outcome["answer"]["added_later"],
                json!({ "deep": [1] }),
                "{kit:?}: {outcome}"
            );
        }
        let conflict = &report["outcomes"][1]["answer"]["conflicts"][0];
        assert_eq!(conflict["cause"], "invented_later", "{kit:?}: {conflict}");
    }
}

#[test]
fn resources_and_prompts_have_methods_with_the_same_errors() {
    for kit in KITS {
        let data = fresh();
        let site = Site::start(data.path());
        let body = json!({ "scope": "core", "content": "A heron stands." }).to_string();
        let id = site
            .owner("POST", "/api/tools/remember", &[], body.as_bytes())
            .json()["memory_id"]
            .clone();
        let calls = json!([
            { "method": "memory", "given": id },
            { "method": "rules", "given": {} },
            { "method": "memory", "given": "mem_00000000000000000000000000" },
            { "method": "prompt_brief", "given": { "topic": "heron" } },
            { "method": "prompt_receipt", "given": { "since": "yesterday" } },
        ]);
        let report = kit.calls(&endpoint(&site), site.token(), &json!({}), &calls);
        let outcome = |index: usize| &report["outcomes"][index];
        assert_eq!(
            outcome(0)["answer"]["content"],
            "A heron stands.",
            "{kit:?}: {report}"
        );
        assert_eq!(
            outcome(1)["answer"]["rules"],
            json!([]),
            "{kit:?}: {report}"
        );
        assert_is(&outcome(2)["error"], "NotFoundError", "not_found", kit);
        let text = outcome(3)["answer"][0]["content"]["text"]
            .as_str()
            .unwrap_or_default();
        assert!(text.contains("A heron stands."), "{kit:?}: {report}");
        assert_is(
            &outcome(4)["error"],
            "ValidationFailedError",
            "validation_failed",
            kit,
        );
    }
}

#[test]
fn half_of_a_pair_is_refused_and_the_connection_goes_on() {
    for kit in KITS {
        let data = fresh();
        let site = Site::start(data.path());
        let half = "A heron <half a pair>.";
        let calls = json!([
            { "method": "remember", "given": { "scope": "core", "content": half } },
            { "method": "prompt_brief", "given": { "topic": half } },
            recall(),
        ]);
        let report = kit.calls(&endpoint(&site), site.token(), &json!({}), &calls);
        let outcomes = &report["outcomes"];
        for index in 0..2 {
            let error = &outcomes[index]["error"];
            assert_is(error, "ValidationFailedError", "validation_failed", kit);
        }
        assert_eq!(
            outcomes[2]["answer"]["memories"],
            json!([]),
            "{kit:?}: {report}"
        );
    }
}

/// Whatever an address would make of it.
#[test]
fn an_id_of_any_letters_is_one_that_is_not_there() {
    let data = fresh();
    let site = Site::start(data.path());
    let url = format!("http://{}/mcp", site.address());
    let ids = [
        ".",
        "..",
        "%2e",
        "%2E%2e",
        "../rules",
        "a/b",
        "a\\b",
        "a?b",
        "a#b",
        "a:b@c",
        " a ",
        "a\tb\n",
        "%",
        "%zz",
        "A",
        "\u{e9}",
        "e\u{301}",
        "\u{1f426}",
        "xn--a",
        "[::1]",
        "|^`",
    ];
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "method": "memory", "given": id }))
        .collect();
    for kit in KITS {
        let report = kit.calls(&url, site.token(), &json!({}), &json!(calls));
        for (index, id) in ids.iter().enumerate() {
            let error = &report["outcomes"][index]["error"];
            assert_eq!(error["class"], "NotFoundError", "{kit:?} {id:?}: {error}");
        }
    }
}
