//! The calls by which a tool is judged: its examples, and each of its
//! arguments with every value that may make a difference.

use std::collections::BTreeMap;

use contract::ToolName;
use serde_json::{Map, Value, json};
use store::inspect::Rows;

use super::seed::Seed;
use crate::examples::{self, Played};
use crate::fixture::{call, run};

pub type Tables = BTreeMap<String, Rows>;

/// Valid examples whose arguments are varied.
const VARIED: usize = 2;

/// One call, made twice.
pub struct Run {
    pub name: String,
    pub before: Tables,
    pub after: Tables,
    pub again: Tables,
    pub first: Result<Value, String>,
    pub second: Result<Value, String>,
}

/// Makes every call of a tool, each in a folder of its own.
pub fn of(seed: &Seed, tool: &Value) -> Vec<Run> {
    let name = ToolName::find(tool["name"].as_str().unwrap()).unwrap();
    let mut runs = Vec::new();
    let mut n_varied = 0;
    for example in examples::of(name) {
        // A store that is held cannot be looked at.
        if example["error"]["refused_by"] == "schema" || example["scene"] == "busy" {
            continue;
        }
        runs.push(make(seed, name, &example, &example["input"]));
        if example.get("output").is_some() && n_varied < VARIED {
            n_varied += 1;
            for input in variations(&tool["inputSchema"], &example["input"], seed) {
                runs.push(make(seed, name, &example, &input));
            }
        }
    }
    runs
}

fn make(seed: &Seed, tool: ToolName, example: &Value, input: &Value) -> Run {
    let world = seed.copy();
    let Played { memory, kept, .. } = examples::given(&world, example);
    let input = examples::filled(input, &kept);
    let call = || {
        world.pass(1_000);
        run(&memory, &call(), tool, input.clone()).map_err(|error| error.to_string())
    };
    let look = || world.store().inspect().unwrap();
    let before = look();
    let first = call();
    // A page that is asked for later is a read like the first.
    let cursor = first
        .as_ref()
        .ok()
        .and_then(|answer| answer["next_cursor"].as_str());
    if let Some(cursor) = cursor {
        let mut next = input.clone();
        next["cursor"] = json!(cursor);
        run(&memory, &crate::fixture::call(), tool, next).unwrap();
    }
    let after = look();
    let second = call();
    Run {
        name: format!("{} with {input}", example["name"]),
        before,
        after,
        again: look(),
        first,
        second,
    }
}

/// Returns an input with each argument left out, and with each other value.
fn variations(schema: &Value, input: &Value, seed: &Seed) -> Vec<Value> {
    let input = input.as_object().unwrap();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut varied = Vec::new();
    let mut add = |name: &str, value: Option<Value>| {
        let mut other: Map<String, Value> = input.clone();
        match value {
            Some(value) => other.insert(name.to_owned(), value),
            None => other.remove(name),
        };
        if other != *input {
            varied.push(Value::Object(other));
        }
    };
    for (name, property) in schema["properties"].as_object().unwrap() {
        if !required.contains(&json!(name)) {
            add(name, None);
        }
        let values = match property["type"].as_str().unwrap() {
            "boolean" => vec![json!(true), json!(false)],
            "integer" => vec![property["minimum"].clone(), property["maximum"].clone()],
            _ => match (seed.values.get(name.as_str()), property["enum"].as_array()) {
                (Some(values), _) => values.clone(),
                (None, Some(members)) => members.clone(),
                (None, None) => Vec::new(),
            },
        };
        for value in values {
            add(name, Some(value));
        }
    }
    varied
}
