//! Arguments of every tool, outside and inside its served schema: each is
//! answered by a valid output or by an error that the tool lists, and a refused
//! call leaves everything that can be read as it was.

use std::collections::BTreeMap;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::mutator::Mutator;
use super::{Run, Said};
use crate::agreement::sampler::Sampler;
use crate::harness::{Door, Era, Pipes, Reply, filled, fresh, json_file, vectors};

/// Calls with odd arguments of the short run: some seconds.
const N_CALLS: usize = 2_000;

/// Longest instance that is tried for what it leaves behind; longer ones are
/// refused by their length alone.
const MAX_SAMPLE_BYTES: usize = 2_048;

/// What arguments are made of.
const WORDS: &[&str] = &[
    "core",
    "personal",
    "user.me",
    "proj.me.api",
    "open-question",
    "supersedes",
    "relates_to",
    "2026-12-01T09:00:00Z",
    "mem_00000000000000000000000000",
];

/// A beginning of what is nested too deep to be read.
const DEEP: &str = "[[[[[[[[[[[[[[[[";

/// An id that nothing has.
const MISSING: &str = "mem_00000000000000000000000000";

/// The tool that ends the account, after which nothing else can be tried.
const LAST: &str = "delete_account";

/// What the contract says of a tool.
struct Tool {
    name: String,
    input: Value,
    output: Validator,
    /// Codes that it lists.
    codes: Vec<String>,
}

fn tools() -> Vec<Tool> {
    let list = json_file("generated/tools_list/full.json");
    let tool = |served: &Value| {
        let name = served["name"].as_str().expect("a name").to_owned();
        let source = json_file(Path::new("schema/tools").join(format!("{name}.json")));
        let errors = source["errors"].as_array().expect("a list");
        let mut codes: Vec<String> = errors
            .iter()
            .filter_map(|error| error["code"].as_str())
            .map(str::to_owned)
            .collect();
        // About who calls, which is decided before a tool is.
        codes.push("unauthorized".to_owned());
        Tool {
            name,
            input: served["inputSchema"].clone(),
            output: jsonschema::options()
                .should_validate_formats(true)
                .build(&served["outputSchema"])
                .expect("a served schema compiles"),
            codes,
        }
    };
    let list = list.as_array().expect("a list");
    list.iter().map(tool).collect()
}

/// Makes a call with arguments as text; returns whether it was refused.
fn is_refused(door: &mut dyn Door, tool: &Tool, said: &mut Said, arguments: &str) -> bool {
    said.add(arguments);
    let shown = format!("{} {arguments:.400}", tool.name);
    match door.call_text(&tool.name, arguments) {
        Reply::Done(answer) => {
            let broken: Vec<String> = tool
                .output
                .iter_errors(&answer)
                .map(|error| format!("{} at {}", error.kind().keyword(), error.instance_path()))
                .collect();
            assert!(broken.is_empty(), "{shown}: {broken:?}");
            false
        }
        Reply::Refused(error) => {
            let code = error["code"].as_str().unwrap_or_default();
            assert!(
                tool.codes.iter().any(|listed| listed == code),
                "{shown} answers {error}"
            );
            said.hold(&error.to_string());
            true
        }
        Reply::Protocol(error) => {
            // What is no object, or nested beyond any reader's patience, never
            // reaches a tool.
            let is_readable = arguments.starts_with('{') && !arguments.contains(DEEP);
            assert!(!is_readable, "{shown} answers {error}");
            said.hold(&error.to_string());
            true
        }
    }
}

/// Returns everything that can be read, through another process.
fn everything(data: &Path) -> Vec<Value> {
    let mut reader = Pipes::open(data, Era::Modern);
    let mut seen = Vec::new();
    for (tool, arguments) in [
        ("export_memories", json!({ "limit": 200 })),
        ("entities", json!({ "limit": 100 })),
        ("list_scopes", json!({})),
        ("list_conflicts", json!({ "status": "pending" })),
        ("build_context", json!({ "topic": "heron" })),
    ] {
        let mut arguments = arguments;
        loop {
            let page = reader.ok(tool, arguments.clone());
            let next = page["next_cursor"].clone();
            seen.push(page);
            if !next.is_string() {
                break;
            }
            arguments["cursor"] = next;
        }
    }
    for page in &mut seen {
        forget_the_present(page);
    }
    seen
}

/// Takes out what another moment alone changes.
fn forget_the_present(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in [
                "exported_at",
                "session",
                "next_cursor",
                "thread",
                "age_days",
            ] {
                fields.shift_remove(name);
            }
            fields.values_mut().for_each(forget_the_present);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_the_present),
        _ => {}
    }
}

/// Stores something of every sort.
fn furnish(door: &mut dyn Door) {
    let first = door.remember("A heron nests in the reeds.");
    let second = door.remember("A heron left the reeds in May.");
    door.ok(
        "link",
        json!({ "src": first, "dst": second, "type": "relates_to" }),
    );
    door.ok(
        "remember",
        json!({ "project_hint": "https://git.example/acme/api", "kind": "gotcha", "entities": ["heron"], "content": "The heron cache is cold." }),
    );
    door.ok(
        "challenge",
        json!({ "memory_id": first, "reason": "It may have moved." }),
    );
    door.ok(
        "forget",
        json!({ "memory_id": second, "reason": "It left." }),
    );
}

#[test]
fn a_refused_call_of_any_tool_changes_nothing_that_is_read() {
    let data = fresh();
    let mut door = Pipes::open(data.path(), Era::Legacy);
    furnish(&mut door);
    let sampler = Sampler::new(BTreeMap::new());
    let mut said = Said::default();
    let mut refused = Vec::new();
    let mut n_samples = 0;
    for tool in tools() {
        for sample in sampler.samples(&tool.input) {
            let arguments = sample.value.to_string();
            if arguments.len() > MAX_SAMPLE_BYTES {
                continue;
            }
            n_samples += 1;
            if is_refused(&mut door, &tool, &mut said, &arguments) {
                refused.push((tool.name.clone(), arguments));
            }
        }
    }
    let before = everything(data.path());
    // Refused late: after something was made, or by what is stored.
    for arguments in [
        json!({ "project_hint": "https://git.example/acme/late", "content": "Late.", "links": [{ "type": "supersedes", "target": MISSING }] }),
        json!({ "scope": "core", "entities": ["late heron"], "content": "Too late.", "links": [{ "type": "relates_to", "target": MISSING }] }),
    ] {
        let tools = tools();
        let tool = tools.iter().find(|tool| tool.name == "remember");
        let arguments = arguments.to_string();
        let tool = tool.expect("it is served");
        assert!(
            is_refused(&mut door, tool, &mut said, &arguments),
            "{arguments}"
        );
        refused.push((tool.name.clone(), arguments));
    }
    assert!(n_samples > 1_000, "only {n_samples} instances");
    assert!(refused.len() > 500, "only {} refusals", refused.len());
    let tools = tools();
    for (name, arguments) in &refused {
        let tool = tools
            .iter()
            .find(|tool| tool.name == *name)
            .expect("it is known");
        assert!(
            is_refused(&mut door, tool, &mut said, arguments),
            "{name} {arguments:.400} is no longer refused"
        );
    }
    assert_eq!(everything(data.path()), before);
    super::eprintln(&format!(
        "tools: {n_samples} instances, {} refused\n",
        refused.len()
    ));
}

#[test]
fn arguments_of_any_shape_are_answered_by_the_contract() {
    let mut run = Run::of("tools", N_CALLS);
    let tools = tools();
    let data = fresh();
    let mut door = Pipes::open(data.path(), Era::Legacy);
    let mut said = Said::default();
    if let Some(find) = run.replayed() {
        let find = String::from_utf8_lossy(&find).into_owned();
        let (name, arguments) = find.split_once(' ').expect("a tool and its arguments");
        let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
        is_refused(&mut door, tool, &mut said, arguments);
    }
    let mut mutator = Mutator::new(run.seed, Vec::new(), WORDS);
    let vectors: Vec<Value> = vectors().into_iter().map(|(_, vector)| vector).collect();
    let mut at = 0;
    while run.goes_on() {
        let vector = &vectors[at % vectors.len()];
        at += 1;
        let name = vector["tool"].as_str().expect("a tool");
        let tool = tools
            .iter()
            .find(|tool| tool.name == name)
            .expect("it is served");
        // The ids that it speaks of are made on the way.
        let mut kept = Map::from_iter([("empty".to_owned(), json!(""))]);
        for given in vector["given"].as_array().expect("a list") {
            let given_tool = given["tool"].as_str().expect("a tool");
            let Reply::Done(answer) = door.call(given_tool, filled(&given["input"], &kept)) else {
                break;
            };
            for (name, pointer) in given["keep"].as_object().into_iter().flatten() {
                let pointer = pointer.as_str().expect("a pointer");
                let value = answer.pointer(pointer).cloned().unwrap_or_default();
                kept.insert(name.clone(), value);
            }
        }
        let text = vector["input"].to_string();
        let is_told = text.split("${").skip(1).all(|need| {
            let name = need.split('}').next().unwrap_or_default();
            kept.contains_key(name)
        });
        if !is_told {
            continue;
        }
        let input = filled(&vector["input"], &kept);
        for _ in 0..4 {
            let mut arguments = input.clone();
            mutator.change_value(&mut arguments);
            if name == LAST && arguments["confirm"] == "me" {
                continue;
            }
            let text = arguments.to_string();
            let find = format!("{name} {text}");
            run.round("tools", find.as_bytes(), || {
                is_refused(&mut door, tool, &mut said, &text);
            });
        }
    }
    assert!(!door.log().contains("panicked"), "{:.2000}", door.log());
    super::eprintln(&format!("tools: {} calls\n", at * 4));
}
