//! `schema/` → contract; the only reader of `schema/`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::contract::{
    Access, Address, Annotations, ClientLimit, Contract, ErrorEntry, Example, Limit, Prefix,
    RefusedBy, Resource, Schema, Segment, SegmentBody, Settings, Slot, Step, Tool, ToolError,
    Toolset, Verdict, find_named,
};
use crate::dialect::{Reader, escape};
use crate::problem::Problem;
use crate::write;

/// Rule id of a file that is no JSON or breaks its meta schema.
pub const MALFORMED: &str = "file_malformed";

const SINGLE_FILES: [&str; 5] = [
    "clients.json",
    "contract.json",
    "errors.json",
    "instructions.json",
    "resources.json",
];

/// Everything that was read, and the contract if it could be built.
pub struct Loaded {
    /// Parsed files by path below the root, such as `schema/tools/recall.json`.
    pub sources: BTreeMap<String, Value>,
    /// Absent when a problem stands in its way.
    pub contract: Option<Contract>,
    /// What was wrong.
    pub problems: Vec<Problem>,
}

/// Reads the folder `schema/` below the root.
pub fn load(root: &Path) -> Result<Loaded> {
    let mut sources = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, text) in write::read(&root.join("schema"))? {
        if !name.ends_with(".json") {
            continue;
        }
        let file = format!("schema/{name}");
        match serde_json::from_str::<Value>(&text) {
            Ok(value) => {
                sources.insert(file, value);
            }
            Err(error) => problems.push(malformed(
                &file,
                "",
                format!("it is no JSON: {error}"),
                "mend the JSON",
            )),
        }
    }
    for name in SINGLE_FILES {
        let file = format!("schema/{name}");
        if !sources.contains_key(&file) && !problems.iter().any(|problem| problem.file == file) {
            problems.push(malformed(
                &file,
                "",
                "the file is missing".to_owned(),
                "restore it; the contract cannot be read without it",
            ));
        }
    }
    check_against_meta(&sources, &mut problems);
    let contract = if problems.is_empty() {
        let contract = build(&sources, &mut problems);
        problems.is_empty().then_some(contract)
    } else {
        // The dialect can still be judged file by file, so that one run shows
        // everything.
        let _ = build(&sources, &mut problems);
        None
    };
    Ok(Loaded {
        sources,
        contract,
        problems,
    })
}

fn malformed(file: &str, pointer: &str, what: String, remedy: &str) -> Problem {
    Problem::edit(
        MALFORMED,
        file,
        pointer,
        what,
        "the generator reads only what it can name in full",
        remedy,
    )
}

/// Returns the meta schema that a file must obey.
pub fn meta_of(file: &str) -> Option<&'static str> {
    let name = file.strip_prefix("schema/")?;
    match name.split_once('/') {
        Some(("tools", _)) => Some("schema/meta/tool.json"),
        Some(("shapes", _)) => Some("schema/meta/shape.json"),
        Some(_) => None,
        None => match name {
            "clients.json" => Some("schema/meta/clients.json"),
            "contract.json" => Some("schema/meta/contract.json"),
            "errors.json" => Some("schema/meta/errors.json"),
            "instructions.json" => Some("schema/meta/instructions.json"),
            "resources.json" => Some("schema/meta/resources.json"),
            _ => None,
        },
    }
}

fn check_against_meta(sources: &BTreeMap<String, Value>, problems: &mut Vec<Problem>) {
    let mut validators = BTreeMap::new();
    for (file, value) in sources {
        if file.starts_with("schema/meta/") {
            match jsonschema::validator_for(value) {
                Ok(validator) => {
                    validators.insert(file.as_str(), validator);
                }
                Err(error) => problems.push(malformed(
                    file,
                    "",
                    format!("it is no JSON Schema: {error}"),
                    "mend the meta schema",
                )),
            }
        }
    }
    for (file, value) in sources {
        if file.starts_with("schema/meta/") {
            continue;
        }
        let Some(meta) = meta_of(file) else {
            problems.push(malformed(
                file,
                "",
                "no meta schema is made for a file of this place".to_owned(),
                "move it to schema/tools/ or schema/shapes/, or remove it",
            ));
            continue;
        };
        let Some(validator) = validators.get(meta) else {
            problems.push(malformed(
                meta,
                "",
                "the meta schema is missing or broken".to_owned(),
                "restore it",
            ));
            continue;
        };
        for error in validator.iter_errors(value) {
            problems.push(malformed(
                file,
                error.instance_path().as_str(),
                error.to_string(),
                &format!("{meta} says what may stand here"),
            ));
        }
    }
}

/// Builds what can be built; with problems the result is incomplete.
fn build(sources: &BTreeMap<String, Value>, problems: &mut Vec<Problem>) -> Contract {
    let shape_exists = |name: &str| sources.contains_key(&format!("schema/shapes/{name}.json"));
    let mut shapes = BTreeMap::new();
    let mut tools = BTreeMap::new();
    for (file, value) in sources {
        let mut reader = Reader::new(file, &shape_exists);
        if let Some(stem) = stem(file, "schema/shapes/") {
            if let Some(schema) = reader.read("", value) {
                shapes.insert(stem.to_owned(), schema);
            }
        } else if let Some(stem) = stem(file, "schema/tools/")
            && let Some(tool) = read_tool(value, &mut reader)
        {
            tools.insert(stem.to_owned(), tool);
        }
        problems.append(&mut reader.problems);
    }
    let file = |name: &str| {
        sources
            .get(&format!("schema/{name}"))
            .unwrap_or(&Value::Null)
    };
    let mut segments = read_segments(file("instructions.json"));
    segments.sort_by_key(|segment| std::cmp::Reverse(segment.priority));
    Contract {
        settings: read_settings(file("contract.json")),
        errors: read_errors(file("errors.json")),
        segments,
        clients: read_clients(file("clients.json")),
        resources: read_resources(file("resources.json")),
        shapes,
        tools,
    }
}

fn stem<'a>(file: &'a str, folder: &str) -> Option<&'a str> {
    file.strip_prefix(folder)?.strip_suffix(".json")
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn optional_text(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

fn entries<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value[key].as_object().into_iter().flatten()
}

fn read_tool(value: &Value, reader: &mut Reader<'_>) -> Option<Tool> {
    let mut schema = |key: &str| -> Option<Schema> {
        value
            .get(key)
            .and_then(|source| reader.read(&format!("/{}", escape(key)), source))
    };
    let input = schema("inputSchema");
    let output = schema("outputSchema");
    let hint = |key: &str| value["annotations"][key].as_bool();
    Some(Tool {
        name: text(value, "name"),
        title: text(value, "title"),
        description: text(value, "description"),
        toolset: find_named(&Toolset::ALL, &text(value, "toolset"))?,
        since: text(value, "since"),
        access: find_named(&Access::ALL, &text(value, "access"))?,
        annotations: Annotations {
            title: optional_text(&value["annotations"], "title"),
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        },
        input: input?,
        output: output?,
        errors: items(value, "errors")
            .map(|entry| ToolError {
                code: text(entry, "code"),
                prefix: optional_text(entry, "prefix"),
                when: text(entry, "when"),
            })
            .collect(),
        examples: items(value, "examples").map(read_example).collect(),
    })
}

fn read_example(value: &Value) -> Example {
    let verdict = if value.get("error").is_some() {
        let error = &value["error"];
        Verdict::Refusal {
            code: text(error, "code"),
            prefix: optional_text(error, "prefix"),
            refused_by: if text(error, "refused_by") == "schema" {
                RefusedBy::Schema
            } else {
                RefusedBy::Handler
            },
        }
    } else {
        Verdict::Answer {
            output: value["output"].clone(),
            expect: entries(value, "expect")
                .map(|(pointer, expected)| (pointer.clone(), expected.clone()))
                .collect(),
        }
    };
    Example {
        name: text(value, "name"),
        given: items(value, "given")
            .map(|step| Step {
                tool: text(step, "tool"),
                input: step["input"].clone(),
                keep: entries(step, "keep")
                    .map(|(name, pointer)| {
                        (name.clone(), pointer.as_str().unwrap_or_default().to_owned())
                    })
                    .collect(),
            })
            .collect(),
        input: value["input"].clone(),
        verdict,
    }
}

fn read_settings(value: &Value) -> Settings {
    let texts = |key: &str| -> Vec<(String, String)> {
        entries(value, key)
            .map(|(name, text)| (name.clone(), text.as_str().unwrap_or_default().to_owned()))
            .collect()
    };
    Settings {
        name: text(value, "name"),
        version: text(value, "version"),
        capability: text(value, "capability"),
        version_header: text(value, "version_header"),
        id_prefixes: texts("id_prefixes"),
        budgets: entries(value, "budgets")
            .map(|(name, limit)| (name.clone(), limit.as_u64().unwrap_or_default()))
            .collect(),
        toolsets: texts("toolsets"),
        prefixes: entries(value, "message_prefixes")
            .map(|(prefix, entry)| Prefix {
                text: prefix.clone(),
                code: text(entry, "code"),
                meaning: text(entry, "meaning"),
                remedy: text(entry, "remedy"),
            })
            .collect(),
    }
}

fn read_errors(value: &Value) -> Vec<ErrorEntry> {
    entries(value, "codes")
        .map(|(code, entry)| ErrorEntry {
            code: code.clone(),
            http_status: entry["http_status"]
                .as_u64()
                .and_then(|status| u16::try_from(status).ok())
                .unwrap_or_default(),
            retryable: entry["retryable"].as_bool().unwrap_or_default(),
            meaning: text(entry, "meaning"),
            remedy: text(entry, "remedy"),
        })
        .collect()
}

fn read_segments(value: &Value) -> Vec<Segment> {
    items(value, "segments")
        .filter_map(|entry| {
            let body = match optional_text(entry, "text") {
                Some(text) => SegmentBody::Text(text),
                None => SegmentBody::Slot(find_named(&Slot::ALL, &text(entry, "slot"))?),
            };
            Some(Segment {
                id: text(entry, "id"),
                priority: entry["priority"].as_u64().unwrap_or_default(),
                uncapped_only: entry["clients"] == "uncapped",
                body,
            })
        })
        .collect()
}

fn read_clients(value: &Value) -> Vec<ClientLimit> {
    items(value, "clients")
        .filter_map(|entry| {
            Some(ClientLimit {
                client: text(entry, "client"),
                client_names: items(entry, "client_names")
                    .filter_map(|name| name.as_str().map(str::to_owned))
                    .collect(),
                limit: find_named(&Limit::ALL, &text(entry, "limit"))?,
                value: entry["value"].as_u64().unwrap_or_default(),
                effect: text(entry, "effect"),
                source: text(entry, "source"),
                date: text(entry, "date"),
            })
        })
        .collect()
}

fn read_resources(value: &Value) -> Vec<Resource> {
    let read = |entry: &Value, address: Address| Resource {
        address,
        name: text(entry, "name"),
        title: text(entry, "title"),
        description: text(entry, "description"),
        mime_type: text(entry, "mime_type"),
        shape: text(entry, "shape"),
    };
    let fixed = items(value, "resources").map(|entry| read(entry, Address::Uri(text(entry, "uri"))));
    let templates = items(value, "templates")
        .map(|entry| read(entry, Address::Template(text(entry, "uri_template"))));
    fixed.chain(templates).collect()
}
