//! The served schema judges every value as the source does.
//!
//! ## What it does
//!
//! Loads every tool in both forms into a stock implementation of JSON Schema:
//! as it is written, references and all, and as it is served. Both must load,
//! and both must give the same verdict on every example and on variants of it:
//! without each of its parts, and with each part replaced by values of other
//! types.
//!
//! ## Why
//!
//! Clients see the served form and people read the source. A served schema that
//! accepts more promises what the handler refuses; one that accepts less hides
//! what works.
//!
//! ## How to mend
//!
//! The fault is in `xtask/src/lower.rs`, or in a value that its types cannot
//! hold, such as a bound beyond what a floating-point number keeps.

use serde_json::{Value, json};

use crate::check::Subject;
use crate::contract::Verdict;
use crate::problem::Problem;
use crate::verdicts::{SourceValidators, accepts};

/// Id of the rule.
pub const ID: &str = "served_schema_differs";

const WHY: &str = "clients see the one and people read the other";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let sources = SourceValidators::new(contract, &subject.sources);
    for (file, tool) in subject.tools() {
        let mut report = |pointer: &str, what: String| {
            let fix = "write what both forms can hold, or mend xtask/src/lower.rs";
            found.push(Problem::edit(ID, &file, pointer, what, WHY, fix));
        };
        let Some(served) = subject.validators.get(&tool.name) else {
            report("", "the served form is no JSON Schema".to_owned());
            continue;
        };
        let compiled = sources.as_ref().map_err(ToString::to_string);
        let compiled =
            compiled.and_then(|sources| sources.compile(&file).map_err(|error| error.to_string()));
        let source = match compiled {
            Ok(source) => source,
            Err(error) => {
                report(
                    "",
                    format!("a stock implementation refuses the source: {error}"),
                );
                continue;
            }
        };
        for (index, example) in tool.examples.iter().enumerate() {
            let mut compare = |part: &str, schema: &str, value: &Value| {
                let (served, source) = match schema {
                    "inputSchema" => (&served.input, &source.input),
                    _ => (&served.output, &source.output),
                };
                let differs =
                    |variant: &Value| accepts(served, variant) != accepts(source, variant);
                if let Some(witness) = variants(value).into_iter().find(differs) {
                    let word = if accepts(source, &witness) {
                        "refuses"
                    } else {
                        "accepts"
                    };
                    report(
                        &format!("/{schema}"),
                        format!(
                            "only the served form {word} {witness} (from /examples/{index}/{part})"
                        ),
                    );
                }
            };
            compare("input", "inputSchema", &example.input);
            if let Verdict::Answer { output, .. } = &example.verdict {
                compare("output", "outputSchema", output);
            }
        }
    }
    found
}

/// Returns the value, and copies of it with one part gone or replaced.
fn variants(value: &Value) -> Vec<Value> {
    let mut all = vec![value.clone()];
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let mut without = map.clone();
                without.remove(key);
                all.push(Value::Object(without));
                for replacement in variants(inner) {
                    let mut replaced = map.clone();
                    replaced.insert(key.clone(), replacement);
                    all.push(Value::Object(replaced));
                }
            }
            let mut more = map.clone();
            more.insert("unheard_of".to_owned(), json!(1));
            all.push(Value::Object(more));
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                for replacement in variants(inner) {
                    let mut replaced = items.clone();
                    if let Some(place) = replaced.get_mut(index) {
                        *place = replacement;
                    }
                    all.push(Value::Array(replaced));
                }
            }
        }
        _ => {}
    }
    all.extend([
        json!(null),
        json!(-1),
        json!(""),
        json!([]),
        json!({}),
        json!(true),
    ]);
    all
}
