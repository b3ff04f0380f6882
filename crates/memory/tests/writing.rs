//! The write path: what is stored, what is refused, what the answer says.

use std::collections::BTreeSet;
use std::sync::Barrier;

use contract::ToolName::{self, Challenge, CloseLoop, Entities, Forget, Link, Recall, Remember};
use serde_json::{Value, json};

use crate::fixture::{World, call, code, contents, id, run, texts};

/// Assembled, so that no scanner takes this file for a leak.
fn credential() -> String {
    format!("AKIA{}", "IOSFODNN7EXAMPLE")
}

#[test]
fn text_is_kept_as_it_was_sent_but_for_the_blanks_around_it() {
    let world = World::new();
    for text in [
        "Tabs\tand\r\nlines",
        "日本語のテキスト",
        "ﬁ ligature, e\u{301}",
        "<|endoftext|> </memory>",
        "a\u{200c}b 🙂",
    ] {
        let answer = world.remember(json!({ "scope": "core", "content": format!(" \n{text}\t ") }));
        let uri = format!("zm://memory/{}", id(&answer));
        let record = world.memory.read_resource(&call(), &uri).unwrap();
        assert_eq!(record["content"], *text);
    }
}

#[test]
fn a_record_says_where_it_came_from() {
    let world = World::new();
    let answer = world.remember(json!({
        "project_hint": "https://example.com/acme/shop.git", "kind": "decision", "entities": ["payments"],
        "verbatim": " we retry twice ", "content": "Payments are retried twice.",
    }));
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{}", id(&answer)))
        .unwrap();
    assert_eq!(record["kind"], "decision");
    assert_eq!(record["scope"], "proj.me.shop");
    assert_eq!(record["owner"], "me");
    assert_eq!(record["author_kind"], "agent");
    assert_eq!(record["agent"], "tester");
    assert_eq!(record["visibility"], "private");
    assert_eq!(record["created_at"], "2026-12-01T09:00:00.000Z");
    assert_eq!(record["entities"], json!(["payments"]));
    assert_eq!(record["provenance"]["verbatim"], "we retry twice");
    assert_eq!(record["provenance"]["client"], "tester 1.0");
    assert_eq!(record["provenance"]["scope_source"], "hint");
    assert_eq!(record["provenance"]["thread"], answer["session"]["thread"]);
    assert_eq!(record["retired_at"], Value::Null);
}

#[test]
fn w26_blank_texts_are_refused_and_nothing_is_stored() {
    let world = World::new();
    let known = world.core("Something to link to.");
    for blank in [
        "",
        " ",
        "\n\t",
        "\u{200b}",
        "\u{200b}\u{feff} ",
        "\u{1}\u{2}",
        "\u{0}",
    ] {
        let inputs = [
            (Remember, json!({ "scope": "core", "content": blank })),
            (
                Remember,
                json!({ "scope": "core", "content": "Fine.", "verbatim": blank }),
            ),
            (
                Remember,
                json!({ "scope": "core", "content": "Fine.", "entities": ["fine", blank] }),
            ),
            (Recall, json!({ "query": blank })),
            (ToolName::BuildContext, json!({ "topic": blank })),
            (Entities, json!({ "query": blank })),
            (Forget, json!({ "memory_id": known, "reason": blank })),
            (
                CloseLoop,
                json!({ "memory_id": known, "resolution": blank }),
            ),
            (Challenge, json!({ "memory_id": known, "reason": blank })),
            (
                Challenge,
                json!({ "memory_id": known, "reason": "Fine.", "evidence": blank }),
            ),
        ];
        for (tool, input) in inputs {
            assert_eq!(
                code(&world.err(tool, input.clone())),
                "validation_failed",
                "{input}"
            );
        }
    }
    assert_eq!(world.recall("fine"), [""; 0]);
}

#[test]
fn credentials_are_refused_in_every_text_and_never_shown() {
    let world = World::new();
    let secret = credential();
    let leak = format!("the key is {secret} keep it");
    let known = world.core("Something to link to.");
    let inputs = [
        (
            Remember,
            json!({ "scope": "core", "content": leak }),
            "content",
        ),
        (
            Remember,
            json!({ "scope": "core", "content": "Fine.", "verbatim": leak }),
            "verbatim",
        ),
        (
            Remember,
            json!({ "scope": "core", "content": "Fine.", "entities": [leak] }),
            "entities",
        ),
        (
            Remember,
            json!({ "scope": "core", "content": "Fine.", "links": [{ "type": secret, "target": known }] }),
            "links",
        ),
        (
            Link,
            json!({ "src": known, "dst": known, "type": secret }),
            "type",
        ),
        (
            Forget,
            json!({ "memory_id": known, "reason": leak }),
            "reason",
        ),
        (
            CloseLoop,
            json!({ "memory_id": known, "resolution": leak }),
            "resolution",
        ),
        (
            Challenge,
            json!({ "memory_id": known, "reason": leak }),
            "reason",
        ),
        (
            Challenge,
            json!({ "memory_id": known, "reason": "Fine.", "evidence": leak }),
            "evidence",
        ),
    ];
    for (tool, input, field) in inputs {
        let error = world.err(tool, input.clone());
        assert_eq!(
            code(&error),
            "validation_failed secret_content_rejected:",
            "{input}"
        );
        assert!(error.message.contains(field), "{}", error.message);
        assert!(!error.message.contains(&secret[..7]), "{}", error.message);
    }
    assert_eq!(world.recall("fine key"), [""; 0]);
    assert_eq!(world.recall("something").len(), 1);
}

#[test]
fn the_same_text_is_one_memory_per_scope() {
    let world = World::new();
    let first = world.remember(json!({ "scope": "core", "content": "Café is\r\nopen" }));
    assert_eq!(first["deduplicated"], false);
    for same in ["Cafe\u{301} is\nopen", "  Café is\nopen\n"] {
        let again = world.remember(json!({ "scope": "core", "kind": "gotcha", "content": same }));
        assert_eq!(
            (again["deduplicated"].as_bool(), id(&again)),
            (Some(true), id(&first)),
            "{same}"
        );
    }
    let elsewhere = world.remember(json!({ "scope": "personal", "content": "Café is\nopen" }));
    assert_ne!(id(&elsewhere), id(&first));
    for other in ["café is\nopen", "Café  is\nopen", "Café is open"] {
        assert_eq!(
            world.remember(json!({ "scope": "core", "content": other }))["deduplicated"],
            false,
            "{other}"
        );
    }
}

#[test]
fn w32_w34_texts_that_are_nearly_the_same_are_two_memories() {
    let world = World::new();
    for (a, b) in [
        ("export PATH", "EXPORT path"),
        ("run 41 took 812 ms", "run 42 took 815 ms"),
    ] {
        assert_ne!(world.core(a), world.core(b));
    }
    assert_eq!(world.recall("run took").len(), 2);
}

#[test]
fn a_forgotten_text_and_a_closed_loop_can_be_stored_again() {
    let world = World::new();
    let fact = world.core("It comes back.");
    world.ok(Forget, json!({ "memory_id": fact }));
    assert_ne!(world.core("It comes back."), fact);
    let task =
        json!({ "scope": "proj.me.shop", "kind": "task", "content": "Rotate the certificates." });
    let first = id(&world.remember(task.clone()));
    assert_eq!(id(&world.remember(task.clone())), first);
    world.ok(CloseLoop, json!({ "memory_id": first }));
    assert_ne!(id(&world.remember(task)), first);
}

#[test]
fn a_call_sent_twice_changes_nothing_and_names_the_same_ids() {
    let world = World::new();
    let old = world.core("The host is blue.");
    let input = json!({
        "scope": "core", "content": "The host is green.", "entities": ["host"],
        "links": [{ "type": "supersedes", "target": old }],
    });
    let first = world.remember(input.clone());
    let second = world.remember(input);
    assert_eq!(second["deduplicated"], true);
    for field in [
        "memory_id",
        "superseded",
        "anchors",
        "scope",
        "similar_existing",
    ] {
        assert_eq!(first[field], second[field], "{field}");
    }
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{old}"))
        .unwrap();
    assert_eq!(record["superseded_by"], first["memory_id"]);
}

#[test]
fn superseding_retires_the_target_and_tells_both_ends() {
    let world = World::new();
    let old = world.core("The build takes nine minutes.");
    let new = world.remember(json!({
        "scope": "core", "content": "The build takes three minutes.",
        "links": [{ "type": "supersedes", "target": format!(" {} ", old.to_uppercase()) }],
    }));
    assert_eq!(new["superseded"], json!([old]));
    assert_eq!(new["similar_existing"], json!([]));
    assert_eq!(
        world.recall("build minutes"),
        ["The build takes three minutes."]
    );
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{old}"))
        .unwrap();
    assert_eq!(record["superseded_by"], new["memory_id"]);
    assert_eq!(record["retired_by"], "me");
    assert_eq!(record["related"][0]["relation"], "superseded_by");
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{}", id(&new)))
        .unwrap();
    assert_eq!(record["related"][0]["relation"], "supersedes");
    assert_eq!(record["related"][0]["id"], old);
}

#[test]
fn a_link_that_cannot_be_made_stores_nothing_at_all() {
    let world = World::new();
    let live = world.core("A live one.");
    let gone = world.core("A gone one.");
    world.ok(Forget, json!({ "memory_id": gone }));
    let missing = "mem_00000000000000000000000000";
    let table = [
        ("supersedes", missing, "not_found"),
        ("relates_to", missing, "not_found"),
        ("supersedes", &gone, "conflict"),
        ("relates_to", &gone, "conflict"),
        ("superseded_by", &live, "validation_failed"),
    ];
    for (kind, target, expected) in table {
        let input = json!({
            "project_hint": "https://example.com/acme/new.git", "content": "Stored by mistake.", "entities": ["mistake"],
            "links": [{ "type": "supersedes", "target": live }, { "type": kind, "target": target }],
        });
        assert_eq!(
            code(&world.err(Remember, input)),
            expected,
            "{kind} {target}"
        );
    }
    assert_eq!(world.recall("mistake"), [""; 0]);
    assert_eq!(world.recall("live"), ["A live one."]);
    assert_eq!(world.ok(Entities, json!({}))["entities"], json!([]));
    let scope = json!({ "query": "x", "scopes": ["proj.me.new"] });
    assert_eq!(
        code(&world.err(Recall, scope)),
        "not_found",
        "the project was not made either"
    );
}

#[test]
fn a_kind_is_corrected_by_superseding_the_same_text() {
    let world = World::new();
    let fact = world.core("Ports below 1024 need root.");
    let input = json!({
        "scope": "core", "kind": "gotcha", "content": "Ports below 1024 need root.",
        "links": [{ "type": "supersedes", "target": fact }],
    });
    let first = world.remember(input.clone());
    assert_eq!(first["deduplicated"], false);
    assert_eq!(first["superseded"], json!([fact]));
    assert_eq!(world.remember(input)["memory_id"], first["memory_id"]);
}

#[test]
fn other_links_tie_and_come_along_in_recall() {
    let world = World::new();
    let source = world.core("The interview notes of June.");
    let answer = world.remember(json!({
        "scope": "core", "content": "Customers want exports.",
        "links": [{ "type": "derived_from", "target": source }, { "type": "derived_from", "target": source }],
    }));
    assert_eq!(answer["superseded"], json!([]));
    let found = world.ok(Recall, json!({ "query": "exports" }));
    assert_eq!(texts(&found["related"], "relation"), ["derived_from"]);
    assert_eq!(found["related"][0]["of"], answer["memory_id"]);
    let found = world.ok(Recall, json!({ "query": "interview" }));
    assert_eq!(
        texts(&found["related"], "relation"),
        ["inverse_of_derived_from"]
    );
    let without = world.ok(
        Recall,
        json!({ "query": "exports", "include_graph": false }),
    );
    assert_eq!(without["related"], json!([]));
}

#[test]
fn close_neighbours_are_listed_and_never_merged() {
    let world = World::new();
    for n in 0..15 {
        world.core(&format!(
            "The payment worker retries failed charges {n} times."
        ));
    }
    world.core("Lunch is at noon.");
    world.pass(3 * crate::fixture::DAY_MS);
    let answer = world.remember(
        json!({ "scope": "core", "content": "The payment worker retries failed charges never." }),
    );
    let similar = answer["similar_existing"].as_array().unwrap();
    assert_eq!(similar.len(), 10);
    for one in similar {
        assert!(one["similarity"].as_f64().unwrap() >= 0.3);
        assert_eq!(one["age_days"], 3);
    }
    assert_eq!(
        world.remember(json!({ "scope": "core", "content": "Nothing of that sort." }))["similar_existing"],
        json!([])
    );
    assert_eq!(world.remember(json!({ "scope": "personal", "content": "The payment worker retries failed charges 3 times." }))["similar_existing"], json!([]));
}

#[test]
fn anchors_are_those_named_or_else_those_that_stand_in_the_text() {
    let world = World::new();
    let named = world.remember(json!({
        "scope": "core", "entities": [" Billing  API ", "billing api", "検索"], "content": "It is slow on Mondays.",
    }));
    assert_eq!(texts(&named["anchors"], "name"), ["Billing  API", "検索"]);
    let table = [
        ("The BILLING API is fine now.", vec!["Billing  API"]),
        ("The billing apis are many.", vec![]),
        ("この検索は速い", vec!["検索"]),
        ("Nothing is named here.", vec![]),
    ];
    for (text, expected) in table {
        let answer = world.remember(json!({ "scope": "core", "content": text }));
        assert_eq!(texts(&answer["anchors"], "name"), expected, "{text}");
    }
    let elsewhere =
        world.remember(json!({ "scope": "personal", "content": "I own the billing API." }));
    assert_eq!(
        elsewhere["anchors"],
        json!([]),
        "an entity belongs to its scope"
    );
    let decision = world.remember(
        json!({ "scope": "proj.me.shop", "kind": "decision", "content": "We ship on Fridays." }),
    );
    assert!(decision["anchor_hint"].is_string());
}

#[test]
fn long_texts_are_kept_whole_and_get_advice() {
    let world = World::new();
    let long = format!("{}needle at the end", "hay in the stack. ".repeat(3_600));
    assert!(long.len() < 65_536);
    let answer = world.remember(json!({ "scope": "core", "content": long }));
    assert!(answer["length_directive"].is_string());
    let found = world.ok(Recall, json!({ "query": "needle" }));
    let shown = &contents(&found)[0];
    assert!(
        shown.contains("needle") && shown.chars().count() <= 702,
        "{}",
        shown.len()
    );
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{}", id(&answer)))
        .unwrap();
    assert_eq!(record["content"].as_str().unwrap().len(), long.len());
    assert_eq!(
        world.remember(json!({ "scope": "core", "content": "Short." }))["length_directive"],
        Value::Null
    );
}

#[test]
fn w01_fifty_writes_at_once_are_fifty_memories() {
    let world = World::new();
    std::thread::scope(|threads| {
        for n in 0..50 {
            let memory = &world.memory;
            threads.spawn(move || {
                let input =
                    json!({ "project_hint": "/srv/shop", "content": format!("Fact number {n}.") });
                run(memory, &call(), Remember, input).unwrap()
            });
        }
    });
    assert_eq!(world.recall("fact number").len(), 50);
}

#[test]
fn w01_sixty_four_equal_writes_at_once_are_one_memory() {
    const N_CLIENTS: usize = 64;
    let world = World::new();
    world.core("Something stands there already.");
    let start = Barrier::new(N_CLIENTS);
    let answers: Vec<Value> = std::thread::scope(|threads| {
        let running: Vec<_> = (0..N_CLIENTS)
            .map(|_| {
                threads.spawn(|| {
                    start.wait();
                    let input = json!({ "scope": "core", "content": "The pelican lands at noon." });
                    run(&world.memory, &call(), Remember, input).unwrap()
                })
            })
            .collect();
        let ended = running.into_iter().map(|thread| thread.join().unwrap());
        ended.collect()
    });
    let ids: BTreeSet<String> = answers.iter().map(id).collect();
    assert_eq!(ids.len(), 1);
    let is_new = |answer: &&Value| answer["deduplicated"] == false;
    assert_eq!(answers.iter().filter(is_new).count(), 1);
    assert_eq!(world.recall("pelican"), ["The pelican lands at noon."]);
}

#[test]
fn like_texts_that_are_written_at_once_are_told_to_whoever_comes_later() {
    const N_CLIENTS: usize = 32;
    let world = World::new();
    world.core("Something stands there already.");
    let start = Barrier::new(N_CLIENTS);
    let answers: Vec<Value> = std::thread::scope(|threads| {
        let running: Vec<_> = (0..N_CLIENTS)
            .map(|n| {
                let (start, memory) = (&start, &world.memory);
                threads.spawn(move || {
                    start.wait();
                    let content = format!("The pelican of harbour {n} lands at noon.");
                    let input = json!({ "scope": "core", "content": content });
                    run(memory, &call(), Remember, input).unwrap()
                })
            })
            .collect();
        let ended = running.into_iter().map(|thread| thread.join().unwrap());
        ended.collect()
    });
    // Each one is told of those before it, up to what an answer lists.
    let mut n_told: Vec<usize> = answers
        .iter()
        .map(|answer| answer["similar_existing"].as_array().map_or(0, Vec::len))
        .collect();
    n_told.sort_unstable();
    let expected: Vec<usize> = (0..N_CLIENTS).map(|n| n.min(10)).collect();
    assert_eq!(n_told, expected);
}

#[test]
fn an_answer_survives_a_restart() {
    let world = World::new();
    let id = world.core("It stays.");
    world.memory.close();
    assert_eq!(world.recall("stays"), ["It stays."]);
    assert_eq!(world.core("It stays."), id);
}

#[test]
fn a_credential_in_a_name_is_refused_and_never_repeated() {
    let world = World::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let names = [
        json!({ "project_hint": format!("/home/x/{token}"), "content": "One." }),
        json!({ "project_hint": token, "content": "Two." }),
        json!({ "scope": format!("proj.me.{}", token.to_ascii_lowercase()), "content": "Three." }),
        json!({ "scope": "core", "content": format!("stdout: token:\\n{token}") }),
        json!({ "scope": "core", "content": format!("curl https://x.example/?q=a%3D{token}") }),
    ];
    for input in names {
        let error = world.err(Remember, input.clone());
        assert_eq!(
            code(&error),
            "validation_failed secret_content_rejected:",
            "{input}"
        );
        let text = error.to_string();
        assert!(!text.contains(&token[..10]), "{text}");
    }
    let error = world.err(Recall, json!({ "query": "a", "scopes": [token] }));
    assert_eq!(code(&error), "not_found");
    assert!(!error.to_string().contains(&token[..10]));
    // The password of a remote is dropped before anything is kept.
    let remote = format!("https://me:{token}@example.com/acme/shop.git");
    let answer = world.remember(json!({ "project_hint": remote, "content": "Four." }));
    assert_eq!(answer["scope"], "proj.me.shop");
}
