//! Normalises text: what makes two texts the same, what makes words match,
//! and what a person can see of them.
//!
//! Nothing here changes what is stored; these are copies for keys and indexes.

mod classes;
mod excerpt;
mod stop_words;
mod tokens;

use unicode_normalization::UnicodeNormalization as _;

pub(crate) use excerpt::excerpt;
pub(crate) use stop_words::is_stop_word;
pub(crate) use tokens::{index_tokens, query_terms};

use classes::{Class, class_of};

/// Returns the form under which two texts count as the same memory: canonical
/// composition, one kind of line end, trimmed. Case stays, because in code it
/// means something.
pub(crate) fn key(text: &str) -> String {
    text.replace("\r\n", "\n").trim().nfc().collect()
}

/// Returns the form in which words are compared: compatibility composition,
/// full case folding, no accents on Latin, Greek and Cyrillic letters.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    let mut base_takes_accents = false;
    for c in text.nfkd() {
        if classes::is_ignorable(c) {
            continue;
        }
        if classes::is_accent(c) {
            if !base_takes_accents {
                folded.push(c);
            }
            continue;
        }
        base_takes_accents = classes::takes_accents(c);
        fold_char(c, &mut folded);
    }
    // Folding İ leaves a dot above its i, which the loop has not seen.
    let folded: String = folded.replace("i\u{307}", "i");
    folded.nfkc().collect()
}

/// Appends the full case folding of one character. Lower, upper, lower reaches
/// it without tables: ẞ by way of ß to ss, ς and Σ to σ, ı and I to i.
fn fold_char(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    for lower in c.to_lowercase() {
        for upper in lower.to_uppercase() {
            out.extend(upper.to_lowercase());
        }
    }
}

/// Returns whether a person would see anything of this text.
pub(crate) fn has_visible(text: &str) -> bool {
    text.chars()
        .any(|c| !c.is_whitespace() && !c.is_control() && !classes::is_ignorable(c))
}

/// Returns a name as one line: what breaks a line or moves a cursor becomes a
/// blank, and what turns the direction of reading goes.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            '\u{200e}'
            | '\u{200f}'
            | '\u{61c}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {}
            _ if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            _ => line.push(c),
        }
    }
    line.trim().to_owned()
}

/// Returns whether a folded text holds a folded name as a whole word. In
/// scripts that write no spaces every place is a word boundary.
pub(crate) fn contains_word(haystack: &str, needle: &str) -> bool {
    let (Some(first), Some(last)) = (needle.chars().next(), needle.chars().next_back()) else {
        return false;
    };
    haystack.match_indices(needle).any(|(start, _)| {
        let before = haystack
            .get(..start)
            .and_then(|head| head.chars().next_back());
        let after = haystack
            .get(start + needle.len()..)
            .and_then(|tail| tail.chars().next());
        is_boundary(before, Some(first)) && is_boundary(Some(last), after)
    })
}

fn is_boundary(left: Option<char>, right: Option<char>) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c == '_' || matches!(class_of(c), Class::Word));
    let continues = right.is_some_and(|c| matches!(class_of(c), Class::Mark));
    !(continues || joins(left) && joins(right))
}

#[cfg(test)]
mod checks;
