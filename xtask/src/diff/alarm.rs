//! Words that carry a promise: a change of a description is a patch, but a
//! number, a unit, MUST or never, or a quoted token in it deserves a look.

use std::collections::BTreeSet;

/// Words that bind.
const BINDING: [&str; 14] = [
    "must",
    "mustn't",
    "never",
    "always",
    "only",
    "shall",
    "required",
    "not",
    "cannot",
    "no",
    "don't",
    "optional",
    "forbidden",
    "except",
];

/// Words that measure; a number beside another of these means something else.
const UNITS: [&str; 34] = [
    "b",
    "byte",
    "bytes",
    "kb",
    "kib",
    "mb",
    "mib",
    "gb",
    "gib",
    "character",
    "characters",
    "chars",
    "token",
    "tokens",
    "word",
    "words",
    "line",
    "lines",
    "ms",
    "millisecond",
    "milliseconds",
    "s",
    "second",
    "seconds",
    "minute",
    "minutes",
    "hour",
    "hours",
    "day",
    "days",
    "percent",
    "%",
    "utc",
    "items",
];

/// Returns what of the words deserves a look, if anything does.
pub fn alarm(old: &str, new: &str) -> Option<String> {
    let mut found = Vec::new();
    for (name, of) in [
        ("numbers", numbers as fn(&str) -> BTreeSet<String>),
        ("units", units),
        ("binding words", binding),
        ("quoted tokens", quoted),
    ] {
        let (before, after) = (of(old), of(new));
        if before != after {
            let gone: Vec<String> = before.difference(&after).cloned().collect();
            let come: Vec<String> = after.difference(&before).cloned().collect();
            found.push(match (gone.is_empty(), come.is_empty()) {
                (false, false) => format!("{name}: {} became {}", gone.join(", "), come.join(", ")),
                (false, true) => format!("{name}: {} gone", gone.join(", ")),
                (true, _) => format!("{name}: {} new", come.join(", ")),
            });
        }
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// Returns every run of digits with its inner points and commas.
fn numbers(text: &str) -> BTreeSet<String> {
    let inside = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ',';
    text.split(|letter: char| !inside(letter))
        .map(|part| part.trim_matches(['.', ',']).replace(',', ""))
        .filter(|part| !part.is_empty())
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !letter.is_alphabetic() && letter != '\'' && letter != '%')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

fn units(text: &str) -> BTreeSet<String> {
    words(text)
        .filter(|word| UNITS.contains(&word.as_str()))
        .collect()
}

fn binding(text: &str) -> BTreeSet<String> {
    words(text)
        .filter(|word| BINDING.contains(&word.as_str()))
        .collect()
}

/// Returns what stands between quotes or backticks, and names in `snake_case`.
fn quoted(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for mark in ['`', '"'] {
        let inside = text.split(mark).skip(1).step_by(2);
        found.extend(inside.filter(|part| !part.is_empty()).map(str::to_owned));
    }
    let names = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    found.extend(
        names
            .filter(|name| name.trim_matches('_').contains('_'))
            .map(str::to_owned),
    );
    found
}

#[cfg(test)]
mod tests {
    use super::alarm;

    #[test]
    fn words_without_a_promise_raise_no_alarm() {
        assert_eq!(alarm("Finds notes.", "Finds the notes quickly."), None);
        assert_eq!(alarm("At most 2,048 bytes.", "2048 bytes at most."), None);
    }

    #[test]
    fn each_sort_of_promise_raises_the_alarm() {
        for (old, new, says) in [
            ("Up to 50.", "Up to 20.", "numbers: 50 became 20"),
            ("5 ms.", "5 seconds.", "units: ms became seconds"),
            ("You MUST ask.", "You may ask.", "binding words: must gone"),
            ("Ask.", "Never ask.", "binding words: never new"),
            ("Pass `k`.", "Pass `n`.", "quoted tokens: k became n"),
            (
                "Say \"yes\".",
                "Say \"no\".",
                "quoted tokens: yes became no",
            ),
            (
                "Pass next_cursor.",
                "Pass it.",
                "quoted tokens: next_cursor gone",
            ),
        ] {
            let found = alarm(old, new).unwrap_or_default();
            assert!(found.contains(says), "{old} to {new}: {found}");
        }
    }
}
