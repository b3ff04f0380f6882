//! Pairs the variants of two unions.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Edit, Local, Pair, Side, Walk};
use crate::canonical::canonical;
use crate::diff::kinds::Rule;
use crate::diff::view::{ANNOTATIONS, Source, View, view};

impl<'a> Walk<'a> {
    /// Pairs a schema that is no union with the variant of a union that stands
    /// for it, and lists the others; says whether there are such two.
    pub fn joined(&mut self, pair: &Pair<'a>) -> bool {
        let (old_key, new_key) = (union(&pair.old), union(&pair.new));
        let (key, is_new) = match (old_key, new_key) {
            (None, Some(key)) => (key, true),
            (Some(key), None) => (key, false),
            (Some(_), Some(_)) | (None, None) => return false,
        };
        let (plain, joint) = if is_new {
            ((self.old, &pair.old, &pair.from.0), (self.new, &pair.new))
        } else {
            ((self.new, &pair.new, &pair.from.1), (self.old, &pair.old))
        };
        if !says_no_more(joint.1, key) || has_default(plain.1) || has_default(joint.1) {
            return false;
        }
        let list = joint.1.get(key).and_then(Value::as_array);
        let at = |index: usize| format!("{}/{index}", joint.1.pointer(key));
        let mut others: Vec<String> = (0..list.map_or(0, Vec::len)).map(at).collect();
        let wanted = name(plain.0, plain.2);
        let known = others.iter().position(|at| name(joint.0, at) == wanted);
        let Some(index) = known.or((others.len() == 1).then_some(0)) else {
            return false;
        };
        let twin = others.remove(index);
        let (old_at, new_at) = pair.from.clone();
        for at in others {
            let value = joint.0.root.pointer(&at).cloned();
            let (rule, side, old, new) = if is_new {
                (Rule::VariantAdded, Side::New, None, value)
            } else {
                (Rule::VariantRemoved, Side::Old, value, None)
            };
            self.found.push(Local {
                rule,
                old_at: old_at.clone(),
                new_at: new_at.clone(),
                place: (side, at),
                old,
                new,
                edit: Edit::Whole,
                emptied: None,
                is_open: false,
            });
        }
        self.words(pair);
        if is_new {
            self.push(old_at, twin);
        } else {
            self.push(twin, new_at);
        }
        true
    }

    /// Walks on into variants that stand for each other and lists the others.
    pub fn variants(&mut self, pair: &Pair<'a>) {
        let (old_key, new_key) = (union(&pair.old), union(&pair.new));
        let branches = |document: Source<'a>, view: &View<'a>, key: Option<&str>| {
            let key = key.unwrap_or_default();
            let list = view.get(key).and_then(Value::as_array);
            let n_branches = list.map_or(0, Vec::len);
            (0..n_branches)
                .map(|index| {
                    let at = format!("{}/{index}", view.pointer(key));
                    let name = name(document, &at);
                    (at, name)
                })
                .collect::<Vec<_>>()
        };
        let (Some(old_key), Some(new_key)) = (old_key, new_key) else {
            match (old_key, new_key) {
                (None, Some(key)) | (Some(key), None) => {
                    self.add_keywords(pair, Rule::ConstraintChanged, key, Vec::new());
                    self.make_whole(pair);
                }
                _ => {}
            }
            return;
        };
        let mut old = branches(self.old, &pair.old, Some(old_key));
        let mut new = branches(self.new, &pair.new, Some(new_key));
        let mut matched: Vec<(String, String)> = Vec::new();
        // First by what names them, then those that are left by their order.
        for by_name in [true, false] {
            let mut left = Vec::new();
            for (at, name) in old {
                let is_it = |candidate: &(String, String)| candidate.1 == name;
                let found = if by_name {
                    new.iter().position(is_it)
                } else {
                    // A tag that went and a tag that came are two variants.
                    new.iter()
                        .position(|(_, other)| kind(other) == kind(&name) && kind(&name) != "tag")
                };
                match found {
                    Some(index) => matched.push((at, new.remove(index).0)),
                    None => left.push((at, name)),
                }
            }
            old = left;
        }
        for (old_at, new_at) in matched {
            self.push(old_at, new_at);
        }
        let edit = |gone: Option<String>, come: Option<String>| Edit::Variants {
            keyword: old_key,
            gone,
            come,
        };
        for (at, _) in old {
            self.found.push(Local {
                rule: Rule::VariantRemoved,
                old_at: pair.old.at.clone(),
                new_at: pair.new.at.clone(),
                old: self.old.root.pointer(&at).cloned(),
                new: None,
                edit: edit(Some(at.clone()), None),
                place: (Side::Old, at),
                emptied: None,
                is_open: false,
            });
        }
        for (at, _) in new {
            self.found.push(Local {
                rule: Rule::VariantAdded,
                old_at: pair.old.at.clone(),
                new_at: pair.new.at.clone(),
                old: None,
                new: self.new.root.pointer(&at).cloned(),
                edit: edit(None, Some(at.clone())),
                place: (Side::New, at),
                emptied: None,
                is_open: false,
            });
        }
        if old_key != new_key {
            self.add_keywords(pair, Rule::ConstraintChanged, new_key, Vec::new());
            self.make_whole(pair);
        }
    }

    /// The last difference is brought over with everything around it.
    fn make_whole(&mut self, pair: &Pair<'a>) {
        if let Some(last) = self.found.last_mut() {
            last.edit = Edit::Whole;
            last.old_at.clone_from(&pair.old.at);
            last.new_at.clone_from(&pair.new.at);
        }
    }
}

/// Returns the keyword that makes a schema a choice between others.
fn union(view: &View<'_>) -> Option<&'static str> {
    ["oneOf", "anyOf"]
        .into_iter()
        .find(|keyword| view.get(keyword).is_some())
}

/// Whether a union is all that a schema says of its values.
fn says_no_more(view: &View<'_>, key: &str) -> bool {
    let mut keywords = view.keywords.keys();
    view.properties.is_empty()
        && view.required.is_empty()
        && !view.nullable
        && keywords.all(|keyword| *keyword == key || ANNOTATIONS.contains(keyword))
}

/// Whether a schema says what a value means beside which it is: then the two
/// are compared as they stand.
fn has_default(view: &View<'_>) -> bool {
    view.get("default").is_some() || view.get("deprecated").is_some()
}

/// Returns what tells a variant from the others: its content if it is small,
/// the values of its one-member properties, or its type.
fn name(document: Source<'_>, at: &str) -> String {
    let variant = view(document, at);
    let tags: Vec<String> = variant
        .properties
        .iter()
        .filter_map(|(key, places)| {
            let property = view(document, places.first()?);
            let values = property.values()?;
            let [value] = values.as_slice() else {
                return None;
            };
            Some(format!("{key}={value}"))
        })
        .collect();
    if !tags.is_empty() {
        return format!("tag {}", tags.join(" "));
    }
    if let Some(values) = variant.values() {
        let values: BTreeSet<String> = values
            .iter()
            .map(|value| canonical(value).to_string())
            .collect();
        return format!("tag {values:?}");
    }
    let types = variant.types().unwrap_or_default();
    format!("type {types:?}")
}

fn kind(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}
