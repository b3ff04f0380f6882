//! The second opinion: no counterexample leaves here that a stock validator
//! does not agree on.

use jsonschema::{Draft, Registry, Validator};
use serde_json::{Value, json};

use super::json::Json;
use super::scope::Dialect;
use super::{Document, Options};

/// Where a document stands while a schema within it is read.
const BASE: &str = "file:///document.json";

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
        return Err("a counterexample needs a number that doubles cannot hold".to_owned());
    }
    Ok(accepts(a, &instance, options)? && !accepts(b, &instance, options)?)
}

/// A validator, or why there is none.
pub type Built = Result<Validator, String>;

fn accepts(document: &Document, instance: &Value, options: &Options) -> Result<bool, String> {
    let formats = enforces(options);
    let kept = document
        .stock
        .get_or_init(|| (build(document, formats), formats));
    let other;
    let built = match kept {
        (built, enforced) if *enforced == formats => built,
        _ => {
            other = build(document, formats);
            &other
        }
    };
    let validator = built.as_ref().map_err(Clone::clone)?;
    Ok(validator.is_valid(instance))
}

fn build(document: &Document, formats: bool) -> Built {
    // Numbers beyond doubles are read as every stock reader reads them.
    let (root, _) = document.root.to_value();
    let draft = match Dialect::of(&document.root) {
        Dialect::Four => Draft::Draft4,
        Dialect::Six => Draft::Draft6,
        Dialect::Seven => Draft::Draft7,
        Dialect::Nineteen => Draft::Draft201909,
        Dialect::Twenty => Draft::Draft202012,
    };
    let refuse = |why: String| format!("a stock validator cannot read the schema: {why}");
    let build = jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(formats);
    let built = if document.pointer.is_empty() {
        build.build(&root)
    } else {
        let registry = Registry::new()
            .draft(draft)
            .extend([(BASE, &root)])
            .and_then(|registry| registry.prepare())
            .map_err(|error| refuse(error.to_string()))?;
        build
            .with_registry(&registry)
            .build(&json!({ "$ref": format!("{BASE}#{}", document.pointer) }))
    };
    built.map_err(|error| refuse(error.masked_with("a value").to_string()))
}

/// Says whether any format is enforced.
fn enforces(options: &Options) -> bool {
    ["date-time", "date", "time", "uuid", "email", "uri", "ipv4"]
        .iter()
        .any(|name| (options.formats_assert)(name))
}

/// Says whether a text has a format; `None` if the format is not known.
pub fn has_format(name: &str, text: &str) -> Option<bool> {
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(false)
        .build(&json!({ "format": name }))
        .ok()?;
    Some(validator.is_valid(&Value::String(text.to_owned())))
}
