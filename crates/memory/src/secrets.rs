//! Finds credentials in text, so that none is ever stored.
//!
//! Must not guess by entropy: a hash, an id, an e-mail address or code is
//! ordinary text here. Must not hand a credential on: a finding shows at most
//! its first six characters.

mod formats;

use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use formats::{FORMATS, Format, Guard};

/// How many characters of a match a finding may show.
const SHOWN_CHARS: usize = 6;

/// A credential found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Name of the format, such as `github_token`.
    pub(crate) format: &'static str,
    /// Byte offset at which the match starts.
    pub(crate) start: usize,
    /// The first characters of the match, at most six.
    pub(crate) shown: String,
}

/// One automaton over every format that starts with something distinctive.
struct Scanner {
    set: RegexSet,
    /// Index into `FORMATS` for each pattern of `set`.
    in_set: Vec<usize>,
    /// Index into `FORMATS` of those that wait for a literal.
    gated: Vec<usize>,
    /// Each format alone, compiled when a text first needs it.
    alone: Vec<OnceLock<Regex>>,
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| {
    let (gated, in_set): (Vec<usize>, Vec<usize>) = (0..FORMATS.len()).partition(|&index| {
        FORMATS
            .get(index)
            .is_some_and(|format| format.needs.is_some())
    });
    let patterns = in_set
        .iter()
        .filter_map(|&index| FORMATS.get(index))
        .map(|format| format.pattern);
    Scanner {
        set: RegexSetBuilder::new(patterns)
            .unicode(false)
            .dfa_size_limit(SET_CACHE_BYTES)
            .build()
            .expect("every pattern of the table compiles, as its test shows"),
        in_set,
        gated,
        alone: FORMATS.iter().map(|_| OnceLock::new()).collect(),
    }
});

/// Bytes of lazily built automaton kept per thread; enough for the set not to
/// be rebuilt within one text.
const SET_CACHE_BYTES: usize = 4 << 20;

/// Returns the first credential in the text, if there is one.
pub(crate) fn find(text: &str) -> Option<Finding> {
    find_plain(text).or_else(|| find_plain(&without_escapes(text)?))
}

/// Returns the text with every escape of JSON or a URL blanked out, byte for
/// byte, so that a token right behind one starts a word; `None` without any.
fn without_escapes(text: &str) -> Option<String> {
    static ESCAPE: LazyLock<regex::Regex> = LazyLock::new(|| {
        regex::Regex::new(r"\\(?:u[0-9a-fA-F]{4}|[nrtbf/])|%[0-9a-fA-F]{2}")
            .expect("the pattern is plain")
    });
    if !text.contains(['\\', '%']) {
        return None;
    }
    let blanked = ESCAPE.replace_all(text, |escape: &regex::Captures<'_>| {
        " ".repeat(escape.get(0).map_or(0, |whole| whole.len()))
    });
    Some(blanked.into_owned())
}

fn find_plain(text: &str) -> Option<Finding> {
    let scanner = &*SCANNER;
    let hits = scanner.set.matches(text.as_bytes());
    let ungated = hits
        .iter()
        .filter_map(|position| scanner.in_set.get(position).copied());
    let gated = scanner.gated.iter().copied().filter(|&index| {
        FORMATS
            .get(index)
            .and_then(|format| format.needs)
            .is_some_and(|literal| text.contains(literal))
    });
    ungated
        .chain(gated)
        .filter_map(|index| {
            let format = FORMATS.get(index)?;
            let regex = scanner.alone.get(index)?.get_or_init(|| compile(format));
            find_format(text, format, regex)
        })
        .min_by_key(|finding| finding.start)
}

fn compile(format: &Format) -> Regex {
    RegexBuilder::new(format.pattern)
        .unicode(false)
        .build()
        .expect("every pattern of the table compiles, as its test shows")
}

fn find_format(text: &str, format: &Format, regex: &Regex) -> Option<Finding> {
    regex
        .captures_iter(text.as_bytes())
        .find(|captures| is_real(format, captures))
        .and_then(|captures| {
            // A spelled format starts at its value; a placed one at its place, so
            // that a short value is not shown.
            let whole = captures.get(0)?;
            let shown_from = match format.guard {
                Guard::Spelling => captures.name("v").unwrap_or(whole),
                Guard::Place | Guard::Mixed => whole,
            };
            let start = char_boundary(text, shown_from.start());
            let shown = text
                .get(start..)
                .unwrap_or_default()
                .chars()
                .take(SHOWN_CHARS)
                .collect();
            Some(Finding {
                format: format.name,
                start,
                shown,
            })
        })
}

/// Returns the start of the character that holds a byte.
fn char_boundary(text: &str, byte: usize) -> usize {
    (0..=byte)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// Returns whether a match is a credential and not a blank to fill in.
fn is_real(format: &Format, captures: &Captures<'_>) -> bool {
    let part = |name| captures.name(name).map(|found| found.as_bytes());
    let Some(whole) = captures.get(0) else {
        return false;
    };
    let value = String::from_utf8_lossy(part("v").unwrap_or(whole.as_bytes()));
    if is_masked(&value) {
        return false;
    }
    match format.guard {
        Guard::Spelling => true,
        Guard::Place => !is_stand_in(&value, part("u")),
        Guard::Mixed => !is_stand_in(&value, part("u")) && is_mixed(&value),
    }
}

/// Returns whether a value is masked or a template: `sk-xxxx`, `your-token`.
fn is_masked(value: &str) -> bool {
    const TELLING: &[&str] = &[
        "your-",
        "your_",
        "yourkey",
        "yourtoken",
        "yourpassword",
        "placeholder",
        "redacted",
        "goes-here",
        "goes_here",
        "*****",
    ];
    let lower = value.to_ascii_lowercase();
    // The end of a value is the part that a person blanks out, and with these
    // characters: a run of any other may be a real key.
    let end: Vec<char> = lower.chars().rev().take(12).collect();
    let blanked = end.len() == 12 && end.iter().all(|c| matches!(c, 'x' | '*' | '.' | '-' | '_'));
    blanked || TELLING.iter().any(|word| lower.contains(word))
}

/// Returns whether a value is what documentation writes in place of one.
fn is_stand_in(value: &str, user: Option<&[u8]>) -> bool {
    const OPENERS: &[char] = &['$', '<', '{', '%', '[', '(', '*', '#'];
    const MARKS: &[&str] = &[
        "${",
        "$(",
        "{{",
        "...",
        "…",
        "%s",
        "***",
        "•••",
        "changeme",
        "change-me",
        "change_me",
    ];
    const PREFIXES: &[&str] = &["my", "db", "the", "some", "user", "a", "test", "new"];
    const WORDS: &[&str] = &[
        "",
        "password",
        "passwd",
        "passwort",
        "passphrase",
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "apikey",
        "credential",
        "credentials",
        "user",
        "username",
        "login",
        "admin",
        "root",
        "guest",
        "postgres",
        "mysql",
        "test",
        "foo",
        "bar",
        "baz",
        "example",
        "xxx",
        "hidden",
        "masked",
        "string",
        "value",
        "env",
        "none",
        "null",
    ];
    let lower = value.to_lowercase();
    if value.starts_with(OPENERS) || MARKS.iter().any(|mark| lower.contains(mark)) {
        return true;
    }
    // `postgres:postgres@localhost`: the same word twice protects nothing.
    if user.is_some_and(|user| user.eq_ignore_ascii_case(value.as_bytes())) {
        return true;
    }
    let word: String = lower.chars().filter(|c| c.is_alphabetic()).collect();
    let short = lower.chars().filter(char::is_ascii_digit).count() <= 1;
    short
        && (WORDS.contains(&word.as_str())
            || PREFIXES.iter().any(|prefix| {
                word.strip_prefix(prefix)
                    .is_some_and(|rest| WORDS.contains(&rest))
            }))
}

/// Returns whether a value mixes what no word and no number mixes.
fn is_mixed(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    has(u8::is_ascii_alphabetic)
        && (has(u8::is_ascii_digit)
            || (has(u8::is_ascii_uppercase)
                && has(u8::is_ascii_lowercase)
                && value.contains(['=', '+', '/'])))
}

#[cfg(test)]
mod corpus;
