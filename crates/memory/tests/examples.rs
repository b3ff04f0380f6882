//! Every example of the schema files that reaches a handler does what it says.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use contract::ToolName;
use memory::Memory;
use serde_json::Value;

use crate::fixture::{World, call, run};

/// Who calls after the steps that come first, and what these kept.
pub struct Played {
    pub memory: Memory,
    pub kept: HashMap<String, String>,
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

/// Makes the calls that come first.
pub fn given(world: &World, example: &Value) -> Played {
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
    Played {
        memory: world.memory.clone(),
        kept,
    }
}

fn play(tool: ToolName, example: &Value) {
    let world = World::new();
    let Played { memory, kept } = given(&world, example);
    let name = format!("{} {}", tool.as_str(), example["name"]);
    let outcome = run(&memory, &call(), tool, filled(&example["input"], &kept));
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
    for tool in ToolName::ALL {
        for example in of(tool) {
            if example["error"]["refused_by"] != "schema" {
                play(tool, &example);
                n_played += 1;
            }
        }
    }
    assert!(n_played > 20);
}
