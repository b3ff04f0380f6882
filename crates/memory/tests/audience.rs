//! What one person stores, another does not see: over every tool and resource.

use contract::ToolName::{
    self, BuildContext, Challenge, CloseLoop, Entities, ExportMemories, ExportMetrics, Forget,
    Link, ListConflicts, Recall, Remember, ScanHygiene, SessionReceipt,
};
use memory::Memory;
use proptest::prelude::*;
use serde_json::{Value, json};
use store::Role;

use crate::fixture::{World, call, code, id, run, texts};

fn ok(memory: &Memory, tool: ToolName, input: Value) -> Value {
    run(memory, &call(), tool, input).unwrap()
}

/// Everything that a person can get to see without knowing an id.
fn everything(memory: &Memory, words: &str) -> String {
    let mut seen = String::new();
    for (tool, input) in [
        (Recall, json!({ "query": words, "k": 50 })),
        (
            Recall,
            json!({ "query": words, "k": 50, "scopes": ["*"], "kinds": ["task", "fact"] }),
        ),
        (
            BuildContext,
            json!({ "topic": words, "max_tokens": 32_000 }),
        ),
        (
            BuildContext,
            json!({ "topic": words, "max_tokens": 32_000, "scopes": ["*"] }),
        ),
        (Entities, json!({ "limit": 100 })),
        (ScanHygiene, json!({ "limit": 1000 })),
        (ListConflicts, json!({ "limit": 100 })),
        (ExportMemories, json!({ "limit": 500 })),
        (SessionReceipt, json!({ "since": "2020-01-01T00:00:00Z" })),
        (ExportMetrics, json!({ "days": 1 })),
        (
            Remember,
            json!({ "scope": "core", "content": format!("{words} again") }),
        ),
    ] {
        seen += &ok(memory, tool, input).to_string();
    }
    seen + &memory
        .read_resource(&call(), "zm://rules")
        .unwrap()
        .to_string()
}

#[test]
fn t09_a_hidden_memory_answers_as_a_missing_one_everywhere() {
    let world = World::new();
    let bob = world.person("bob");
    let answer =
        world.remember(json!({ "scope": "personal", "entities": ["hush"], "content": "Hidden." }));
    let (hidden, entity) = (
        id(&answer),
        answer["anchors"][0]["id"].as_str().unwrap().to_owned(),
    );
    let own = ok(
        &bob,
        Remember,
        json!({ "scope": "core", "entities": ["mine"], "content": "Mine." }),
    );
    let missing = |id: &str| format!("{}_00000000000000000000000000", &id[..3]);
    for target in [&hidden, &entity] {
        let none = missing(target);
        let asked = |target: &str| {
            let inputs = [
                (Forget, json!({ "memory_id": target })),
                (CloseLoop, json!({ "memory_id": target })),
                (Challenge, json!({ "memory_id": target, "reason": "Why?" })),
                (
                    Link,
                    json!({ "src": own["memory_id"], "dst": target, "type": "relates_to" }),
                ),
                (
                    Link,
                    json!({ "src": target, "dst": own["memory_id"], "type": "relates_to" }),
                ),
                (
                    Remember,
                    json!({ "scope": "core", "content": "X.", "links": [{ "type": "supersedes", "target": target }] }),
                ),
                (
                    Remember,
                    json!({ "scope": "core", "content": "X.", "links": [{ "type": "relates_to", "target": target }] }),
                ),
            ];
            let mut told: Vec<String> = inputs
                .into_iter()
                .map(|(tool, input)| {
                    run(&bob, &call(), tool, input)
                        .unwrap_err()
                        .body()
                        .to_string()
                })
                .collect();
            told.push(
                bob.read_resource(&call(), &format!("zm://memory/{target}"))
                    .unwrap_err()
                    .body()
                    .to_string(),
            );
            told.into_iter()
                .map(|text| text.replace(target, "ID"))
                .collect::<Vec<_>>()
        };
        let told = asked(target);
        assert_eq!(told, asked(&none));
        assert!(
            told.iter().all(|text| text.contains("not_found")),
            "{told:?}"
        );
    }
    assert_eq!(world.recall("hidden"), ["Hidden."]);
}

#[test]
fn t09_private_rows_in_a_shared_project_are_their_owners_alone() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Writer);
    let bob = world.person("bob");
    // Rows of the owner's become shared here; what is his own is not.
    let shared = id(&world.remember(json!({ "scope": path, "entities": ["gateway"], "content": "Everyone may know the gateway." })));
    let thread = ok(
        &bob,
        Remember,
        json!({ "project_hint": path, "content": "Bob adds this." }),
    )["session"]["thread"]
        .clone();
    world.remember(json!({ "scope": "personal", "content": "Everyone hush personal." }));
    let seen = everything(&bob, "everyone gateway hush");
    assert!(
        seen.contains("Everyone may know") && seen.contains("gateway"),
        "{seen}"
    );
    assert!(!seen.contains("hush personal"), "{seen}");
    let found = ok(
        &bob,
        Recall,
        json!({ "query": "gateway", "thread": thread, "scopes": [path] }),
    );
    assert_eq!(texts(&found["memories"], "visibility"), ["shared"]);
    let record = bob
        .read_resource(&call(), &format!("zm://memory/{shared}"))
        .unwrap();
    assert_eq!(
        (&record["owner"], &record["visibility"]),
        (&json!("me"), &json!("shared"))
    );
}

#[test]
fn roles_decide_who_may_retire_what_is_shared() {
    for role in [Role::Reader, Role::Writer, Role::Admin] {
        let world = World::new();
        let path = world.shared_project("api", "bob", role);
        let bob = world.person("bob");
        let add = |kind: &str, text: &str| {
            id(&world.remember(json!({ "scope": path, "kind": kind, "content": text })))
        };
        let stays = add("fact", "It stays.");
        let (fact, task, old) = (
            add("fact", "A fact."),
            add("task", "A task."),
            add("fact", "An old one."),
        );
        let outcomes = [
            run(&bob, &call(), Forget, json!({ "memory_id": fact })),
            run(&bob, &call(), CloseLoop, json!({ "memory_id": task })),
            run(
                &bob,
                &call(),
                Remember,
                json!({ "scope": "core", "content": "A new one.", "links": [{ "type": "supersedes", "target": old }] }),
            ),
            run(
                &bob,
                &call(),
                Link,
                json!({ "src": task, "dst": old, "type": "relates_to" }),
            ),
        ];
        let [forgotten, closed, superseded, linked] =
            outcomes.map(|outcome| outcome.map_err(|error| code(&error)));
        if role == Role::Reader {
            for outcome in [&forgotten, &closed, &superseded, &linked] {
                assert_eq!(outcome.as_ref().unwrap_err(), "forbidden");
            }
        } else {
            assert_eq!(forgotten.unwrap()["invalidated"], true);
            assert_eq!(closed.unwrap()["closed"], true);
            assert_eq!(superseded.unwrap()["superseded"], json!([old]));
            assert_eq!(linked.unwrap_err(), "conflict");
        }
        let doubt = run(
            &bob,
            &call(),
            Challenge,
            json!({ "memory_id": stays, "reason": "Why?" }),
        );
        assert_eq!(
            doubt.unwrap()["already_pending"],
            false,
            "whoever reads it may doubt it"
        );
    }
}

#[test]
fn the_successor_of_a_shared_memory_may_be_hidden_from_its_owner() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Writer);
    let bob = world.person("bob");
    let old = id(&world.remember(json!({ "scope": path, "content": "The old way." })));
    ok(
        &bob,
        Remember,
        json!({ "scope": "personal", "content": "Private news.", "links": [{ "type": "supersedes", "target": old }] }),
    );
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{old}"))
        .unwrap();
    assert_eq!(
        (&record["retired_by"], &record["superseded_by"]),
        (&json!("bob"), &Value::Null)
    );
    assert_eq!(record["related"], json!([]));
}

/// A step that one of two people takes.
#[derive(Clone, Debug)]
enum Step {
    Remember {
        who: usize,
        scope: usize,
        kind: usize,
        n: usize,
    },
    Forget {
        who: usize,
        n: usize,
    },
    Link {
        who: usize,
        n: usize,
    },
    Challenge {
        who: usize,
        n: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..2usize, 0..4usize, 0..3usize, 0..8usize).prop_map(|(who, scope, kind, n)| Step::Remember { who, scope, kind, n }),
        1 => (0..2usize, 0..16usize).prop_map(|(who, n)| Step::Forget { who, n }),
        1 => (0..2usize, 0..16usize).prop_map(|(who, n)| Step::Link { who, n }),
        1 => (0..2usize, 0..16usize).prop_map(|(who, n)| Step::Challenge { who, n }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_tool_shows_what_another_person_keeps_private(steps in prop::collection::vec(step(), 5..25)) {
        let world = World::new();
        // Shared rows appear only in the project of "me" that bob is in.
        let shared = world.shared_project("api", "bob", Role::Writer);
        let people = [world.memory.clone(), world.person("bob")];
        let mut ids: Vec<(String, Option<usize>)> = Vec::new();
        for step in steps {
            match step {
                Step::Remember { who, scope, kind, n } => {
                    let own = format!("proj.{}.own", ["me", "bob"][who]);
                    let scope = ["core", "personal", own.as_str(), shared.as_str()][scope];
                    let is_private = scope != shared;
                    let mark = if is_private { format!("hush{who}") } else { "open".to_owned() };
                    let kind = ["fact", "gotcha", "reference"][kind];
                    let input = json!({
                        "scope": scope, "kind": kind, "entities": [format!("{mark} thing {n}")],
                        "content": format!("{mark} alpha {n}"),
                    });
                    let answer = ok(&people[who], Remember, input);
                    ids.push((id(&answer), is_private.then_some(who)));
                }
                Step::Forget { who, n } | Step::Link { who, n } | Step::Challenge { who, n } if !ids.is_empty() => {
                    let (target, owner) = ids[n % ids.len()].clone();
                    let (tool, input) = match step {
                        Step::Forget { .. } => (Forget, json!({ "memory_id": target })),
                        Step::Link { .. } => (Link, json!({ "src": &ids[0].0, "dst": target, "type": "relates_to" })),
                        _ => (Challenge, json!({ "memory_id": target, "reason": "Why?" })),
                    };
                    let outcome = run(&people[who], &call(), tool, input);
                    let is_self = tool == Link && target == ids[0].0;
                    if owner.is_some_and(|owner| owner != who) && !is_self {
                        prop_assert_eq!(outcome.unwrap_err().code.as_str(), "not_found");
                    }
                }
                _ => {}
            }
        }
        for (who, person) in people.iter().enumerate() {
            let seen = everything(person, "hush0 hush1 open alpha thing");
            let hidden = format!("hush{} ", 1 - who);
            // The last tool stores the words that were asked for.
            let seen = seen.replace("hush0 hush1 open alpha thing again", "");
            prop_assert!(!seen.contains(&hidden), "{}", seen);
            for (id, owner) in &ids {
                if owner.is_some_and(|owner| owner != who) {
                    prop_assert!(!seen.contains(id.as_str()), "{}", seen);
                    let read = person.read_resource(&call(), &format!("zm://memory/{id}"));
                    prop_assert!(read.is_err());
                }
            }
        }
    }
}
