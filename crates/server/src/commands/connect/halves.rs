//! Half a surrogate pair in JSON: `JSON.stringify` writes one where a text was
//! cut inside a character. It stands for no character, so no editor takes it,
//! and it is not ours to mend.

use std::borrow::Cow;

use super::clients::Format;
use crate::wire::lone_surrogates;

/// What may stand for the beginning of such an escape while a text is edited;
/// the four digits stay. Texts do not hold them: Unicode keeps them out.
const STAND_INS: [char; 4] = ['\u{10ffff}', '\u{10fffe}', '\u{fffff}', '\u{ffffe}'];

/// Beginning of an escape.
const ESCAPE: &str = "\\u";

/// Returns a text as editors take it, and what stands in for halves there, if
/// it holds any. One that has all of those itself is left alone.
pub fn hidden(text: &str, format: Format) -> (Cow<'_, str>, Option<char>) {
    let mut halves = lone_surrogates(text.as_bytes()).peekable();
    let mut free = STAND_INS.into_iter().filter(|known| !text.contains(*known));
    let is_odd = format == Format::Json && halves.peek().is_some();
    let Some(stand_in) = free.next().filter(|_| is_odd) else {
        return (Cow::Borrowed(text), None);
    };
    let mut hidden = String::with_capacity(text.len());
    let mut at = 0;
    for half in halves {
        hidden.extend(text.get(at..half));
        hidden.push(stand_in);
        at = half + ESCAPE.len();
    }
    hidden.extend(text.get(at..));
    (Cow::Owned(hidden), Some(stand_in))
}

/// Returns a text as it is written: with halves in the place of what stands in
/// for them.
pub fn back(text: &str, stand_in: Option<char>) -> Cow<'_, str> {
    let Some(stand_in) = stand_in else {
        return Cow::Borrowed(text);
    };
    let mut parts = text.split(stand_in);
    let mut back = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // It may stand in a text of ours, too: a path holds any character.
        let digits = part
            .get(..4)
            .and_then(|digits| u16::from_str_radix(digits, 16).ok());
        if digits.is_some_and(|unit| (0xD800..=0xDFFF).contains(&unit)) {
            back.push_str(ESCAPE);
        } else {
            back.push(stand_in);
        }
        back.push_str(part);
    }
    Cow::Owned(back)
}
