//! Errors of the protocol itself: whatever number a server gives them, they
//! are answers, and no broken connection.

use serde_json::{Value, json};
use zero_memory_client::{Error, ZeroMemory, types};

use super::between::{Between, Edit};
use super::failures::recall;
use super::kit::KITS;
use super::rust::run;
use crate::harness::{Site, fresh};

/// Numbers: of the protocol, of an implementation, and of none of them. One of
/// them is that of a connection that ended, in the official clients.
const CODES: [i64; 5] = [-32603, -32000, -31999, 42, 503];

/// Answers every call of a tool with an error of this number.
fn erring(code: i64) -> Edit {
    Box::new(move |request, answer| {
        if request["method"] == "tools/call" {
            let error = json!({ "code": code, "message": "the moon is in the way" });
            *answer = json!({ "jsonrpc": "2.0", "id": request["id"], "error": error });
        }
    })
}

#[test]
fn an_error_of_the_protocol_has_any_number() {
    let data = fresh();
    let site = Site::start(data.path());
    for code in CODES {
        let between = Between::start(site.address(), erring(code));
        for kit in KITS {
            let calls = json!([recall()]);
            let report = kit.calls(&between.url(), site.token(), &json!({}), &calls);
            let error: &Value = &report["outcomes"][0]["error"];
            assert_eq!(error["class"], "ProtocolError", "{kit:?} {code}: {report}");
            assert_eq!(error["code"], code, "{kit:?}: {report}");
        }
        let refused = run(async {
            let memory = ZeroMemory::http(between.url(), Some(site.token())).await;
            let memory = memory.expect("it opens");
            memory.recall(types::RecallInput::new("heron")).await
        });
        let refused = refused.expect_err("it is refused");
        assert!(
            matches!(&refused, Error::Protocol { code: told, .. } if i64::from(*told) == code),
            "{code}: {refused:?}"
        );
    }
}

/// JSON has one kind of number, so `1.0` is the number of the request `1`.
#[test]
fn an_answer_belongs_to_its_request_however_its_number_is_written() {
    let data = fresh();
    let site = Site::start(data.path());
    let float: fn(&Value, &mut Value) = |request, answer| {
        if let Some(number) = request["id"].as_f64() {
            answer["id"] = json!(number);
        }
    };
    let options = json!({ "timeoutS": 20 });
    let calls = json!([recall()]);
    for kit in KITS {
        for between in [
            Between::start(site.address(), Box::new(float)),
            Between::zipping(site.address(), true, Box::new(float)),
        ] {
            let report = kit.calls(&between.url(), site.token(), &options, &calls);
            let answer = &report["outcomes"][0]["answer"];
            assert_eq!(answer["memories"], json!([]), "{kit:?}: {report}");
        }
        // Some languages say of true that it equals 1.
        let between = Between::start(
            site.address(),
            Box::new(|request, answer| {
                if request["method"] == "tools/call" {
                    answer["id"] = json!(true);
                }
            }),
        );
        let report = kit.calls(&between.url(), site.token(), &options, &calls);
        let error = &report["outcomes"][0]["error"];
        assert_eq!(error["class"], "TransportError", "{kit:?}: {report}");
        let message = error["message"].as_str().expect("text");
        let begin = "something else than a zero-memory server answered: ";
        assert!(message.starts_with(begin), "{kit:?}: {report}");
    }
    let between = Between::start(site.address(), Box::new(float));
    let found = run(async {
        let memory = ZeroMemory::http(between.url(), Some(site.token())).await;
        let memory = memory.expect("it opens");
        memory.recall(types::RecallInput::new("heron")).await
    });
    assert!(found.is_ok(), "{found:?}");
}
