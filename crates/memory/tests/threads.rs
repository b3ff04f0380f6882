//! Threads and sessions: what carries the project from call to call.

use contract::ToolName::{BuildContext, Recall, Remember};
use memory::Call;
use serde_json::{Value, json};

use crate::fixture::{World, call, code, run, session_call};

const HOUR_MS: i64 = 3_600_000;

fn remember(world: &World, call: &Call, mut input: Value) -> Value {
    input["content"] = json!(format!("Note {} {}.", input, world.recall("note").len()));
    run(&world.memory, call, Remember, input).unwrap()
}

#[test]
fn a_call_that_pins_a_project_mints_a_thread_that_stands_for_it() {
    let world = World::new();
    let first = remember(&world, &call(), json!({ "project_hint": "/w/shop" }));
    let thread = first["session"]["thread"].as_str().unwrap();
    assert!(thread.starts_with("thr_"));
    let echoed = format!(" {} ", thread.to_uppercase());
    let next = remember(&world, &call(), json!({ "thread": echoed }));
    assert_eq!(
        (&next["scope"], &next["session"]["thread"]),
        (&json!("proj.me.shop"), &json!(thread))
    );
    assert_eq!(next["session"]["attached_project"], "proj.me.shop");
    for (tool, input) in [
        (Recall, json!({ "query": "note", "thread": thread })),
        (BuildContext, json!({ "topic": "note", "thread": thread })),
    ] {
        let answer = world.ok(tool, input);
        assert_eq!(answer["project_scope"], "proj.me.shop");
        assert_eq!(answer["session"]["thread"], *thread);
    }
    let other = remember(&world, &call(), json!({ "project_hint": "/w/shop" }));
    assert_ne!(other["session"]["thread"], *thread, "it was not echoed");
}

#[test]
fn a_thread_lives_for_a_day_after_its_last_use() {
    let world = World::new();
    let thread =
        remember(&world, &call(), json!({ "project_hint": "/w/shop" }))["session"]["thread"]
            .clone();
    for _ in 0..3 {
        world.pass(20 * HOUR_MS);
        assert_eq!(
            world.ok(Recall, json!({ "query": "note", "thread": thread }))["project_scope"],
            "proj.me.shop"
        );
    }
    world.pass(24 * HOUR_MS);
    let answer = world.ok(Recall, json!({ "query": "note", "thread": thread }));
    assert_eq!(
        (&answer["project_scope"], &answer["session"]),
        (&Value::Null, &json!({ "attached_project": null }))
    );
    let error = world.err(
        Remember,
        json!({ "thread": thread, "content": "Too late." }),
    );
    assert_eq!(code(&error), "validation_failed scope_target_required:");
    let revived = remember(
        &world,
        &call(),
        json!({ "thread": thread, "project_hint": "/w/shop" }),
    );
    assert_ne!(revived["session"]["thread"], thread);
}

#[test]
fn a_hint_pins_its_call_and_leaves_an_echoed_thread_alone() {
    let world = World::new();
    let thread =
        remember(&world, &call(), json!({ "project_hint": "/w/shop" }))["session"]["thread"]
            .clone();
    let aside = remember(
        &world,
        &call(),
        json!({ "thread": thread, "project_hint": "/w/blog" }),
    );
    assert_eq!(
        (&aside["scope"], &aside["session"]["thread"]),
        (&json!("proj.me.blog"), &thread)
    );
    assert_eq!(aside["session"]["attached_project"], "proj.me.blog");
    assert_eq!(
        remember(&world, &call(), json!({ "thread": thread }))["scope"],
        "proj.me.shop"
    );
}

#[test]
fn a_conversation_finds_its_thread_again_and_may_move_it() {
    let world = World::new();
    for project in ["/w/shop", "/w/blog"] {
        remember(&world, &call(), json!({ "project_hint": project }));
    }
    let ask = |input: Value| {
        let mut input = input;
        input["topic"] = json!("anything");
        world.ok(BuildContext, input)
    };
    let first = ask(json!({ "conversation_id": "talk", "project_hint": "shop" }));
    let again = ask(json!({ "conversation_id": " talk " }));
    assert_eq!(again["session"], first["session"]);
    assert_eq!(again["project_scope"], "proj.me.shop");
    let moved = ask(json!({ "conversation_id": "talk", "project_hint": "blog" }));
    assert_eq!(moved["session"]["thread"], first["session"]["thread"]);
    assert_eq!(
        ask(json!({ "conversation_id": "talk" }))["project_scope"],
        "proj.me.blog"
    );
    assert_eq!(
        ask(json!({ "thread": first["session"]["thread"] }))["project_scope"],
        "proj.me.blog"
    );
    assert_eq!(
        ask(json!({ "conversation_id": "other" }))["session"],
        json!({ "attached_project": null })
    );
}

#[test]
fn a_thread_of_somebody_else_leads_nowhere() {
    let world = World::new();
    let thread =
        remember(&world, &call(), json!({ "project_hint": "/w/shop" }))["session"]["thread"]
            .clone();
    let bob = world.person("bob");
    let answer = run(
        &bob,
        &call(),
        Recall,
        json!({ "query": "note", "thread": thread }),
    )
    .unwrap();
    assert_eq!(
        (&answer["project_scope"], &answer["session"]),
        (&Value::Null, &json!({ "attached_project": null }))
    );
    let error = run(
        &bob,
        &call(),
        Remember,
        json!({ "thread": thread, "content": "Mine now." }),
    )
    .unwrap_err();
    assert_eq!(code(&error), "validation_failed scope_target_required:");
}

#[test]
fn a_session_attaches_once_and_keeps_one_thread_per_project() {
    let world = World::new();
    let session = session_call(None);
    let nothing = run(
        &world.memory,
        &session,
        Recall,
        json!({ "query": "note", "project_hint": "/w/shop" }),
    )
    .unwrap();
    assert_eq!(
        nothing["session"],
        json!({ "attached_project": null }),
        "a read that resolves nothing"
    );
    let first = remember(&world, &session, json!({ "project_hint": "/w/shop" }));
    let aside = remember(&world, &session, json!({ "project_hint": "/w/blog" }));
    assert_eq!(
        (&aside["scope"], &aside["session"]["attached_project"]),
        (&json!("proj.me.blog"), &json!("proj.me.shop"))
    );
    assert_ne!(aside["session"]["thread"], first["session"]["thread"]);
    let back = remember(&world, &session, json!({}));
    assert_eq!(
        (&back["scope"], &back["session"]),
        (&json!("proj.me.shop"), &first["session"])
    );
    let elsewhere = run(
        &world.memory,
        &session,
        Recall,
        json!({ "query": "note", "project_hint": "blog" }),
    )
    .unwrap();
    assert_eq!(
        (&elsewhere["project_scope"], &elsewhere["session"]),
        (&json!("proj.me.blog"), &aside["session"])
    );
    let own = run(
        &world.memory,
        &session,
        Remember,
        json!({ "scope": "core", "kind": "task", "content": "Routed." }),
    )
    .unwrap();
    assert_eq!(
        (&own["scope"], &own["routed_to_project"]),
        (&json!("proj.me.shop"), &json!("proj.me.shop"))
    );
    assert_eq!(
        session
            .session
            .as_ref()
            .unwrap()
            .attached_project()
            .as_deref(),
        Some("proj.me.shop")
    );
}

#[test]
fn a_session_attaches_by_a_read_and_by_a_thread_too() {
    let world = World::new();
    let thread =
        remember(&world, &call(), json!({ "project_hint": "/w/shop" }))["session"]["thread"]
            .clone();
    for input in [
        json!({ "query": "note", "project_hint": "shop" }),
        json!({ "query": "note", "thread": thread }),
    ] {
        let session = session_call(None);
        run(&world.memory, &session, Recall, input).unwrap();
        assert_eq!(
            remember(&world, &session, json!({}))["scope"],
            "proj.me.shop"
        );
    }
}

#[test]
fn a_session_works_in_the_project_it_was_started_with() {
    let world = World::new();
    let session = session_call(Some("https://example.com/acme/shop.git"));
    let early = run(&world.memory, &session, Recall, json!({ "query": "note" })).unwrap();
    assert_eq!(early["session"], json!({ "attached_project": null }));
    let aside = remember(&world, &session, json!({ "project_hint": "/w/blog" }));
    assert_eq!(aside["session"]["attached_project"], "proj.me.blog");
    let first = remember(&world, &session, json!({}));
    assert_eq!(
        (&first["scope"], &first["session"]["attached_project"]),
        (&json!("proj.me.shop"), &json!("proj.me.shop"))
    );
    let aside = remember(&world, &session, json!({ "project_hint": "/w/blog" }));
    assert_eq!(aside["session"]["attached_project"], "proj.me.shop");
    let record = world
        .memory
        .read_resource(
            &call(),
            &format!("zm://memory/{}", first["memory_id"].as_str().unwrap()),
        )
        .unwrap();
    assert_eq!(record["provenance"]["scope_source"], "session");
    assert_eq!(
        code(
            &run(
                &world.memory,
                &session_call(Some("unheard of")),
                Remember,
                json!({ "content": "Nowhere." })
            )
            .unwrap_err()
        ),
        "validation_failed project_hint_unresolvable:"
    );
}

#[test]
fn nothing_is_remembered_between_calls_without_a_session() {
    let world = World::new();
    remember(&world, &call(), json!({ "project_hint": "/w/shop" }));
    assert_eq!(
        code(&world.err(Remember, json!({ "content": "Where?" }))),
        "validation_failed scope_target_required:"
    );
    assert_eq!(
        world.ok(Recall, json!({ "query": "note" }))["project_scope"],
        Value::Null
    );
}
