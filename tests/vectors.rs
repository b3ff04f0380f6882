//! Every test vector through every door, by the hand-written client.

use serde_json::{Map, Value, json};

use crate::harness::{
    Door, Hold, N_DOORS, Reply, at, each_door_alone, filled, fresh, lone_door, vectors, vectors_in,
};

/// Runs one vector; returns what is wrong.
fn run(door: &mut dyn Door, vector: &Value) -> Vec<String> {
    let mut kept = Map::from_iter([("empty".to_owned(), json!(""))]);
    let steps = vector["given"].as_array().cloned().unwrap_or_default();
    for step in steps {
        let tool = step["tool"].as_str().unwrap_or_default();
        let payload = match door.call(tool, filled(&step["input"], &kept)) {
            Reply::Done(payload) => payload,
            other => return vec![format!("given {tool}: {other:?}")],
        };
        for (name, pointer) in step["keep"].as_object().into_iter().flatten() {
            kept.insert(
                name.clone(),
                at(&payload, pointer.as_str().unwrap_or_default()),
            );
        }
    }
    let tool = vector["tool"].as_str().unwrap_or_default();
    let reply = door.call(tool, filled(&vector["input"], &kept));
    match (vector.get("error"), reply) {
        (None, Reply::Done(payload)) => {
            let expected = vector["expect"].as_object().into_iter().flatten();
            expected
                .map(|(pointer, wanted)| (pointer, at(&payload, pointer), filled(wanted, &kept)))
                .filter(|(_, value, wanted)| value != wanted)
                .map(|(pointer, value, wanted)| {
                    format!("{pointer} is {value} in place of {wanted}")
                })
                .collect()
        }
        (Some(wanted), Reply::Refused(error)) => {
            let message = error["message"].as_str().unwrap_or_default();
            let mut problems = Vec::new();
            if error["code"] != wanted["code"] {
                problems.push(format!("{error} in place of {wanted}"));
            }
            if !message.starts_with(wanted["prefix"].as_str().unwrap_or_default()) {
                problems.push(format!("{message} does not start as {wanted} says"));
            }
            if wanted["refused_by"] == "schema"
                && error["details"]["violations"][0]["pointer"].is_null()
            {
                problems.push(format!("{error} lists no violations"));
            }
            problems
        }
        (_, reply) => vec![format!("{reply:?}")],
    }
}

/// How many vectors run at a time.
const AT_A_TIME: usize = 4;

/// Runs one vector through every door; returns what is wrong.
fn through_every_door((path, vector): &(String, Value)) -> Vec<String> {
    let mut failures = Vec::new();
    for (_data, mut door) in each_door_alone() {
        let problems = run(door.as_mut(), vector);
        let name = door.name();
        failures.extend(
            problems
                .into_iter()
                .map(|problem| format!("{path}, {name}: {problem}")),
        );
    }
    failures
}

#[test]
fn every_vector_holds_through_every_door() {
    let all = vectors();
    // Most of a vector is waiting for a process to start.
    let failures: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = all
            .chunks(all.len().div_ceil(AT_A_TIME))
            .map(|part| scope.spawn(|| part.iter().flat_map(through_every_door).collect()))
            .collect();
        let parts = parts.into_iter().map(|part| part.join().expect("it ends"));
        parts.flat_map(|failures: Vec<String>| failures).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_tool_answers_rate_limited_while_another_program_holds_the_store() {
    let busy = vectors_in(&json!("busy"));
    let n_tools = std::fs::read_dir(crate::harness::repository().join("schema/tools"));
    assert_eq!(busy.len(), n_tools.expect("the tools").count());
    // A call waits long for a store that is held; those wait together.
    let failures: Vec<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = busy
            .iter()
            .enumerate()
            .map(|(index, (path, vector))| {
                scope.spawn(move || {
                    let data = fresh();
                    let sort = index % N_DOORS;
                    lone_door(sort, data.path()).ok("entities", json!({}));
                    let _hold = Hold::everything(data.path());
                    let mut door = lone_door(sort, data.path());
                    let tool = vector["tool"].as_str().expect("a tool");
                    let error = door.refused(tool, vector["input"].clone(), "rate_limited");
                    let after = &error["details"]["retry_after_s"];
                    let name = door.name();
                    (!after.is_u64()).then(|| format!("{path}, {name}: {error}"))
                })
            })
            .collect();
        let calls = calls.into_iter().map(|call| call.join().expect("it ends"));
        calls.flatten().collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn p22_the_same_calls_answer_the_same_through_every_door() {
    // Ids and times differ; what they are called by must not.
    fn without_ids(value: &Value) -> Value {
        match value {
            Value::String(text) if text.get(3..4) == Some("_") && text.len() == 30 => {
                json!("an id")
            }
            Value::String(text) if text.ends_with('Z') && text.len() == 24 => json!("a time"),
            Value::Array(items) => items.iter().map(without_ids).collect(),
            Value::Object(fields) => fields
                .iter()
                // Only a connection of the initialize era has a session, and a
                // score falls a little with age.
                .filter(|(key, _)| !["session", "tokens_used", "score"].contains(&key.as_str()))
                .map(|(key, item)| (key.clone(), without_ids(item)))
                .collect(),
            other => other.clone(),
        }
    }
    let mut transcripts = Vec::new();
    for (_data, mut door) in each_door_alone() {
        let calls = [
            (
                "remember",
                json!({ "scope": "core", "entities": ["Pigeon"], "content": "Pigeon sends the mail." }),
            ),
            ("recall", json!({ "query": "pigeon mail shop" })),
            ("entities", json!({})),
            // A session attaches here, and only some doors have one.
            (
                "remember",
                json!({ "project_hint": "https://example.com/acme/shop", "kind": "decision", "content": "The shop retries twice." }),
            ),
            (
                "remember",
                json!({ "project_hint": "https://example.com/acme/shop", "kind": "task", "content": "Write the guide." }),
            ),
            (
                "recall",
                json!({ "query": "pigeon", "project_hint": "https://example.com/acme/shop", "kinds": ["decision"] }),
            ),
            (
                "build_context",
                json!({ "topic": "shop", "project_hint": "https://example.com/acme/shop" }),
            ),
            (
                "forget",
                json!({ "memory_id": "mem_00000000000000000000000000" }),
            ),
            ("recall", json!({ "query": "", "k": 0 })),
        ];
        let transcript: Vec<Value> = calls
            .into_iter()
            .map(|(tool, arguments)| match door.call(tool, arguments) {
                Reply::Done(payload) => without_ids(&payload),
                Reply::Refused(error) => json!({ "refused": error }),
                Reply::Protocol(error) => json!({ "protocol": error }),
            })
            .collect();
        transcripts.push((door.name(), transcript));
    }
    let (first, expected) = transcripts.remove(0);
    for (name, transcript) in transcripts {
        assert_eq!(transcript, expected, "{name} against {first}");
    }
}

#[test]
fn one_data_folder_is_open_through_every_door_at_once() {
    let data = fresh();
    let mut doors = crate::harness::every_door(data.path());
    for (index, door) in doors.iter_mut().enumerate() {
        door.remember(&format!("Heron number {index} lives at the lake."));
    }
    for door in &mut doors {
        assert_eq!(door.found("heron lake").len(), 5, "{}", door.name());
    }
}
