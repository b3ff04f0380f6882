//! What a stock implementation of JSON Schema says of a tool's values.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use jsonschema::{Draft, Registry, ValidationOptions, Validator};
use serde_json::Value;

use crate::contract::{Contract, Example, Tool, Verdict};
use crate::lower::lower;
use crate::places::shape_file;

/// Where source files stand for the resolution of references.
const BASE: &str = "file:///";

/// The schemas of a tool, compiled.
pub struct Validators {
    pub input: Validator,
    pub output: Validator,
}

/// Returns the served schemas of every tool, by the tool's name; what does
/// not compile is absent.
pub fn served(contract: &Contract) -> BTreeMap<String, Validators> {
    let compile = |tool: &Tool| {
        Some(Validators {
            input: options().build(&lower(contract, &tool.input)).ok()?,
            output: options().build(&lower(contract, &tool.output)).ok()?,
        })
    };
    contract
        .tools
        .values()
        .filter_map(|tool| Some((tool.name.clone(), compile(tool)?)))
        .collect()
}

/// Compiles tools as they are written, with references between files.
pub struct SourceValidators<'a> {
    sources: &'a BTreeMap<String, Value>,
    registry: Registry<'a>,
}

impl<'a> SourceValidators<'a> {
    /// Returns a compiler that knows every shape of the contract.
    pub fn new(contract: &Contract, sources: &'a BTreeMap<String, Value>) -> Result<Self> {
        let shapes = contract.shapes.keys().filter_map(|name| {
            let file = shape_file(name);
            Some((format!("{BASE}{file}"), sources.get(&file)?))
        });
        let registry = Registry::new()
            .draft(Draft::Draft202012)
            .extend(shapes)?
            .prepare()?;
        Ok(Self { sources, registry })
    }

    /// Returns the schemas of the tool in this file.
    pub fn compile(&self, file: &str) -> Result<Validators> {
        let source = self.sources.get(file).context("the file is gone")?;
        let build = |key: &str| {
            options()
                .with_base_uri(format!("{BASE}{file}"))
                .with_registry(&self.registry)
                .build(source.get(key).unwrap_or(&Value::Null))
                .map_err(|error| anyhow::anyhow!("{key}: {}", error.masked_with("this")))
        };
        Ok(Validators {
            input: build("inputSchema")?,
            output: build("outputSchema")?,
        })
    }
}

fn options<'a>() -> ValidationOptions<'a> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
}

/// Returns whether the schema accepts the value.
pub fn accepts(validator: &Validator, value: &Value) -> bool {
    validator.is_valid(value)
}

/// What is wrong with a part of an example.
#[derive(Clone, Debug)]
pub struct Fault {
    /// JSON pointer below the example.
    pub pointer: String,
    pub what: String,
}

/// What the served schemas say of an example.
#[derive(Debug, Default)]
pub struct Judgement {
    /// Of the steps that stand before it.
    pub steps: Vec<Fault>,
    pub input: Vec<Fault>,
    pub output: Vec<Fault>,
}

/// Holds an example against the served schemas.
pub fn judge(
    contract: &Contract,
    validators: &BTreeMap<String, Validators>,
    tool: &Tool,
    example: &Example,
) -> Judgement {
    let mut judgement = Judgement::default();
    let mut kept = BTreeMap::from([("empty".to_owned(), String::new())]);
    for (index, step) in example.given.iter().enumerate() {
        let place = format!("/given/{index}");
        let input = fill_in(
            &step.input,
            &format!("{place}/input"),
            &kept,
            &mut judgement.steps,
        );
        match validators.get(&step.tool) {
            Some(schemas) => {
                let pointer = format!("{place}/input");
                judgement
                    .steps
                    .extend(faults(&schemas.input, &input, &pointer));
            }
            None => judgement.steps.push(Fault {
                pointer: format!("{place}/tool"),
                what: format!("there is no tool \"{}\"", step.tool),
            }),
        }
        for (name, pointer) in &step.keep {
            match sample(contract, &step.tool, pointer) {
                Some(text) => {
                    kept.insert(name.clone(), text);
                }
                None => judgement.steps.push(Fault {
                    pointer: format!("{place}/keep/{name}"),
                    what: format!("no valid example of {} answers {pointer}", step.tool),
                }),
            }
        }
    }
    let Some(schemas) = validators.get(&tool.name) else {
        return judgement;
    };
    let mut unfilled = Vec::new();
    let input = fill_in(&example.input, "/input", &kept, &mut unfilled);
    judgement.input = faults(&schemas.input, &input, "/input");
    judgement.steps.append(&mut unfilled);
    if let Verdict::Answer { output, expect } = &example.verdict {
        judgement.output = faults(&schemas.output, output, "/output");
        for (pointer, expected) in expect {
            let place = format!("/expect/{}", crate::dialect::escape(pointer));
            let _ = fill_in(expected, &place, &kept, &mut judgement.steps);
        }
    }
    judgement
}

fn faults(validator: &Validator, value: &Value, pointer: &str) -> Vec<Fault> {
    validator
        .iter_errors(value)
        .map(|error| Fault {
            pointer: format!("{pointer}{}", error.instance_path().as_str()),
            what: error.masked_with("this").to_string(),
        })
        .collect()
}

/// Returns a text that the pointer yields in some valid example of the tool.
///
/// An index that no example reaches is looked up as the first one: lists hold
/// one sort of thing.
fn sample(contract: &Contract, tool: &str, pointer: &str) -> Option<String> {
    let tool = contract.tools.values().find(|known| known.name == tool)?;
    let first: Vec<&str> = pointer
        .split('/')
        .map(|part| {
            if part.parse::<usize>().is_ok() {
                "0"
            } else {
                part
            }
        })
        .collect();
    let first = first.join("/");
    [pointer, &first].into_iter().find_map(|pointer| {
        tool.examples
            .iter()
            .find_map(|example| match &example.verdict {
                Verdict::Answer { output, .. } => {
                    output.pointer(pointer)?.as_str().map(str::to_owned)
                }
                Verdict::Refusal { .. } => None,
            })
    })
}

/// Puts what was kept in place of every `${name}`.
fn fill_in(
    value: &Value,
    pointer: &str,
    kept: &BTreeMap<String, String>,
    unfilled: &mut Vec<Fault>,
) -> Value {
    match value {
        Value::String(text) => {
            let mut text = text.clone();
            for (name, value) in kept {
                text = text.replace(&format!("${{{name}}}"), value);
            }
            if let Some((_, rest)) = text.split_once("${") {
                let name = rest.split('}').next().unwrap_or_default();
                unfilled.push(Fault {
                    pointer: pointer.to_owned(),
                    what: format!("no step before it keeps \"{name}\""),
                });
            }
            Value::String(text)
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| fill_in(item, &format!("{pointer}/{index}"), kept, unfilled))
            .collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, item)| {
                let place = format!("{pointer}/{}", crate::dialect::escape(key));
                (key.clone(), fill_in(item, &place, kept, unfilled))
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
