//! Half a surrogate pair in JSON: `JSON.stringify` writes one where a text was
//! cut inside a character. It stands for no character, so no editor takes it,
//! and it is not ours to mend.

use std::borrow::Cow;

use super::clients::Format;
use crate::wire::lone_surrogates;

/// What stands for the beginning of such an escape while a text is edited; the
/// four digits stay. Texts do not hold it: Unicode keeps it out of them.
const STAND_IN: char = '\u{10ffff}';

/// Beginning of an escape.
const ESCAPE: &str = "\\u";

/// Returns a text as editors take it, and whether it holds stand-ins. One that
/// has that character already is left alone: the two could not be told apart.
pub fn hidden(text: &str, format: Format) -> (Cow<'_, str>, bool) {
    let mut halves = lone_surrogates(text.as_bytes()).peekable();
    if format != Format::Json || halves.peek().is_none() || text.contains(STAND_IN) {
        return (Cow::Borrowed(text), false);
    }
    let mut hidden = String::with_capacity(text.len());
    let mut at = 0;
    for half in halves {
        hidden.extend(text.get(at..half));
        hidden.push(STAND_IN);
        at = half + ESCAPE.len();
    }
    hidden.extend(text.get(at..));
    (Cow::Owned(hidden), true)
}

/// Returns a text as it is written: with halves in the place of stand-ins, if
/// it holds such.
pub fn back(text: &str, has_halves: bool) -> Cow<'_, str> {
    if has_halves {
        Cow::Owned(text.replace(STAND_IN, ESCAPE))
    } else {
        Cow::Borrowed(text)
    }
}
