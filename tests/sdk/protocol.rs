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
