//! Calls that are cancelled, calls that take too long, and servers that go and
//! come back.

use serde_json::{Value, json};

use super::kit::{KITS, Kit};
use crate::harness::{Hold, Site, binary, fresh};

fn seen(kit: Kit, transport: &str, is_own: bool) -> Value {
    let data = fresh();
    kit.runs(
        "faults",
        json!({ "binary": binary(), "data": data.path(), "transport": transport, "own": is_own }),
    )
}

/// What never came to a server is told as one kind, with what the official
/// client raised beside it, and says what to do.
fn assert_is_transport(error: &Value, is_unreached: bool, place: &str) {
    assert_eq!(error["name"], "TransportError", "{place}: {error}");
    assert_eq!(error["isOurs"], true, "{place}: {error}");
    assert_eq!(error["hasCause"], true, "{place}: {error}");
    let message = error["message"].as_str().expect("text");
    let unreached = ("the server cannot be reached: ", "nothing was carried out");
    let broken = ("the connection broke: ", "may have been carried out");
    let says = |(begin, end): (&str, &str)| {
        let rest = message.strip_prefix(begin);
        rest.is_some_and(|rest| rest.contains(end) && rest.contains("; see whether"))
    };
    let is_said = says(unreached) || !is_unreached && says(broken);
    assert!(is_said, "{place}: {message}");
}

#[test]
fn a_cancelled_call_is_cancelled_at_the_server_too() {
    for kit in KITS {
        // The last is over a client of one's own.
        for (transport, is_own) in [("stdio", false), ("http", false), ("http", true)] {
            let seen = seen(kit, transport, is_own);
            // The server says so in its log, and the write left nothing.
            assert_eq!(seen["line"], true, "{kit:?} {transport}: {seen}");
            assert_eq!(seen["found"], 1, "{kit:?} {transport}: {seen}");
            // The caller gets the reason, in the way of the language.
            let reason = match kit {
                Kit::TypeScript(..) => json!({ "name": "AbortError", "isReason": true }),
                Kit::Python(..) => json!({ "name": "CancelledError" }),
            };
            assert_eq!(seen["cancelled"], reason, "{kit:?} {transport}: {seen}");
            if let Kit::TypeScript(..) = kit {
                assert_eq!(seen["early"], reason, "{kit:?} {transport}: {seen}");
            }
            for when in ["down", "closed"] {
                // A program that was killed may have had the call.
                let is_unreached = transport == "http" || when == "closed";
                let place = format!("{kit:?} {transport} {when}");
                assert_is_transport(&seen[when], is_unreached, &place);
                if let Kit::Python(..) = kit {
                    let before = &seen[when]["isCaughtAsBefore"];
                    assert_eq!(before, true, "{kit:?} {transport} {when}: {seen}");
                }
            }
        }
    }
}

#[test]
fn a_client_lives_through_the_end_of_its_server_and_the_start_of_the_next() {
    for kit in KITS {
        let seen = seen(kit, "http", false);
        let late = seen["late"]["name"].as_str().unwrap_or_default();
        assert!(late.ends_with("TimeoutError"), "{kit:?}: {seen}");
        assert_eq!(seen["late"]["isOurs"], true, "{kit:?}: {seen}");
        assert_eq!(seen["found"], 1, "{kit:?}: {seen}");
    }
}

#[test]
fn a_connection_that_is_left_right_after_a_late_call_is_left_in_peace() {
    let data = fresh();
    let site = Site::start(data.path());
    let url = format!("http://{}/mcp", site.address());
    let _hold = Hold::writes(data.path());
    let late = json!([{
        "method": "remember",
        "given": { "scope": "core", "content": "A heron stands." },
        "options": { "timeoutS": 0.3 },
    }]);
    for kit in KITS {
        let report = kit.calls(&url, site.token(), &json!({}), &late);
        let class = report["outcomes"][0]["error"]["class"].as_str();
        let is_late = class.is_some_and(|class| class.ends_with("TimeoutError"));
        assert!(is_late, "{kit:?}: {report}");
        assert_eq!(report["refused"], Value::Null, "{kit:?}: {report}");
    }
}

/// What a connection of that series cannot write ends it, and cancels whoever
/// waits inside; the reason comes out at the end of the block.
#[test]
fn a_call_that_is_cancelled_on_a_broken_connection_is_cancelled() {
    let data = fresh();
    let given = json!({ "binary": binary(), "data": data.path() });
    let seen = Kit::Python("1", "2025").runs("broken", given);
    assert_eq!(seen["call"], "CancelledError", "{seen}");
    assert_eq!(seen["block"], "TransportError", "{seen}");
}
