//! Differences of what has no schema: errors, prefixes, resources, prompts,
//! routes, budgets, constants, words.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::diff::kinds::Rule;
use crate::diff::surface::{Fact, Family, Place, Surface};
use crate::diff::{Change, Position, alarm};

/// Compares the facts of both sides.
pub fn compare(old: &Surface, new: &Surface) -> Vec<Change> {
    let mut changes = Vec::new();
    for ((family, name), before) in &old.facts {
        let name_of = Some(Value::from(name.clone()));
        match new.facts.get(&(*family, name.clone())) {
            None => {
                let mut change = change(removed(*family), before.place.clone(), name_of, None);
                change.through.extend(hidden(*family, name));
                changes.push(change);
            }
            Some(after) if before.value == after.value => {}
            Some(after) => changed(*family, name, before, after, &mut changes),
        }
    }
    for ((family, name), after) in &new.facts {
        if !old.facts.contains_key(&(*family, name.clone())) {
            let name_of = Some(Value::from(name.clone()));
            let mut change = change(added(*family), after.place.clone(), None, name_of);
            change.through.extend(hidden(*family, name));
            changes.push(change);
        }
    }
    changes
}

/// Returns the name of what stands in a list, where the pointer does not say
/// it.
fn hidden(family: Family, name: &str) -> Option<String> {
    let is_listed = matches!(family, Family::Prompt | Family::Resource | Family::Route);
    is_listed.then(|| name.to_owned())
}

fn change(rule: Rule, place: Place, old: Option<Value>, new: Option<Value>) -> Change {
    let mut change = Change::new(rule, Position::Surface, place);
    if rule.kind().id.ends_with("reworded") || rule == Rule::InstructionsChanged {
        let text = |value: &Option<Value>| value.as_ref().map(text).unwrap_or_default();
        change.alarm = alarm::alarm(&text(&old), &text(&new));
    }
    change.old = old;
    change.new = new;
    change
}

/// Returns the words of a value, without the marks that JSON puts around them.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(map) => map.values().map(text).collect::<Vec<_>>().join("\n"),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn added(family: Family) -> Rule {
    match family {
        Family::Budget => Rule::BudgetAdded,
        Family::ClientLimit => Rule::ClientLimitChanged,
        Family::Constant | Family::IdPrefix | Family::Toolset => Rule::ConstantAdded,
        Family::Deprecation => Rule::DeprecationAdded,
        Family::ErrorCode => Rule::ErrorCodeAdded,
        Family::Instruction => Rule::InstructionsChanged,
        Family::Prefix => Rule::PrefixAdded,
        Family::Prompt => Rule::PromptAdded,
        Family::Resource => Rule::ResourceAdded,
        Family::Route => Rule::RouteAdded,
    }
}

fn removed(family: Family) -> Rule {
    match family {
        Family::Budget => Rule::BudgetRemoved,
        Family::ClientLimit => Rule::ClientLimitChanged,
        Family::Constant | Family::IdPrefix | Family::Toolset => Rule::ConstantRemoved,
        Family::Deprecation => Rule::DeprecationWithdrawn,
        Family::ErrorCode => Rule::ErrorCodeRemoved,
        Family::Instruction => Rule::InstructionsChanged,
        Family::Prefix => Rule::PrefixRemoved,
        Family::Prompt => Rule::PromptRemoved,
        Family::Resource => Rule::ResourceRemoved,
        Family::Route => Rule::RouteRemoved,
    }
}

/// What of an entry binds a client; all else are words.
fn binding(family: Family) -> (&'static [&'static str], Rule, Rule) {
    match family {
        Family::ErrorCode => (
            &["http_status", "retryable"],
            Rule::ErrorCodeMoved,
            Rule::ErrorReworded,
        ),
        Family::Prefix => (&["code"], Rule::PrefixMoved, Rule::PrefixReworded),
        Family::Resource => (
            &["mime_type", "mimeType"],
            Rule::ResourceChanged,
            Rule::ResourceReworded,
        ),
        Family::Prompt => (
            &["messages", "parts"],
            Rule::PromptChanged,
            Rule::PromptReworded,
        ),
        Family::Route => (
            &[
                "auth",
                "request",
                "response",
                "parameters",
                "query",
                "status",
                "tool",
            ],
            Rule::RouteChanged,
            Rule::RouteReworded,
        ),
        Family::Budget
        | Family::ClientLimit
        | Family::Constant
        | Family::Deprecation
        | Family::IdPrefix
        | Family::Instruction
        | Family::Toolset => (&[], Rule::SettingReworded, Rule::SettingReworded),
    }
}

fn changed(family: Family, name: &str, old: &Fact, new: &Fact, changes: &mut Vec<Change>) {
    let both = (Some(old.value.clone()), Some(new.value.clone()));
    let whole = |rule: Rule| change(rule, new.place.clone(), both.0.clone(), both.1.clone());
    match family {
        Family::Budget => {
            let of = |fact: &Fact| fact.value.as_f64().unwrap_or_default();
            let rule = if of(new) > of(old) {
                Rule::BudgetRaised
            } else {
                Rule::BudgetLowered
            };
            changes.push(whole(rule));
        }
        Family::Constant | Family::IdPrefix => changes.push(whole(Rule::ConstantChanged)),
        Family::Deprecation => changes.push(whole(Rule::DeprecationChanged)),
        Family::Toolset => changes.push(whole(Rule::SettingReworded)),
        Family::Instruction => changes.push(whole(Rule::InstructionsChanged)),
        Family::ClientLimit => changes.push(whole(Rule::ClientLimitChanged)),
        Family::ErrorCode | Family::Prefix | Family::Resource | Family::Prompt | Family::Route => {
            entry(family, name, old, new, changes)
        }
    }
}

/// Compares two entries key by key.
fn entry(family: Family, name: &str, old: &Fact, new: &Fact, changes: &mut Vec<Change>) {
    let (binding, moved, reworded) = binding(family);
    let empty = serde_json::Map::new();
    let of = |fact: &'_ Fact| fact.value.as_object().unwrap_or(&empty).clone();
    let (before, after) = (of(old), of(new));
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    let n_before = changes.len();
    for key in keys {
        let (was, is) = (before.get(key), after.get(key));
        if was == is {
            continue;
        }
        if family == Family::Prompt && key == "arguments" {
            arguments(was, is, new, changes);
            continue;
        }
        if family == Family::Route && key == "errors" {
            let place = new.place.key(key);
            changes
                .extend(errors(was, is).map(|rule| change(rule, place, was.cloned(), is.cloned())));
            continue;
        }
        let rule = if family == Family::Prompt && key == "since" {
            Rule::PromptSinceChanged
        } else if binding.contains(&key.as_str()) && was.map(wordless) != is.map(wordless) {
            moved
        } else {
            reworded
        };
        let place = if is.is_some() {
            new.place.key(key)
        } else {
            old.place.key(key)
        };
        changes.push(change(rule, place, was.cloned(), is.cloned()));
    }
    for change in changes.iter_mut().skip(n_before) {
        change.through.insert(name.to_owned());
    }
}

/// Judges the errors that a route may answer with.
fn errors(old: Option<&Value>, new: Option<&Value>) -> Option<Rule> {
    let codes = |value: Option<&Value>| -> BTreeSet<String> {
        let list = value.and_then(Value::as_array).into_iter().flatten();
        list.map(|entry| format!("{} {}", entry["code"], entry["prefix"]))
            .collect()
    };
    let (before, after) = (codes(old), codes(new));
    if !before.is_subset(&after) {
        Some(Rule::RouteChanged)
    } else if before != after {
        Some(Rule::RouteErrorAdded)
    } else {
        (old != new).then_some(Rule::RouteReworded)
    }
}

/// Returns what a prompt is filled in with, without the words around it.
fn wordless(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(wordless).collect(),
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| *key != "text");
            Value::Object(
                kept.map(|(key, value)| (key.clone(), wordless(value)))
                    .collect(),
            )
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Compares the arguments of a prompt, by name.
fn arguments(old: Option<&Value>, new: Option<&Value>, fact: &Fact, changes: &mut Vec<Change>) {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let (old, new) = (list(old), list(new));
    let is_required = |argument: &Value| argument["required"] == Value::Bool(true);
    let find = |list: &[Value], name: &Value| list.iter().position(|other| other["name"] == *name);
    let place = |index: usize| fact.place.key("arguments").key(&index.to_string());
    for before in &old {
        match find(&new, &before["name"]) {
            None => {
                let place = fact.place.key("arguments");
                let old = Some(before.clone());
                changes.push(change(Rule::PromptArgumentRemoved, place, old, None));
            }
            Some(at) => {
                let Some(after) = new.get(at).filter(|after| *after != before) else {
                    continue;
                };
                let rule = match (is_required(before), is_required(after)) {
                    (false, true) => Rule::PromptArgumentBecameRequired,
                    (true, false) => Rule::PromptArgumentBecameOptional,
                    (true, true) | (false, false) => Rule::PromptReworded,
                };
                let both = (Some(before.clone()), Some(after.clone()));
                changes.push(change(rule, place(at), both.0, both.1));
            }
        }
    }
    for (at, after) in new.iter().enumerate() {
        if find(&old, &after["name"]).is_none() {
            let rule = if is_required(after) {
                Rule::PromptArgumentAddedRequired
            } else {
                Rule::PromptArgumentAddedOptional
            };
            changes.push(change(rule, place(at), None, Some(after.clone())));
        }
    }
}
