//! Tool calls that their served schema allows, in any order on a fresh store:
//! every answer is what the output schema says or an error that the tool
//! lists, and a refused call changes nothing that is read.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use contract::{ToolName, dispatch};
use jsonschema::Validator;
use memory::Memory;
use serde_json::Value;

use crate::{oracle, world};

/// What arguments are made of.
pub const WORDS: &[&str] = &[
    "core",
    "personal",
    "project",
    "user.me",
    "proj.me.api",
    "fact",
    "gotcha",
    "open-question",
    "supersedes",
    "relates_to",
    "contradicts",
    "$1",
    "$2",
    "$3",
];

/// Most calls of one input.
const MAX_CALLS: usize = 12;

struct Schemas {
    input: Validator,
    output: Validator,
}

static SCHEMAS: LazyLock<BTreeMap<&'static str, Schemas>> = LazyLock::new(|| {
    let list: Vec<Value> =
        serde_json::from_str(contract::served::TOOLS_LIST_FULL).expect("the served list is JSON");
    let compiled = |schema: &Value| {
        jsonschema::options()
            .should_validate_formats(true)
            .build(schema)
            .expect("a served schema compiles")
    };
    ToolName::ALL
        .iter()
        .filter_map(|tool| {
            let served = list.iter().find(|entry| entry["name"] == tool.as_str())?;
            let schemas = Schemas {
                input: compiled(&served["inputSchema"]),
                output: compiled(&served["outputSchema"]),
            };
            Some((tool.as_str(), schemas))
        })
        .collect()
});

/// Makes the calls of an input: lines of a tool, a blank, and its arguments.
pub fn run(input: &[u8]) {
    let input = String::from_utf8_lossy(input);
    let data = world::folder();
    let memory = world::memory(&data.path().join("data"));
    // Ids that came back, in order: "$1" in an argument is the first.
    let mut ids: Vec<String> = Vec::new();
    let mut n_calls = 0;
    for line in input.lines() {
        let Some((tool, arguments)) = line.split_once(' ') else {
            continue;
        };
        let Some(tool) = ToolName::find(tool) else {
            continue;
        };
        let Ok(mut arguments) = serde_json::from_str::<Value>(arguments) else {
            continue;
        };
        fill(&mut arguments, &ids);
        if !is_admitted(tool, &arguments) {
            continue;
        }
        n_calls += 1;
        if n_calls > MAX_CALLS {
            break;
        }
        ids.extend(make(&memory, tool, arguments));
    }
    memory.close();
}

/// Makes one call; returns the ids that it told.
fn make(memory: &Memory, tool: ToolName, arguments: Value) -> Vec<String> {
    let said = arguments.to_string();
    match dispatch(memory, &world::call(), tool, arguments) {
        Ok(answer) => {
            let schemas = SCHEMAS.get(tool.as_str()).expect("every tool is served");
            let broken: Vec<String> = schemas
                .output
                .iter_errors(&answer)
                .map(|error| format!("{} at {}", error.kind().keyword(), error.instance_path()))
                .collect();
            assert!(
                broken.is_empty(),
                "{} {said:.600}: {broken:?}",
                tool.as_str()
            );
            let mut ids = Vec::new();
            collect(&answer, &mut ids);
            ids
        }
        Err(error) => {
            oracle::is_legal(tool, &error, &said);
            Vec::new()
        }
    }
}

/// What the door lets through: the schema, texts without NUL and half pairs,
/// and limits in bytes.
fn is_admitted(tool: ToolName, arguments: &Value) -> bool {
    let Some(schemas) = SCHEMAS.get(tool.as_str()) else {
        return false;
    };
    let text = arguments.to_string();
    let fits = tool.byte_limits().iter().all(|limit| {
        let (list, rest) = limit
            .pointer
            .split_once("/*")
            .unwrap_or((limit.pointer, ""));
        let is_short = |found: Option<&Value>| {
            found
                .and_then(Value::as_str)
                .is_none_or(|text| text.len() <= limit.max_bytes)
        };
        match arguments.pointer(list) {
            Some(Value::Array(items)) => items.iter().all(|item| is_short(item.pointer(rest))),
            other => is_short(other),
        }
    });
    fits && !text.contains("\\u0000")
        && !text.contains('\u{fdd0}')
        && schemas.input.is_valid(arguments)
}

/// Puts ids that came back in the place of their numbers.
fn fill(value: &mut Value, ids: &[String]) {
    match value {
        Value::String(text) => {
            let number = text.strip_prefix('$').and_then(|n| n.parse::<usize>().ok());
            if let Some(id) = number.and_then(|n| ids.get(n.checked_sub(1)?)) {
                *text = id.clone();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, ids)),
        Value::Object(fields) => fields.values_mut().for_each(|item| fill(item, ids)),
        _ => {}
    }
}

/// Collects every id of an answer.
fn collect(value: &Value, ids: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let is_id = ["mem_", "ent_", "dsp_", "thr_", "edg_", "rul_"]
                .iter()
                .any(|prefix| text.starts_with(prefix));
            if is_id && !ids.contains(text) {
                ids.push(text.clone());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, ids)),
        Value::Object(fields) => fields.values().for_each(|item| collect(item, ids)),
        _ => {}
    }
}
