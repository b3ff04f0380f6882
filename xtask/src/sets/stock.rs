//! The second opinion: no counterexample leaves here that a stock validator
//! does not agree on.

use jsonschema::Draft;
use serde_json::{Value, json};

use super::json::Json;
use super::{Document, Options};

/// Says whether a stock validator finds the instance valid under `a` and
/// invalid under `b`; an error says why it could not tell.
pub fn separates(
    a: &Document,
    b: &Document,
    instance: &Json,
    options: &Options,
) -> Result<bool, String> {
    let (instance, exact) = instance.to_value();
    if !exact {
        return Err("the counterexample needs a number that doubles cannot hold".to_owned());
    }
    Ok(accepts(a, &instance, options)? && !accepts(b, &instance, options)?)
}

fn accepts(document: &Document, instance: &Value, _options: &Options) -> Result<bool, String> {
    // Numbers beyond doubles are read as every stock reader reads them.
    let (root, _) = document.root.to_value();
    let mut build = jsonschema::options().should_validate_formats(false);
    if root.get("$schema").is_none() {
        build = build.with_draft(Draft::Draft202012);
    }
    let schema = if document.pointer.is_empty() {
        root
    } else {
        json!({ "$ref": format!("#{}", document.pointer), "$defs": { "root": root } })
    };
    build
        .build(&schema)
        .map(|validator| validator.is_valid(instance))
        .map_err(|error| {
            format!(
                "a stock validator cannot read the schema: {}",
                error.masked_with("a value")
            )
        })
}
