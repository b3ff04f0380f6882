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
            let mut vector = json!({
                "tool": tool.name,
                "name": example.name,
                "given": given,
                "input": example.input,
            });
            let verdict = match &example.verdict {
                Verdict::Answer { output, expect } => {
                    let expect: Map<String, Value> = expect.iter().cloned().collect();
                    vector["output"] = output.clone();
                    vector["expect"] = Value::Object(expect);
                    "valid"
                }
                Verdict::Refusal {
                    code,
                    prefix,
                    refused_by,
                } => {
                    vector["error"] = json!({
                        "code": code,
                        "prefix": prefix,
                        "refused_by": match refused_by {
                            RefusedBy::Schema => "schema",
                            RefusedBy::Handler => "handler",
                        },
                    });
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
