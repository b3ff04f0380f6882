//! Hooks in the settings of Claude Code: an event has groups, a group has
//! hooks, and a hook runs a command. See https://code.claude.com/docs/en/hooks,
//! looked up on 2026-12-01.

use anyhow::{Result, bail};
use jsonc_parser::cst::CstObject;
use serde_json::{Value, json};

use super::cut::Step::{self, Key};
use super::cut::Within;
use super::json::{self, child, has_comment, input, list, once, opened};
use super::present::is_of_our_name;
use super::surroundings::System;
use crate::commands::hook::Event;

/// Key of all hooks.
const HOOKS: &str = "hooks";

/// Seconds after which Claude Code gives one up. It ends itself far earlier.
const TIMEOUT_S: u64 = 5;

/// Returns the command of a hook, for the shell that Claude Code runs it in.
///
/// One line and no list of arguments: versions that know no list would run the
/// bare program, whose complaint about that would block the prompt.
pub fn command(system: System, program: &str, event: Event, data: Option<&str>) -> String {
    let mut line = format!("{} hook {}", quoted(system, program), event.as_str());
    if let Some(data) = data {
        line.push_str(&format!(" --data {}", quoted(system, data)));
    }
    line
}

/// Whether a letter means itself to every shell.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "/._-:+@".contains(letter)
}

/// Returns a word as a shell reads it. On Windows that is Git's bash, too.
fn quoted(system: System, word: &str) -> String {
    let word = match system {
        System::Windows => word.replace('\\', "/"),
        System::Linux | System::Mac => word.to_owned(),
    };
    if word.chars().all(is_plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Whether a hook is ours: it runs a program of our name and nothing besides,
/// whatever its path and options; or it is exactly what we write, whatever the
/// program is called, since `--command` names any. What a person put into a
/// line of their own is theirs.
fn is_ours(hook: &Value, event: Event) -> bool {
    let Some(line) = hook.get("command").and_then(Value::as_str) else {
        return false;
    };
    let Some(rest) = after_word(line) else {
        return false;
    };
    let program = line.strip_suffix(rest).unwrap_or_default();
    let turn = format!(" hook {}", event.as_str());
    let Some(options) = rest.strip_prefix(&turn) else {
        return false;
    };
    if is_of_our_name(&program.replace(['\'', '"'], "")) {
        return are_words(options);
    }
    let is_as_quoted = program.starts_with('\'') || program.chars().all(is_plain);
    let is_our_line = options.is_empty()
        || options
            .strip_prefix(" --data ")
            .and_then(after_word)
            .is_some_and(str::is_empty);
    is_as_quoted
        && is_our_line
        && *hook == json!({ "type": "command", "command": line, "timeout": TIMEOUT_S })
}

/// Whether this is nothing but words, each after a space.
fn are_words(text: &str) -> bool {
    words_of(text).is_some()
}

/// Returns the words of a text, each after a space and spelled as it was.
fn words_of(mut text: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    while !text.is_empty() {
        let bare = text.strip_prefix(' ')?;
        text = after_word(bare)?;
        words.push(bare.strip_suffix(text)?);
    }
    Some(words)
}

/// Returns the words that stand behind the turn in a line of ours.
fn options(line: &str) -> Vec<&str> {
    let words = after_word(line).and_then(words_of).unwrap_or_default();
    words.into_iter().skip(2).collect()
}

/// Returns the line that we would write with what a person added to the old
/// one: who renews a hook wants its program and folder new, and nothing lost.
fn renewed(old: &str, wanted: &str) -> String {
    let mut line = wanted.to_owned();
    let mut options = options(old).into_iter();
    while let Some(word) = options.next() {
        if word == "--data" {
            options.next();
        } else if !word.starts_with("--data=") {
            line.push_str(&format!(" {word}"));
        }
    }
    line
}

/// Returns a data folder that hooks of ours lead to and would not, if they
/// became these.
pub fn folder_left(text: &str, wanted: impl Fn(Event) -> String) -> Result<Option<String>> {
    let (_, object) = opened(text)?;
    if once(&object, HOOKS)?.is_none() {
        return Ok(None);
    }
    let hooks = child(&object, HOOKS)?;
    for event in Event::ALL {
        let line = wanted(event);
        for place in ours(&hooks, event)? {
            let elements = list(&place.group, HOOKS)?.elements();
            let hook = elements
                .get(place.index)
                .and_then(|hook| hook.to_serde_value());
            let old = hook.as_ref().and_then(|hook| hook.get("command")?.as_str());
            let before = folder(&options(old.unwrap_or_default()));
            if before.is_some() && before != folder(&options(&line)) {
                return Ok(before);
            }
        }
    }
    Ok(None)
}

/// Returns the data folder that options name, without its quotes.
fn folder(options: &[&str]) -> Option<String> {
    let at = options.iter().position(|word| word.starts_with("--data"))?;
    let named = match options.get(at)?.strip_prefix("--data=") {
        Some(folder) => folder,
        None => options.get(at + 1)?,
    };
    Some(named.replace(['\'', '"'], ""))
}

/// Whether a line of a person's own runs what we would write, in a dress of
/// theirs: a variable before it, its output sent elsewhere.
fn is_dressed(hook: &Value, wanted: &str) -> bool {
    let line = hook.get("command").and_then(Value::as_str);
    line.is_some_and(|line| {
        line.match_indices(wanted).any(|(start, _)| {
            let before = line.get(..start).and_then(|text| text.chars().next_back());
            let after = line.get(start + wanted.len()..);
            let after = after.and_then(|text| text.chars().next());
            [before, after]
                .into_iter()
                .flatten()
                .all(|letter| !is_plain(letter))
        })
    })
}

/// Returns what follows the one word that a line begins with, as a shell reads
/// it; nothing where more than a word might be meant.
fn after_word(line: &str) -> Option<&str> {
    let mut rest = line;
    let mut quote = None;
    while let Some(letter) = rest.chars().next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (Some('"'), '`') => return None,
            (Some('"'), '$') if rest.starts_with("$(") => return None,
            // A quote within a word stands between two quoted parts of it.
            (None, '\\') if rest.starts_with("\\'") => {
                rest = rest.strip_prefix('\\').unwrap_or(rest);
            }
            (Some(_), _) => {}
            // A home folder and a variable are part of a path.
            (None, letter) if is_plain(letter) || "$~{}=".contains(letter) => {}
            (None, ' ') => break,
            (None, _) => return None,
        }
        let mut letters = rest.chars();
        letters.next();
        rest = letters.as_str();
    }
    (quote.is_none() && rest.len() < line.len()).then_some(rest)
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
            text = without(text, event, doubles)?;
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
    let before = hook.to_serde_value().unwrap_or_default();
    let before = before.get("command").and_then(Value::as_str);
    let line = json!(renewed(before.unwrap_or_default(), line));
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
/// another matcher is for other turns.
fn doubles(found: Vec<At>) -> Result<Vec<At>> {
    let mut seen = Vec::new();
    let mut doubles = Vec::new();
    for place in found {
        let matcher = once(&place.group, "matcher")?;
        let matcher = matcher.filter(|matcher| *matcher != json!("") && *matcher != json!("*"));
        if seen.contains(&matcher) {
            doubles.push(place);
        } else {
            seen.push(matcher);
        }
    }
    Ok(doubles)
}

/// Returns the text without hooks of an event, and without the groups that
/// held nothing else.
fn without(mut text: String, event: Event, found: Vec<At>) -> Result<String> {
    // From the last one on, so that the places of the others stay true.
    for place in found.into_iter().rev() {
        let group = [Key(HOOKS), Key(event.name()), Step::At(place.number)];
        let hook = [&group[..], &[Key(HOOKS), Step::At(place.index)]].concat();
        text = json::without(&text, &hook, Within::Go)?;
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
        left = without(left, event, found)?;
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
