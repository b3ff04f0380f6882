//! Answers of the wrong shape, which only something else than a server of this
//! contract gives: each is told as what cannot be read, in few words. And those
//! that stand in a text alone, which are read.

use serde_json::{Value, json};

use zero_memory_client::{Error, ZeroMemory, types};

use super::between::{Between, Edit, answering, both};
use super::kit::{KITS, Kit};
use super::rust::run;
use crate::harness::{Site, fresh};

/// Results that no call promises.
fn results() -> [Value; 7] {
    let complete = |mut result: Value| {
        result["resultType"] = json!("complete");
        result
    };
    // Each item is wrong by itself: official clients say all of it.
    let many: Vec<Value> = (0..40).map(|number| json!({ "type": number })).collect();
    [
        json!({ "content": "text" }),
        json!({ "content": 5, "isError": "x" }),
        json!({ "content": many }),
        json!({ "messages": [{ "role": "x" }] }),
        json!({ "messages": [{ "role": "user", "content": 3 }] }),
        json!({ "contents": [{ "uri": 3 }] }),
        json!({ "contents": "text" }),
    ]
    .map(complete)
}

/// Answers with these results in turn, whatever was asked for after the
/// opening, and with the true ones in the end.
fn misshaping() -> Edit {
    let left = std::sync::Mutex::new(
        results()
            .into_iter()
            .rev()
            .flat_map(|result| [result.clone(), result.clone(), result])
            .collect::<Vec<Value>>(),
    );
    Box::new(move |request, answer| {
        let method = request["method"].as_str().unwrap_or_default();
        if ["tools/call", "prompts/get", "resources/read"].contains(&method)
            && let Some(result) = left.lock().expect("nobody panics with it").pop()
        {
            answer["result"] = result;
        }
    })
}

#[test]
fn an_answer_of_the_wrong_shape_is_told_as_unreadable_in_few_words() {
    let recall = json!({ "method": "recall", "given": { "query": "heron" } });
    let each = [
        recall.clone(),
        json!({ "method": "prompt_brief", "given": { "topic": "heron" } }),
        json!({ "method": "rules", "given": {} }),
    ];
    let n_wrong = 3 * results().len();
    let mut calls: Vec<Value> = each.iter().cycle().take(n_wrong).cloned().collect();
    calls.push(recall);
    for kit in KITS {
        let (report, _) = kit.calls_between(misshaping(), &json!({}), &json!(calls));
        let outcomes = report["outcomes"].as_array().expect("a list");
        assert_eq!(outcomes.len(), n_wrong + 1, "{kit:?}: {report}");
        for (index, outcome) in outcomes.iter().take(n_wrong).enumerate() {
            let place = format!("{kit:?} {} {outcome}", results()[index / 3]);
            let error = &outcome["error"];
            assert_eq!(error["class"], "UnreadableAnswer", "{place}");
            assert_eq!(error["isOurs"], true, "{place}");
            let message = error["message"].as_str().expect("text");
            assert!(message.contains("is this a zero-memory server"), "{place}");
            assert!(message.len() < 600 && !message.contains('\n'), "{place}");
        }
        let last = &outcomes[n_wrong]["answer"];
        assert_eq!(last["memories"], json!([]), "{kit:?}: {report}");
    }
}

/// Leaves the text of an answer alone; what it says is up to the caller.
fn in_text_only(says: Option<&'static str>) -> Edit {
    Box::new(move |request, answer| {
        let result = answer.get_mut("result").and_then(Value::as_object_mut);
        if request["method"] == "tools/call"
            && let Some(result) = result
        {
            result.remove("structuredContent");
            if let Some(text) = says {
                result.insert(
                    "content".to_owned(),
                    json!([{ "type": "text", "text": text }]),
                );
            }
        }
    })
}

#[test]
fn an_answer_that_stands_in_a_text_only_is_read() {
    let data = fresh();
    let site = Site::start(data.path());
    let fact = json!({ "scope": "core", "content": "A heron stands." });
    let calls = json!([
        { "method": "remember", "given": fact },
        { "method": "recall", "given": { "query": "heron" } },
        { "method": "call", "given": { "tool": "recall", "input": { "query": "heron" } } },
        { "method": "recall", "given": { "query": "heron", "k": 0 } },
    ]);
    for kit in KITS {
        let between = Between::start(site.address(), in_text_only(None));
        let given = json!({ "url": between.url(), "token": site.token(), "calls": calls });
        for is_own in [false, true] {
            let mut given = given.clone();
            given["own"] = json!(is_own);
            let report = kit.runs("calls", given);
            let outcomes = &report["outcomes"];
            assert!(
                outcomes[0]["answer"]["memory_id"].is_string(),
                "{kit:?}: {report}"
            );
            for index in [1, 2] {
                let found = &outcomes[index]["answer"]["memories"][0]["content"];
                assert_eq!(found, "A heron stands.", "{kit:?}: {report}");
            }
            let code = &outcomes[3]["error"]["code"];
            assert_eq!(code, "validation_failed", "{kit:?}: {report}");
        }
    }
    let between = Between::start(site.address(), in_text_only(None));
    let found = run(async {
        let memory = ZeroMemory::http(between.url(), Some(site.token())).await;
        let memory = memory.expect("it opens");
        memory.recall(types::RecallInput::new("heron")).await
    });
    assert_eq!(
        found.expect("it is read").memories[0].content,
        "A heron stands."
    );
}

#[test]
fn a_text_that_is_no_answer_is_told_as_unreadable() {
    let recall = json!({ "method": "recall", "given": { "query": "heron" } });
    for text in ["It is done.", "[]", "{\"memories\": 3}", "null"] {
        for kit in KITS {
            let (report, _) =
                kit.calls_between(in_text_only(Some(text)), &json!({}), &json!([recall]));
            let class = &report["outcomes"][0]["error"]["class"];
            assert_eq!(class, "UnreadableAnswer", "{kit:?} {text}: {report}");
        }
    }
}

/// What servers of the same version leave out, or send as something else.
#[test]
fn an_answer_that_lacks_what_is_required_is_told_as_unreadable_in_every_language() {
    let data = fresh();
    let site = Site::start(data.path());
    let heron = json!({ "scope": "core", "content": "A heron stands." });
    let stored = site.owner(
        "POST",
        "/api/tools/remember",
        &[],
        heron.to_string().as_bytes(),
    );
    assert_eq!(stored.status, 200, "{}", stored.text());
    let call = json!([{ "method": "recall", "given": { "query": "heron" } }]);
    let breaks: [fn(&mut Value); 6] = [
        |payload| drop(payload.as_object_mut().map(|all| all.remove("memories"))),
        |payload| payload["memories"] = Value::Null,
        |payload| payload["memories"] = json!({ "0": "A heron." }),
        |payload| payload["memories"][0]["id"] = json!(7),
        |payload| {
            let row = payload["memories"][0].as_object_mut();
            drop(row.map(|row| row.remove("content")));
        },
        |payload| payload["session"] = json!("thr_1"),
    ];
    for change in breaks {
        let edit = || unjudged(answering(change));
        for kit in KITS {
            let between = Between::start(site.address(), edit());
            let report = kit.calls(&between.url(), site.token(), &json!({}), &call);
            let class = &report["outcomes"][0]["error"]["class"];
            assert_eq!(class, "UnreadableAnswer", "{kit:?}: {report}");
        }
        let between = Between::start(site.address(), edit());
        let found = run(async {
            let memory = ZeroMemory::http(between.url(), Some(site.token())).await;
            let memory = memory.expect("it opens");
            memory.recall(types::RecallInput::new("heron")).await
        });
        assert!(matches!(found, Err(Error::Unreadable { .. })), "{found:?}");
    }
    // So is a missing field that may be null, but for Rust: serde takes it for
    // null.
    for kit in KITS {
        let edit = unjudged(answering(|payload| {
            drop(
                payload
                    .as_object_mut()
                    .map(|all| all.remove("project_scope")),
            );
        }));
        let between = Between::start(site.address(), edit);
        let report = kit.calls(&between.url(), site.token(), &json!({}), &call);
        let class = &report["outcomes"][0]["error"]["class"];
        assert_eq!(class, "UnreadableAnswer", "{kit:?}: {report}");
    }
    // What a later minor adds, and any word of an open enum, is kept.
    for kit in KITS {
        let edit = unjudged(answering(|payload| {
            payload["later"] = json!({ "deep": [null] });
            payload["memories"][0]["later"] = json!(1);
        }));
        let between = Between::start(site.address(), edit);
        let report = kit.calls(&between.url(), site.token(), &json!({}), &call);
        let answer = &report["outcomes"][0]["answer"];
        assert_eq!(
            answer["later"],
            json!({ "deep": [null] }),
            "{kit:?}: {report}"
        );
        assert_eq!(answer["memories"][0]["later"], 1, "{kit:?}: {report}");
    }
}

/// 2.x of the official client in Python takes no event of over 1 MiB: the call
/// was carried out all the same, and no server said anything of the protocol.
#[test]
fn a_long_answer_in_a_stream_is_read_or_told_as_broken_off() {
    let data = fresh();
    let site = Site::start(data.path());
    let call = json!([{ "method": "recall", "given": { "query": "heron" } }]);
    let long = || answering(|payload| payload["later"] = json!("x".repeat(2 << 20)));
    for kit in KITS {
        let between = Between::zipping(site.address(), true, long());
        let report = kit.calls(&between.url(), site.token(), &json!({}), &call);
        let outcome = &report["outcomes"][0];
        let length = outcome["answer"]["later"].as_str().map(str::len);
        if matches!(kit, Kit::Python("2", _)) {
            assert_eq!(
                outcome["error"]["class"], "TransportError",
                "{kit:?}: {outcome}"
            );
            let told = outcome["error"]["message"].as_str().unwrap_or_default();
            assert!(
                told.starts_with("the connection broke: "),
                "{kit:?}: {told}"
            );
        } else {
            assert_eq!(length, Some(2 << 20), "{kit:?}: {}", outcome["error"]);
        }
    }
}

/// JSON has one kind of number, and JSON Schema calls 7.0 an integer.
#[test]
fn an_integer_is_read_however_it_is_written() {
    let data = fresh();
    let site = Site::start(data.path());
    let heron = json!({ "scope": "core", "content": "A heron stands." });
    let heron = heron.to_string();
    let stored = site.owner("POST", "/api/tools/remember", &[], heron.as_bytes());
    assert_eq!(stored.status, 200, "{}", stored.text());
    let edit = || answering(floats);
    let call = json!([{ "method": "list_scopes" }]);
    for kit in KITS {
        let between = Between::start(site.address(), edit());
        let report = kit.calls(&between.url(), site.token(), &json!({}), &call);
        let scopes = &report["outcomes"][0]["answer"]["scopes"];
        let scopes = scopes.as_array().expect("a list");
        let is_one = |scope: &Value| scope["memories"] == 1 || scope["memories"] == 1.0;
        assert!(scopes.iter().any(is_one), "{kit:?}: {report}");
    }
    let between = Between::start(site.address(), edit());
    let found = run(async {
        let memory = ZeroMemory::http(between.url(), Some(site.token())).await;
        let memory = memory.expect("it opens");
        memory.list_scopes(types::ListScopesInput::default()).await
    });
    let scopes = &found.expect("it is read").scopes;
    assert!(scopes.iter().any(|scope| scope.memories == 1), "{scopes:?}");
}

/// Writes every number of an answer with a point, as some programs do.
fn floats(value: &mut Value) {
    match value {
        Value::Number(number) => *value = json!(number.as_f64()),
        Value::Array(items) => items.iter_mut().for_each(floats),
        Value::Object(fields) => fields.values_mut().for_each(floats),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Leaves out the schemas by which some official clients judge before we do.
fn unjudged(edit: Edit) -> Edit {
    let without = Box::new(|_: &Value, answer: &mut Value| {
        let tools = answer.pointer_mut("/result/tools");
        let tools = tools.and_then(Value::as_array_mut);
        for tool in tools.into_iter().flatten().filter_map(Value::as_object_mut) {
            tool.remove("outputSchema");
        }
    });
    both(without, edit)
}

/// No server of this contract asks back, and nobody is there who could answer:
/// neither with a question, nor with one that is only put off.
#[test]
fn an_answer_that_asks_back_is_told_as_unreadable() {
    let data = fresh();
    let site = Site::start(data.path());
    let question = json!({ "a": {
        "method": "elicitation/create",
        "params": { "message": "Which?", "requestedSchema": { "type": "object", "properties": {} } },
    } });
    let calls = json!([
        { "method": "recall", "given": { "query": "heron" } },
        { "method": "prompt_brief", "given": { "topic": "heron" } },
        { "method": "rules", "given": {} },
    ]);
    for asked in [Some(question), None] {
        let edit = move |request: &Value, answer: &mut Value| {
            let method = request["method"].as_str().unwrap_or_default();
            if ["tools/call", "prompts/get", "resources/read"].contains(&method) {
                let mut result = json!({ "resultType": "input_required", "requestState": "s" });
                if let Some(asked) = &asked {
                    result["inputRequests"] = asked.clone();
                }
                answer["result"] = result;
            }
        };
        let between = Between::start(site.address(), Box::new(edit));
        for kit in KITS {
            let report = kit.calls(&between.url(), site.token(), &json!({}), &calls);
            for index in 0..3 {
                let error = &report["outcomes"][index]["error"];
                assert_eq!(error["class"], "UnreadableAnswer", "{kit:?}: {report}");
            }
        }
        let found = run(async {
            let memory = ZeroMemory::http(between.url(), Some(site.token())).await;
            let memory = memory.expect("it opens");
            memory.recall(types::RecallInput::new("heron")).await
        });
        assert!(matches!(found, Err(Error::Unreadable { .. })), "{found:?}");
    }
}
