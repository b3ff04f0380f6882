//! Every shape is used.
//!
//! ## What it does
//!
//! Follows the references from tools, resources and routes and reports every file of
//! `schema/shapes/` that is never reached.
//!
//! ## Why
//!
//! A shape that nothing uses is generated, documented and kept compatible for
//! nobody.
//!
//! ## How to mend
//!
//! Remove the file, or refer to it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::check::Subject;
use crate::places::shape_file;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "shape_unused";

/// Returns the findings.
///
/// Reads the files as they are, so that a tool that could not be read still
/// counts as a user.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut open: Vec<String> = Vec::new();
    for (file, value) in &subject.sources {
        let uses = ["schema/resources.json", "schema/routes.json"].contains(&file.as_str());
        if uses || file.starts_with("schema/tools/") {
            collect(value, &mut open);
        }
    }
    let mut used = BTreeSet::new();
    while let Some(file) = open.pop() {
        if let Some(value) = subject.sources.get(&file)
            && used.insert(file)
        {
            collect(value, &mut open);
        }
    }
    let is_unused =
        |file: &&String| file.starts_with("schema/shapes/") && !used.contains(file.as_str());
    // While a file cannot be parsed, what it uses is unknown.
    if subject
        .load_problems
        .iter()
        .any(|problem| !subject.sources.contains_key(&problem.file))
    {
        return Vec::new();
    }
    subject
        .sources
        .keys()
        .filter(is_unused)
        .map(|file| {
            Problem::edit(
                ID,
                file,
                "",
                "nothing refers to this shape",
                "it is generated and kept compatible for nobody",
                "remove the file, or refer to it",
            )
        })
        .collect()
}

/// Adds the file of every shape that the value names.
fn collect(value: &Value, files: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                match (key.as_str(), inner) {
                    ("$ref", Value::String(target)) => {
                        let last = target.rsplit('/').next().unwrap_or_default();
                        files.push(format!("schema/shapes/{last}"));
                    }
                    ("shape", Value::String(name)) => files.push(shape_file(name)),
                    _ => collect(inner, files),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, files)),
        _ => {}
    }
}
