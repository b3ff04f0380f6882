//! The line of a hook: how we write it, and whether one is ours.

use serde_json::{Value, json};

use super::TIMEOUT_S;
use crate::commands::connect::present::is_of_our_name;
use crate::commands::connect::surroundings::System;
use crate::commands::hook::Event;

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

/// Returns what a hook runs, in one line; it may be put in a list of words, too.
pub fn line_of(hook: &Value) -> Option<String> {
    let line = hook.get("command")?.as_str()?.to_owned();
    let Some(list) = hook.get("args") else {
        return Some(line);
    };
    let words = list.as_array()?.iter().map(Value::as_str);
    let words: Option<Vec<String>> = words
        .map(|word| Some(quoted(System::Linux, word?)))
        .collect();
    Some(
        [vec![quoted(System::Linux, &line)], words?]
            .concat()
            .join(" "),
    )
}

/// Whether a hook is ours: it runs a program of our name and nothing besides,
/// whatever its path and options; or it is exactly what we write, whatever the
/// program is called, since `--command` names any. What a person put into a
/// line of their own is theirs.
pub fn is_ours(hook: &Value, event: Event) -> bool {
    let Some(line) = line_of(hook) else {
        return false;
    };
    let Some(rest) = after_word(&line) else {
        return false;
    };
    let program = line.strip_suffix(rest).unwrap_or_default();
    let words = words_of(rest).unwrap_or_default();
    if is_of_our_name(&program.replace(['\'', '"'], "")) {
        return words.first() == Some(&"hook") && words.contains(&event.as_str());
    }
    let is_as_quoted = program.starts_with('\'') || program.chars().all(is_plain);
    let is_our_line = match words[..] {
        ["hook", turn] => turn == event.as_str(),
        ["hook", turn, "--data", _] => turn == event.as_str(),
        _ => false,
    };
    is_as_quoted
        && is_our_line
        && *hook == json!({ "type": "command", "command": line, "timeout": TIMEOUT_S })
}

/// Returns the program that a line of ours runs.
pub fn program(line: &str) -> Option<String> {
    Some(bare(line.strip_suffix(after_word(line)?)?))
}

/// Returns the words of a text, each after a space and spelled as it was.
fn words_of(mut text: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    while !text.trim_start_matches(' ').is_empty() {
        let bare = text.strip_prefix(' ')?.trim_start_matches(' ');
        text = after_word(bare)?;
        words.push(bare.strip_suffix(text)?);
    }
    Some(words)
}

/// Returns the words of a line of ours but for the program and the turn.
pub fn options(line: &str) -> Vec<&str> {
    let words = after_word(line).and_then(words_of).unwrap_or_default();
    let is_turn = |word: &&str| Event::ALL.iter().any(|event| event.as_str() == *word);
    let turn = words.iter().position(is_turn);
    let words = words.into_iter().enumerate().skip(1);
    words
        .filter(|(at, _)| Some(*at) != turn)
        .map(|(_, word)| word)
        .collect()
}

/// Returns the line that we would write with what a person added to the old
/// one: who renews a hook wants its program and folder new, and nothing lost.
pub fn renewed(old: &str, wanted: &str) -> String {
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

/// Returns the data folder that options name, without its quotes.
pub fn folder(options: &[&str]) -> Option<String> {
    let at = options.iter().position(|word| word.starts_with("--data"))?;
    let named = match options.get(at)?.strip_prefix("--data=") {
        Some(folder) => folder,
        None => options.get(at + 1)?,
    };
    Some(bare(named))
}

/// Returns a word without its quotes, as a shell takes it.
fn bare(word: &str) -> String {
    let mut bare = String::new();
    let mut quote = None;
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None | Some('"'), '\\') => bare.extend(letters.next()),
            (_, letter) => bare.push(letter),
        }
    }
    bare
}

/// Whether a line of a person's own runs what we would write, in a dress of
/// theirs: a variable before it, its output sent elsewhere.
pub fn is_dressed(hook: &Value, wanted: &str) -> bool {
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

/// Whether a line runs us among other things, as far as its words show.
pub fn is_among(hook: &Value, event: Event) -> bool {
    let line = line_of(hook).unwrap_or_default();
    let words = line.split_whitespace();
    let words: Vec<&str> = words
        .map(|word| word.trim_matches(['\'', '"', '(', ')', ';']))
        .collect();
    words.windows(3).any(|words| {
        words
            .first()
            .is_some_and(|program| is_of_our_name(program) && program.contains(['/', '\\']))
            && words.get(1) == Some(&"hook")
            && words.get(2) == Some(&event.as_str())
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
