//! The OpenAPI 3.1 document of every route but those of MCP: one operation per
//! tool and route, the one error body with the status of each code.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::contract::{
    Auth, Body, Contract, Example, Form, Method, Route, Schema, Tool, ToolError, Toolset, Verdict,
    name_of, type_name,
};
use crate::lower::refer;
use crate::write::Files;

/// What a reference to a shape starts with.
const BASE: &str = "#/components/schemas/";

/// Emits `openapi.json`.
pub fn emit(contract: &Contract) -> Result<Files> {
    let settings = &contract.settings;
    let mut paths = Map::new();
    for route in &contract.routes {
        if is_of_tools(route) {
            for tool in contract.tools.values() {
                let path = route.path.replace("{tool}", &tool.name);
                add(
                    &mut paths,
                    path,
                    route,
                    operation(contract, route, Some(tool)),
                );
            }
        } else {
            add(
                &mut paths,
                route.path.clone(),
                route,
                operation(contract, route, None),
            );
        }
    }
    let mut schemas = Map::from_iter([("ErrorBody".to_owned(), error_body(contract))]);
    for (name, shape) in &contract.shapes {
        schemas.insert(type_name(name), refer(contract, shape, BASE));
    }
    let tags: Vec<Value> = settings
        .toolsets
        .iter()
        .map(|(name, about)| json!({ "name": name, "description": about }))
        .collect();
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": settings.name,
            "version": settings.version,
            "description": "The tools as plain HTTP. A server offers the tools of the toolset it was started with; the others answer not_found. A method that a path does not take answers 405 with the code validation_failed.",
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "headers": {
                "contract": {
                    "description": "Version of the contract.",
                    "required": true,
                    "schema": { "type": "string", "enum": [settings.version] },
                },
                "request": {
                    "description": "Id of the request, for the log.",
                    "required": true,
                    "schema": { "type": "string" },
                },
                "wait": {
                    "description": "Seconds to wait before the same call.",
                    "schema": { "type": "integer", "minimum": 0 },
                },
            },
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of the server; its data folder holds it in the file \"token\".",
                },
            },
        },
    });
    let text = serde_json::to_string_pretty(&document)? + "\n";
    Ok(Files::from([("openapi.json".to_owned(), text)]))
}

fn is_of_tools(route: &Route) -> bool {
    route.response == Body::OfTool
}

fn add(paths: &mut Map<String, Value>, path: String, route: &Route, operation: Value) {
    let methods = paths.entry(path).or_insert_with(|| json!({}));
    let method = name_of(&Method::ALL, &route.method).to_ascii_lowercase();
    if let Some(methods) = methods.as_object_mut() {
        methods.insert(method, operation);
    }
}

fn operation(contract: &Contract, route: &Route, tool: Option<&Tool>) -> Value {
    let mut operation = Map::new();
    let mut put = |key: &str, value: Value| operation.insert(key.to_owned(), value);
    match tool {
        Some(tool) => {
            put("operationId", json!(tool.name));
            put("summary", json!(tool.title));
            let mut about = vec![tool.description.clone()];
            if let Some(known) = &tool.deprecated {
                about.push(format!(
                    "Deprecated since {}: {}.",
                    known.since,
                    known.note()
                ));
                put("deprecated", json!(true));
            }
            put("description", json!(about.join("\n\n")));
            put("tags", json!([name_of(&Toolset::ALL, &tool.toolset)]));
        }
        None => {
            put("operationId", json!(route.name));
            put("summary", json!(route.title));
            put("description", json!(route.description));
        }
    }
    put(
        "security",
        match route.auth {
            Auth::None => json!([]),
            Auth::Bearer => json!([{ "bearer": [] }]),
        },
    );
    if let Some(body) = &route.request {
        put("requestBody", request(contract, body, tool));
    }
    put("responses", responses(contract, route, tool));
    Value::Object(operation)
}

fn request(contract: &Contract, body: &Body, tool: Option<&Tool>) -> Value {
    let input = tool.map(|tool| &tool.input);
    let schema = schema(contract, body, input);
    let mut content = Map::from_iter([("schema".to_owned(), schema)]);
    let examples: Map<String, Value> = tool
        .iter()
        .flat_map(|tool| tool.examples.iter().filter(|example| is_whole(example)))
        .map(|example| (example.name.clone(), json!({ "value": example.input })))
        .collect();
    if !examples.is_empty() {
        content.insert("examples".to_owned(), Value::Object(examples));
    }
    // A tool that wants nothing may be called without a body.
    let required = input.is_none_or(|input| match &input.form {
        Form::Object { properties, .. } => properties.iter().any(|property| property.required),
        _ => true,
    });
    json!({ "required": required, "content": { "application/json": content } })
}

/// Whether an example succeeds and holds nothing that a step before it kept.
fn is_whole(example: &Example) -> bool {
    matches!(example.verdict, Verdict::Answer { .. }) && !example.input.to_string().contains("${")
}

fn schema(contract: &Contract, body: &Body, of_tool: Option<&Schema>) -> Value {
    match body {
        Body::OfTool => of_tool.map_or(Value::Null, |schema| refer(contract, schema, BASE)),
        Body::Shape(name) => json!({ "$ref": format!("{BASE}{}", type_name(name)) }),
    }
}

fn responses(contract: &Contract, route: &Route, tool: Option<&Tool>) -> Value {
    let mut responses = Map::new();
    let output = tool.map(|tool| &tool.output);
    let answer = json!({
        "description": "The answer.",
        "headers": headers(contract, false),
        "content": { "application/json": { "schema": schema(contract, &route.response, output) } },
    });
    responses.insert("200".to_owned(), answer);
    let internal = ToolError {
        code: "internal".to_owned(),
        prefix: None,
        when: "The server failed.".to_owned(),
    };
    let listed = tool.map(|tool| tool.errors.as_slice()).unwrap_or_default();
    let mut by_status: BTreeMap<u16, Vec<&ToolError>> = BTreeMap::new();
    for error in route.errors.iter().chain(listed).chain([&internal]) {
        let entry = contract
            .errors
            .iter()
            .find(|entry| entry.code == error.code);
        let status = entry.map_or(500, |entry| entry.http_status);
        by_status.entry(status).or_default().push(error);
    }
    for (status, errors) in by_status {
        responses.insert(status.to_string(), refusal(contract, &errors));
    }
    Value::Object(responses)
}

fn refusal(contract: &Contract, errors: &[&ToolError]) -> Value {
    let mut codes: Vec<&str> = errors.iter().map(|error| error.code.as_str()).collect();
    codes.dedup();
    let said: Vec<String> = errors
        .iter()
        .map(|error| {
            let prefix = error.prefix.as_ref();
            let prefix = prefix.map_or_else(String::new, |text| format!(" `{text}`"));
            format!("`{}`{prefix}: {}", error.code, error.when)
        })
        .collect();
    let retryable = contract
        .errors
        .iter()
        .any(|entry| entry.retryable && codes.contains(&entry.code.as_str()));
    json!({
        "description": said.join("\n\n"),
        "headers": headers(contract, retryable),
        "content": { "application/json": { "schema": {
            "$ref": format!("{BASE}ErrorBody"),
            "properties": { "error": { "properties": { "code": { "enum": codes } } } },
        } } },
    })
}

fn headers(contract: &Contract, retryable: bool) -> Value {
    let wait = retryable.then_some(("Retry-After", "wait"));
    let version = contract.settings.version_header.as_str();
    [(version, "contract"), ("X-Request-Id", "request")]
        .into_iter()
        .chain(wait)
        .map(|(header, facts)| {
            let place = format!("#/components/headers/{facts}");
            (header.to_owned(), json!({ "$ref": place }))
        })
        .collect()
}

fn error_body(contract: &Contract) -> Value {
    let codes: Vec<&str> = contract
        .errors
        .iter()
        .map(|entry| entry.code.as_str())
        .collect();
    json!({
        "description": "Body of every failure.",
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": { "description": "What kind of failure it is; the vocabulary is closed.", "type": "string", "enum": codes },
                    "message": { "description": "What is wrong, where, and what to do.", "type": "string" },
                    "details": { "description": "Structured facts: violations, or retry_after_s.", "type": "object" },
                },
                "required": ["code", "message"],
            },
        },
        "required": ["error"],
    })
}
