//! forget, close_loop, challenge, link, and what they leave to see.

use contract::ToolName::{
    BuildContext, Challenge, CloseLoop, Entities, Forget, Link, Recall, Remember,
};
use serde_json::{Value, json};

use crate::fixture::{World, call, code, id, texts};

const MISSING: &str = "mem_00000000000000000000000000";

#[test]
fn forgetting_takes_a_memory_out_of_every_read() {
    let world = World::new();
    let id = id(&world.remember(json!({ "scope": "core", "entities": ["pigeon"], "content": "The mail server is called pigeon." })));
    let input =
        json!({ "memory_id": format!(" {} ", id.to_uppercase()), "reason": "Switched off." });
    assert_eq!(
        world.ok(Forget, input.clone()),
        json!({ "memory_id": id, "invalidated": true })
    );
    assert_eq!(
        world.ok(Forget, input),
        json!({ "memory_id": id, "invalidated": false })
    );
    assert_eq!(world.recall("pigeon"), [""; 0]);
    let briefing = world
        .ok(BuildContext, json!({ "topic": "pigeon" }))
        .to_string();
    assert!(!briefing.contains("mail server"), "{briefing}");
    assert_eq!(
        world.ok(Entities, json!({}))["entities"][0]["memory_count"],
        0
    );
    let record = world
        .memory
        .read_resource(&call(), &format!("zm://memory/{id}"))
        .unwrap();
    assert_eq!(record["retired_reason"], "Switched off.");
    assert_eq!(
        code(&world.err(Forget, json!({ "memory_id": MISSING }))),
        "not_found"
    );
}

#[test]
fn words_beside_an_episode_lead_to_it_until_they_are_forgotten() {
    let world = World::new();
    let first = world.remember(
        json!({ "project_hint": "/w/shop", "kind": "episode", "content": "Which port does the gateway use?" }),
    );
    let thread = &first["session"]["thread"];
    world.remember(json!({ "thread": thread, "kind": "episode", "content": "It uses 9090." }));
    // A statement on its own is found by its own words only.
    world.remember(json!({ "thread": thread, "content": "Tea is at four." }));
    assert_eq!(world.recall("gateway").len(), 2);
    world.ok(Forget, json!({ "memory_id": first["memory_id"] }));
    assert_eq!(world.recall("gateway"), [""; 0]);
}

#[test]
fn a_closed_loop_leaves_default_reads_and_keeps_its_resolution() {
    let world = World::new();
    let loops = || {
        world.ok(
            BuildContext,
            json!({ "topic": "anything", "scopes": ["*"] }),
        )["open_loops_total"]
            .clone()
    };
    let task = id(&world.remember(
        json!({ "scope": "proj.me.shop", "kind": "task", "content": "Rotate the certificates." }),
    ));
    let question = id(&world.remember(
        json!({ "scope": "proj.me.shop", "kind": "open-question", "content": "Which region?" }),
    ));
    assert_eq!(loops(), 2);
    let input = json!({ "memory_id": task, "resolution": "Done." });
    assert_eq!(
        world.ok(CloseLoop, input.clone()),
        json!({ "memory_id": task, "closed": true })
    );
    assert_eq!(
        world.ok(CloseLoop, input),
        json!({ "memory_id": task, "closed": false })
    );
    assert_eq!(loops(), 1);
    assert_eq!(world.recall("certificates"), [""; 0]);
    let record = world
        .memory
        .read_resource(&memory::Call::default(), &format!("zm://memory/{task}"));
    let record = record.unwrap();
    assert_eq!(record["content"], "Rotate the certificates.");
    assert_eq!(record["retired_reason"], "Done.");
    assert!(record["retired_at"].is_string());
    assert_eq!(
        world.ok(Forget, json!({ "memory_id": question }))["invalidated"],
        true
    );
    assert_eq!(loops(), 0);
    let fact = world.core("A fact.");
    let table = [
        (question.as_str(), "conflict"),
        (fact.as_str(), "conflict"),
        (MISSING, "not_found"),
    ];
    for (id, expected) in table {
        assert_eq!(
            code(&world.err(CloseLoop, json!({ "memory_id": id }))),
            expected,
            "{id}"
        );
    }
    assert_eq!(
        world.ok(Forget, json!({ "memory_id": task }))["invalidated"],
        true
    );
}

#[test]
fn a_challenge_marks_every_read_until_it_is_settled() {
    let world = World::new();
    let doubtful = world.core("The cache holds 512 MiB.");
    let input = json!({ "memory_id": doubtful, "reason": "The unit file says 256.", "evidence": "cache.conf:3" });
    let first = world.ok(Challenge, input.clone());
    assert_eq!(first["already_pending"], false);
    let second = world.ok(Challenge, input);
    assert_eq!(
        second,
        json!({ "dispute_id": first["dispute_id"], "already_pending": true })
    );
    for answer in [
        world.ok(Recall, json!({ "query": "cache" })),
        world.ok(BuildContext, json!({ "topic": "cache" })),
    ] {
        let shown = &answer["memories"][0];
        assert_eq!(shown["disputed"], true);
        assert_eq!(shown["dispute_id"], first["dispute_id"]);
        assert_eq!(shown["dispute_with"], Value::Null);
    }
    let gone = world.core("A gone one.");
    world.ok(Forget, json!({ "memory_id": gone }));
    assert_eq!(
        code(&world.err(Challenge, json!({ "memory_id": gone, "reason": "Why?" }))),
        "conflict"
    );
    assert_eq!(
        code(&world.err(Challenge, json!({ "memory_id": MISSING, "reason": "Why?" }))),
        "not_found"
    );
}

#[test]
fn links_are_made_once_and_say_what_they_are() {
    let world = World::new();
    let a = world.remember(json!({ "scope": "core", "entities": ["shop", "index"], "content": "The shop reads the index." }));
    let (shop, index) = (&a["anchors"][0]["id"], &a["anchors"][1]["id"]);
    let a = id(&a);
    let b = world.core("Deploys happen every weekday.");
    let table = [
        (
            json!({ "src": a, "dst": b, "type": "contradicts" }),
            "memory",
            "contradicts",
        ),
        (
            json!({ "src": b, "dst": a, "type": "contradicts" }),
            "memory",
            "contradicts",
        ),
        (
            json!({ "src": shop, "dst": index, "type": "depends_on" }),
            "entity",
            "depends_on",
        ),
        (
            json!({ "src": b, "dst": shop, "type": "about" }),
            "anchor",
            "anchor",
        ),
    ];
    for (input, kind, relation) in table {
        let first = world.ok(Link, input.clone());
        assert_eq!(
            (first["kind"].as_str(), first["type"].as_str()),
            (Some(kind), Some(relation)),
            "{input}"
        );
        assert_eq!(first["created"], true, "{input}");
        let second = world.ok(Link, input.clone());
        assert_eq!(second["created"], false, "{input}");
        assert_eq!(
            (&second["src_id"], &second["dst_id"]),
            (&input["src"], &input["dst"])
        );
    }
    // An anchor has one direction only.
    assert_eq!(
        world.ok(Link, json!({ "src": shop, "dst": b, "type": "about" }))["created"],
        false
    );
    let briefing = world.ok(BuildContext, json!({ "topic": "shop index" }));
    assert_eq!(texts(&briefing["edges"], "type"), ["depends_on"]);
    assert_eq!(texts(&briefing["entities"], "name"), ["shop", "index"]);
    assert_eq!(briefing["entities"][0]["memory_count"], 2);
}

#[test]
fn links_that_make_no_sense_are_refused() {
    let world = World::new();
    let (a, b, gone) = (world.core("One."), world.core("Two."), world.core("Three."));
    world.ok(Forget, json!({ "memory_id": gone }));
    let table = [
        (
            json!({ "src": a, "dst": b, "type": "supersedes" }),
            "validation_failed",
        ),
        (
            json!({ "src": a, "dst": b, "type": "superseded_by" }),
            "validation_failed",
        ),
        (
            json!({ "src": a, "dst": format!(" {} ", a.to_uppercase()), "type": "relates_to" }),
            "validation_failed",
        ),
        (
            json!({ "src": a, "dst": gone, "type": "relates_to" }),
            "conflict",
        ),
        (
            json!({ "src": gone, "dst": a, "type": "relates_to" }),
            "conflict",
        ),
        (
            json!({ "src": a, "dst": MISSING, "type": "relates_to" }),
            "not_found",
        ),
        (
            json!({ "src": "ent_00000000000000000000000000", "dst": a, "type": "relates_to" }),
            "not_found",
        ),
        (
            json!({ "src": "dsp_00000000000000000000000000", "dst": a, "type": "relates_to" }),
            "not_found",
        ),
    ];
    for (input, expected) in table {
        assert_eq!(code(&world.err(Link, input.clone())), expected, "{input}");
    }
}

#[test]
fn an_answer_uses_only_codes_that_its_tool_lists() {
    let world = World::new();
    let inputs = [
        (Remember, json!({ "content": "Nowhere." })),
        (
            Remember,
            json!({ "scope": "proj.nobody.secret", "content": "Hidden." }),
        ),
        (Remember, json!({ "scope": "*", "content": "Everywhere." })),
        (
            Remember,
            json!({ "project_hint": "unheard of", "content": "Nowhere." }),
        ),
        (Recall, json!({ "query": "x", "cursor": "00" })),
        (Entities, json!({ "cursor": "00" })),
        (Forget, json!({ "memory_id": MISSING })),
    ];
    for (tool, input) in inputs {
        let error = world.err(tool, input.clone());
        let listed = tool
            .errors()
            .iter()
            .any(|listed| listed.code == error.code && listed.prefix == error.prefix());
        assert!(listed, "{input}: {error}");
    }
}
