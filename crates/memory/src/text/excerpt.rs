//! Chooses the part of a long text that shows what matched.

use std::collections::HashMap;
use std::ops::Range;

use super::classes::{Class, class_of};
use super::tokens::tokens;

/// Stands where text was left out.
const GAP: char = '…';

/// Letters two words must share from the start to count as the same word in
/// two forms: the index stems, the terms here are not stemmed.
const STEM_CHARS: usize = 4;

/// Most letters by which two forms of a word may differ at the end.
const SUFFIX_CHARS: usize = 4;

/// How far an edge may move to fall between words, in characters.
const SNAP_CHARS: usize = 24;

/// Returns the text, or at most `max_chars` characters of it around the place
/// where most of the terms stand together, with `…` where it was cut.
pub(crate) fn excerpt(text: &str, terms: &[String], max_chars: usize) -> String {
    // Byte offset of every character, and of the end.
    let offsets: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let n_chars = offsets.len() - 1;
    if n_chars <= max_chars {
        return text.to_owned();
    }
    let room = max_chars.saturating_sub(2);
    if room == 0 {
        return GAP.to_string().repeat(max_chars);
    }
    let char_at = |byte: usize| offsets.partition_point(|&offset| offset < byte);
    let hits: Vec<(usize, Range<usize>)> = hits(text, terms)
        .into_iter()
        .map(|(term, span)| (term, char_at(span.start)..char_at(span.end)))
        .collect();
    let core = densest(&hits, room).unwrap_or(0..0);

    // The rest of the room goes around the matches, a third of it before.
    let spare = room - core.len();
    let mut start = core.start.saturating_sub(spare / 3);
    let mut end = (start + room).min(n_chars);
    start = start.min(end.saturating_sub(room));
    let char_index = |index: usize| {
        offsets
            .get(index)
            .and_then(|&at| text.get(at..))
            .and_then(|rest| rest.chars().next())
    };
    let continues = |index: usize| char_index(index).is_some_and(|c| class_of(c) == Class::Mark);
    let breaks = |index: usize| char_index(index).is_none_or(char::is_whitespace);
    if start > 0 {
        // Only forwards, so that the excerpt never grows, and never past what
        // matched.
        let snapped = (start..(start + SNAP_CHARS).min(core.start)).find(|&index| breaks(index));
        start = snapped.map_or(start, |index| index + 1);
        while start < end && continues(start) {
            start += 1;
        }
    }
    if end < n_chars {
        let snapped = (core.end.max(end.saturating_sub(SNAP_CHARS)).max(start + 1)..=end)
            .rev()
            .find(|&index| breaks(index));
        end = snapped.unwrap_or(end);
        while end > start && continues(end) {
            end -= 1;
        }
    }
    let slice = offsets
        .get(start)
        .zip(offsets.get(end))
        .and_then(|(&from, &to)| text.get(from..to))
        .unwrap_or_default();
    let before = if start > 0 {
        GAP.to_string()
    } else {
        String::new()
    };
    let after = if end < n_chars {
        GAP.to_string()
    } else {
        String::new()
    };
    format!("{before}{}{after}", slice.trim())
}

/// Returns where in the text each term stands, in order.
fn hits(text: &str, terms: &[String]) -> Vec<(usize, Range<usize>)> {
    let exact: HashMap<&str, usize> = terms
        .iter()
        .enumerate()
        .map(|(index, term)| (term.as_str(), index))
        .collect();
    let mut by_stem: HashMap<String, Vec<(usize, &str)>> = HashMap::new();
    for (index, term) in terms.iter().enumerate() {
        if let Some(stem) = stem(term) {
            by_stem.entry(stem).or_default().push((index, term));
        }
    }
    let find = |token: &str| {
        exact.get(token).copied().or_else(|| {
            let kin = by_stem.get(&stem(token)?)?;
            kin.iter()
                .find(|(_, term)| same_word(term, token))
                .map(|&(index, _)| index)
        })
    };
    tokens(text)
        .into_iter()
        .filter_map(|token| Some((find(&token.text)?, token.span)))
        .collect()
}

fn stem(word: &str) -> Option<String> {
    let stem: String = word.chars().take(STEM_CHARS).collect();
    (stem.chars().count() == STEM_CHARS && word.chars().all(char::is_alphabetic)).then_some(stem)
}

fn same_word(left: &str, right: &str) -> bool {
    let common = left
        .chars()
        .zip(right.chars())
        .take_while(|(a, b)| a == b)
        .count();
    // One letter may change at the seam: retry, retries.
    let rest = |word: &str| word.chars().count() - common;
    rest(left) <= SUFFIX_CHARS
        && rest(right) <= SUFFIX_CHARS
        && (rest(left) <= 1 || rest(right) <= 1)
}

/// Returns the stretch of at most `room` characters that holds the most terms,
/// rare ones counting more; the first of equals.
fn densest(hits: &[(usize, Range<usize>)], room: usize) -> Option<Range<usize>> {
    let mut totals: HashMap<usize, u32> = HashMap::new();
    for (term, _) in hits {
        *totals.entry(*term).or_default() += 1;
    }
    // A term counts once at full weight; each repetition adds a little.
    const REPEAT_WEIGHT: f64 = 0.05;
    let weight = |term: usize| 1.0 / f64::from(totals.get(&term).copied().unwrap_or(1)).sqrt();
    let mut inside: HashMap<usize, u32> = HashMap::new();
    let mut score = 0.0;
    let mut left = 0;
    let mut best: Option<(f64, Range<usize>)> = None;
    for (term, span) in hits {
        let count = inside.entry(*term).or_default();
        score += weight(*term) * if *count == 0 { 1.0 } else { REPEAT_WEIGHT };
        *count += 1;
        while let Some((gone, first)) = hits
            .get(left)
            .filter(|(_, first)| span.end > first.start + room && first.start < span.start)
        {
            let count = inside.entry(*gone).or_default();
            *count = count.saturating_sub(1);
            score -= weight(*gone) * if *count == 0 { 1.0 } else { REPEAT_WEIGHT };
            let _ = first;
            left += 1;
        }
        let start = hits.get(left).map_or(span.start, |(_, first)| first.start);
        if best.as_ref().is_none_or(|(top, _)| score > *top + 1e-9) {
            best = Some((score, start..span.end.clamp(start, start + room)));
        }
    }
    best.map(|(_, span)| span)
}
