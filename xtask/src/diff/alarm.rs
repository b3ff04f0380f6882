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

/// Numbers that are written out.
const NUMBERS: [(&str, &str); 24] = [
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("twice", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
    ("million", "1000000"),
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

/// Returns every number: a run of digits with its inner points and commas, its
/// sign where one stands free before it, and what is written out.
fn numbers(text: &str) -> BTreeSet<String> {
    let inside = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ',';
    let mut found: BTreeSet<String> = words(text)
        .filter_map(|word| {
            let (_, number) = NUMBERS.iter().find(|(name, _)| *name == word)?;
            Some((*number).to_owned())
        })
        .collect();
    let mut start = 0;
    for part in text.split_inclusive(|letter: char| !inside(letter)) {
        let digits = part.trim_end_matches(|letter: char| !inside(letter));
        let number = digits.trim_matches(['.', ',']).replace(',', "");
        if !number.is_empty() {
            let before = text.get(..start).unwrap_or_default();
            let sign = before.strip_suffix(['-', '\u{2212}']);
            let is_free = |text: &str| !text.ends_with(char::is_alphanumeric);
            let sign = sign.filter(|text| is_free(text)).map_or("", |_| "-");
            found.insert(format!("{sign}{number}"));
        }
        start += part.len();
    }
    found
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
    for (open, close) in [
        ('\'', '\''),
        ('\u{2018}', '\u{2019}'),
        ('\u{201c}', '\u{201d}'),
        ('\u{ab}', '\u{bb}'),
    ] {
        found.extend(between(text, open, close).map(str::to_owned));
    }
    let names = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    found.extend(
        names
            .filter(|name| name.trim_matches('_').contains('_'))
            .map(str::to_owned),
    );
    found
}

/// Returns what stands between two marks; a mark inside a word is an
/// apostrophe.
fn between(text: &str, open: char, close: char) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (before, after) = rest.split_once(open)?;
            rest = after;
            if before.ends_with(char::is_alphanumeric) {
                continue;
            }
            let ends = after.match_indices(close).find(|(at, mark)| {
                let next = after.get(at + mark.len()..).unwrap_or_default();
                *at > 0 && !next.starts_with(char::is_alphanumeric)
            });
            let (end, mark) = ends?;
            rest = after.get(end + mark.len()..)?;
            return after.get(..end);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::alarm;

    #[test]
    fn words_without_a_promise_raise_no_alarm() {
        assert_eq!(alarm("Finds notes.", "Finds the notes quickly."), None);
        assert_eq!(alarm("At most 2,048 bytes.", "2048 bytes at most."), None);
        assert_eq!(alarm("Up to two.", "Up to 2."), None);
        assert_eq!(alarm("The user's notes.", "Notes of the users' own."), None);
        assert_eq!(alarm("From 1-5.", "From 1 to 5."), None);
    }

    #[test]
    fn each_sort_of_promise_raises_the_alarm() {
        for (old, new, says) in [
            ("Up to 50.", "Up to 20.", "numbers: 50 became 20"),
            ("-1 is all.", "1 is all.", "numbers: -1 became 1"),
            ("Up to two.", "Up to three.", "numbers: 2 became 3"),
            ("Say 'foo'.", "Say 'bar'.", "quoted tokens: foo became bar"),
            ("Say “foo”.", "Say “bar”.", "quoted tokens: foo became bar"),
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
