//! Every schema of a document by its pointer, with what stands below it and
//! where its references lead.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use super::Document;
use super::json::Json;
use super::scope::{Found, MAPS, SCHEMAS, Scopes};

/// Keywords that lead elsewhere.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// What a schema leads to.
#[derive(Debug, Default)]
pub struct Leads {
    /// The schemas right below, each with the keyword that holds it.
    pub below: Vec<(String, String)>,
    /// Targets by keyword; none where it cannot be said which one it is.
    pub references: BTreeMap<&'static str, Option<String>>,
}

/// Lists the schemas of a document; none of one that was refused.
pub fn places(document: &Document) -> BTreeMap<String, Leads> {
    if document.refusal.is_some() {
        return BTreeMap::new();
    }
    let root: &Json = &document.root;
    let scopes = Scopes::new(root);
    // Only references need them.
    let named = OnceCell::new();
    let mut places = BTreeMap::new();
    let mut open = vec![(String::new(), root, 0)];
    while let Some((at, schema, outer)) = open.pop() {
        if places.contains_key(&at) {
            continue;
        }
        let home = scopes.home(schema, outer);
        let mut leads = Leads::default();
        let members = match schema {
            Json::Object(members) => Some(members),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => None,
        };
        for (key, value) in members.into_iter().flatten() {
            let place = format!("{at}/{}", escape(key));
            let inner: Vec<(String, &Json)> = match value {
                Json::Object(inner) if MAPS.contains(&key.as_str()) => inner
                    .iter()
                    .map(|(name, value)| (format!("{place}/{}", escape(name)), value))
                    .collect(),
                Json::Array(items) if SCHEMAS.contains(&key.as_str()) => items
                    .iter()
                    .enumerate()
                    .map(|(index, value)| (format!("{place}/{index}"), value))
                    .collect(),
                value if SCHEMAS.contains(&key.as_str()) => vec![(place, value)],
                _ => Vec::new(),
            };
            for (at, value) in inner {
                leads.below.push((key.clone(), at.clone()));
                open.push((at, value, home));
            }
        }
        for key in REFERENCES {
            let Some(reference) = schema.get(key).and_then(Json::as_str) else {
                continue;
            };
            let found = match key {
                "$ref" => scopes.resolve(reference, home),
                "$recursiveRef" if scopes.is_dynamic => Found::Dynamic("$recursiveRef"),
                _ => scopes.resolve_dynamic(reference, home),
            };
            let target = match found {
                Found::Schema(target, home) => {
                    let pointers = named.get_or_init(|| pointers(root));
                    let at = pointers.get(&std::ptr::from_ref(target)).cloned();
                    open.extend(at.clone().map(|at| (at, target, home)));
                    at
                }
                Found::Remote(_) | Found::Dangling(_) | Found::Dynamic(_) => None,
            };
            leads.references.insert(key, target);
        }
        places.insert(at, leads);
    }
    places
}

/// Returns the pointer of every value of a document, by its address.
fn pointers(root: &Json) -> HashMap<*const Json, String> {
    let mut pointers = HashMap::new();
    let mut open = vec![(String::new(), root)];
    while let Some((at, value)) = open.pop() {
        match value {
            Json::Object(members) => {
                open.extend(
                    members
                        .iter()
                        .map(|(key, value)| (format!("{at}/{}", escape(key)), value)),
                );
            }
            Json::Array(items) => {
                open.extend(
                    items
                        .iter()
                        .enumerate()
                        .map(|(index, value)| (format!("{at}/{index}"), value)),
                );
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
        pointers.insert(std::ptr::from_ref(value), at);
    }
    pointers
}

fn escape(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        key.replace('~', "~0").replace('/', "~1").into()
    } else {
        key.into()
    }
}
