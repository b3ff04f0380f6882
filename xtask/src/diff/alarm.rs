//! Words that carry a promise: a change of a description is a patch, but a
//! number, a unit, MUST or never, or a quoted token in it deserves a look.

use std::collections::{BTreeMap, BTreeSet};

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
///
/// The same promises in another order are other promises: "at most 10 of at
/// least 5" is not "at most 5 of at least 10".
pub fn alarm(old: &str, new: &str) -> Option<String> {
    let mut found = Vec::new();
    for (name, of) in [
        ("numbers", numbers as fn(&str) -> Vec<String>),
        ("units", units),
        ("binding words", binding),
        ("quoted tokens", quoted),
    ] {
        let (before, after) = (of(old), of(new));
        if before != after {
            let (gone, come) = (beyond(&before, &after), beyond(&after, &before));
            found.push(match (gone.is_empty(), come.is_empty()) {
                (false, false) => format!("{name}: {} became {}", gone.join(", "), come.join(", ")),
                (false, true) => format!("{name}: {} gone", gone.join(", ")),
                (true, false) => format!("{name}: {} new", come.join(", ")),
                (true, true) => format!("{name}: in another order, {}", after.join(", ")),
            });
        }
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// Returns what stands in the first list more often than in the second.
fn beyond(list: &[String], other: &[String]) -> Vec<String> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for text in other {
        *left.entry(text).or_default() += 1;
    }
    let is_beyond = |text: &&String| match left.get_mut(text.as_str()) {
        Some(n_left) if *n_left > 0 => {
            *n_left -= 1;
            false
        }
        Some(_) | None => true,
    };
    list.iter().filter(is_beyond).cloned().collect()
}

/// Returns every number: a run of digits of any script with its inner points and commas, its
/// sign where one stands free before it, and what is written out.
fn numbers(text: &str) -> Vec<String> {
    let inside = |letter: char| letter.is_numeric() || letter == '.' || letter == ',';
    let mut found: Vec<(usize, String)> = words(text)
        .filter_map(|(at, word)| {
            let (_, number) = NUMBERS.iter().find(|(name, _)| *name == word)?;
            Some((at, (*number).to_owned()))
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
            found.push((start, format!("{sign}{number}")));
        }
        start += part.len();
    }
    in_order(found)
}

fn in_order(mut found: Vec<(usize, String)>) -> Vec<String> {
    found.sort();
    found.into_iter().map(|(_, text)| text).collect()
}

/// Returns every word in small letters, with where it begins.
fn words(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let is_letter = |letter: char| letter.is_alphabetic() || letter == '\'' || letter == '%';
    let mut start = 0;
    let parts = text.split_inclusive(move |letter| !is_letter(letter));
    parts.filter_map(move |part| {
        let at = start;
        start += part.len();
        let word = part.trim_end_matches(|letter| !is_letter(letter));
        (!word.is_empty()).then(|| (at, word.to_lowercase()))
    })
}

fn units(text: &str) -> Vec<String> {
    let words = words(text).map(|(_, word)| word);
    words
        .filter(|word| UNITS.contains(&word.as_str()))
        .collect()
}

fn binding(text: &str) -> Vec<String> {
    let words = words(text).map(|(_, word)| word);
    words
        .filter(|word| BINDING.contains(&word.as_str()))
        .collect()
}

/// Returns what stands between quotes or backticks, and names in `snake_case`.
fn quoted(text: &str) -> Vec<String> {
    let place = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    let mut found: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut keep = |part: &str| {
        found.insert((place(part), part.to_owned()));
    };
    for mark in ['`', '"'] {
        let inside = text.split(mark).skip(1).step_by(2);
        inside.filter(|part| !part.is_empty()).for_each(&mut keep);
    }
    for (open, close) in [
        ('\'', '\''),
        ('\u{2018}', '\u{2019}'),
        ('\u{201c}', '\u{201d}'),
        ('\u{ab}', '\u{bb}'),
    ] {
        between(text, open, close).for_each(&mut keep);
    }
    let names = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    names
        .filter(|name| name.trim_matches('_').contains('_'))
        .for_each(&mut keep);
    in_order(found.into_iter().collect())
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
        assert_eq!(alarm("`a`, then `b_c`.", "First `a`, then `b_c`."), None);
    }

    #[test]
    fn each_sort_of_promise_raises_the_alarm() {
        for (old, new, says) in [
            ("Up to 50.", "Up to 20.", "numbers: 50 became 20"),
            (
                "At most 10 of at least 5.",
                "At most 5 of at least 10.",
                "numbers: in another order, 5, 10",
            ),
            ("Two of 3.", "3 of two.", "numbers: in another order, 3, 2"),
            ("2 of 2.", "Of 2.", "numbers: 2 gone"),
            (
                "5 s after 5 ms.",
                "5 ms after 5 s.",
                "units: in another order, ms, s",
            ),
            (
                "Never this, only that.",
                "Only this, never that.",
                "binding words: in another order, only, never",
            ),
            ("Never.", "Never, never.", "binding words: never new"),
            (
                "Pass `a` for `b`.",
                "Pass `b` for `a`.",
                "quoted tokens: in another order, b, a",
            ),
            ("-1 is all.", "1 is all.", "numbers: -1 became 1"),
            ("Up to two.", "Up to three.", "numbers: 2 became 3"),
            ("Say 'foo'.", "Say 'bar'.", "quoted tokens: foo became bar"),
            ("Say “foo”.", "Say “bar”.", "quoted tokens: foo became bar"),
            ("Up to ５０.", "Up to ２０.", "numbers: ５０ became ２０"),
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
