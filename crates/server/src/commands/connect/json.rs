//! Edits JSON and JSON with comments: whatever is not ours stays as it is, to
//! the byte.

use anyhow::{Context as _, Result, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::entry::Entry;

/// What clients read: comments and a comma after the last item, and no more of
/// what other dialects allow.
const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Returns the text with the entry under two keys.
pub fn put(text: &str, servers: &str, name: &str, entry: &Entry) -> Result<String> {
    let (root, object) = opened(text)?;
    let list = child(&object, servers)?;
    match once(&list, name)? {
        None => {
            list.append(name, input(&Value::Object(entry.fields.clone())));
        }
        Some(Value::Object(_)) => {
            let Some(old) = list.object_value(name) else {
                bail!("{servers}.{name} cannot be read");
            };
            for key in &entry.foreign {
                if let Some(property) = old.get(key) {
                    property.remove();
                }
            }
            merge(&old, &entry.fields)?;
        }
        Some(_) => bail!("{servers}.{name} is no object"),
    }
    Ok(root.to_string())
}

/// Returns the text without what stands under two keys.
pub fn take(text: &str, servers: &str, name: &str) -> Result<String> {
    let (root, object) = opened(text)?;
    if once(&object, servers)?.is_none() {
        return Ok(text.to_owned());
    }
    let list = child(&object, servers)?;
    if once(&list, name)?.is_some()
        && let Some(property) = list.get(name)
    {
        property.remove();
        return Ok(root.to_string());
    }
    Ok(text.to_owned())
}

/// Returns the keys of the entry under two keys.
pub fn keys(text: &str, servers: &str, name: &str) -> Result<Option<Vec<String>>> {
    let (_, object) = opened(text)?;
    let list = match once(&object, servers)? {
        None => return Ok(None),
        Some(Value::Object(list)) => list,
        Some(_) => bail!("{servers} is no object"),
    };
    Ok(list.get(name).map(|entry| {
        let fields = entry.as_object().into_iter().flatten();
        fields.map(|(key, _)| key.clone()).collect()
    }))
}

/// Returns the text under keys.
pub fn text(text: &str, keys: &[&str]) -> Option<String> {
    let (_, object) = opened(text).ok()?;
    let mut value = object.to_serde_value()?;
    for key in keys {
        value = value.get_mut(*key)?.take();
    }
    value.as_str().map(str::to_owned)
}

/// Returns the document and the object that it is; an empty file is an empty
/// object.
pub fn opened(text: &str) -> Result<(CstRootNode, CstObject)> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &DIALECT).context("it is no JSON")?;
    let object = root
        .object_value()
        .context("it is no object: it should begin with {")?;
    Ok((root, object))
}

/// Returns the object under a key, made if there is none.
pub fn child(object: &CstObject, key: &str) -> Result<CstObject> {
    once(object, key)?;
    object
        .object_value_or_create(key)
        .with_context(|| format!("{key} is no object"))
}

/// Returns the list under a key, made if there is none.
pub fn list(object: &CstObject, key: &str) -> Result<CstArray> {
    once(object, key)?;
    object
        .array_value_or_create(key)
        .with_context(|| format!("{key} is no list"))
}

/// Returns the value of a key that stands there once: of two, programs take
/// the last one and people read the first.
pub fn once(object: &CstObject, key: &str) -> Result<Option<Value>> {
    let mut found = object
        .properties()
        .into_iter()
        .filter(|property| property.decoded_name().as_deref() == Some(key));
    let Some(property) = found.next() else {
        return Ok(None);
    };
    if found.next().is_some() {
        bail!("{key} stands there twice: keep one of them");
    }
    Ok(Some(property.to_serde_value().unwrap_or_default()))
}

/// Sets fields of an object; the others stay.
fn merge(object: &CstObject, fields: &Map<String, Value>) -> Result<()> {
    for (key, wanted) in fields {
        match (once(object, key)?, wanted) {
            (Some(old), wanted) if old == *wanted => {}
            (Some(Value::Object(_)), Value::Object(wanted)) => {
                merge(&child(object, key)?, wanted)?;
            }
            (Some(_), wanted) => {
                if let Some(property) = object.get(key) {
                    property.set_value(input(wanted));
                }
            }
            (None, wanted) => {
                object.append(key, input(wanted));
            }
        }
    }
    Ok(())
}

/// Returns a value as the editor takes it.
pub fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields
                .iter()
                .map(|(key, value)| (key.clone(), input(value)))
                .collect(),
        ),
    }
}
