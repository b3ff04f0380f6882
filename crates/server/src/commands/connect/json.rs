//! Edits JSON and JSON with comments: whatever is not ours stays as it is, to
//! the byte.

use anyhow::{Context as _, Result, anyhow, bail};
use jsonc_parser::cst::{
    CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode,
};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ast};
use serde_json::{Map, Value};

use super::clients::Format;
use super::cut::Step::{self, At, Key};
use super::cut::{self, Within};
use super::entry::Entry;
use super::masked;

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

/// What is said of a document that is something else.
const NO_OBJECT: &str = "it is no object: it should begin with {";

/// What is said of a key of which there are two: programs take the last one,
/// and people read the first.
const TWICE: &str = "stands there twice: keep one of them";

/// Returns the text with the entry under two keys.
pub fn put(text: &str, servers: &str, name: &str, entry: &Entry) -> Result<String> {
    let mut text = text.to_owned();
    // Looked at once: a file may be long.
    let olds = object(&text, &[servers, name]).unwrap_or_default();
    let old = |key: &str| olds.iter().find(|(old, _)| old == key);
    for key in entry.foreign.iter().filter(|key| old(key).is_some()) {
        text = without(&text, &[Key(servers), Key(name), Key(key)], Within::Stay)?;
    }
    if let Some(headers) = entry.headers.filter(|key| old(key).is_some()) {
        let at = [servers, name, headers];
        let olds = object(&text, &at).unwrap_or_default();
        for (old, _) in olds.iter().filter(|(old, _)| entry.is_stale(old)) {
            let path = [Key(servers), Key(name), Key(headers), Key(old)];
            text = without(&text, &path, Within::Stay)?;
        }
        let is_left = object(&text, &at).is_ok_and(|left| !left.is_empty());
        if !is_left && !olds.is_empty() && !entry.fields.contains_key(headers) {
            text = without(
                &text,
                &[Key(servers), Key(name), Key(headers)],
                Within::Stay,
            )?;
        }
    }
    for (key, wanted) in &entry.fields {
        if let Value::Array(wanted) = wanted
            && let Some((_, Value::Array(old))) = old(key)
            && old.len() > wanted.len()
        {
            text = shortened(text, &[servers, name, key], wanted.len())?;
        }
    }
    let (root, object) = opened(&text)?;
    let list = child(&object, servers)?;
    match once(&list, name)? {
        None => {
            list.append(name, input(&Value::Object(entry.fields.clone())));
        }
        Some(Value::Object(_)) => {
            let Some(old) = list.object_value(name) else {
                bail!("{servers}.{name} cannot be read");
            };
            merge(&old, &entry.fields)?;
        }
        Some(_) => bail!("{servers}.{name} is no object"),
    }
    Ok(root.to_string())
}

/// Returns the text without what stands under two keys, and then without a list
/// that held nothing else.
pub fn takes(text: &str, servers: &str, name: &str) -> Result<Vec<String>> {
    object(text, &[servers])?;
    let left = without(text, &[Key(servers), Key(name)], Within::Go)?;
    if left == text {
        return Ok(vec![left]);
    }
    let (_, document) = opened(&left)?;
    let list = child(&document, servers)?;
    if list.properties().is_empty() && !has_comment(&list.to_string()) {
        let bare = without(&left, &[Key(servers)], Within::Go)?;
        return Ok(vec![left, bare]);
    }
    Ok(vec![left])
}

/// Returns the text without what a path leads to, if it is there, and with
/// every comment around it.
pub fn without(text: &str, path: &[Step<'_>], within: Within) -> Result<String> {
    let (root, object) = opened(text)?;
    if !remove(object, path)? {
        return Ok(text.to_owned());
    }
    let left = root.to_string();
    // The editor takes a comment beside a field along.
    Ok(match cut::out(text, path, within) {
        Some(cut) if n_comments(&cut) > n_comments(&left) => cut,
        Some(_) | None => left,
    })
}

/// Removes what a path leads to; returns whether it was there.
fn remove(object: CstObject, path: &[Step<'_>]) -> Result<bool> {
    let Some((last, outer)) = path.split_last() else {
        return Ok(false);
    };
    let mut at = CstNode::from(CstContainerNode::from(object));
    for step in outer {
        match node(&at, *step)? {
            Some(inner) => at = inner,
            None => return Ok(false),
        }
    }
    match (at.as_object(), *last) {
        (Some(object), Key(key)) if once(&object, key)?.is_some() => {
            object.get(key).into_iter().for_each(CstObjectProp::remove);
        }
        (None, At(_)) => match node(&at, *last)? {
            Some(item) => item.remove(),
            None => return Ok(false),
        },
        _ => return Ok(false),
    }
    Ok(true)
}

/// Returns what a step leads to.
fn node(at: &CstNode, step: Step<'_>) -> Result<Option<CstNode>> {
    Ok(match (at.as_object(), at.as_array(), step) {
        (Some(object), _, Key(key)) => {
            once(&object, key)?;
            object.get(key).and_then(|property| property.value())
        }
        (_, Some(list), At(index)) => list.elements().into_iter().nth(index),
        _ => None,
    })
}

/// Returns the text with only so many items in the list under keys, if it is
/// there, and with every comment.
fn shortened(mut text: String, keys: &[&str], most: usize) -> Result<String> {
    loop {
        let (_, object) = opened(&text)?;
        let n_items = list_at(&object, keys).map_or(0, |list| list.elements().len());
        let Some(last) = n_items.checked_sub(1).filter(|last| *last >= most) else {
            return Ok(text);
        };
        let mut path: Vec<Step<'_>> = keys.iter().map(|key| Key(key)).collect();
        path.push(At(last));
        text = without(&text, &path, Within::Stay)?;
    }
}

fn list_at(object: &CstObject, keys: &[&str]) -> Option<CstArray> {
    let (last, outer) = keys.split_last()?;
    let inner = outer
        .iter()
        .try_fold(object.clone(), |object, key| object.object_value(key))?;
    inner.array_value(last)
}

fn n_comments(text: &str) -> usize {
    masked::comments(text, Format::Json).len()
}

/// Whether a comment stands in an object without a field.
pub fn has_comment(empty: &str) -> bool {
    empty.contains('/')
}

/// Returns the fields of the object under keys; none where it is not there.
/// Nothing is edited, so the document is not made for it: a file may be long.
pub fn object(text: &str, keys: &[&str]) -> Result<Vec<(String, Value)>> {
    let collected = CollectOptions {
        comments: CommentCollectionStrategy::Off,
        tokens: false,
    };
    let parsed = jsonc_parser::parse_to_ast(text, &collected, &DIALECT).map_err(told)?;
    let mut object = match parsed.value {
        None => return Ok(Vec::new()),
        Some(ast::Value::Object(object)) => object,
        Some(_) => bail!(NO_OBJECT),
    };
    for key in keys {
        let fields = object.properties.into_iter();
        let mut found = fields.filter(|field| field.name.as_str() == *key);
        object = match (found.next().map(|field| field.value), found.next()) {
            (None, _) => return Ok(Vec::new()),
            (Some(_), Some(_)) => bail!("{key} {TWICE}"),
            (Some(ast::Value::Object(inner)), None) => inner,
            (Some(_), None) => bail!("{key} is no object"),
        };
    }
    let fields: Map<String, Value> = object
        .properties
        .into_iter()
        .map(|field| (field.name.as_str().to_owned(), field.value.into()))
        .collect();
    Ok(fields.into_iter().collect())
}

/// Returns the document and the object that it is; a file that says nothing,
/// but for comments, is an empty object.
pub fn opened(text: &str) -> Result<(CstRootNode, CstObject)> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &DIALECT).map_err(told)?;
    let object = match root.value() {
        None => root.object_value_or_set(),
        Some(_) => root.object_value().context(NO_OBJECT)?,
    };
    Ok((root, object))
}

/// Says what is no JSON, without its words: they may be a secret.
fn told(error: ParseError) -> anyhow::Error {
    let line = error.line_display();
    match error.kind() {
        ParseErrorKind::String(_) => anyhow!(
            "it cannot be read: a text on line {line} does not end, or holds an escape that stands for no character"
        ),
        kind => anyhow!(
            "it is no JSON: {} on line {line}",
            kind.to_string().to_lowercase()
        ),
    }
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
        bail!("{key} {TWICE}");
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
            (Some(Value::Array(old)), Value::Array(wanted)) if old.iter().all(Value::is_string) => {
                renew(&list(object, key)?, wanted);
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

/// Sets the items of a list one by one, so that a comment between them stays.
fn renew(list: &CstArray, wanted: &[Value]) {
    let items = list.elements();
    for (item, wanted) in items.iter().zip(wanted) {
        let is_same = item.to_serde_value().as_ref() == Some(wanted);
        if let Some(text) = item.as_string_lit().filter(|_| !is_same) {
            text.set_raw_value(wanted.to_string());
        }
    }
    for wanted in wanted.iter().skip(items.len()) {
        list.append(input(wanted));
    }
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
