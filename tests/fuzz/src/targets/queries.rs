//! Queries and the text that is searched: the index takes every token as it
//! is, a text is found by its own words, and an excerpt is a piece of it.

use memory::seams;

/// What queries are made of.
pub const WORDS: &[&str] = &[
    "NEAR(",
    "AND",
    "OR",
    "NOT",
    "\"",
    "*",
    "^",
    "col:",
    "C++",
    "C#",
    ".NET",
    "--no-verify",
    "don\u{2019}t",
    "fooBarBaz",
    "a/b",
    "20.04",
    "\u{91cd}\u{8dd1}gen-itgc\u{540e}",
    "\u{ff76}\u{ff9e}",
    "\u{bb38}\u{c11c}",
];

/// The ASCII signs that the index takes for parts of a word.
const SIGNS: &str = "_-./:@+#&$";

/// Lengths of excerpts that are tried.
const LENGTHS: [usize; 6] = [0, 1, 2, 3, 17, 240];

/// Reads an input as a query, a line feed, and a text.
pub fn run(input: &[u8]) {
    let input = String::from_utf8_lossy(input);
    let (query, text) = input.split_once('\n').unwrap_or((&input, &input));
    let tokens = seams::index_tokens(text);
    for token in &tokens {
        is_word(token);
    }
    let terms = seams::query_terms(query);
    for term in &terms {
        is_word(term);
    }
    assert_eq!(
        terms.is_empty(),
        !seams::has_visible(query),
        "{query:?} gives {terms:?}"
    );
    // A text is found by what it says itself. Loose marks and bare signs are
    // no words, and a query of nothing else finds nothing.
    if text.chars().any(|c| c.is_ascii_alphanumeric()) {
        assert!(!tokens.is_empty(), "{text:?} has no words");
    }
    for term in seams::query_terms(text) {
        let is_found = tokens.is_empty() || tokens.contains(&term);
        assert!(is_found, "{term:?} of {text:?} is not in {tokens:?}");
    }
    let folded = seams::fold(text);
    assert_eq!(seams::fold(&folded), folded, "{text:?}");
    let key = seams::key(text);
    assert_eq!(seams::key(&key), key, "{text:?}");
    for length in LENGTHS {
        let excerpt = seams::excerpt(text, &terms, length);
        assert!(excerpt.chars().count() <= length, "{length}: {excerpt:?}");
        let inner = excerpt.trim_matches('\u{2026}');
        assert!(text.contains(inner), "{length}: {excerpt:?} of {text:?}");
    }
}

/// Panics unless the index keeps a token whole.
fn is_word(token: &str) {
    assert!(!token.is_empty());
    let is_kept = |c: char| {
        !c.is_whitespace() && (!c.is_ascii() || c.is_ascii_alphanumeric() || SIGNS.contains(c))
    };
    assert!(token.chars().all(is_kept), "{token:?}");
}
