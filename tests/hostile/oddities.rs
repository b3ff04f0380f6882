//! NUL and halves of surrogate pairs, in every place that takes text and in
//! every key.

use serde_json::Value;

use crate::harness::{Door, Era, Pipes, Reply, each_door_alone, fresh, vectors};

/// What no text may hold, as JSON writes it.
const REFUSED: [&str; 4] = [r"\u0000", r"\ud800", r"a\udc00b", r"\ude00\ud83d"];

/// Stands for it until the arguments are text.
const MARK: &str = "@ODD@";

/// Puts the mark in the place of one text after another; then of one key.
fn marked(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::String(_) => all.push(Value::from(MARK)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                for inner in marked(item) {
                    let mut copy = items.clone();
                    copy[at] = inner;
                    all.push(Value::Array(copy));
                }
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                for inner in marked(field) {
                    let mut copy = fields.clone();
                    copy.insert(name.clone(), inner);
                    all.push(Value::Object(copy));
                }
                let mut renamed = fields.clone();
                renamed.shift_remove(name);
                renamed.insert(format!("{name}{MARK}"), field.clone());
                all.push(Value::Object(renamed));
            }
            let mut more = fields.clone();
            more.insert(MARK.to_owned(), Value::from("x"));
            all.push(Value::Object(more));
        }
        _ => {}
    }
    all
}

#[test]
fn w30_no_key_and_no_text_of_any_tool_takes_nul_or_half_a_pair() {
    let mut seen = std::collections::BTreeSet::new();
    let mut calls = Vec::new();
    for (_, vector) in vectors() {
        let tool = vector["tool"].as_str().expect("a tool").to_owned();
        // What an example needs is not made: the door refuses before.
        for arguments in marked(&vector["input"]) {
            let text = arguments.to_string();
            if text.contains("${") || !seen.insert((tool.clone(), text.len())) {
                continue;
            }
            calls.push((tool.clone(), text));
        }
    }
    assert!(calls.len() > 100, "only {} places", calls.len());
    for (_data, mut door) in each_door_alone() {
        for (tool, arguments) in &calls {
            for odd in REFUSED {
                let arguments = arguments.replace(MARK, odd);
                match door.call_text(tool, &arguments) {
                    Reply::Refused(error) => {
                        assert_eq!(error["code"], "validation_failed", "{tool} {arguments}");
                    }
                    other => panic!("{}: {tool} {arguments:.300} answers {other:?}", door.name()),
                }
            }
        }
        let exported = door.ok("export_memories", serde_json::json!({}));
        assert_eq!(exported["items"], serde_json::json!([]), "{}", door.name());
    }
}

#[test]
fn w30_half_a_pair_anywhere_in_a_message_is_answered() {
    let data = fresh();
    for era in [Era::Legacy, Era::Modern] {
        let mut pipes = Pipes::open(data.path(), era);
        for odd in REFUSED {
            for message in [
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{odd}"}}"#),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"zm://{odd}"}}}}"#
                ),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{{"name":"{odd}"}}}}"#
                ),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{odd}","arguments":{{}}}}}}"#
                ),
                format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"recall","arguments":{{"query":"x"}},"{odd}":1}}}}"#
                ),
                format!(r#"{{"jsonrpc":"2.0","id":1,"{odd}":1,"method":"ping"}}"#),
            ] {
                pipes.line(&message);
                let answer = pipes.next();
                assert_eq!(answer["id"], 1, "{message}: {answer}");
            }
        }
        assert!(pipes.found("anything").is_empty());
    }
}
