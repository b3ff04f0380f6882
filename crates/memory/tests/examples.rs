//! Every example of the schema files that reaches a handler does what it says.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use contract::ToolName;
use memory::Memory;
use serde_json::Value;
use store::Role;
use store::inspect::{self, Hold};

use crate::fixture::{World, call, run};

/// Who calls after the steps that come first, and what these kept.
pub struct Played {
    pub memory: Memory,
    pub kept: HashMap<String, String>,
    /// Whoever holds the store meanwhile.
    hold: Option<Hold>,
}

/// Returns the examples of a tool.
pub fn of(tool: ToolName) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/tools");
    let text = fs::read_to_string(folder.join(format!("{}.json", tool.as_str()))).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    serde_json::from_value(schema["examples"].take()).unwrap()
}

/// Fills `${name}` in.
pub fn filled(value: &Value, kept: &HashMap<String, String>) -> Value {
    let mut text = value.to_string();
    for (name, value) in kept {
        text = text.replace(&format!("${{{name}}}"), value);
    }
    serde_json::from_str(&text.replace("${empty}", "")).unwrap()
}

/// Sets the scene and makes the calls that come first.
pub fn given(world: &World, example: &Value) -> Played {
    let scene = example["scene"].as_str();
    if scene == Some("guest") {
        world.shared_project("handbook", "guest", Role::Reader);
    }
    let mut kept = HashMap::new();
    for given in example["given"].as_array().into_iter().flatten() {
        let tool = ToolName::find(given["tool"].as_str().unwrap()).unwrap();
        let answer = world.ok(tool, filled(&given["input"], &kept));
        for (name, pointer) in given["keep"].as_object().into_iter().flatten() {
            let value = answer.pointer(pointer.as_str().unwrap()).unwrap();
            kept.insert(name.clone(), value.as_str().unwrap().to_owned());
        }
        world.pass(1_000);
    }
    let (memory, hold) = match scene {
        None => (world.memory.clone(), None),
        Some("guest") => (world.memory.for_account("guest"), None),
        Some("host") => {
            let path = world.shared_project("handbook", "guest", Role::Writer);
            let input = serde_json::json!({ "scope": path, "content": "The guest was here." });
            let guest = world.person("guest");
            run(&guest, &call(), ToolName::Remember, input).unwrap();
            (world.memory.clone(), None)
        }
        Some("erased") => {
            let gone = world.person("gone");
            let input = serde_json::json!({ "confirm": "gone" });
            run(&gone, &call(), ToolName::DeleteAccount, input).unwrap();
            (gone, None)
        }
        Some("busy") => {
            world.ok(ToolName::Entities, serde_json::json!({}));
            world.memory.close();
            let hold = inspect::hold(&world.dir.path().join("data")).unwrap();
            (world.memory.clone(), Some(hold))
        }
        Some(scene) => panic!("nobody sets the scene {scene}"),
    };
    Played { memory, kept, hold }
}

fn play(tool: ToolName, example: &Value) {
    let world = World::new();
    let Played { memory, kept, hold } = given(&world, example);
    let name = format!("{} {}", tool.as_str(), example["name"]);
    let outcome = run(&memory, &call(), tool, filled(&example["input"], &kept));
    drop(hold);
    if let Some(expected) = example.get("error") {
        let error = outcome.expect_err(&name);
        assert_eq!(error.code.as_str(), expected["code"], "{name}");
        let prefix = error.prefix().map(|prefix| prefix.as_str());
        assert_eq!(prefix, expected["prefix"].as_str(), "{name}");
        let listed = tool
            .errors()
            .iter()
            .any(|listed| listed.code == error.code && listed.prefix == error.prefix());
        assert!(listed, "{name}: {error}");
        return;
    }
    let answer = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
    for (pointer, expected) in example["expect"].as_object().unwrap() {
        let found = answer.pointer(pointer).unwrap_or(&Value::Null);
        assert_eq!(*found, filled(expected, &kept), "{name} {pointer}");
    }
    let fields = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    for field in fields(&example["output"]) {
        assert!(fields(&answer).contains(&field), "{name}: {field}");
    }
}

#[test]
fn examples_of_the_schema_do_what_they_say() {
    let mut n_played = 0;
    // A call waits long for a store that is held; those wait together.
    std::thread::scope(|scope| {
        for tool in ToolName::ALL {
            for example in of(tool) {
                if example["error"]["refused_by"] == "schema" {
                    continue;
                }
                n_played += 1;
                if example["scene"] == "busy" {
                    scope.spawn(move || play(tool, &example));
                } else {
                    play(tool, &example);
                }
            }
        }
    });
    assert!(n_played > 20);
}

#[test]
fn every_error_that_a_tool_lists_is_provoked_by_an_example() {
    let mut unproven = Vec::new();
    for tool in ToolName::ALL {
        for listed in tool.errors() {
            let prefix = listed.prefix.map(|prefix| prefix.as_str());
            let provoked = of(tool).iter().any(|example| {
                let error = &example["error"];
                error["code"] == listed.code.as_str() && error["prefix"].as_str() == prefix
            });
            if !provoked {
                unproven.push(format!("{} {:?}", tool.as_str(), listed));
            }
        }
    }
    assert!(unproven.is_empty(), "{}", unproven.join("\n"));
}
