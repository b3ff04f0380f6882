//! Every example of every tool as a test vector, verdict in the file name.

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::contract::{Contract, RefusedBy, Verdict};
use crate::write::Files;

/// Emits `vectors/<tool>/<example>.<valid|invalid>.json`.
pub fn emit(contract: &Contract) -> Result<Files> {
    let mut files = Files::new();
    for tool in contract.tools.values() {
        for example in &tool.examples {
            let given: Vec<Value> = example
                .given
                .iter()
                .map(|step| {
                    let keep: Map<String, Value> = step
                        .keep
                        .iter()
                        .map(|(name, pointer)| (name.clone(), json!(pointer)))
                        .collect();
                    json!({ "tool": step.tool, "input": step.input, "keep": keep })
                })
                .collect();
            let mut vector = Map::from_iter([
                ("tool".to_owned(), json!(tool.name)),
                ("name".to_owned(), json!(example.name)),
                ("given".to_owned(), json!(given)),
                ("input".to_owned(), example.input.clone()),
            ]);
            if let Some(scene) = &example.scene {
                vector.insert("scene".to_owned(), json!(scene));
            }
            let verdict = match &example.verdict {
                Verdict::Answer { output, expect } => {
                    vector.insert("output".to_owned(), output.clone());
                    let expect = expect.iter().cloned().collect();
                    vector.insert("expect".to_owned(), Value::Object(expect));
                    "valid"
                }
                Verdict::Refusal {
                    code,
                    prefix,
                    refused_by,
                } => {
                    let refused_by = match refused_by {
                        RefusedBy::Schema => "schema",
                        RefusedBy::Handler => "handler",
                    };
                    let error = json!({ "code": code, "prefix": prefix, "refused_by": refused_by });
                    vector.insert("error".to_owned(), error);
                    "invalid"
                }
            };
            files.insert(
                format!("vectors/{}/{}.{verdict}.json", tool.name, example.name),
                serde_json::to_string_pretty(&vector)? + "\n",
            );
        }
    }
    Ok(files)
}
