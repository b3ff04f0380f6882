//! Cuts text into the tokens of the full-text index.
//!
//! A token never holds white space, a quote or NUL, so that tokens joined by
//! spaces survive the index's own tokeniser unchanged.

use std::collections::BTreeSet;
use std::ops::Range;

use unicode_normalization::{UnicodeNormalization as _, is_nfkc};

use super::classes::{Class, class_of, is_ignorable};
use super::fold;
use super::stop_words::is_stop_word;

/// The ASCII punctuation that may stand inside a token. The index's tokeniser
/// must count these, and every non-ASCII byte, as part of a word.
pub(crate) const TOKEN_CHARS: &str = "_-./:@+#&$";

/// Longest token in characters; the rest of a longer one is cut off on both
/// sides, so that it still finds itself.
const MAX_TOKEN_CHARS: usize = 96;

/// Longest run of bare punctuation that is a token, such as `=>` or `::`.
const MAX_OPERATOR_CHARS: usize = 8;

/// Most terms of one query; what comes later adds little and costs a lookup.
const MAX_QUERY_TERMS: usize = 64;

/// What a word is cut at, outermost first. A piece of one level is indexed
/// whole and then cut at the next.
const LEVELS: &[&[char]] = &[
    &[':', '@'],
    &['/'],
    &['+', '#', '&', '$'],
    &['.'],
    &['-'],
    &['_'],
];

/// One token and the place it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Folded text.
    pub(super) text: String,
    /// Bytes of the original text that it stands for, or a part of.
    pub(super) span: Range<usize>,
    /// One character out of a longer word: indexed, so that it is found when
    /// asked for alone, but no reason of its own to match.
    pub(super) fragment: bool,
}

/// Returns the tokens under which a text is found, in order.
pub(crate) fn index_tokens(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

/// Returns the terms of a query: its tokens once each, without stop words
/// unless nothing else is left. Not empty for any visible query; one of bare
/// punctuation gives a term that matches the same punctuation only.
pub(crate) fn query_terms(query: &str) -> Vec<String> {
    let tokens = tokens(query);
    let kept = |test: &dyn Fn(&Token) -> bool| {
        let mut seen = BTreeSet::new();
        let terms = tokens
            .iter()
            .filter(|token| test(token))
            .map(|token| token.text.clone());
        terms
            .filter(|term| seen.insert(term.clone()))
            .take(MAX_QUERY_TERMS)
            .collect::<Vec<String>>()
    };
    let mut terms = kept(&|token| !token.fragment && !is_stop_word(&token.text));
    if terms.is_empty() {
        terms = kept(&|token| !token.fragment);
    }
    if terms.is_empty() {
        terms = kept(&|_| true);
    }
    if terms.is_empty() {
        let visible: String = query
            .chars()
            .filter(|&c| !c.is_whitespace() && !c.is_control() && !is_ignorable(c))
            .collect();
        terms.extend(operator(&visible));
    }
    terms
}

/// Returns every token with its place.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    for (class, span) in runs(text) {
        let run = text.get(span.clone()).unwrap_or_default();
        match class {
            Class::Dense => dense_run(run, span.start, &mut out),
            Class::Symbol => push(fold(run), span, false, &mut out),
            Class::Word => spaced_run(run, span, &mut out),
            Class::Space | Class::Mark | Class::Ascii => {}
        }
    }
    out
}

/// Cuts a text into runs: words with the punctuation inside and around them,
/// letters of a script without spaces, and single symbols.
fn runs(text: &str) -> Vec<(Class, Range<usize>)> {
    let mut runs: Vec<(Class, Range<usize>)> = Vec::new();
    let mut open = false;
    for (start, c) in text.char_indices() {
        let end = start + c.len_utf8();
        let class = match class_of(c) {
            Class::Space => {
                open = typographic(c) && extend(&mut runs, open, Class::Word, end);
                continue;
            }
            Class::Ascii => Class::Word,
            Class::Mark if open => {
                extend_last(&mut runs, end);
                continue;
            }
            Class::Mark => continue,
            class => class,
        };
        if class == Class::Symbol || !extend(&mut runs, open, class, end) {
            runs.push((class, start..end));
        }
        open = true;
    }
    runs
}

/// Typographic quotes stand inside words: don’t.
fn typographic(c: char) -> bool {
    matches!(c, '\u{2018}' | '\u{2019}' | '\u{2010}' | '\u{2011}')
}

fn extend(runs: &mut [(Class, Range<usize>)], open: bool, class: Class, end: usize) -> bool {
    match runs.last_mut() {
        Some((last, span)) if open && *last == class => {
            span.end = end;
            true
        }
        _ => false,
    }
}

fn extend_last(runs: &mut [(Class, Range<usize>)], end: usize) {
    if let Some((_, span)) = runs.last_mut() {
        span.end = end;
    }
}

fn push(mut text: String, span: Range<usize>, fragment: bool, out: &mut Vec<Token>) {
    // Compatibility forms such as ´ unfold to a space and an accent.
    text.retain(|c| {
        !c.is_whitespace()
            && (!c.is_ascii() || c.is_ascii_alphanumeric() || TOKEN_CHARS.contains(c))
    });
    if let Some((cut, _)) = text.char_indices().nth(MAX_TOKEN_CHARS) {
        text.truncate(cut);
    }
    if !text.is_empty() {
        out.push(Token {
            text,
            span,
            fragment,
        });
    }
}

/// Emits overlapping pairs, and each character alone as a fragment.
fn dense_run(run: &str, offset: usize, out: &mut Vec<Token>) {
    // Half-width kana and loose Hangul letters only become the usual ones
    // together; their places are then known no closer than the run.
    let composed: Option<String> = (!is_nfkc(run)).then(|| run.nfkc().collect());
    // A unit is a letter with the signs that belong to it.
    let mut units: Vec<(String, Range<usize>)> = Vec::new();
    for (start, c) in composed.as_deref().unwrap_or(run).char_indices() {
        let end = start + c.len_utf8();
        match units.last_mut() {
            Some((unit, span)) if class_of(c) == Class::Mark => {
                unit.push(c);
                span.end = offset + end;
            }
            _ => units.push((c.to_string(), offset + start..offset + end)),
        }
    }
    for (unit, span) in &mut units {
        *unit = fold(unit);
        if composed.is_some() {
            *span = offset..offset + run.len();
        }
    }
    let alone = units.len() == 1;
    for (index, (unit, span)) in units.iter().enumerate() {
        push(unit.clone(), span.clone(), !alone, out);
        if let Some((next, next_span)) = units.get(index + 1) {
            push(
                format!("{unit}{next}"),
                span.start..next_span.end,
                false,
                out,
            );
        }
    }
}

/// Emits what one run without spaces holds.
fn spaced_run(run: &str, span: Range<usize>, out: &mut Vec<Token>) {
    match plain_word(run) {
        Some(word) => out.push(Token {
            text: word.to_ascii_lowercase(),
            span,
            fragment: false,
        }),
        None => any_run(run, span, out),
    }
}

/// Returns the one word of a run that is nothing but that and the punctuation
/// of a sentence. Most words are such, and cutting them as any other run takes
/// many times as long: to compare texts is most of the work of a write.
fn plain_word(run: &str) -> Option<&str> {
    let word = run
        .trim_start_matches(['(', '"'])
        .trim_end_matches([',', '.', ';', ':', '!', '?', ')', '"']);
    let (first, rest) = word.as_bytes().split_first()?;
    // A capital inside would cut the word.
    let is_plain = first.is_ascii_alphanumeric()
        && rest.len() < MAX_TOKEN_CHARS
        && rest
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    is_plain.then_some(word)
}

/// Emits what any run holds: words, compounds, their parts.
fn any_run(run: &str, span: Range<usize>, out: &mut Vec<Token>) {
    let run: String = run
        .nfkc()
        .map(|c| {
            if matches!(c, '\u{2010}' | '\u{2011}') {
                '-'
            } else {
                c
            }
        })
        .collect();
    let run = run
        .replace('\\', "/")
        .replace(['\u{2018}', '\u{2019}'], "'");
    let n_before = out.len();
    for compound in run.split(|c: char| {
        c.is_ascii() && !c.is_ascii_alphanumeric() && c != '\'' && !TOKEN_CHARS.contains(c)
    }) {
        compound_tokens(compound, &span, out);
    }
    if out.len() == n_before
        && run.chars().nth(1).is_some()
        && run.chars().nth(MAX_OPERATOR_CHARS).is_none()
    {
        out.extend(operator(&run).map(|text| Token {
            text,
            span,
            fragment: false,
        }));
    }
}

/// Returns the token of bare punctuation, spelled in full-width forms: no word
/// holds those after normalisation, and they are no syntax to the index.
fn operator(run: &str) -> Option<String> {
    let wide = |c: char| match u32::from(c) {
        code @ 0x21..=0x7e => char::from_u32(code + 0xfee0).unwrap_or(c),
        _ => c,
    };
    let text: String = run
        .chars()
        .map(wide)
        .filter(|c| !c.is_ascii())
        .take(MAX_OPERATOR_CHARS + 1)
        .collect();
    (!text.is_empty()).then_some(text)
}

fn compound_tokens(compound: &str, span: &Range<usize>, out: &mut Vec<Token>) {
    let compound = trim_end(compound).trim_start_matches('\'');
    // A leading dash, dot or sign is part of a flag, a file or a tag name; a
    // leading slash only says that a path is absolute.
    let compound = compound.trim_start_matches(['/', ':', '+', '&']);
    let bare = compound.trim_start_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    if bare.is_empty() {
        return;
    }
    if bare.len() < compound.len() {
        push(fold(&compound.replace('\'', "")), span.clone(), false, out);
    }
    pieces(bare, 0, bare.len() < compound.len(), span, out);
}

/// Cuts closing punctuation off, but not the signs of C++ and C#.
fn trim_end(compound: &str) -> &str {
    let trimmed = compound.trim_end_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    let signs = compound.get(trimmed.len()..).unwrap_or_default();
    let kept = signs
        .bytes()
        .take_while(|byte| matches!(byte, b'+' | b'#'))
        .count()
        .min(2);
    compound.get(..trimmed.len() + kept).unwrap_or(trimmed)
}

fn pieces(piece: &str, level: usize, is_part: bool, span: &Range<usize>, out: &mut Vec<Token>) {
    let piece =
        trim_end(piece).trim_start_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    if piece.is_empty() {
        return;
    }
    let cut = LEVELS
        .iter()
        .enumerate()
        .skip(level)
        .find(|(_, separators)| piece.contains(**separators));
    let Some((level, separators)) = cut else {
        return word(piece, is_part, span, out);
    };
    push(fold(&piece.replace('\'', "")), span.clone(), false, out);
    let whole = piece;
    for piece in piece
        .split(*separators)
        .filter(|piece| !piece.is_empty() && *piece != whole)
    {
        pieces(piece, level + 1, true, span, out);
    }
}

/// Emits one word of letters and digits, and the words glued together in it.
fn word(word: &str, is_part: bool, span: &Range<usize>, out: &mut Vec<Token>) {
    let fragment = |text: &str| text.chars().nth(1).is_none();
    if word.contains('\'') {
        let parts: Vec<&str> = word.split('\'').filter(|part| !part.is_empty()).collect();
        // Of "shop's" the part before matters; the s says nothing.
        if !(parts.len() == 2 && parts.last() == Some(&"s")) {
            push(fold(&parts.concat()), span.clone(), false, out);
        }
        for part in parts {
            push(fold(part), span.clone(), fragment(part), out);
        }
        return;
    }
    push(fold(word), span.clone(), is_part && fragment(word), out);
    let humps = humps(word);
    if humps.len() > 1 {
        for hump in humps {
            push(fold(hump), span.clone(), fragment(hump), out);
        }
    }
}

/// Cuts `fooBar` before the B and `HTTPServer` before the S.
fn humps(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let mut cuts = vec![0];
    for window in chars.windows(2) {
        let [(at, left), (next_at, right)] = window else {
            continue;
        };
        if left.is_lowercase() && right.is_uppercase() {
            cuts.push(*next_at);
        } else if left.is_uppercase() && right.is_lowercase() && *at > 0 && cuts.last() != Some(at)
        {
            cuts.push(*at);
        }
    }
    cuts.push(word.len());
    cuts.windows(2)
        .filter_map(|cut| word.get(*cut.first()?..*cut.last()?))
        .filter(|hump| !hump.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_word_is_cut_as_any_other_run() {
        const LETTERS: [char; 14] = [
            'a', 's', 'B', '1', '.', ',', '(', ')', '"', ':', '-', '\'', '+', '?',
        ];
        let mut runs = vec![String::new()];
        let mut n_plain = 0;
        for _ in 0..4 {
            runs = runs
                .iter()
                .flat_map(|run| LETTERS.map(|letter| format!("{run}{letter}")))
                .collect();
            for run in &runs {
                let (mut fast, mut slow) = (Vec::new(), Vec::new());
                spaced_run(run, 3..9, &mut fast);
                any_run(run, 3..9, &mut slow);
                assert_eq!(fast, slow, "{run}");
                n_plain += usize::from(plain_word(run).is_some());
            }
        }
        assert!(n_plain > 2_000, "{n_plain}");
        let long = "x".repeat(MAX_TOKEN_CHARS + 5);
        let cut: Vec<String> = index_tokens(&format!("{long} {}", &long[5..]));
        assert_eq!(cut[0], cut[1]);
    }
}
