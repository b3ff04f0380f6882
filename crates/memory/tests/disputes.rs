//! Disputes: who sees them, what settles them, what a decision leaves.

use contract::ToolName::{
    self, Challenge, CloseLoop, Forget, GetConflict, ListConflicts, MoveMemories, Recall, Remember,
    ResolveConflict, RestoreMemory,
};
use memory::Memory;
use serde_json::{Value, json};
use store::{Cause, NewDispute, Role};

use crate::fixture::{World, call, code, id, run, texts};

fn ok(memory: &Memory, tool: ToolName, input: Value) -> Value {
    run(memory, &call(), tool, input).unwrap()
}

fn challenged(world: &World, memory: &str) -> String {
    let answer = world.ok(
        Challenge,
        json!({ "memory_id": memory, "reason": "I saw otherwise." }),
    );
    answer["dispute_id"].as_str().unwrap().to_owned()
}

/// Raises a dispute about several memories of the owner's, as a scan does.
fn at_odds(world: &World, ids: &[&str]) -> String {
    let store = world.store();
    let me = store.first_account().unwrap().unwrap();
    let raised = store.append::<_, store::Error>(&me, |view| {
        let sides: Vec<i64> = ids
            .iter()
            .map(|id| view.find_memory(id).unwrap().unwrap().seq)
            .collect();
        view.raise(&NewDispute {
            cause: Cause::Contradiction,
            sides: &sides,
            reason: "They differ.",
            evidence: None,
            at: 7,
        })
    });
    raised.unwrap().1
}

fn settle(world: &World, dispute: &str, decision: &str) -> Value {
    world.ok(
        ResolveConflict,
        json!({ "dispute_id": dispute, "decision": decision }),
    )
}

fn listed(memory: &Memory, input: Value) -> Vec<String> {
    texts(&ok(memory, ListConflicts, input)["conflicts"], "dispute_id")
}

#[test]
fn w12_disputes_are_listed_after_a_restart_newest_first_and_by_page() {
    let world = World::new();
    let mut raised: Vec<String> = (0..5)
        .map(|n| challenged(&world, &world.core(&format!("Statement {n}."))))
        .collect();
    raised.reverse();
    settle(&world, &raised[1], "uphold");
    world.memory.close();
    assert_eq!(listed(&world.memory, json!({})), raised);
    let pending: Vec<String> = raised
        .iter()
        .enumerate()
        .filter(|(n, _)| *n != 1)
        .map(|(_, id)| id.clone())
        .collect();
    assert_eq!(
        listed(&world.memory, json!({ "status": "pending" })),
        pending
    );
    assert_eq!(
        listed(&world.memory, json!({ "status": "settled" })),
        raised[1..2]
    );
    assert_eq!(
        listed(&world.memory, json!({ "verdict": "uphold" })),
        raised[1..2]
    );
    assert_eq!(
        listed(&world.memory, json!({ "verdict": "retire" })),
        [""; 0]
    );
    let (mut walked, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut input = json!({ "limit": 2 });
        if !cursor.is_null() {
            input["cursor"] = cursor;
        }
        let page = world.ok(ListConflicts, input);
        walked.extend(texts(&page["conflicts"], "dispute_id"));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
        // What is raised meanwhile moves no page.
        challenged(&world, &world.core(&format!("Later {}.", walked.len())));
    }
    assert_eq!(walked, raised);
    let foreign = world.ok(ListConflicts, json!({ "limit": 1 }))["next_cursor"].clone();
    let error = world.err(
        ListConflicts,
        json!({ "status": "pending", "cursor": foreign }),
    );
    assert_eq!(code(&error), "validation_failed");
}

#[test]
fn long_texts_end_a_page_early_and_are_cut_in_the_detail() {
    let world = World::new();
    let text = |n: usize| format!("{n} {}", "wörd \u{1}\" ".repeat(6_000));
    let ids: Vec<String> = (0..3).map(|n| world.core(&text(n))).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let dispute = at_odds(&world, &ids);
    let detail = world.ok(GetConflict, json!({ "dispute_id": dispute }));
    let conflict = &detail["conflict"];
    assert!(detail.to_string().chars().count() < 40_000);
    for side in [&conflict["a"], &conflict["b"]] {
        assert_eq!(side["truncated"], true);
        assert!(side["content"].as_str().unwrap().chars().count() > 5_000);
    }
    assert_eq!(conflict["others"][0]["id"], ids[2]);
    assert_eq!(conflict["memory_count"], 3);
    let short = world.core("Short.");
    let dispute = challenged(&world, &short);
    let conflict = world.ok(GetConflict, json!({ "dispute_id": dispute }))["conflict"].clone();
    assert_eq!(
        (&conflict["a"]["content"], &conflict["a"]["truncated"]),
        (&json!("Short."), &json!(false))
    );
    assert_eq!(conflict.get("b"), None);
    for n in 0..100 {
        challenged(&world, &world.core(&format!("{n} {}", "\u{1}".repeat(300))));
    }
    let page = world.ok(ListConflicts, json!({ "limit": 100 }));
    assert!(page.to_string().chars().count() < 40_000);
    let n_listed = page["conflicts"].as_array().unwrap().len();
    assert!((5..100).contains(&n_listed), "{n_listed}");
    assert!(page["next_cursor"].is_string());
}

#[test]
fn w44_a_challenge_ends_with_the_memory_upheld_or_retired() {
    let world = World::new();
    let (stays, goes) = (world.core("It stays."), world.core("It goes."));
    let (upheld, retired) = (challenged(&world, &stays), challenged(&world, &goes));
    assert_eq!(
        world.recall("goes"),
        ["It goes."],
        "a doubt alone retires nothing"
    );
    for _ in 0..2 {
        let answer = json!({ "dispute_id": upheld, "status": "settled", "retired": [] });
        assert_eq!(settle(&world, &upheld, "uphold"), answer);
        let answer = json!({ "dispute_id": retired, "status": "settled", "retired": [goes] });
        assert_eq!(settle(&world, &retired.to_uppercase(), "retire"), answer);
    }
    assert_eq!(world.recall("goes"), [""; 0]);
    let found = world.ok(Recall, json!({ "query": "stays" }));
    assert_eq!(found["memories"][0]["disputed"], false);
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{goes}"))
        .unwrap();
    assert_eq!(record["retired_reason"], "I saw otherwise.");
    let otherwise = json!({ "dispute_id": upheld, "decision": "retire" });
    assert_eq!(code(&world.err(ResolveConflict, otherwise)), "conflict");
    // A settled doubt is no obstacle to another one.
    assert_ne!(challenged(&world, &stays), upheld);
}

#[test]
fn what_is_kept_supersedes_all_others() {
    for (decision, kept) in [("keep_a", 0), ("keep_b", 1)] {
        let world = World::new();
        let ids: Vec<String> = ["Port 8080.", "Port 9090.", "Port 7070."]
            .iter()
            .map(|text| world.core(text))
            .collect();
        let all: Vec<&str> = ids.iter().map(String::as_str).collect();
        let dispute = at_odds(&world, &all);
        let marked = world.ok(Recall, json!({ "query": "port" }));
        assert_eq!(marked["memories"][0]["dispute_id"], dispute.as_str());
        let gone: Vec<&str> = all
            .iter()
            .enumerate()
            .filter(|(n, _)| *n != kept)
            .map(|(_, id)| *id)
            .collect();
        for _ in 0..2 {
            assert_eq!(settle(&world, &dispute, decision)["retired"], json!(gone));
        }
        let record = |id: &str| {
            world
                .memory
                .read_resource(&call(), &format!("zm://memory/{id}"))
                .unwrap()
        };
        for id in gone {
            assert_eq!(record(id)["superseded_by"], all[kept]);
        }
        assert_eq!(record(all[kept])["related"].as_array().unwrap().len(), 2);
        assert_eq!(world.recall("port").len(), 1);
    }
    let world = World::new();
    let ids = [world.core("Port 8080."), world.core("Port 9090.")];
    let dispute = at_odds(&world, &[&ids[0], &ids[1]]);
    assert_eq!(settle(&world, &dispute, "keep_both")["retired"], json!([]));
    assert_eq!(world.recall("port").len(), 2);
}

#[test]
fn w14_what_was_forgotten_meanwhile_is_neither_kept_nor_touched() {
    let world = World::new();
    let ids = [world.core("Port 8080."), world.core("Port 9090.")];
    let dispute = at_odds(&world, &[&ids[0], &ids[1]]);
    world.ok(Forget, json!({ "memory_id": ids[0], "reason": "Mine." }));
    let input = |decision: &str| json!({ "dispute_id": dispute, "decision": decision });
    assert_eq!(
        code(&world.err(ResolveConflict, input("keep_a"))),
        "conflict"
    );
    let marked = world.ok(Recall, json!({ "query": "port" }));
    assert_eq!(
        marked["memories"][0]["disputed"], false,
        "nothing is left to disagree with"
    );
    assert_eq!(settle(&world, &dispute, "keep_b")["retired"], json!([]));
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{}", ids[0]))
        .unwrap();
    assert_eq!(
        (&record["retired_reason"], &record["superseded_by"]),
        (&json!("Mine."), &Value::Null)
    );
}

#[test]
fn a_decision_of_the_other_sort_is_refused_and_decides_nothing() {
    let world = World::new();
    let ids = [world.core("Port 8080."), world.core("Port 9090.")];
    let pair = at_odds(&world, &[&ids[0], &ids[1]]);
    let single = challenged(&world, &ids[0]);
    for (dispute, decisions) in [
        (&pair, vec!["uphold", "retire"]),
        (&single, vec!["keep_a", "keep_b", "keep_both"]),
    ] {
        for decision in decisions {
            let input = json!({ "dispute_id": dispute, "decision": decision });
            assert_eq!(
                code(&world.err(ResolveConflict, input)),
                "validation_failed",
                "{decision}"
            );
        }
        let conflict = world.ok(GetConflict, json!({ "dispute_id": dispute }));
        assert_eq!(conflict["conflict"]["status"], "pending");
    }
}

#[test]
fn t09_disputes_about_hidden_memories_do_not_exist() {
    let world = World::new();
    let bob = world.person("bob");
    let path = world.shared_project("api", "bob", Role::Writer);
    let hidden = [world.core("Hush one."), world.core("Hush two.")];
    let shared = id(&world.remember(json!({ "scope": path, "content": "Open to all." })));
    let single = challenged(&world, &hidden[0]);
    let pair = at_odds(&world, &[&hidden[0], &hidden[1]]);
    // Of a mixed pair, who sees one side only sees no dispute at all.
    let mixed = at_odds(&world, &[&shared, &hidden[1]]);
    let told = |dispute: &str| {
        let mut told = Vec::new();
        for (tool, input) in [
            (GetConflict, json!({ "dispute_id": dispute })),
            (
                ResolveConflict,
                json!({ "dispute_id": dispute, "decision": "uphold" }),
            ),
            (
                ResolveConflict,
                json!({ "dispute_id": dispute, "decision": "keep_b" }),
            ),
        ] {
            let error = run(&bob, &call(), tool, input).unwrap_err();
            assert_eq!(error.code.as_str(), "not_found");
            told.push(error.body().to_string().replace(dispute, "ID"));
        }
        told
    };
    let missing = told("dsp_00000000000000000000000000");
    for dispute in [&single, &pair, &mixed] {
        assert_eq!(told(dispute), missing);
    }
    assert_eq!(listed(&bob, json!({})), [""; 0]);
    let found = ok(&bob, Recall, json!({ "query": "open", "scopes": [path] }));
    assert_eq!(found["memories"][0]["disputed"], false);
    assert_eq!(listed(&world.memory, json!({})), [mixed, pair, single]);
}

#[test]
fn who_may_not_retire_may_only_take_his_own_doubt_back() {
    let world = World::new();
    let bob = world.person("bob");
    let path = world.shared_project("api", "bob", Role::Reader);
    let add = |text: &str| id(&world.remember(json!({ "scope": path, "content": text })));
    let (one, two) = (add("The first."), add("The second."));
    let of_owner = challenged(&world, &one);
    let own = ok(
        &bob,
        Challenge,
        json!({ "memory_id": two, "reason": "Hm." }),
    );
    let own = own["dispute_id"].as_str().unwrap().to_owned();
    let pair = at_odds(&world, &[&one, &two]);
    let tried = |dispute: &str, decision: &str| {
        let input = json!({ "dispute_id": dispute, "decision": decision });
        run(&bob, &call(), ResolveConflict, input)
    };
    for (dispute, decision) in [
        (&of_owner, "uphold"),
        (&of_owner, "retire"),
        (&own, "retire"),
        (&pair, "keep_both"),
        (&pair, "keep_a"),
        (&pair, "keep_b"),
    ] {
        assert_eq!(
            code(&tried(dispute, decision).unwrap_err()),
            "forbidden",
            "{decision}"
        );
    }
    assert_eq!(tried(&own, "uphold").unwrap()["status"], "settled");
    world.shared_project("api", "bob", Role::Writer);
    assert_eq!(tried(&of_owner, "retire").unwrap()["retired"], json!([one]));
    // Bob's own statement is found beside what is left.
    ok(
        &bob,
        Remember,
        json!({ "scope": path, "content": "The third." }),
    );
    let found = ok(
        &bob,
        Recall,
        json!({ "query": "first second third", "scopes": [path] }),
    );
    assert_eq!(found["memories"].as_array().unwrap().len(), 2);
}

#[test]
fn nothing_is_kept_that_the_readers_of_the_other_could_not_read() {
    let world = World::new();
    let bob = world.person("bob");
    let path = world.shared_project("api", "bob", Role::Writer);
    let own = id(&world.remember(json!({ "scope": path, "content": "Port 8080." })));
    let input = json!({ "scope": path, "content": "Port 9090." });
    let of_bob = id(&ok(&bob, Remember, input));
    let dispute = at_odds(&world, &[&of_bob, &own]);
    world.ok(
        MoveMemories,
        json!({ "memory_ids": [own], "scope": "core" }),
    );
    let input = |decision: &str| json!({ "dispute_id": dispute, "decision": decision });
    assert_eq!(
        code(&world.err(ResolveConflict, input("keep_b"))),
        "conflict"
    );
    let found = ok(&bob, Recall, json!({ "query": "port" , "scopes": [path] }));
    assert_eq!(texts(&found["memories"], "content"), ["Port 9090."]);
    // The other way round nobody loses anything.
    assert_eq!(settle(&world, &dispute, "keep_a")["retired"], json!([own]));
}

#[test]
fn a_dispute_rests_while_what_it_is_about_is_gone() {
    let world = World::new();
    let ids = [world.core("Port 8080."), world.core("Port 9090.")];
    let pair = at_odds(&world, &[&ids[0], &ids[1]]);
    let single = challenged(&world, &ids[0]);
    let loops = json!({ "scope": "proj.me.shop", "kind": "task", "content": "Ship it." });
    let task = id(&world.remember(loops));
    let of_task = challenged(&world, &task);
    world.ok(Forget, json!({ "memory_id": ids[0] }));
    world.ok(CloseLoop, json!({ "memory_id": task }));
    for input in [json!({}), json!({ "status": "pending" })] {
        assert_eq!(listed(&world.memory, input), [""; 0]);
    }
    let refused = json!({ "memory_id": task, "reason": "Is it?" });
    assert_eq!(code(&world.err(Challenge, refused)), "conflict");
    for memory in [&ids[0], &task] {
        world.ok(RestoreMemory, json!({ "memory_id": memory }));
    }
    let pending = listed(&world.memory, json!({ "status": "pending" }));
    assert_eq!(pending, [of_task.clone(), single, pair]);
    // What rests can still be settled by its id, and is listed as settled.
    world.ok(CloseLoop, json!({ "memory_id": task }));
    settle(&world, &of_task, "uphold");
    let settled = listed(&world.memory, json!({ "status": "settled" }));
    assert_eq!(settled, [of_task]);
}
