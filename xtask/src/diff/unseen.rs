//! What the walk did not compare, and what a schema says of its set elsewhere.
//!
//! The sets answer for whatever admits or refuses a value; defaults, names of
//! fields and the like are only known to who reads them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diff::kinds::Rule;
use crate::diff::surface::escape;
use crate::diff::view::Source;
use crate::diff::walk::{Local, Seen, Side};

/// Keywords that only speak to people.
const WORDS: [&str; 3] = ["description", "examples", "title"];
/// Keywords that the sets answer for, or that only lead on.
const LEFT_TO_SETS: [&str; 46] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "patternProperties",
    "pattern",
    "prefixItems",
    "propertyNames",
    "required",
    "type",
    "uniqueItems",
];

/// Facts of a document that nobody compared, by schema and keyword.
type Facts = BTreeMap<(String, String), Value>;

/// Returns the kind of a difference that the walk did not see, with where.
pub fn unseen(
    (old, old_seen): (Source<'_>, &Seen<'_>),
    (new, new_seen): (Source<'_>, &Seen<'_>),
    locals: &[Local],
) -> Option<(Rule, Side, String)> {
    let old = facts(old, old_seen, &told(locals, Side::Old));
    let new = facts(new, new_seen, &told(locals, Side::New));
    let differ = |is_word: bool| {
        let gone = old.iter().map(|fact| (Side::Old, fact, &new));
        let come = new.iter().map(|fact| (Side::New, fact, &old));
        let mut all = gone.chain(come);
        all.find(|(_, (key, value), others)| {
            WORDS.contains(&key.1.as_str()) == is_word && others.get(*key) != Some(*value)
        })
        .map(|(side, (key, _), _)| (side, key.0.clone()))
    };
    let undecided = differ(false).map(|(side, at)| (Rule::SchemaUndecided, side, at));
    undecided.or_else(|| differ(true).map(|(side, at)| (Rule::AnnotationChanged, side, at)))
}

/// Returns the schemas that were reported as a whole, with all below.
fn told(locals: &[Local], side: Side) -> BTreeSet<&str> {
    let is_whole = |local: &&Local| {
        let comes = local.old.is_none() && side == Side::New;
        match local.rule {
            Rule::FieldAddedOptional
            | Rule::FieldAddedRequired
            | Rule::FieldRemoved
            | Rule::VariantAdded
            | Rule::VariantRemoved => true,
            Rule::ItemsImposed | Rule::ConstraintChanged | Rule::ExtraFieldsChanged => comes,
            _ => false,
        }
    };
    let whole = locals.iter().filter(is_whole);
    whole
        .flat_map(|local| {
            let here = (local.place.0 == side).then_some(local.place.1.as_str());
            let emptied = local.emptied.as_deref().filter(|_| side == Side::Old);
            here.into_iter().chain(emptied)
        })
        .collect()
}

fn facts(document: Source<'_>, seen: &Seen<'_>, told: &BTreeSet<&str>) -> Facts {
    let mut facts = Facts::new();
    let mut reached = BTreeSet::new();
    let mut open = vec![String::new()];
    while let Some(at) = open.pop() {
        let mut ancestors = at.match_indices('/').filter_map(|(end, _)| at.get(..end));
        let is_told =
            told.contains(at.as_str()) || ancestors.any(|ancestor| told.contains(ancestor));
        if is_told || !reached.insert(at.clone()) {
            continue;
        }
        let Some(leads) = document.places.get(&at) else {
            continue;
        };
        let below = leads.below.iter().filter(|(keyword, _)| {
            !["$defs", "definitions", "contentSchema"].contains(&keyword.as_str())
        });
        open.extend(below.map(|(_, at)| at.clone()));
        for target in leads.references.values() {
            match target {
                Some(target) => open.push(target.clone()),
                // It may lead to any of them.
                None => open.extend(document.places.keys().cloned()),
            }
        }
        let map = document.root.pointer(&at).and_then(Value::as_object);
        for (keyword, value) in map.into_iter().flatten() {
            let is_seen = match seen.get(&at) {
                // An outer default stands for an inner one.
                Some(hidden) => keyword == "default" || !hidden.contains(keyword.as_str()),
                None => false,
            };
            if is_seen || LEFT_TO_SETS.contains(&keyword.as_str()) {
                continue;
            }
            let value = match value.as_object() {
                Some(fields) if keyword == "properties" => fields.keys().cloned().collect(),
                _ => value.clone(),
            };
            facts.insert((at.clone(), keyword.clone()), value);
        }
    }
    facts
}

/// Keywords whose schemas are about the same value as the one around them.
const BESIDES: [&str; 9] = [
    "allOf",
    "anyOf",
    "dependencies",
    "dependentSchemas",
    "else",
    "if",
    "not",
    "oneOf",
    "then",
];

/// Returns the fields, as pointers spell them, that a document names elsewhere
/// than in a plain list of properties: what is sent under such a name was
/// declared, whatever the list says.
pub fn named_besides(document: Source<'_>) -> BTreeSet<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut named = BTreeSet::new();
    for (at, leads) in document.places {
        let beside = leads
            .below
            .iter()
            .filter(|(keyword, _)| BESIDES.contains(&keyword.as_str()));
        open.extend(beside.map(|(_, at)| at.as_str()));
        let map = document.root.pointer(at).and_then(Value::as_object);
        let is_alone = map.is_none_or(|map| !map.contains_key("properties"));
        if !is_alone {
            open.extend(leads.references.values().flatten().map(String::as_str));
        }
        for keyword in [
            "dependencies",
            "dependentRequired",
            "dependentSchemas",
            "enum",
            "const",
        ] {
            named.extend(
                map.and_then(|map| map.get(keyword))
                    .into_iter()
                    .flat_map(words),
            );
        }
    }
    let mut reached = BTreeSet::new();
    while let Some(at) = open.pop() {
        let Some(leads) = document.places.get(at).filter(|_| reached.insert(at)) else {
            continue;
        };
        open.extend(leads.below.iter().map(|(_, at)| at.as_str()));
        open.extend(leads.references.values().flatten().map(String::as_str));
        let map = document.root.pointer(at).and_then(Value::as_object);
        let fields = map.and_then(|map| map.get("properties")?.as_object());
        named.extend(fields.into_iter().flat_map(|fields| fields.keys().cloned()));
        named.extend(
            map.and_then(|map| map.get("required"))
                .into_iter()
                .flat_map(words),
        );
    }
    named.iter().map(|name| escape(name)).collect()
}

/// Returns every key of a value, and every text in a list.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Object(map) => {
            let below = map.values().flat_map(words);
            map.keys().cloned().chain(below).collect()
        }
        Value::Array(items) => items.iter().flat_map(words).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
