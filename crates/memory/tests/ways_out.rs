//! A refusal names only arguments that its tool takes, and a way that works.

use std::path::Path;

use contract::ToolName::{
    self, Entities, ImportMemories, MoveMemories, Recall, Remember, SessionReceipt,
};
use memory::Memory;
use serde_json::{Value, json};
use store::Role;

use crate::fixture::{World, call, id, run};

fn schema(tool: ToolName) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/tools");
    let path = folder.join(format!("{}.json", tool.as_str()));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn names_only_what_is_taken(tool: ToolName, message: &str) {
    // A stable prefix is a name of its own.
    let said = message
        .split_once("_required: ")
        .map_or(message, |(_, said)| said);
    let taken = schema(tool)["inputSchema"].to_string();
    for argument in ["project_hint", "thread", "scope", "target", "kind"] {
        assert!(
            !said.contains(argument) || taken.contains(&format!("\"{argument}\":")),
            "{} does not take {argument}: {message}",
            tool.as_str()
        );
    }
}

fn refused(memory: &Memory, tool: ToolName, input: Value) -> String {
    let message = run(memory, &call(), tool, input).unwrap_err().message;
    names_only_what_is_taken(tool, &message);
    message
}

fn failed(tool: ToolName, answer: &Value) -> String {
    let message = answer["failed"][0]["error"]["message"].as_str().unwrap();
    names_only_what_is_taken(tool, message);
    message.to_owned()
}

#[test]
fn a_kind_that_does_not_fit_is_told_a_way_that_its_tool_takes() {
    let world = World::new();
    let text = "Ship on Fridays.";
    let message = refused(
        &world.memory,
        Remember,
        json!({ "scope": "core", "kind": "decision", "content": text }),
    );
    assert!(message.contains("Pass project_hint too"), "{message}");
    let made = world.remember(
        json!({ "scope": "core", "project_hint": "/w/shop", "kind": "decision", "content": text }),
    );
    let answer = world.ok(
        MoveMemories,
        json!({ "scope": "core", "memory_ids": [id(&made)] }),
    );
    let message = failed(MoveMemories, &answer);
    assert!(message.ends_with("Move it to a project."), "{message}");
    let answer = world.ok(
        MoveMemories,
        json!({ "project_hint": "/w/other", "memory_ids": [id(&made)] }),
    );
    assert_eq!(answer["moved"], json!([id(&made)]));
    let items = json!([{ "kind": "decision", "content": text }]);
    let answer = world.ok(ImportMemories, json!({ "target": "core", "items": items }));
    let message = failed(ImportMemories, &answer);
    assert!(
        message.ends_with("Pass target project for it, or another kind."),
        "{message}"
    );
    let input = json!({ "target": "project", "project_hint": "/w/shop", "items": items });
    assert_eq!(
        world.ok(ImportMemories, input)["imported"][0]["index"],
        json!(0)
    );
}

#[test]
fn a_call_without_a_target_is_told_a_way_that_its_tool_takes() {
    let world = World::new();
    let message = refused(&world.memory, Remember, json!({ "content": "X." }));
    assert!(message.contains("a thread from an earlier"), "{message}");
    let items = json!([{ "content": "X." }]);
    let message = refused(
        &world.memory,
        ImportMemories,
        json!({ "target": "project", "items": items }),
    );
    assert!(message.contains("Pass project_hint"), "{message}");
    assert!(
        message.contains("target \"personal\" or \"core\""),
        "{message}"
    );
}

#[test]
fn a_hint_that_leads_nowhere_is_told_a_way_that_its_tool_takes() {
    let world = World::new();
    let bob = world.person("bob");
    world.shared_project("api", "bob", Role::Writer);
    let made = run(
        &bob,
        &call(),
        Remember,
        json!({ "project_hint": "https://example.com/bob/api", "content": "Mine." }),
    )
    .unwrap();
    for hint in ["api", "no such project"] {
        let items = json!([{ "content": "X." }]);
        for (tool, input) in [
            (Remember, json!({ "project_hint": hint, "content": "X." })),
            (
                ImportMemories,
                json!({ "target": "project", "project_hint": hint, "items": items }),
            ),
            (
                MoveMemories,
                json!({ "project_hint": hint, "memory_ids": [id(&made)] }),
            ),
        ] {
            let message = refused(&bob, tool, input);
            assert!(message.contains("git remote URL"), "{message}");
        }
    }
    for way in [
        "proj.me.api",
        "proj.bob.api",
        "/w/fresh",
        "https://example.com/x/y",
    ] {
        let input = json!({ "project_hint": way, "content": format!("By {way}.") });
        run(&bob, &call(), Remember, input).unwrap();
    }
}

#[test]
fn why_an_item_failed_is_said_whole_and_of_this_item_alone() {
    let world = World::new();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let dsn = format!("root:{}@tcp(db.example.com:3306)/shop", "k3yb0ardCat9");
    let items = json!([
        { "source_path": format!("https://u:{}@example.com/x", "hunter2hunter2"), "content": "One." },
        { "content": format!("The key is {key}.") },
        { "source_path": dsn, "content": "Two." },
        { "kind": "open-question", "content": "Three?" },
        { "created_at": "2999-01-01T00:00:00Z", "content": "Four." },
        { "created_at": "9999-12-31T23:59:59Z", "content": "Five." },
        { "content": "\u{200b}" },
        { "content": "Stored." },
    ]);
    let answer = world.ok(
        ImportMemories,
        json!({ "target": "personal", "items": items }),
    );
    assert_eq!(answer["imported"][0]["index"], 7);
    let failed = answer["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 7);
    for item in failed {
        let message = item["error"]["message"].as_str().unwrap();
        assert!(!message.ends_with('…'), "{message}");
        assert!(!message.contains("Nothing was stored"), "{message}");
        names_only_what_is_taken(ImportMemories, message);
    }
    for item in &failed[..3] {
        let message = item["error"]["message"].as_str().unwrap();
        assert!(
            message.ends_with("Say where it is kept instead."),
            "{message}"
        );
    }
    let message = refused(
        &world.memory,
        Remember,
        json!({ "scope": "core", "content": key }),
    );
    assert!(message.contains("Nothing was stored."), "{message}");
}

#[test]
fn a_moment_past_the_last_one_is_told_from_one_that_no_calendar_has() {
    let world = World::new();
    let told = |since: &str| refused(&world.memory, SessionReceipt, json!({ "since": since }));
    for late in ["9999-12-31T23:59:59Z", "9999-12-31t00:00:00.5+00:00"] {
        assert!(told(late).contains("9999-12-30"), "{}", told(late));
    }
    assert!(told("2026-02-30T00:00:00Z").contains("calendar"));
    world.ok(SessionReceipt, json!({ "since": "9999-12-30T21:59:59Z" }));
}

#[test]
fn the_name_of_an_entity_finds_the_texts_that_hold_it() {
    let world = World::new();
    world.remember(
        json!({ "scope": "core", "entities": ["Heron"], "content": "The gateway retries." }),
    );
    let known = world.ok(Entities, json!({ "query": "Heron" }));
    assert_eq!(known["entities"][0]["memory_count"], 1);
    assert_eq!(world.recall("Heron"), [""; 0]);
    world.core("Heron runs on port 80.");
    assert_eq!(world.recall("Heron"), ["Heron runs on port 80."]);
    let found = world.ok(Recall, json!({ "query": "gateway" }));
    assert_eq!(found["memories"][0]["entities"], json!(["Heron"]));
    let description = schema(Entities)["description"].to_string();
    assert!(
        description.contains("memories whose text holds it"),
        "{description}"
    );
}
