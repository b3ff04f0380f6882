//! How much the messages of the packages repeat of what others say.

use serde_json::{Value, json};
use zero_memory_client::{Error, Options, Protocol, ZeroMemory, types};

use super::between::{Between, announcing};
use super::failures::{answering, recall};
use super::kit::KITS;
use super::rust::run;
use crate::harness::{Site, fresh};

/// What others say at length is repeated in few words and whole characters.
#[test]
fn no_message_repeats_more_than_a_little_of_what_others_say() {
    // A character of two units in UTF-16 stands across every even bound.
    let long = format!("x{}", "\u{1f426}".repeat(1 << 20));
    let repeated = format!("x{}…; see", "\u{1f426}".repeat(299));
    let data = fresh();
    let site = Site::start(data.path());
    let told = long.clone();
    let edit = move |request: &Value, answer: &mut Value| {
        if request["method"] == "tools/call" {
            let id = &request["id"];
            let error = json!({ "code": -32000 - 77, "message": told });
            *answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        }
    };
    let between = Between::start(site.address(), Box::new(edit));
    let version: &str = Box::leak(format!("3.0.0-{}", "9".repeat(4000)).into_boxed_str());
    let foreign = Between::start(site.address(), announcing(Some(version)));
    let body = json!({ "said": "no ".repeat(20_000) }).to_string();
    let length = body.len();
    let refusing = answering(format!(
        "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    ));
    // Of the page its status is told, and nothing of it.
    let urls = [
        (foreign.url(), format!(" 3.0.0-{}…", "9".repeat(294))),
        (refusing, "HTTP 403".to_owned()),
    ];
    for kit in KITS {
        let report = kit.calls(&between.url(), site.token(), &json!({}), &json!([recall()]));
        let error = &report["outcomes"][0]["error"];
        assert_eq!(error["class"], "ProtocolError", "{kit:?}");
        let message = error["message"].as_str().expect("text");
        let n_letters = message.chars().count();
        assert!(message.contains(&repeated), "{kit:?}: {n_letters}");
        for (url, told) in &urls {
            let report = kit.calls(url, site.token(), &json!({}), &json!([]));
            let message = report["refused"]["message"].as_str().expect("text");
            assert!(message.contains(told), "{kit:?}: {message}");
            assert!(message.len() < 700, "{kit:?}: {}", message.len());
        }
    }
    let raised = run(async {
        let memory = ZeroMemory::http(between.url(), Some(site.token())).await;
        memory
            .expect("it opens")
            .recall(types::RecallInput::new("heron"))
            .await
    });
    let error = raised.expect_err("it is refused");
    assert!(matches!(&error, Error::Protocol { message, .. } if *message == long));
    assert!(
        error.to_string().contains(&repeated),
        "{}",
        error.to_string().len()
    );
    for (url, told) in &urls {
        for protocol in [Protocol::Auto, Protocol::Handshake, Protocol::Stateless] {
            let options = Options::new().protocol(protocol);
            let opened = run(ZeroMemory::http_with(
                url.as_str(),
                Some(site.token()),
                options,
            ));
            let message = opened.expect_err("it is refused").to_string();
            assert!(message.contains(told), "{protocol:?}: {message}");
            assert!(message.len() < 700, "{protocol:?}: {}", message.len());
        }
    }
}
