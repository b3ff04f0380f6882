//! build_context: the sections, their order, and the ceiling.

use contract::ToolName::{BuildContext, Challenge, CloseLoop, Remember};
use serde_json::{Value, json};
use store::{NewRule, Visibility};

use crate::fixture::{World, call, run, session_call, texts};

fn build(world: &World, input: Value) -> Value {
    let max_tokens = input["max_tokens"].as_u64().unwrap_or(4_000);
    let answer = world.ok(BuildContext, input);
    let n_bytes = answer.to_string().len() as u64;
    assert_eq!(answer["tokens_used"].as_u64(), Some(n_bytes.div_ceil(4)));
    assert!(
        n_bytes <= max_tokens * 4,
        "{n_bytes} bytes are over {max_tokens} tokens"
    );
    answer
}

fn add_rule(world: &World, path: &str, text: &str, pinned: bool) {
    let store = world.store();
    let me = store.first_account().unwrap().unwrap();
    store
        .append::<_, store::Error>(&me, |view| {
            let scope = view.find_scope(path)?.unwrap();
            let rule = NewRule {
                scope: &scope,
                visibility: Visibility::Private,
                text,
                pinned,
                memory: None,
                at: 0,
            };
            view.add_rule(&rule)
        })
        .unwrap();
}

/// A project with something in every section.
fn furnished() -> World {
    let world = World::new();
    for n in 0..40 {
        world.remember(json!({
            "scope": "proj.me.shop", "entities": [format!("service {}", n % 5)],
            "content": format!("Payment fact {n}: {}", "the provider drops a share of calls. ".repeat(n % 4 + 1)),
        }));
        world.pass(1_000);
    }
    for n in 0..20 {
        world.remember(json!({ "scope": "proj.me.shop", "kind": "task", "content": format!("Task {n} about \"payment\" ünï 日本.") }));
        world.pass(1_000);
    }
    for n in 0..15 {
        add_rule(
            &world,
            "user.me.core",
            &format!("Personal rule {n}."),
            n == 14,
        );
        add_rule(
            &world,
            "proj.me.shop",
            &format!("Project rule {n}."),
            n >= 13,
        );
    }
    world
}

#[test]
fn the_ceiling_holds_for_every_size() {
    let world = furnished();
    let mut before = 0;
    for max_tokens in [
        256, 257, 300, 400, 512, 700, 999, 1_000, 1_500, 2_000, 4_000, 8_000, 16_000, 32_000,
    ] {
        let answer = build(
            &world,
            json!({ "topic": "payment provider", "project_hint": "shop", "max_tokens": max_tokens }),
        );
        let used = answer["tokens_used"].as_u64().unwrap();
        assert!(
            used + 80 >= before,
            "more room, less shown: {used} after {before}"
        );
        before = used;
        assert_eq!(answer["truncated"], max_tokens < 8_000, "{max_tokens}");
    }
}

#[test]
fn the_smallest_ceiling_holds_with_the_longest_paths() {
    let world = World::new();
    let slug = "a".repeat(200);
    let content = "Payment. ".repeat(20);
    world.remember(json!({ "scope": format!("proj.me.{slug}"), "content": content.trim() }));
    let answer = build(
        &world,
        json!({ "topic": "payment", "project_hint": format!("proj.me.{slug}"), "max_tokens": 256 }),
    );
    assert_eq!(answer["truncated"], true);
    assert!(answer["session"]["thread"].is_string());
}

#[test]
fn sections_are_filled_in_order_of_priority() {
    let world = furnished();
    let shown = |max_tokens: i64| {
        let answer = build(
            &world,
            json!({ "topic": "payment provider", "project_hint": "shop", "max_tokens": max_tokens }),
        );
        [
            "rules",
            "open_loops",
            "memories",
            "recent",
            "linked_memories",
            "entities",
        ]
        .map(|section| answer[section].as_array().unwrap().len())
    };
    let small = shown(400);
    assert!(
        small[0] > 0 && small[2..].iter().all(|n| *n == 0),
        "{small:?}"
    );
    let large = shown(32_000);
    assert_eq!(
        large[..4],
        [13 + 14, 20, 40, 0],
        "rules, loops, memories; nothing newer is left"
    );
    assert_eq!(large[5], 5);
}

#[test]
fn rules_are_capped_per_layer_and_pinned_ones_come_first() {
    let world = furnished();
    let rules = texts(
        &build(&world, json!({ "topic": "x", "project_hint": "shop" }))["rules"],
        "text",
    );
    assert_eq!(
        rules[..3],
        ["Project rule 13.", "Personal rule 14.", "Project rule 14."].map(str::to_owned)[..]
    );
    let of = |layer: &str| rules.iter().filter(|text| text.starts_with(layer)).count();
    assert_eq!((of("Personal"), of("Project")), (12 + 1, 12 + 2));
    let own = texts(&build(&world, json!({ "topic": "x" }))["rules"], "text");
    assert!(
        own.iter().all(|text| text.starts_with("Personal")),
        "{own:?}"
    );
    let all = world.memory.read_resource(&call(), "zm://rules").unwrap();
    assert_eq!(all["rules"].as_array().unwrap().len(), 30);
    assert_eq!(world.memory.rules_if_open().unwrap().len(), 13);
    world.memory.close();
    assert_eq!(
        world.memory.rules_if_open(),
        None,
        "it does not open the store"
    );
    world.memory.open().unwrap();
    assert_eq!(
        world.memory.rules_if_open().map(|rules| rules.len()),
        Some(13)
    );
}

#[test]
fn loops_are_listed_oldest_first_whatever_the_topic() {
    let world = furnished();
    let answer = build(
        &world,
        json!({ "topic": "nothing of that sort", "project_hint": "shop", "max_tokens": 1_500 }),
    );
    let loops = texts(&answer["open_loops"], "content");
    assert_eq!(answer["open_loops_total"], 20);
    assert!(
        loops.len() < 20 && loops[0].starts_with("Task 0") && loops[1].starts_with("Task 1"),
        "{loops:?}"
    );
    world.pass(2 * crate::fixture::DAY_MS);
    let answer = build(&world, json!({ "topic": "x", "project_hint": "shop" }));
    assert_eq!(answer["open_loops"][0]["age_days"], 2);
    world.ok(
        CloseLoop,
        json!({ "memory_id": answer["open_loops"][0]["id"] }),
    );
    let answer = build(&world, json!({ "topic": "x", "project_hint": "shop" }));
    assert_eq!(answer["open_loops_total"], 19);
    assert_eq!(
        build(&world, json!({ "topic": "x" }))["open_loops_total"],
        0
    );
}

#[test]
fn nothing_is_shown_twice_and_recent_is_what_is_not_above() {
    let world = World::new();
    for text in ["Alpha is first.", "Beta is second.", "Gamma is third."] {
        world.core(text);
        world.pass(1);
    }
    let answer = build(&world, json!({ "topic": "alpha" }));
    assert_eq!(texts(&answer["memories"], "content"), ["Alpha is first."]);
    assert_eq!(
        texts(&answer["recent"], "content"),
        ["Gamma is third.", "Beta is second."]
    );
    let top_up = build(&world, json!({ "topic": "alpha", "briefing": false }));
    assert_eq!(
        (&top_up["recent"], &top_up["rules"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(top_up["memories"], answer["memories"]);
}

#[test]
fn with_nothing_pinned_a_briefing_covers_the_person_only() {
    let world = World::new();
    for scope in ["personal", "core", "proj.me.shop"] {
        world.remember(json!({ "scope": scope, "content": format!("Word in {scope}.") }));
    }
    let covered = |call: &memory::Call, input: Value| {
        let mut scopes = texts(
            &run(&world.memory, call, BuildContext, input).unwrap()["memories"],
            "scope",
        );
        scopes.sort();
        scopes
    };
    assert_eq!(
        covered(&call(), json!({ "topic": "word" })),
        ["user.me", "user.me.core"]
    );
    assert_eq!(
        covered(&call(), json!({ "topic": "word", "scopes": ["*"] })).len(),
        3
    );
    assert_eq!(
        covered(&call(), json!({ "topic": "word", "project_hint": "shop" })).len(),
        3
    );
    let session = session_call(Some("shop"));
    assert_eq!(covered(&session, json!({ "topic": "word" })).len(), 3);
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
fn linked_memories_and_disputes_come_along() {
    let world = World::new();
    let source = world.core("The interview notes of June.");
    world.remember(json!({ "scope": "core", "content": "Customers want exports.", "links": [{ "type": "derived_from", "target": source }] }));
    world.ok(
        Challenge,
        json!({ "memory_id": source, "reason": "It was July." }),
    );
    let answer = build(&world, json!({ "topic": "exports" }));
    assert_eq!(texts(&answer["linked_memories"], "id"), [source]);
    let answer = build(&world, json!({ "topic": "interview" }));
    assert_eq!(answer["memories"][0]["disputed"], true);
}

#[test]
fn s19_a_large_store_fits_the_default_ceiling() {
    let world = World::new();
    for n in 0..300 {
        let input = json!({ "scope": "core", "content": format!("Deploy note {n}: {}", "something was said about it. ".repeat(12)) });
        run(&world.memory, &call(), Remember, input).unwrap();
    }
    let answer = build(&world, json!({ "topic": "deploy" }));
    assert_eq!(answer["truncated"], true);
    assert!(answer["tokens_used"].as_u64().unwrap() > 3_000);
}
