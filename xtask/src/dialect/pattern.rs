//! What a pattern may not hold because some client's engine cannot read it.

use serde_json::json;

/// Sources: llama.cpp and the OpenAI API compile patterns to automata, which
/// have no look-around and no back-references; `\p` needs a flag in ECMA-262
/// and is an error in Python.
const UNREADABLE: [(&str, &str); 8] = [
    ("(?=", "look-ahead in a pattern"),
    ("(?!", "look-ahead in a pattern"),
    ("(?<=", "look-behind in a pattern"),
    ("(?<!", "look-behind in a pattern"),
    ("(?<", "a named group in a pattern"),
    ("(?P", "a named group in a pattern"),
    ("\\p", "\\p in a pattern"),
    ("\\P", "\\P in a pattern"),
];

/// Returns what is wrong with a pattern.
pub fn fault(pattern: &str) -> Option<&'static str> {
    let unreadable = UNREADABLE
        .iter()
        .find(|(needle, _)| pattern.contains(needle))
        .map(|(_, what)| *what);
    unreadable
        .or_else(|| refers_back(pattern).then_some("a back-reference in a pattern"))
        .or_else(|| {
            let schema = json!({ "pattern": pattern });
            let compiled = jsonschema::draft202012::new(&schema);
            compiled
                .is_err()
                .then_some("a pattern that is no regular expression")
        })
}

fn refers_back(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\' && letters.next().is_some_and(|next| matches!(next, '1'..='9')) {
            return true;
        }
    }
    false
}
