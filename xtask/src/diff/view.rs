//! One schema as a reader sees it: references followed, `allOf` flattened,
//! "or null" folded, with the pointer at which each part is written.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diff::surface::escape;
use crate::sets::Leads;

/// References that one schema may follow before it counts as opaque.
const MAX_PARTS: usize = 256;

/// Keywords that constrain nothing.
pub const ANNOTATIONS: [&str; 17] = [
    "$comment",
    "$defs",
    "$id",
    "$anchor",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "example",
    "title",
    "readOnly",
    "writeOnly",
];

/// A document with the places of its schemas.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub root: &'a Value,
    pub places: &'a BTreeMap<String, Leads>,
}

/// A part of a schema with its place in the document.
pub type Part<'a> = (&'a Value, String);

/// What a schema says.
#[derive(Debug, Default)]
pub struct View<'a> {
    /// Pointer of the schema itself, references followed.
    pub at: String,
    /// Whether null fits besides.
    pub nullable: bool,
    /// Properties by name, each with every place that constrains it.
    pub properties: BTreeMap<String, Vec<String>>,
    pub required: BTreeSet<String>,
    /// Every other keyword; the outermost place wins.
    pub keywords: BTreeMap<&'a str, Part<'a>>,
    /// Whether it lists properties, be it none.
    pub lists_properties: bool,
    /// Every part that was read, with its keywords that another part hides.
    pub parts: BTreeMap<String, BTreeSet<&'a str>>,
}

impl<'a> View<'a> {
    /// Returns a keyword's value.
    pub fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.keywords.get(keyword).map(|(value, _)| *value)
    }

    /// Returns where a keyword is written, or would be.
    pub fn pointer(&self, keyword: &str) -> String {
        self.keywords.get(keyword).map_or_else(
            || format!("{}/{keyword}", self.at),
            |(_, pointer)| pointer.clone(),
        )
    }

    /// Returns the types that fit, with null where it does.
    pub fn types(&self) -> Option<BTreeSet<&'a str>> {
        let mut types: BTreeSet<&str> = match self.get("type")? {
            Value::String(name) => [name.as_str()].into(),
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => return None,
        };
        if self.nullable {
            types.insert("null");
        }
        Some(types)
    }

    /// Returns the listed values; `const` lists one.
    pub fn values(&self) -> Option<Vec<&'a Value>> {
        let listed = self.get("enum").and_then(Value::as_array);
        let mut values: Vec<&Value> = match (listed, self.get("const")) {
            (Some(values), _) => values.iter().collect(),
            (None, Some(value)) => vec![value],
            (None, None) => return None,
        };
        if self.nullable && !values.contains(&&Value::Null) {
            values.push(&Value::Null);
        }
        Some(values)
    }

    /// Whether fields that are not declared are free of any constraint.
    pub fn is_open(&self) -> bool {
        let free = |keyword: &str| matches!(self.get(keyword), None | Some(Value::Bool(true)));
        free("additionalProperties")
            && free("unevaluatedProperties")
            && self.get("patternProperties").is_none()
            && self.get("propertyNames").is_none()
    }
}

/// Reads the schema at a pointer.
pub fn view<'a>(document: Source<'a>, pointer: &str) -> View<'a> {
    let mut view = View::default();
    let mut seen = BTreeSet::new();
    // Parts to read, outermost first.
    let mut parts = vec![pointer.to_owned()];
    let mut is_first = true;
    while let Some(at) = parts.pop() {
        if !seen.insert(at.clone()) {
            continue;
        }
        if seen.len() > MAX_PARTS {
            break;
        }
        match document.root.pointer(&at) {
            Some(Value::Object(map)) => {
                let alone = map.contains_key("$ref")
                    && map.keys().all(|key| {
                        key == "$ref"
                            || ANNOTATIONS.contains(&key.as_str())
                            || key.starts_with("x-")
                    });
                if is_first && !alone {
                    view.at.clone_from(&at);
                    is_first = false;
                }
                read(&mut view, document, map, &at, &mut parts);
            }
            Some(Value::Bool(true)) => {
                view.parts.insert(at, BTreeSet::new());
            }
            Some(Value::Bool(false)) => {
                view.keywords
                    .entry("not")
                    .or_insert((&Value::Bool(true), at.clone()));
                view.parts.insert(at, BTreeSet::new());
            }
            _ => {}
        }
    }
    if is_first {
        pointer.clone_into(&mut view.at);
    }
    view
}

fn read<'a>(
    view: &mut View<'a>,
    document: Source<'a>,
    map: &'a serde_json::Map<String, Value>,
    at: &str,
    parts: &mut Vec<String>,
) {
    let mut later = Vec::new();
    let mut hidden = BTreeSet::new();
    let leads = document.places.get(at);
    let target = |key: &str| leads?.references.get(key)?.clone();
    for (keyword, value) in map {
        let place = format!("{at}/{}", escape(keyword));
        match (keyword.as_str(), value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(_)) => match target(keyword) {
                Some(target) => later.push(target),
                None => hide(put(view, keyword, value, place), keyword, &mut hidden),
            },
            ("allOf", Value::Array(inner)) => {
                later.extend((0..inner.len()).map(|index| format!("{place}/{index}")));
            }
            ("anyOf" | "oneOf", Value::Array(inner)) => match or_null(inner) {
                Some(index) => {
                    view.nullable = true;
                    later.push(format!("{place}/{index}"));
                }
                None => hide(put(view, keyword, value, place), keyword, &mut hidden),
            },
            ("properties", Value::Object(inner)) => {
                view.lists_properties = true;
                for name in inner.keys() {
                    let place = format!("{place}/{}", escape(name));
                    view.properties.entry(name.clone()).or_default().push(place);
                }
            }
            ("required", Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                view.required.extend(names.map(str::to_owned));
            }
            _ => hide(put(view, keyword, value, place), keyword, &mut hidden),
        }
    }
    // The stack hands the last one out first.
    parts.extend(later.into_iter().rev());
    view.parts.insert(at.to_owned(), hidden);
}

/// Keeps a keyword's value unless an outer part has one; says whether that one
/// is another.
fn put<'a>(view: &mut View<'a>, keyword: &'a str, value: &'a Value, place: String) -> bool {
    match view.keywords.get(keyword) {
        None => {
            view.keywords.insert(keyword, (value, place));
            false
        }
        Some((present, _)) => *present != value,
    }
}

fn hide<'a>(is_hidden: bool, keyword: &'a str, hidden: &mut BTreeSet<&'a str>) {
    if is_hidden {
        hidden.insert(keyword);
    }
}

/// Returns the one branch besides null, if that is all a union says.
fn or_null(branches: &[Value]) -> Option<usize> {
    let is_null = |branch: &Value| {
        branch["type"] == "null" && branch.as_object().is_some_and(|map| map.len() == 1)
    };
    let mut others = branches
        .iter()
        .enumerate()
        .filter(|(_, branch)| !is_null(branch));
    let (index, _) = others.next()?;
    (others.next().is_none() && branches.len() == 2).then_some(index)
}
