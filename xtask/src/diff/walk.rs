//! Walks two schemas side by side and lists where they differ, each difference
//! with its rule and its finest pointer. It decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diff::kinds::Rule;
use crate::diff::surface::escape;
use crate::diff::view::{View, view};

mod keywords;
mod variants;

/// How one difference alone is brought into the old document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// These keywords of the schema become those of the new one.
    Keywords(Vec<&'static str>),
    /// This property, and whether it is required, becomes that of the new one.
    Property(String),
    /// Listed values go and come.
    Values { gone: Vec<Value>, come: Vec<Value> },
    /// A variant goes or comes, by its pointer.
    Variants {
        keyword: &'static str,
        gone: Option<String>,
        come: Option<String>,
    },
    /// The whole schema becomes the new one.
    Whole,
}

/// One difference.
#[derive(Clone, Debug)]
pub struct Local {
    pub rule: Rule,
    /// Pointer of the schema that differs, in each document.
    pub old_at: String,
    pub new_at: String,
    /// Where it is written: in the new document, or the old one if it is gone.
    pub place: (Side, String),
    pub old: Option<Value>,
    pub new: Option<Value>,
    pub edit: Edit,
    /// Whether it is a new property of an object that takes any.
    pub is_open: bool,
}

/// Which document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

/// Lists every difference of the two documents.
pub fn walk(old: &Value, new: &Value) -> Vec<Local> {
    let mut walk = Walk {
        old,
        new,
        seen: BTreeSet::new(),
        pairs: Vec::new(),
        found: Vec::new(),
    };
    walk.push(String::new(), String::new());
    while let Some((old_at, new_at)) = walk.pairs.pop() {
        walk.visit(&old_at, &new_at);
    }
    walk.found
}

struct Walk<'a> {
    old: &'a Value,
    new: &'a Value,
    /// Invariant: a pair is visited once, so that recursion ends.
    seen: BTreeSet<(String, String)>,
    pairs: Vec<(String, String)>,
    found: Vec<Local>,
}

/// Two schemas that stand for each other.
struct Pair<'a> {
    old: View<'a>,
    new: View<'a>,
    /// Where each is referred to, before any reference is followed.
    from: (String, String),
}

impl<'a> Walk<'a> {
    fn push(&mut self, old_at: String, new_at: String) {
        if self.seen.insert((old_at.clone(), new_at.clone())) {
            self.pairs.push((old_at, new_at));
        }
    }

    fn visit(&mut self, old_at: &str, new_at: &str) {
        let pair = Pair {
            old: view(self.old, old_at),
            new: view(self.new, new_at),
            from: (old_at.to_owned(), new_at.to_owned()),
        };
        self.properties(&pair);
        self.keywords(&pair);
        self.below(&pair);
    }

    fn add(&mut self, pair: &Pair<'a>, rule: Rule, keyword: &'static str) {
        self.add_keywords(pair, rule, keyword, vec![keyword]);
    }

    /// Adds a difference that several keywords together make.
    fn add_keywords(
        &mut self,
        pair: &Pair<'a>,
        rule: Rule,
        keyword: &str,
        keywords: Vec<&'static str>,
    ) {
        let is_gone = pair.new.get(keyword).is_none() && pair.old.get(keyword).is_some();
        let place = if is_gone {
            (Side::Old, pair.old.pointer(keyword))
        } else {
            (Side::New, pair.new.pointer(keyword))
        };
        self.found.push(Local {
            rule,
            old_at: pair.old.at.clone(),
            new_at: pair.new.at.clone(),
            place,
            old: pair.old.get(keyword).cloned(),
            new: pair.new.get(keyword).cloned(),
            edit: Edit::Keywords(keywords),
            is_open: false,
        });
    }

    fn properties(&mut self, pair: &Pair<'a>) {
        let names: BTreeSet<&String> = pair
            .old
            .properties
            .keys()
            .chain(pair.new.properties.keys())
            .collect();
        for name in names {
            let old = pair.old.properties.get(name).and_then(|all| all.first());
            let new = pair.new.properties.get(name).and_then(|all| all.first());
            let was_required = pair.old.required.contains(name);
            let is_required = pair.new.required.contains(name);
            let rule = match (old, new) {
                (None, Some(_)) if is_required => Rule::FieldAddedRequired,
                (None, Some(_)) => Rule::FieldAddedOptional,
                (Some(_), None) => Rule::FieldRemoved,
                (Some(old), Some(new)) => {
                    self.push(old.clone(), new.clone());
                    match (was_required, is_required) {
                        (false, true) => Rule::FieldBecameRequired,
                        (true, false) => Rule::FieldBecameOptional,
                        (true, true) | (false, false) => continue,
                    }
                }
                (None, None) => continue,
            };
            let value =
                |side: &Value, at: Option<&String>| at.and_then(|at| side.pointer(at)).cloned();
            let place = match (old, new) {
                (Some(old), None) => (Side::Old, old.clone()),
                (_, Some(new)) => (Side::New, new.clone()),
                (None, None) => continue,
            };
            let toggles = matches!(rule, Rule::FieldBecameRequired | Rule::FieldBecameOptional);
            self.found.push(Local {
                rule,
                old_at: pair.old.at.clone(),
                new_at: pair.new.at.clone(),
                place,
                old: if toggles {
                    Some(Value::from(was_required))
                } else {
                    value(self.old, old)
                },
                new: if toggles {
                    Some(Value::from(is_required))
                } else {
                    value(self.new, new)
                },
                edit: Edit::Property(name.clone()),
                is_open: pair.old.is_open(),
            });
        }
        // What is required without being declared is a constraint like others.
        let undeclared = |view: &View<'a>| -> BTreeSet<String> {
            let declared = &view.properties;
            let names = view.required.iter();
            names
                .filter(|name| !declared.contains_key(*name))
                .cloned()
                .collect()
        };
        let (before, after) = (undeclared(&pair.old), undeclared(&pair.new));
        let is_known = |name: &&String| {
            pair.old.properties.contains_key(*name) || pair.new.properties.contains_key(*name)
        };
        if before
            .symmetric_difference(&after)
            .any(|name| !is_known(&name))
        {
            self.add(pair, Rule::ConstraintChanged, "required");
        }
    }

    /// Visits what stands below: items, map values, variants.
    fn below(&mut self, pair: &Pair<'a>) {
        for keyword in ["additionalProperties", "items", "contains", "propertyNames"] {
            let both = (pair.old.get(keyword), pair.new.get(keyword));
            if let (Some(Value::Object(_)), Some(Value::Object(_))) = both {
                self.push(pair.old.pointer(keyword), pair.new.pointer(keyword));
            }
        }
        for keyword in ["prefixItems", "patternProperties"] {
            let old = children(pair.old.get(keyword));
            let new = children(pair.new.get(keyword));
            for name in old.keys().filter(|name| new.contains_key(*name)) {
                let below = |view: &View<'a>| format!("{}/{name}", view.pointer(keyword));
                self.push(below(&pair.old), below(&pair.new));
            }
            if !old.keys().eq(new.keys()) {
                let keyword = if keyword == "prefixItems" {
                    "prefixItems"
                } else {
                    "patternProperties"
                };
                self.add(pair, Rule::ConstraintChanged, keyword);
            }
        }
        self.variants(pair);
    }
}

/// Returns what stands below a keyword, by its part of a pointer.
fn children(value: Option<&Value>) -> BTreeMap<String, &Value> {
    match value {
        Some(Value::Object(map)) => map
            .iter()
            .map(|(key, value)| (escape(key), value))
            .collect(),
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(index, value)| (index.to_string(), value))
            .collect(),
        _ => BTreeMap::new(),
    }
}
