//! Hooks in the settings of Claude Code: an event has groups, a group has
//! hooks, and a hook runs a command. See https://code.claude.com/docs/en/hooks,
//! looked up on 2026-12-01.

use std::path::Path;

use anyhow::{Result, bail};
use jsonc_parser::cst::{CstNode, CstObject};
use serde_json::{Value, json};

use super::cut::Step::{self, Key};
use super::cut::Within;
use super::files::is_gone;
use super::json::{self, child, has_comment, input, list, once, opened};
use crate::commands::hook::Event;

mod line;

pub use line::command;
use line::{folder, is_among, is_dressed, is_ours, line_of, options, program, renewed};

/// Key of all hooks.
const HOOKS: &str = "hooks";

/// Seconds after which Claude Code gives one up. It ends itself far earlier.
const TIMEOUT_S: u64 = 5;

/// Returns a data folder that hooks of ours lead to and would not, if they
/// became these.
pub fn folder_left(text: &str, wanted: impl Fn(Event) -> String) -> Result<Option<String>> {
    let led = folders(text)?.into_iter();
    let mut left = led.filter(|(event, led)| *led != folder(&options(&wanted(*event))));
    Ok(left.find_map(|(_, led)| led))
}

/// Returns the data folder that each hook of ours leads to; none names the
/// usual one.
pub fn folders(text: &str) -> Result<Vec<(Event, Option<String>)>> {
    let lines = lines(text)?.into_iter();
    let folders = lines.map(|(event, line)| (event, folder(&options(&line))));
    Ok(folders.collect())
}

/// Whether a program that a hook of ours runs is not there any more. What a
/// shell looks for is not judged.
pub fn are_gone(text: &str) -> bool {
    let lines = lines(text).unwrap_or_default().into_iter();
    let mut programs = lines.filter_map(|(_, line)| program(&line));
    programs.any(|program| is_gone(Path::new(&program)))
}

/// Returns the line of each hook of ours.
fn lines(text: &str) -> Result<Vec<(Event, String)>> {
    let (_, object) = opened(text)?;
    let mut lines = Vec::new();
    if once(&object, HOOKS)?.is_none() {
        return Ok(lines);
    }
    let hooks = child(&object, HOOKS)?;
    for event in Event::ALL {
        for place in ours(&hooks, event)? {
            let elements = list(&place.group, HOOKS)?.elements();
            let hook = elements.get(place.index).and_then(CstNode::to_serde_value);
            lines.push((event, hook.as_ref().and_then(line_of).unwrap_or_default()));
        }
    }
    Ok(lines)
}

/// Returns what may be shown of our hooks.
pub fn words(wanted: impl Fn(Event) -> String) -> Vec<String> {
    let mut words: Vec<String> = Event::ALL.into_iter().map(wanted).collect();
    words.extend(["command".to_owned(), TIMEOUT_S.to_string()]);
    words
}

/// Returns the text with our hook for every event.
pub fn put(text: &str, wanted: impl Fn(Event) -> String) -> Result<String> {
    let mut text = text.to_owned();
    for event in Event::ALL {
        let (_, object) = opened(&text)?;
        if once(&object, HOOKS)?.is_some() {
            let doubles = doubles(ours(&child(&object, HOOKS)?, event)?)?;
            // What a person wrote in one stays, for the other one has it not.
            text = without(text, event, doubles, Within::Stay)?;
        }
    }
    let (root, object) = opened(&text)?;
    let hooks = child(&object, HOOKS)?;
    for event in Event::ALL {
        let groups = list(&hooks, event.name())?;
        let line = wanted(event);
        let wanted = json!({ "type": "command", "command": line, "timeout": TIMEOUT_S });
        let found = ours(&hooks, event)?;
        for place in &found {
            let elements = list(&place.group, HOOKS)?.elements();
            let Some(hook) = elements.get(place.index).and_then(|hook| hook.as_object()) else {
                continue;
            };
            renew(&hook, &wanted, &line);
        }
        let is_there = !found.is_empty() || any(&hooks, event, |hook| is_dressed(hook, &line))?;
        if !is_there {
            groups.append(input(&json!({ HOOKS: [wanted] })));
            groups.ensure_multiline();
        }
    }
    Ok(root.to_string())
}

/// Makes a hook of ours the wanted one, but for what a person added.
fn renew(hook: &CstObject, wanted: &Value, line: &str) {
    let before = hook.to_serde_value().as_ref().and_then(line_of);
    let line = json!(renewed(&before.unwrap_or_default(), line));
    // They stand in the line now.
    if let Some(words) = hook.get("args") {
        words.remove();
    }
    for (key, value) in wanted.as_object().into_iter().flatten() {
        let value = if key == "command" { &line } else { value };
        let old = hook.get(key);
        let said = old.as_ref().and_then(|old| old.value()?.to_serde_value());
        match old {
            Some(_) if said.as_ref() == Some(value) => {}
            // Somebody may want to wait longer, or less.
            Some(_) if key == "timeout" && said.is_some_and(|said| said.is_number()) => {}
            Some(old) => old.set_value(input(value)),
            None => {
                hook.append(key, input(value));
            }
        }
    }
}

/// Where a hook stands.
struct At {
    group: CstObject,
    /// Which of the groups that is.
    number: usize,
    /// Which of its hooks.
    index: usize,
}

/// Returns those that run where another one of them runs already: a group with
/// another matcher is for other turns. The first one stays that a person set
/// up, or else the first.
fn doubles(found: Vec<At>) -> Result<Vec<At>> {
    let mut kept: Vec<(Option<Value>, usize)> = Vec::new();
    for (number, place) in found.iter().enumerate() {
        let matcher = once(&place.group, "matcher")?;
        let matcher = matcher.filter(|matcher| *matcher != json!("") && *matcher != json!("*"));
        match kept.iter_mut().find(|(known, _)| *known == matcher) {
            None => kept.push((matcher, number)),
            Some((_, first)) => {
                let stays = found.get(*first).map(is_set_up).transpose()?;
                if stays == Some(false) && is_set_up(place)? {
                    *first = number;
                }
            }
        }
    }
    let found = found.into_iter().enumerate();
    let doubles = found.filter(|(number, _)| kept.iter().all(|(_, stays)| stays != number));
    Ok(doubles.map(|(_, place)| place).collect())
}

/// Whether a hook has what we do not write.
fn is_set_up(place: &At) -> Result<bool> {
    let hooks = list(&place.group, HOOKS)?.elements();
    let hook = hooks.get(place.index).and_then(CstNode::to_serde_value);
    let hook = hook.unwrap_or_default();
    let line = line_of(&hook);
    let bare = line
        .as_ref()
        .is_none_or(|line| renewed(line, "").is_empty());
    let usual = json!({ "type": "command", "command": line, "timeout": TIMEOUT_S });
    let is_usual = |(key, value): (&String, &Value)| usual.get(key) == Some(value);
    let all = hook
        .as_object()
        .is_none_or(|hook| hook.iter().all(is_usual));
    Ok(!bare || !all)
}

/// Returns the text without hooks of an event, and without the groups that
/// held nothing else.
fn without(mut text: String, event: Event, found: Vec<At>, within: Within) -> Result<String> {
    // From the last one on, so that the places of the others stay true.
    for place in found.into_iter().rev() {
        let group = [Key(HOOKS), Key(event.name()), Step::At(place.number)];
        let hook = [&group[..], &[Key(HOOKS), Step::At(place.index)]].concat();
        text = json::without(&text, &hook, within)?;
        let (_, object) = opened(&text)?;
        let groups = list(&child(&object, HOOKS)?, event.name())?.elements();
        let left = groups.get(place.number).and_then(|group| group.as_object());
        let is_empty = |group: &CstObject| -> Result<bool> {
            let hooks = list(group, HOOKS)?;
            Ok(hooks.elements().is_empty() && !has_comment(&hooks.to_string()))
        };
        if let Some(left) = left
            && is_empty(&left)?
        {
            text = json::without(&text, &group, Within::Go)?;
        }
    }
    Ok(text)
}

/// Returns every text that may have been before our hooks came: whether a list
/// of an event was there already, empty, is not to be seen in it. The last one
/// is the barest.
pub fn takes(text: &str) -> Result<Vec<String>> {
    let mut texts = vec![take(text, &Event::ALL, false)?];
    for stays in Event::ALL {
        let others = Event::ALL.into_iter().filter(|event| *event != stays);
        let others: Vec<Event> = others.collect();
        texts.push(take(text, &others, false)?);
        texts.push(take(text, &[stays], false)?);
    }
    texts.extend([take(text, &[], false)?, take(text, &[], true)?]);
    Ok(texts)
}

/// Returns the text without our hooks and without the lists that held only
/// them, but for those of some events; and on demand without the object that
/// held nothing else. What a comment stands in stays.
fn take(text: &str, stay: &[Event], with_object: bool) -> Result<String> {
    let mut left = text.to_owned();
    for event in Event::ALL {
        let (_, object) = opened(&left)?;
        if once(&object, HOOKS)?.is_none() {
            return Ok(left);
        }
        let hooks = child(&object, HOOKS)?;
        let found = ours(&hooks, event)?;
        if found.is_empty() {
            continue;
        }
        left = without(left, event, found, Within::Go)?;
        let (_, object) = opened(&left)?;
        let groups = list(&child(&object, HOOKS)?, event.name())?;
        let is_bare = groups.elements().is_empty() && !has_comment(&groups.to_string());
        if is_bare && !stay.contains(&event) {
            left = json::without(&left, &[Key(HOOKS), Key(event.name())], Within::Go)?;
        }
    }
    if left == text || !with_object {
        return Ok(left);
    }
    let (_, object) = opened(&left)?;
    let hooks = child(&object, HOOKS)?;
    if hooks.properties().is_empty() && !has_comment(&hooks.to_string()) {
        return json::without(&left, &[Key(HOOKS)], Within::Go);
    }
    Ok(left)
}

/// Whether a line of a person's own runs us, and so speaks beside hooks of ours
/// or goes on when they go.
pub fn are_among(text: &str) -> Result<bool> {
    let (_, object) = opened(text)?;
    if once(&object, HOOKS)?.is_none() {
        return Ok(false);
    }
    let hooks = child(&object, HOOKS)?;
    for event in Event::ALL {
        if any(&hooks, event, |hook| {
            !is_ours(hook, event) && is_among(hook, event)
        })? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether every event has our hook.
pub fn are_there(text: &str) -> Result<bool> {
    let (_, object) = opened(text)?;
    if once(&object, HOOKS)?.is_none() {
        return Ok(false);
    }
    let hooks = child(&object, HOOKS)?;
    for event in Event::ALL {
        if ours(&hooks, event)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns where our hooks of an event stand.
fn ours(hooks: &CstObject, event: Event) -> Result<Vec<At>> {
    those(hooks, event, |hook| is_ours(hook, event))
}

fn any(hooks: &CstObject, event: Event, is_meant: impl Fn(&Value) -> bool) -> Result<bool> {
    Ok(!those(hooks, event, is_meant)?.is_empty())
}

fn those(hooks: &CstObject, event: Event, is_meant: impl Fn(&Value) -> bool) -> Result<Vec<At>> {
    let mut found = Vec::new();
    if once(hooks, event.name())?.is_none() {
        return Ok(found);
    }
    for (number, group) in list(hooks, event.name())?
        .elements()
        .into_iter()
        .enumerate()
    {
        let Some(group) = group.as_object() else {
            bail!("an entry of {HOOKS}.{} is no object", event.name());
        };
        let Some(Value::Array(entries)) = once(&group, HOOKS)? else {
            continue;
        };
        for (index, hook) in entries.iter().enumerate() {
            if is_meant(hook) {
                found.push(At {
                    group: group.clone(),
                    number,
                    index,
                });
            }
        }
    }
    Ok(found)
}
