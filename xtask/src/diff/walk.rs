//! Walks two schemas side by side and lists where they differ, each difference
//! with its rule and its finest pointer. It decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diff::kinds::Rule;
use crate::diff::surface::escape;
use crate::diff::view::{Source, View, view};
use crate::sets;

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
    /// Where the old property stands that no value fits any more.
    pub emptied: Option<String>,
    /// Whether it is a new property of an object that takes any.
    pub is_open: bool,
}

/// Which document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

/// Lists every difference of the two documents, and what of them was read.
pub fn walk<'a>(
    (old, old_set): (Source<'a>, &'a sets::Document),
    (new, new_set): (Source<'a>, &'a sets::Document),
) -> (Vec<Local>, Seen<'a>, Seen<'a>) {
    let mut leads = old.places.values().chain(new.places.values());
    let mut walk = Walk {
        old,
        new,
        sets: [old_set, new_set],
        refers: leads.any(|leads| !leads.references.is_empty()),
        parts: Default::default(),
        seen: BTreeSet::new(),
        pairs: Vec::new(),
        found: Vec::new(),
    };
    walk.push(String::new(), String::new());
    while let Some((old_at, new_at)) = walk.pairs.pop() {
        walk.visit(&old_at, &new_at);
    }
    let [old, new] = walk.parts;
    (walk.found, old, new)
}

/// The parts that were compared, each with its keywords that were not.
pub type Seen<'a> = BTreeMap<String, BTreeSet<&'a str>>;

struct Walk<'a> {
    old: Source<'a>,
    new: Source<'a>,
    sets: [&'a sets::Document; 2],
    /// Whether any schema says more than is written at its place.
    refers: bool,
    parts: [Seen<'a>; 2],
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
        for (seen, view) in self.parts.iter_mut().zip([&pair.old, &pair.new]) {
            for (at, hidden) in &view.parts {
                match seen.get_mut(at) {
                    Some(known) => known.retain(|keyword| hidden.contains(keyword)),
                    None => {
                        seen.insert(at.clone(), hidden.clone());
                    }
                }
            }
        }
        if self.joined(&pair) {
            return;
        }
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
            emptied: None,
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
                (Some(old), Some(new)) if self.is_emptied(old, new) => Rule::FieldRemoved,
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
            let value = |side: Source<'a>, at: Option<&String>| side.root.pointer(at?).cloned();
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
                emptied: old.filter(|_| rule == Rule::FieldRemoved).cloned(),
                is_open: pair.old.is_open() && pair.old.lists_properties && !was_required,
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

    /// Whether no value fits a property any more.
    fn is_emptied(&self, old: &str, new: &str) -> bool {
        // Equal words say the same where nothing leads elsewhere.
        let is_same = self.old.root.pointer(old) == self.new.root.pointer(new);
        if is_same && !self.refers {
            return false;
        }
        // What changed further below is found there.
        let says = |view: View<'a>| -> BTreeMap<&'a str, &'a Value> {
            let keywords = view.keywords.into_iter();
            keywords.map(|(key, (value, _))| (key, value)).collect()
        };
        if says(view(self.old, old)) == says(view(self.new, new)) {
            return false;
        }
        let [before, after] = self.sets;
        let none = sets::Document::new(&Value::Bool(false));
        let is_empty = |document: &sets::Document, at: &str| {
            let at = document.at(at)?;
            let verdict = sets::contained(&at, &none, &sets::Options::default());
            Some(verdict.answer == sets::Answer::Proven)
        };
        is_empty(after, new) == Some(true) && is_empty(before, old) != Some(true)
    }

    /// Visits what stands below: items, map values, variants.
    fn below(&mut self, pair: &Pair<'a>) {
        for keyword in ONE_BELOW {
            let both = (pair.old.get(keyword), pair.new.get(keyword));
            if let (Some(Value::Object(_)), Some(Value::Object(_))) = both {
                self.push(pair.old.pointer(keyword), pair.new.pointer(keyword));
            } else if both.0 != both.1 && !["additionalProperties", "items"].contains(&keyword) {
                self.add(pair, Rule::ConstraintChanged, keyword);
            }
        }
        for keyword in MANY_BELOW {
            let of = |view: &View<'a>| {
                let value = view.get(keyword);
                children(value.filter(|value| keyword != "items" || value.is_array()))
            };
            let (old, new) = (of(&pair.old), of(&pair.new));
            let mut is_same = old.keys().eq(new.keys());
            for (name, before) in &old {
                let Some(after) = new.get(name) else {
                    continue;
                };
                if before.is_array() || after.is_array() {
                    is_same &= before == after;
                    continue;
                }
                let below = |view: &View<'a>| format!("{}/{name}", view.pointer(keyword));
                self.push(below(&pair.old), below(&pair.new));
            }
            if !is_same && (keyword != "items" || !old.is_empty() && !new.is_empty()) {
                self.add(pair, Rule::ConstraintChanged, keyword);
            }
        }
        self.variants(pair);
    }
}

/// Keywords with one schema below.
const ONE_BELOW: [&str; 9] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "items",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords with several schemas below, by their names or in their order.
const MANY_BELOW: [&str; 5] = [
    "dependencies",
    "dependentSchemas",
    "items",
    "patternProperties",
    "prefixItems",
];

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
