//! Hooks in the settings of Claude Code: an event has groups, a group has
//! hooks, and a hook runs a command. See https://code.claude.com/docs/en/hooks,
//! looked up on 2026-12-01.

use anyhow::{Result, bail};
use jsonc_parser::cst::CstObject;
use serde_json::{Value, json};

use super::json::{child, has_comment, input, list, once, opened};
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
        for (group, index) in ours(&hooks, event)? {
            let elements = list(&group, HOOKS)?.elements();
            let hook = elements.get(index).and_then(|hook| hook.to_serde_value());
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
    let (root, object) = opened(text)?;
    let hooks = child(&object, HOOKS)?;
    for event in Event::ALL {
        let groups = list(&hooks, event.name())?;
        let line = wanted(event);
        let wanted = json!({ "type": "command", "command": line, "timeout": TIMEOUT_S });
        let found = ours(&hooks, event)?;
        for (holder, index) in &found {
            let elements = list(holder, HOOKS)?.elements();
            let Some(hook) = elements.get(*index).and_then(|hook| hook.as_object()) else {
                continue;
            };
            let before = hook.to_serde_value().unwrap_or_default();
            let before = before.get("command").and_then(Value::as_str);
            let line = json!(renewed(before.unwrap_or_default(), &line));
            for (key, value) in wanted.as_object().into_iter().flatten() {
                let value = if key == "command" { &line } else { value };
                match hook.get(key) {
                    Some(old) if old.to_serde_value().as_ref() == Some(value) => {}
                    // Somebody may want to wait longer, or less.
                    Some(old)
                        if key == "timeout"
                            && old.to_serde_value().is_some_and(|old| old.is_number()) => {}
                    Some(old) => old.set_value(input(value)),
                    None => {
                        hook.append(key, input(value));
                    }
                }
            }
        }
        remove(doubles(&found)?)?;
        let is_there = !found.is_empty() || any(&hooks, event, |hook| is_dressed(hook, &line))?;
        if !is_there {
            groups.append(input(&json!({ HOOKS: [wanted] })));
            groups.ensure_multiline();
        }
    }
    Ok(root.to_string())
}

/// Returns those that run where another one of them runs already: a group with
/// another matcher is for other turns.
fn doubles(found: &[(CstObject, usize)]) -> Result<Vec<(CstObject, usize)>> {
    let mut seen = Vec::new();
    let mut doubles = Vec::new();
    for (group, index) in found {
        let matcher = once(group, "matcher")?;
        let matcher = matcher.filter(|matcher| *matcher != json!("") && *matcher != json!("*"));
        if seen.contains(&matcher) {
            doubles.push((group.clone(), *index));
        } else {
            seen.push(matcher);
        }
    }
    Ok(doubles)
}

/// Takes hooks out of their groups, and groups out that held nothing else.
fn remove(found: Vec<(CstObject, usize)>) -> Result<()> {
    // From the last one on, so that the places of the others stay true.
    for (group, index) in found.into_iter().rev() {
        let entries = list(&group, HOOKS)?;
        if let Some(hook) = entries.elements().into_iter().nth(index) {
            hook.remove();
        }
        if entries.elements().is_empty() {
            group.remove();
        }
    }
    Ok(())
}

/// Returns the text without our hooks and without the lists that held only
/// them, and on demand without the object that held nothing else.
pub fn take(text: &str, with_object: bool) -> Result<String> {
    let (root, object) = opened(text)?;
    if once(&object, HOOKS)?.is_none() {
        return Ok(text.to_owned());
    }
    let hooks = child(&object, HOOKS)?;
    let mut is_changed = false;
    for event in Event::ALL {
        if once(&hooks, event.name())?.is_none() {
            continue;
        }
        let found = ours(&hooks, event)?;
        if found.is_empty() {
            continue;
        }
        is_changed = true;
        remove(found)?;
        let groups = list(&hooks, event.name())?;
        if groups.elements().is_empty()
            && let Some(property) = hooks.get(event.name())
        {
            property.remove();
        }
    }
    if !is_changed {
        return Ok(text.to_owned());
    }
    if with_object
        && hooks.properties().is_empty()
        && !has_comment(&hooks.to_string())
        && let Some(property) = object.get(HOOKS)
    {
        property.remove();
    }
    Ok(root.to_string())
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

/// Returns our hooks of an event: the group of each, and its place in it.
fn ours(hooks: &CstObject, event: Event) -> Result<Vec<(CstObject, usize)>> {
    those(hooks, event, |hook| is_ours(hook, event))
}

fn any(hooks: &CstObject, event: Event, is_meant: impl Fn(&Value) -> bool) -> Result<bool> {
    Ok(!those(hooks, event, is_meant)?.is_empty())
}

fn those(
    hooks: &CstObject,
    event: Event,
    is_meant: impl Fn(&Value) -> bool,
) -> Result<Vec<(CstObject, usize)>> {
    let mut found = Vec::new();
    if once(hooks, event.name())?.is_none() {
        return Ok(found);
    }
    for group in list(hooks, event.name())?.elements() {
        let Some(group) = group.as_object() else {
            bail!("an entry of {HOOKS}.{} is no object", event.name());
        };
        let Some(Value::Array(entries)) = once(&group, HOOKS)? else {
            continue;
        };
        for (index, hook) in entries.iter().enumerate() {
            if is_meant(hook) {
                found.push((group.clone(), index));
            }
        }
    }
    Ok(found)
}
