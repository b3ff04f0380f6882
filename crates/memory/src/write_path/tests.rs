//! What is stored between the look ahead and the turn to write. From outside
//! nobody can tell when that moment is.

use std::sync::Arc;

use contract::{ToolName, Tools as _, Views as _};
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::similar::FRESH;
use super::*;
use crate::MemoryOptions;

fn input(content: &str) -> (Value, RememberInput) {
    let arguments = json!({ "scope": "core", "content": content });
    let input = RememberInput::deserialize(&arguments).unwrap();
    (arguments, input)
}

/// Stores texts, looks ahead for a text, stores others, and has its turn;
/// returns the texts that its answer says are close.
fn told(before: &[&str], text: &str, meanwhile: &[String]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let options = MemoryOptions {
        handle: "me".to_owned(),
    };
    let clock = Arc::new(|| 1_796_115_600_000);
    let memory = Memory::with_clock(dir.path().join("data"), options, clock);
    let call = Call::default();
    let store = |texts: &[&str]| {
        let stored = memory.append(&call, |view| {
            for text in texts {
                memory.remember(&call, view, input(text).1)?;
            }
            Ok(())
        });
        stored.unwrap();
    };
    store(before);
    let (arguments, input) = input(text);
    let foreseen = foresee(&memory, &call, &input).unwrap();
    store(&meanwhile.iter().map(String::as_str).collect::<Vec<_>>());
    let memory = memory.with_foreseen(foreseen);
    let answer = contract::dispatch(&memory, &call, ToolName::Remember, arguments).unwrap();
    let close = answer["similar_existing"].as_array().unwrap();
    let mut texts: Vec<String> = close
        .iter()
        .map(|one| one["content"].as_str().unwrap().to_owned())
        .collect();
    texts.sort();
    texts
}

#[test]
fn what_is_stored_after_the_look_is_compared_however_much_it_is() {
    let close = [
        "The heron lands at noon, first.",
        "The heron lands at noon, halfway.",
        "The heron lands at noon, last.",
        "The heron lands at noon, long before.",
    ];
    // As many as are compared one by one, and one more.
    for n_others in [0, FRESH - 3, FRESH - 2, 2 * FRESH] {
        let mut meanwhile: Vec<String> = (0..n_others)
            .map(|n| format!("boat{n} leaves{n} at{n} night{n}"))
            .collect();
        meanwhile.insert(0, close[0].to_owned());
        meanwhile.insert(meanwhile.len() / 2, close[1].to_owned());
        meanwhile.push(close[2].to_owned());
        assert_eq!(
            told(&[close[3]], "The heron lands at noon.", &meanwhile),
            close,
            "{n_others} others"
        );
    }
}
