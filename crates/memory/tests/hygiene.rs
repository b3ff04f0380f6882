//! scan_hygiene: what it proposes, what it leaves alone, and that it only
//! proposes.

use contract::ToolName::{
    self, Challenge, CloseLoop, GetConflict, ListConflicts, Recall, ResolveConflict, RestoreMemory,
    ScanHygiene,
};
use memory::Memory;
use serde_json::{Value, json};
use store::Role;

use crate::fixture::{World, call, id, run};

fn ok(memory: &Memory, tool: ToolName, input: Value) -> Value {
    run(memory, &call(), tool, input).unwrap()
}

fn scan(world: &World) -> Vec<Value> {
    world.ok(ScanHygiene, json!({ "limit": 1000 }))["raised"]
        .as_array()
        .unwrap()
        .clone()
}

/// One fix in 27 phrasings, as different sessions write it down.
fn phrasings() -> Vec<String> {
    let mut phrasings = Vec::new();
    for start in ["", "Note: ", "Remember, "] {
        for subject in [
            "restart the queue worker",
            "the queue worker needs a restart",
            "always restart queue workers",
        ] {
            for when in [
                "after a deploy or jobs hang",
                "after every deploy, else jobs hang",
                "following deploy, as jobs hang",
            ] {
                phrasings.push(format!("{start}{subject} {when}."));
            }
        }
    }
    phrasings
}

#[test]
fn w33_one_fix_in_many_phrasings_is_one_dispute() {
    let world = World::new();
    for text in phrasings() {
        world.core(&text);
    }
    world.core("The cache holds 512 MiB.");
    let raised = scan(&world);
    assert_eq!(raised.len(), 1, "{raised:?}");
    assert_eq!(raised[0]["cause"], "near_duplicate");
    assert_eq!(raised[0]["memory_ids"].as_array().unwrap().len(), 27);
    assert_eq!(world.recall("queue worker").len(), 27, "all are kept");
    // One more of them joins what is pending.
    let late = world.core("By the way, restart the queue worker after a deploy or jobs hang.");
    let again = scan(&world);
    assert_eq!(again.len(), 1);
    assert_eq!(again[0]["dispute_id"], raised[0]["dispute_id"]);
    assert_eq!(again[0]["already_pending"], true);
    let conflict = world.ok(
        GetConflict,
        json!({ "dispute_id": raised[0]["dispute_id"] }),
    );
    assert_eq!(conflict["conflict"]["memory_count"], 28);
    assert!(
        conflict.to_string().contains(&late)
            || conflict["conflict"]["others"].as_array().unwrap().len() < 26
    );
    let kept = world.ok(
        ResolveConflict,
        json!({ "dispute_id": raised[0]["dispute_id"], "decision": "keep_a" }),
    );
    assert_eq!(kept["retired"].as_array().unwrap().len(), 27);
    assert_eq!(world.recall("queue worker").len(), 1);
    assert_eq!(scan(&world), [Value::Null; 0]);
}

#[test]
fn w32_measurements_are_proposed_and_never_retired() {
    let world = World::new();
    world.core("run 41 took 812 ms");
    world.core("run 42 took 815 ms");
    let raised = scan(&world);
    assert_eq!(raised.len(), 1);
    assert_eq!(raised[0]["cause"], "near_duplicate");
    assert_eq!(world.recall("run took ms").len(), 2);
}

#[test]
fn a_second_scan_changes_nothing_and_names_the_same_disputes() {
    let world = World::new();
    for text in [
        "The API listens on port 8080.",
        "Tea is at four.",
        "The API listens on port 9090.",
    ] {
        world.core(text);
    }
    let first = scan(&world);
    assert_eq!(first[0]["cause"], "contradiction");
    assert_eq!(first[0]["already_pending"], false);
    let listed = || world.ok(ListConflicts, json!({}));
    let before = listed();
    let second = scan(&world);
    assert_eq!(second[0]["dispute_id"], first[0]["dispute_id"]);
    assert_eq!((second.len(), listed()), (1, before));
    let marked = world.ok(Recall, json!({ "query": "api port", "scopes": ["core"] }));
    for memory in marked["memories"].as_array().unwrap() {
        assert_eq!(memory["dispute_id"], first[0]["dispute_id"]);
        assert_ne!(memory["dispute_with"], memory["id"]);
    }
}

#[test]
fn what_was_kept_side_by_side_is_not_raised_again() {
    let world = World::new();
    world.core("The API listens on port 8080.");
    world.core("The API listens on port 9090.");
    let first = scan(&world)[0]["dispute_id"].clone();
    world.ok(
        ResolveConflict,
        json!({ "dispute_id": first, "decision": "keep_both" }),
    );
    assert_eq!(scan(&world), [Value::Null; 0]);
    // A third one is held against both.
    world.core("The API listens on port 7070.");
    let raised = scan(&world);
    assert_eq!(raised.len(), 1);
    assert_ne!(raised[0]["dispute_id"], first);
    assert_eq!(raised[0]["memory_ids"].as_array().unwrap().len(), 3);
}

#[test]
fn what_a_restored_loser_is_at_odds_with_is_raised_again() {
    let world = World::new();
    world.core("The API listens on port 8080.");
    world.core("The API listens on port 9090.");
    let first = scan(&world)[0]["dispute_id"].clone();
    let kept = world.ok(
        ResolveConflict,
        json!({ "dispute_id": first, "decision": "keep_b" }),
    );
    assert_eq!(scan(&world), [Value::Null; 0]);
    world.ok(RestoreMemory, json!({ "memory_id": kept["retired"][0] }));
    let raised = scan(&world);
    assert_eq!(raised.len(), 1);
    assert_ne!(raised[0]["dispute_id"], first);
}

#[test]
fn every_pending_dispute_over_what_was_looked_at_is_returned() {
    let world = World::new();
    let old = world.core("The API listens on port 8080.");
    let new = world.core("The API listens on port 9090.");
    let pair = scan(&world)[0]["dispute_id"].clone();
    let doubt = world.ok(Challenge, json!({ "memory_id": new, "reason": "Hm." }));
    // The other one lies beyond the limit.
    let answer = world.ok(ScanHygiene, json!({ "limit": 1 }));
    assert_eq!(answer["scanned"], 1);
    assert_eq!(
        answer["raised"],
        json!([
            { "dispute_id": doubt["dispute_id"], "cause": "challenge", "memory_ids": [new], "already_pending": true },
            { "dispute_id": pair, "cause": "contradiction", "memory_ids": [new, old], "already_pending": true },
        ])
    );
}

#[test]
fn an_answer_holds_as_many_disputes_as_fit() {
    let world = World::new();
    for n in 0..350 {
        let memory = world.core(&format!("word{n}"));
        world.ok(Challenge, json!({ "memory_id": memory, "reason": "Hm." }));
    }
    let answer = world.ok(ScanHygiene, json!({ "limit": 1000 }));
    let n_characters = answer.to_string().chars().count();
    assert!((37_000..40_000).contains(&n_characters), "{n_characters}");
}

#[test]
fn only_the_newest_within_the_limit_are_compared() {
    let world = World::new();
    world.core("The API listens on port 8080.");
    world.core("Tea is at four.");
    world.core("The API listens on port 9090.");
    let answer = world.ok(ScanHygiene, json!({ "limit": 2 }));
    assert_eq!(answer, json!({ "scanned": 2, "raised": [] }));
    assert_eq!(world.ok(ScanHygiene, json!({}))["scanned"], 3);
}

#[test]
fn scopes_episodes_and_what_has_left_reads_are_not_mixed_in() {
    let world = World::new();
    world.core("The API listens on port 8080.");
    world.remember(json!({ "scope": "personal", "content": "The API listens on port 9090." }));
    for n in 0..2 {
        world.remember(json!({ "scope": "proj.me.shop", "kind": "episode", "content": format!("The API listens on port {n}.") }));
    }
    let task = id(&world.remember(
        json!({ "scope": "proj.me.api", "kind": "task", "content": "Move the API to port 1." }),
    ));
    world.remember(
        json!({ "scope": "proj.me.api", "kind": "task", "content": "Move the API to port 2." }),
    );
    world.ok(CloseLoop, json!({ "memory_id": task }));
    assert_eq!(scan(&world), [Value::Null; 0]);
}

#[test]
fn t09_a_scan_covers_what_its_caller_may_retire_and_no_more() {
    for (role, expected) in [(Role::Reader, 0), (Role::Writer, 1)] {
        let world = World::new();
        let bob = world.person("bob");
        let path = world.shared_project("api", "bob", role);
        for port in [8080, 9090] {
            world.remember(
                json!({ "scope": path, "content": format!("The gateway has port {port}.") }),
            );
            world.core(&format!("The hidden gateway has port {port}."));
        }
        let answer = ok(&bob, ScanHygiene, json!({}));
        assert_eq!(answer["raised"].as_array().unwrap().len(), expected);
        assert_eq!(answer["scanned"], 2 * expected);
        // The owner finds what bob raised, and his own.
        let raised = scan(&world);
        assert_eq!(raised.len(), 2);
        let n_new = raised
            .iter()
            .filter(|dispute| dispute["already_pending"] == false)
            .count();
        assert_eq!(n_new, 2 - expected);
        let listed = ok(&bob, ListConflicts, json!({}));
        assert!(!listed.to_string().contains("hidden"), "{listed}");
    }
}
