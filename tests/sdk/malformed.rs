//! Answers of the wrong shape, which only something else than a server of this
//! contract gives: each is told as what cannot be read, in few words.

use serde_json::{Value, json};

use super::between::Edit;
use super::kit::KITS;

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
