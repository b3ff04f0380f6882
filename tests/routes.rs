//! The routes of plain HTTP are those of the schema, and answer as the OpenAPI
//! document says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::agreement;
use crate::harness::{Response, Site, filled, fresh, json_file, repository, vectors};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

fn document() -> Value {
    json_file("generated/openapi.json")
}

/// Returns every operation as (method, path).
fn operations(document: &Value) -> BTreeSet<(String, String)> {
    let paths = document["paths"].as_object().expect("paths").iter();
    paths
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().expect("methods").keys();
            methods.map(|method| (method.to_ascii_uppercase(), path.clone()))
        })
        .collect()
}

/// Holds answers against the schemas of the document.
struct Judge {
    document: Value,
    compiled: BTreeMap<String, Validator>,
}

impl Judge {
    fn new() -> Self {
        Self {
            document: document(),
            compiled: BTreeMap::new(),
        }
    }

    /// Fails unless the operation declares this status, its headers and its
    /// body.
    fn check(&mut self, method: &str, path: &str, response: &Response) {
        let what = format!("{method} {path} {}", response.status);
        let method = method.to_ascii_lowercase();
        let status = response.status.to_string();
        let declared = &self.document["paths"][path][&method]["responses"][&status];
        assert!(declared.is_object(), "{what} is not declared");
        for (name, header) in declared["headers"].as_object().expect("headers") {
            let place = header["$ref"].as_str().expect("a reference");
            let facts = self.document.pointer(place.trim_start_matches('#'));
            let facts = facts.expect("the reference leads somewhere");
            let sent = response.header(&name.to_ascii_lowercase());
            assert!(
                sent.is_some() || facts["required"] != true,
                "{what}: {name}"
            );
            if let (Some(sent), Some(known)) = (sent, facts["schema"]["enum"].as_array()) {
                assert!(known.contains(&json!(sent)), "{what}: {name}: {sent}");
            }
        }
        let path = path.replace('/', "~1");
        let place =
            format!("#/paths/{path}/{method}/responses/{status}/content/application~1json/schema");
        let validator = self.compiled.entry(place.clone()).or_insert_with(|| {
            let mut schema = self.document.clone();
            schema["$ref"] = json!(place);
            let options = jsonschema::options()
                .with_draft(jsonschema::Draft::Draft202012)
                .should_validate_formats(true);
            options.build(&schema).expect("the document compiles")
        });
        let body = response.json();
        let broken: Vec<String> = validator
            .iter_errors(&body)
            .map(|error| error.to_string())
            .collect();
        assert!(broken.is_empty(), "{what}: {broken:?}");
    }
}

#[test]
fn the_document_holds_every_declared_route_and_no_other() {
    let tools: Vec<String> = std::fs::read_dir(repository().join("schema/tools"))
        .expect("the tools lie there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let mut declared = BTreeSet::new();
    for route in json_file("schema/routes.json")["routes"]
        .as_array()
        .expect("a list")
    {
        let method = route["method"].as_str().expect("a method").to_owned();
        let path = route["path"].as_str().expect("a path");
        if path.contains("{tool}") {
            for tool in &tools {
                declared.insert((method.clone(), path.replace("{tool}", tool)));
            }
        } else {
            declared.insert((method, path.to_owned()));
        }
    }
    assert_eq!(operations(&document()), declared);
}

#[test]
fn the_server_shows_the_document_to_anybody() {
    let data = fresh();
    let site = Site::start(data.path());
    let response = site.send("GET", "/openapi.json", &[], b"");
    assert_eq!(response.status, 200);
    assert_eq!(response.json(), document());
}

#[test]
fn a_server_with_the_core_tools_shows_only_what_it_answers() {
    let data = fresh();
    let site = Site::start_with(data.path(), &["--toolset", "core"]);
    let shown = site.send("GET", "/openapi.json", &[], b"").json();
    let paths = shown["paths"].as_object().expect("paths");
    let whole = document();
    for path in whole["paths"].as_object().expect("paths").keys() {
        if path.starts_with("/api/tools/") {
            let status = site.owner("POST", path, &[], b"[]").status;
            let expected = if paths.contains_key(path) { 400 } else { 404 };
            assert_eq!(status, expected, "{path}");
        }
    }
    assert!(paths.contains_key("/api/tools/recall"));
    assert!(!paths.contains_key("/api/tools/share"));
}

#[test]
fn every_vector_over_plain_http_answers_as_the_document_says() {
    let mut judge = Judge::new();
    let mut seen = BTreeSet::new();
    for (_, vector) in vectors() {
        let data = fresh();
        let site = Site::start(data.path());
        let mut kept = Map::from_iter([("empty".to_owned(), json!(""))]);
        let mut call = |tool: &Value, input: &Value, kept: &Map<String, Value>| {
            let path = format!("/api/tools/{}", tool.as_str().expect("a name"));
            let body = filled(input, kept).to_string();
            let response = site.owner("POST", &path, &[], body.as_bytes());
            judge.check("POST", &path, &response);
            seen.insert(response.status);
            response
        };
        for step in vector["given"].as_array().expect("a list") {
            let answer = call(&step["tool"], &step["input"], &kept).json();
            for (name, pointer) in step["keep"].as_object().into_iter().flatten() {
                let value = answer.pointer(pointer.as_str().expect("a pointer"));
                kept.insert(name.clone(), value.cloned().expect("it is there"));
            }
        }
        call(&vector["tool"], &vector["input"], &kept);
    }
    for status in [200, 400, 404, 409] {
        assert!(seen.contains(&status), "no vector answers {status}");
    }
}

#[test]
fn every_operation_refuses_strangers_and_other_methods_as_declared() {
    let data = fresh();
    let site = Site::start(data.path());
    let mut judge = Judge::new();
    let evil = [("Origin", "https://evil.example")];
    for (method, path) in operations(&document()) {
        // A body that nobody reads may cost the end of the answer.
        let body: &[u8] = if method == "POST" { b"{}" } else { b"" };
        judge.check(&method, &path, &site.owner(&method, &path, &evil, body));
        let operation = &document()["paths"][&path][method.to_ascii_lowercase()];
        let is_guarded = operation["security"] != json!([]);
        let response = site.send(&method, &path, &[], body);
        judge.check(&method, &path, &response);
        assert_eq!(response.status == 401, is_guarded, "{method} {path}");
        for other in METHODS.into_iter().filter(|other| *other != method) {
            let response = site.owner(other, &path, &[], b"");
            assert_eq!(response.status, 405, "{other} {path}");
            assert_eq!(response.json()["error"]["code"], "validation_failed");
        }
    }
}

#[test]
fn the_document_leaves_a_refusal_open_and_says_what_405_carries() {
    let document = document();
    let body = &document["components"]["schemas"]["ErrorBody"];
    assert!(body.is_object());
    assert!(!body.to_string().contains("additionalProperties"), "{body}");
    let about = document["info"]["description"].as_str().expect("a text");
    assert!(
        about.contains("405 with the code validation_failed"),
        "{about}"
    );
}

#[test]
fn no_other_path_is_served() {
    let data = fresh();
    let site = Site::start(data.path());
    let paths = [
        "/",
        "/api",
        "/api/tools",
        "/api/tools/",
        "/api/tools/recall/more",
        "/api/tools/no_such_tool",
        "/openapi",
        "/openapi.yaml",
        "/health",
        "/healthz/",
        "/HEALTHZ",
        "/metrics",
        "/docs",
        "/mcp/more",
    ];
    for path in paths {
        for method in METHODS {
            let response = site.owner(method, path, &[], b"");
            let is_tool = path == "/api/tools/no_such_tool" && method != "POST";
            assert_eq!(
                response.status,
                if is_tool { 405 } else { 404 },
                "{method} {path}"
            );
            let code = if is_tool {
                "validation_failed"
            } else {
                "not_found"
            };
            assert_eq!(response.json()["error"]["code"], code, "{method} {path}");
        }
    }
}

#[test]
fn the_server_names_no_path_of_its_own_but_that_of_mcp() {
    fn read(folder: &Path, paths: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("the sources lie there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                read(&path, paths);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            for call in [".route(", ".route_service(", ".nest(", ".nest_service("] {
                for (_, rest) in text
                    .match_indices(call)
                    .map(|(at, _)| text.split_at(at + call.len()))
                {
                    let argument = rest.split(',').next().unwrap_or_default().trim();
                    paths.push(argument.to_owned());
                }
            }
        }
    }
    let mut paths = Vec::new();
    read(&repository().join("crates/server/src"), &mut paths);
    paths.sort();
    paths.dedup();
    assert_eq!(paths, ["\"/mcp\"", "route.path()"]);
}

#[test]
fn the_document_passes_a_stock_validator() {
    let output = agreement::python()
        .args(["-m", "openapi_spec_validator", "--errors", "all"])
        .arg(repository().join("generated/openapi.json"))
        .output()
        .expect("the interpreter starts");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
