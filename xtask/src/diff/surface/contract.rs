//! The sources of a contract → surface.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{Document, Fact, Family, Place, Surface, Tool};

/// Sources by path below `schema/`, such as `tools/recall.json`.
pub type Sources = BTreeMap<String, Value>;

/// Folder of the shapes, as places name it.
const SHAPES: &str = "schema/shapes/";

/// Returns what clients see of a contract.
pub fn surface(label: &str, sources: &Sources) -> Surface {
    let settings = sources.get("contract.json").unwrap_or(&Value::Null);
    let mut surface = Surface {
        label: label.to_owned(),
        version: settings["version"].as_str().map(str::to_owned),
        enforces_formats: true,
        ..Surface::default()
    };
    let mut shapes = Shapes {
        sources,
        known: BTreeMap::new(),
    };
    for (file, value) in sources {
        if let Some(stem) = stem(file, "tools/") {
            let name = value["name"].as_str().unwrap_or(stem).to_owned();
            surface.tools.insert(name, tool(&mut shapes, file, value));
        }
    }
    settings_facts(&mut surface, settings);
    let errors = sources.get("errors.json").unwrap_or(&Value::Null);
    keyed(
        &mut surface,
        Family::ErrorCode,
        "errors.json",
        "codes",
        errors,
    );
    if let Some(instructions) = sources.get("instructions.json") {
        listed(
            &mut surface,
            Family::Instruction,
            "instructions.json",
            "segments",
            "id",
            instructions,
        );
        keyed(
            &mut surface,
            Family::Instruction,
            "instructions.json",
            "footers",
            instructions,
        );
    }
    if let Some(clients) = sources.get("clients.json") {
        let place = Place::new("schema/clients.json", "/clients");
        let fact = Fact {
            place,
            value: clients["clients"].clone(),
        };
        surface
            .facts
            .insert((Family::ClientLimit, "clients".to_owned()), fact);
    }
    if let Some(resources) = sources.get("resources.json") {
        for (list, key) in [("resources", "uri"), ("templates", "uri_template")] {
            listed(
                &mut surface,
                Family::Resource,
                "resources.json",
                list,
                key,
                resources,
            );
        }
    }
    if let Some(prompts) = sources.get("prompts.json") {
        listed(
            &mut surface,
            Family::Prompt,
            "prompts.json",
            "prompts",
            "name",
            prompts,
        );
    }
    if let Some(routes) = sources.get("routes.json") {
        listed(
            &mut surface,
            Family::Route,
            "routes.json",
            "routes",
            "path",
            routes,
        );
    }
    if let Some(ledger) = sources.get("deprecations.json") {
        announcements(&mut surface, ledger);
    }
    bodies(&mut surface, &mut shapes);
    surface
}

fn settings_facts(surface: &mut Surface, settings: &Value) {
    for (family, key) in [
        (Family::Budget, "budgets"),
        (Family::IdPrefix, "id_prefixes"),
        (Family::Toolset, "toolsets"),
        (Family::Prefix, "message_prefixes"),
    ] {
        keyed(surface, family, "contract.json", key, settings);
    }
    for key in ["name", "capability", "version_header"] {
        if let Some(value) = settings.get(key) {
            let place = Place::new("schema/contract.json", "").key(key);
            let fact = Fact {
                place,
                value: value.clone(),
            };
            surface
                .facts
                .insert((Family::Constant, key.to_owned()), fact);
        }
    }
}

/// Takes every entry of an object.
fn keyed(surface: &mut Surface, family: Family, file: &str, key: &str, value: &Value) {
    let place = Place::new(format!("schema/{file}"), "").key(key);
    for (name, inner) in value[key].as_object().into_iter().flatten() {
        let fact = Fact {
            place: place.key(name),
            value: inner.clone(),
        };
        surface.facts.insert((family, name.clone()), fact);
    }
}

/// Takes every entry of a list, named by one of its fields; two routes may
/// share a path and then differ by method.
fn listed(surface: &mut Surface, family: Family, file: &str, list: &str, key: &str, value: &Value) {
    let place = Place::new(format!("schema/{file}"), "").key(list);
    for (index, inner) in value[list].as_array().into_iter().flatten().enumerate() {
        let name = inner[key].as_str().unwrap_or_default();
        let name = match inner["method"].as_str() {
            Some(method) => format!("{method} {name}"),
            None => name.to_owned(),
        };
        let fact = Fact {
            place: place.key(&index.to_string()),
            value: inner.clone(),
        };
        surface.facts.insert((family, name), fact);
    }
}

fn tool(shapes: &mut Shapes, file: &str, value: &Value) -> Tool {
    let place = Place::new(format!("schema/{file}"), "");
    let mut take = |key: &str| {
        let schema = value.get(key)?;
        Some(shapes.gathered(schema, place.key(key)))
    };
    let input = take("inputSchema");
    let output = take("outputSchema");
    let facts = value.as_object().into_iter().flatten();
    let facts = facts.filter(|(key, _)| !matches!(key.as_str(), "inputSchema" | "outputSchema"));
    let facts = facts.map(|(key, fact)| (key.clone(), fact.clone()));
    Tool {
        input: input.unwrap_or_else(|| shapes.gathered(&json!({}), place.key("inputSchema"))),
        output,
        place,
        facts: Value::Object(facts.collect()),
    }
}

/// What the ledger announces of things that can carry no mark themselves.
fn announcements(surface: &mut Surface, ledger: &Value) {
    let place = Place::new("schema/deprecations.json", "/entries");
    for (index, entry) in ledger["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let name = entry["surface"].as_str().unwrap_or_default();
        if name.starts_with("tools/") || name.starts_with("shapes/") {
            continue;
        }
        let fact = Fact {
            place: place.key(&index.to_string()),
            value: entry.clone(),
        };
        surface
            .facts
            .insert((Family::Deprecation, name.to_owned()), fact);
    }
}

/// What resources and routes take and answer, by their address.
fn bodies(surface: &mut Surface, shapes: &mut Shapes) {
    let mut named = Vec::new();
    for ((family, name), fact) in &surface.facts {
        let places: &[(&str, bool)] = match family {
            Family::Resource => &[("/shape", false)],
            Family::Route => &[("/request/shape", true), ("/response/shape", false)],
            _ => continue,
        };
        for (pointer, is_sent) in places {
            if let Some(shape) = fact.value.pointer(pointer).and_then(Value::as_str) {
                named.push((name.clone(), *is_sent, shape.to_owned()));
            }
        }
    }
    for (name, is_sent, shape) in named {
        let schema = json!({ "$ref": format!("shapes/{shape}.json") });
        let place = Place::new(format!("{SHAPES}{shape}.json"), "");
        surface
            .bodies
            .insert((name, is_sent), shapes.gathered(&schema, place));
    }
}

/// The shapes that schemas refer to.
struct Shapes<'a> {
    sources: &'a Sources,
    /// Those that were read, each with the names that it refers to.
    known: BTreeMap<String, (Value, BTreeSet<String>)>,
}

impl Shapes<'_> {
    /// Returns the schema with every shape that it needs below `$defs`.
    fn gathered(&mut self, schema: &Value, place: Place) -> Document {
        let mut names = BTreeSet::new();
        let mut root = pointed(schema, &mut names);
        let mut shapes = Map::new();
        while let Some(name) = names
            .iter()
            .find(|name| !shapes.contains_key(*name))
            .cloned()
        {
            let (shape, inner) = self.known.entry(name.clone()).or_insert_with(|| {
                // A shape that is missing is told by ref_unresolved.
                let shape = self.sources.get(&format!("shapes/{name}.json"));
                let mut inner = BTreeSet::new();
                let shape = pointed(shape.unwrap_or(&Value::Bool(true)), &mut inner);
                (shape, inner)
            });
            names.extend(inner.iter().cloned());
            shapes.insert(name, shape.clone());
        }
        if let Some(map) = root.as_object_mut()
            && !shapes.is_empty()
        {
            map.insert("$defs".to_owned(), Value::Object(shapes));
        }
        Document {
            root,
            place,
            shapes: Some(SHAPES),
        }
    }
}

/// Points references to files at `$defs` and collects their names.
fn pointed(value: &Value, names: &mut BTreeSet<String>) -> Value {
    match value {
        Value::Object(map) => {
            let inner = map.iter().filter(|(key, _)| *key != "$schema");
            let inner = inner.map(|(key, value)| {
                let target = value.as_str().filter(|_| key == "$ref");
                let value = match target.and_then(|target| target.strip_suffix(".json")) {
                    Some(path) => {
                        let name = path.rsplit('/').next().unwrap_or(path);
                        names.insert(name.to_owned());
                        json!(format!("#/$defs/{name}"))
                    }
                    None => pointed(value, names),
                };
                (key.clone(), value)
            });
            Value::Object(inner.collect())
        }
        Value::Array(items) => items.iter().map(|item| pointed(item, names)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn stem<'a>(file: &'a str, folder: &str) -> Option<&'a str> {
    file.strip_prefix(folder)?.strip_suffix(".json")
}
