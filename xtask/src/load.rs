//! `schema/` → contract; the only reader of `schema/`.
//!
//! What can be read is read, so that one run shows every fault: a broken file
//! leaves its own tool or shape out, and whatever refers to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::check::{file_malformed, name_malformed, shape_recursive, type_name_collides};
use crate::contract::{Contract, Schema, Tool};
use crate::dialect::Reader;
use crate::diff::surface::contract::Sources;
use crate::places::{references, shape_file, tool_file};
use crate::problem::Problem;
use crate::{release, write};

mod prompts;
mod read;
mod strict;

const SINGLE_FILES: [&str; 8] = [
    "clients.json",
    "contract.json",
    "deprecations.json",
    "errors.json",
    "instructions.json",
    "prompts.json",
    "resources.json",
    "routes.json",
];

/// Everything that was read.
pub struct Loaded {
    /// Parsed files by path below the root, such as `schema/tools/recall.json`.
    pub sources: BTreeMap<String, Value>,
    /// What could be read; absent when a file is that the rest hangs on.
    pub contract: Option<Contract>,
    /// What was wrong.
    pub problems: Vec<Problem>,
}

impl Loaded {
    /// Returns the contract if nothing was left out of it.
    pub fn whole(&self) -> Option<&Contract> {
        self.contract.as_ref().filter(|_| self.problems.is_empty())
    }
}

/// Reads the folder `schema/` below the root.
pub fn load(root: &Path) -> Result<Loaded> {
    let folder = root.join("schema");
    anyhow::ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    let mut sources = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, text) in write::read(&folder)? {
        // A release is read as a whole, by its own rules.
        if !name.ends_with(".json") || name.starts_with("releases/") {
            continue;
        }
        let file = format!("schema/{name}");
        match strict::parse(&text) {
            Ok(value) => {
                sources.insert(file, value);
            }
            Err(error) => problems.push(file_malformed::problem(
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
            problems.push(file_malformed::problem(
                &file,
                "",
                "the file is missing",
                "restore it; the contract cannot be read without it",
            ));
        }
    }
    check_against_meta(&sources, &mut problems);
    let mut contract = build(&sources, &mut problems);
    if let Some(contract) = &mut contract {
        let releases = release::read_all(root)?;
        contract.releases = release::sound(&releases).into_iter().cloned().collect();
    }
    Ok(Loaded {
        sources,
        contract,
        problems,
    })
}

/// Returns the contract that a release froze; absent when this workshop can no
/// longer read one of its files.
pub fn of_release(files: &Sources) -> Option<Contract> {
    let named = |(file, value): (&String, &Value)| (format!("schema/{file}"), value.clone());
    let sources = files.iter().map(named).collect();
    let mut problems = Vec::new();
    build(&sources, &mut problems).filter(|_| problems.is_empty())
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
            "deprecations.json" => Some("schema/meta/deprecations.json"),
            "errors.json" => Some("schema/meta/errors.json"),
            "instructions.json" => Some("schema/meta/instructions.json"),
            "prompts.json" => Some("schema/meta/prompts.json"),
            "resources.json" => Some("schema/meta/resources.json"),
            "routes.json" => Some("schema/meta/routes.json"),
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
                Err(error) => problems.push(file_malformed::problem(
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
            problems.push(file_malformed::problem(
                file,
                "",
                "no meta schema is made for a file of this place",
                "move it to schema/tools/ or schema/shapes/, or remove it",
            ));
            continue;
        };
        let Some(validator) = validators.get(meta) else {
            problems.push(file_malformed::problem(
                meta,
                "",
                "the meta schema is missing or broken",
                "restore it",
            ));
            continue;
        };
        for error in validator.iter_errors(value) {
            problems.push(file_malformed::problem(
                file,
                error.instance_path().as_str(),
                // The value itself can be a whole file; its place says enough.
                error.masked_with("this").to_string(),
                &format!("{meta} says what may stand here"),
            ));
        }
    }
}

/// Builds what can be built.
fn build(sources: &BTreeMap<String, Value>, problems: &mut Vec<Problem>) -> Option<Contract> {
    let broken: BTreeSet<String> = problems
        .iter()
        .map(|problem| problem.file.clone())
        .collect();
    let shape_exists = |name: &str| {
        let file = shape_file(name);
        sources.contains_key(&file) || broken.contains(&file)
    };
    let mut shapes = BTreeMap::new();
    let mut tools = BTreeMap::new();
    for (file, value) in sources {
        let mut reader = Reader::new(file, &shape_exists);
        if let Some(stem) = stem(file, "schema/shapes/") {
            if let Some(schema) = reader.read("", value)
                && reader.problems.is_empty()
            {
                shapes.insert(stem.to_owned(), schema);
            }
        } else if let Some(stem) = stem(file, "schema/tools/")
            && let Some(tool) = read::tool(value, &mut reader)
            && reader.problems.is_empty()
        {
            tools.insert(stem.to_owned(), tool);
        }
        problems.append(&mut reader.problems);
    }
    shapes.retain(|name, _| !broken.contains(&shape_file(name)));
    tools.retain(|name, _| !broken.contains(&tool_file(name)));
    problems.extend(shape_recursive::find(&shapes));
    leave_out_unsound(&mut shapes, &mut tools);
    problems.extend(type_name_collides::find(&shapes, &tools));
    let single = |name: &str| {
        let file = format!("schema/{name}");
        sources.get(&file).filter(|_| !broken.contains(&file))
    };
    let contract = Contract {
        settings: read::settings(single("contract.json")?),
        errors: read::errors(single("errors.json")?),
        segments: read::segments(single("instructions.json")?),
        dropped_key: read::text(single("instructions.json")?, "dropped_key"),
        footers: read::footers(single("instructions.json")?),
        clients: read::clients(single("clients.json")?),
        surface: read::surface(single("clients.json")?),
        resources: read::resources(single("resources.json")?),
        prompts: prompts::prompts(single("prompts.json")?),
        routes: read::routes(single("routes.json")?),
        ledger: read::ledger(single("deprecations.json")?),
        releases: Vec::new(),
        shapes,
        tools,
    };
    problems.extend(name_malformed::find(&contract));
    Some(contract)
}

/// Leaves out every shape and tool that refers, at any depth, to a shape that
/// is not there or that contains itself.
fn leave_out_unsound(shapes: &mut BTreeMap<String, Schema>, tools: &mut BTreeMap<String, Tool>) {
    let mut sound: BTreeSet<String> = BTreeSet::new();
    let rests_on = |schema: &Schema, sound: &BTreeSet<String>| {
        references(schema, "")
            .iter()
            .all(|(_, name)| sound.contains(*name))
    };
    // From the leaves upwards; what is never reached is unsound.
    loop {
        let next = shapes
            .iter()
            .find(|(name, schema)| !sound.contains(*name) && rests_on(schema, &sound))
            .map(|(name, _)| name.clone());
        match next {
            Some(name) => sound.insert(name),
            None => break,
        };
    }
    shapes.retain(|name, _| sound.contains(name));
    tools.retain(|_, tool| rests_on(&tool.input, &sound) && rests_on(&tool.output, &sound));
}

fn stem<'a>(file: &'a str, folder: &str) -> Option<&'a str> {
    file.strip_prefix(folder)?.strip_suffix(".json")
}
