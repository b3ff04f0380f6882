//! What no message can carry, and what only a program can hand over: refused
//! as `validation_failed` before anything is sent.

use serde_json::{Value, json};

use super::between::Between;
use super::kit::{KITS, Kit};
use crate::harness::{Site, fresh};

/// What a script of either language hands over, by the names that it tells.
const BOTH: [&str; 16] = [
    "half a pair as a tool",
    "half a pair as a name",
    "half a pair as an id",
    "half a pair in a prompt",
    "no text as a tool",
    "no text as an id",
    "no text in a prompt",
    "no object as arguments",
    "a list as arguments",
    "a cycle",
    "a cycle of lists",
    "a depth that no server reads",
    "a depth that no program walks",
    "a depth in a call by name",
    "a property that fails",
    "a function",
];

/// What exists in one language only.
fn own(kit: Kit) -> &'static [&'static str] {
    match kit {
        Kit::TypeScript(..) => &[
            "a boxed number that is none",
            "a number that is none by toJSON",
            "a number that is none by a property",
            "a property that is a number once only",
            "a toJSON that fails",
            "a date that is none",
            "a number of any size",
            "nothing in a list",
            "a map",
        ],
        Kit::Python(..) => &[
            "a number as a name",
            "a number as a name below",
            "a number of four hundred digits",
            "a number that is none in a model",
        ],
    }
}

#[test]
fn what_no_message_can_carry_is_refused_before_it_is_sent_and_the_connection_goes_on() {
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        let between = Between::start(site.address(), Box::new(|_, _| ()));
        let given = json!({ "url": between.url(), "token": site.token() });
        let report = kit.runs("odd", given);
        for name in BOTH.iter().chain(own(kit)) {
            let error = &report["errors"][name];
            let place = format!("{kit:?} {name}: {error}");
            assert_eq!(error["class"], "ValidationFailedError", "{place}");
            let message = error["message"].as_str().expect("text");
            assert!(message.len() > 20 && message.len() < 400, "{place}");
        }
        let n_told = report["errors"].as_object().map_or(0, serde_json::Map::len);
        assert_eq!(n_told, BOTH.len() + own(kit).len(), "{kit:?}: {report}");
        // What can be carried arrives as it is.
        assert_eq!(report["found"], 0, "{kit:?}: {report}");
        assert_eq!(between.n_calls(), 2, "{kit:?}");
    }
}

/// The same over pipes, where a text that cannot be written ends everything.
#[test]
fn over_pipes_the_connection_goes_on_too() {
    for kit in KITS {
        let data = fresh();
        let given = json!({ "binary": crate::harness::binary(), "data": data.path() });
        let report: Value = kit.runs("odd", given);
        assert_eq!(report["found"], 0, "{kit:?}: {report}");
    }
}
