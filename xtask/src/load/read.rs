//! Parsed files → parts of the contract.
//!
//! The files have passed their meta schemas, so a part that is absent here
//! was reported there; nothing is reported twice.

use serde_json::Value;

use crate::contract::{
    Access, Address, Annotations, Auth, Body, ClientLimit, Deprecation, ErrorEntry, Example,
    Footers, Ledger, LedgerEntry, LedgerRow, Limit, Method, Prefix, RefusedBy, Resource, Route,
    Schema, Segment, SegmentBody, Settings, Slot, Step, SurfaceLimit, Tool, ToolError, Toolset,
    Verdict, find_named,
};
use crate::dialect::{Reader, escape};

pub fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

pub fn optional_text(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

pub fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

fn entries<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value[key].as_object().into_iter().flatten()
}

/// Returns a tool; absent when a part of it cannot be read.
pub fn tool(value: &Value, reader: &mut Reader<'_>) -> Option<Tool> {
    let mut schema = |key: &str| -> Option<Schema> {
        value
            .get(key)
            .and_then(|source| reader.read(&format!("/{}", escape(key)), source))
    };
    let input = schema("inputSchema");
    let output = schema("outputSchema");
    let stated = &value["annotations"];
    let hint = |key: &str| stated.get(key).and_then(Value::as_bool);
    Some(Tool {
        name: text(value, "name"),
        title: text(value, "title"),
        description: text(value, "description"),
        toolset: find_named(&Toolset::ALL, &text(value, "toolset"))?,
        since: text(value, "since"),
        access: find_named(&Access::ALL, &text(value, "access"))?,
        annotations: Annotations {
            title: optional_text(stated, "title"),
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        },
        input: input?,
        output: output?,
        errors: tool_errors(value),
        examples: items(value, "examples").map(example).collect(),
        deprecated: deprecation(&value["deprecated"]),
    })
}

fn tool_errors(value: &Value) -> Vec<ToolError> {
    items(value, "errors")
        .map(|entry| ToolError {
            code: text(entry, "code"),
            prefix: optional_text(entry, "prefix"),
            when: text(entry, "when"),
        })
        .collect()
}

fn example(value: &Value) -> Example {
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
        scene: optional_text(value, "scene"),
        given: items(value, "given")
            .map(|step| Step {
                tool: text(step, "tool"),
                input: step["input"].clone(),
                keep: entries(step, "keep")
                    .map(|(name, pointer)| {
                        (
                            name.clone(),
                            pointer.as_str().unwrap_or_default().to_owned(),
                        )
                    })
                    .collect(),
            })
            .collect(),
        input: value["input"].clone(),
        verdict,
    }
}

/// Returns `contract.json`.
pub fn settings(value: &Value) -> Settings {
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
        default_toolset: text(value, "default_toolset"),
        prefixes: entries(value, "message_prefixes")
            .map(|(prefix, entry)| Prefix {
                text: prefix.clone(),
                code: text(entry, "code"),
                meaning: text(entry, "meaning"),
                remedy: text(entry, "remedy"),
            })
            .collect(),
        baseline: value["baseline"].is_object().then(|| {
            (
                text(&value["baseline"], "version"),
                text(&value["baseline"], "hash"),
            )
        }),
        version_reason: optional_text(value, "version_reason"),
    }
}

/// Returns `deprecations.json`.
pub fn ledger(value: &Value) -> Ledger {
    let rows = |key: &str| -> Vec<LedgerRow> {
        items(value, key)
            .map(|row| LedgerRow {
                version: text(row, "version"),
                change: text(row, "change"),
                client: text(row, "client"),
            })
            .collect()
    };
    Ledger {
        entries: items(value, "entries")
            .filter_map(|entry| {
                Some(LedgerEntry {
                    surface: text(entry, "surface"),
                    deprecation: deprecation(entry)?,
                })
            })
            .collect(),
        breaking: rows("breaking"),
        behaviour: rows("behaviour"),
    }
}

/// Returns `errors.json`.
pub fn errors(value: &Value) -> Vec<ErrorEntry> {
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

/// Returns the footers of `instructions.json`.
pub fn footers(value: &Value) -> Footers {
    Footers {
        read: text(&value["footers"], "read"),
        change: text(&value["footers"], "change"),
    }
}

/// Returns the segments of `instructions.json`, highest priority first.
pub fn segments(value: &Value) -> Vec<Segment> {
    let mut segments: Vec<Segment> = items(value, "segments")
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
        .collect();
    segments.sort_by_key(|segment| std::cmp::Reverse(segment.priority));
    segments
}

/// Returns what announces a removal, if the value does.
pub fn deprecation(value: &Value) -> Option<Deprecation> {
    value.is_object().then(|| Deprecation {
        since: text(value, "since"),
        replacement: text(value, "replacement"),
        removal: text(value, "removal"),
        reason: text(value, "reason"),
    })
}

/// Returns `clients.json`.
pub fn clients(value: &Value) -> Vec<ClientLimit> {
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

/// Returns the limits on tool lists of `clients.json`.
pub fn surface(value: &Value) -> Vec<SurfaceLimit> {
    items(value, "surface")
        .map(|entry| SurfaceLimit {
            rule: text(entry, "rule"),
            client: text(entry, "client"),
            value: entry["value"].as_u64(),
            effect: text(entry, "effect"),
            source: text(entry, "source"),
            date: text(entry, "date"),
        })
        .collect()
}

/// Returns `resources.json`.
pub fn resources(value: &Value) -> Vec<Resource> {
    let read = |entry: &Value, address: Address| Resource {
        address,
        name: text(entry, "name"),
        title: text(entry, "title"),
        description: text(entry, "description"),
        mime_type: text(entry, "mime_type"),
        shape: text(entry, "shape"),
    };
    let fixed =
        items(value, "resources").map(|entry| read(entry, Address::Uri(text(entry, "uri"))));
    let templates = items(value, "templates")
        .map(|entry| read(entry, Address::Template(text(entry, "uri_template"))));
    fixed.chain(templates).collect()
}

/// Returns `routes.json`.
pub fn routes(value: &Value) -> Vec<Route> {
    let body = |value: &Value| optional_text(value, "shape").map_or(Body::OfTool, Body::Shape);
    items(value, "routes")
        .filter_map(|entry| {
            Some(Route {
                name: text(entry, "name"),
                method: find_named(&Method::ALL, &text(entry, "method"))?,
                path: text(entry, "path"),
                title: text(entry, "title"),
                description: text(entry, "description"),
                auth: find_named(&Auth::ALL, &text(entry, "auth"))?,
                request: entry.get("request").map(body),
                response: body(&entry["response"]),
                errors: tool_errors(entry),
            })
        })
        .collect()
}
