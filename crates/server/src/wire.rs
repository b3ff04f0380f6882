//! Raw JSON as strangers send it, made safe for a strict parser.

use std::borrow::Cow;

use serde_json::Value;

use crate::door::LONE_SURROGATE;

/// Largest message that is read, in bytes; a larger one is refused unread.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// Replaces every escape of half a surrogate pair by a mark that the door
/// refuses, so that the call gets a coded answer instead of a parse failure.
pub fn mark_lone_surrogates(json: &[u8]) -> Cow<'_, [u8]> {
    let mut marked: Option<Vec<u8>> = None;
    for place in lone_surrogates(json) {
        let copy = marked.get_or_insert_with(|| json.to_vec());
        let mark = format!("\\u{:04x}", u32::from(LONE_SURROGATE));
        if let Some(place) = copy.get_mut(place..place + 6) {
            place.copy_from_slice(mark.as_bytes());
        }
    }
    marked.map_or(Cow::Borrowed(json), Cow::Owned)
}

/// Returns where an escape stands of half a surrogate pair.
pub fn lone_surrogates(json: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(escape) = next_escape(json, at) {
            let Some(unit) = unit_at(json, escape) else {
                // An escape of one letter, such as \n or \\.
                at = escape + 2;
                continue;
            };
            at = escape + 6;
            match unit {
                0xD800..=0xDBFF if matches!(unit_at(json, at), Some(0xDC00..=0xDFFF)) => at += 6,
                0xD800..=0xDFFF => return Some(escape),
                _ => {}
            }
        }
        None
    })
}

/// Returns the id of a message that cannot be read whole, such as one that is
/// nested too deep, so that its sender does not wait for ever.
pub fn id_of(json: &[u8]) -> Value {
    #[derive(serde::Deserialize)]
    struct OnlyId {
        id: Option<Value>,
    }
    // What is skipped is not parsed recursively, however deep it is.
    let found = serde_json::from_slice::<OnlyId>(json).ok();
    found
        .and_then(|message| message.id)
        .filter(|id| id.is_string() || id.is_i64())
        .unwrap_or_default()
}

/// Bytes that are kept of the top of a message; an id and a method need few.
const MAX_OUTLINE_BYTES: usize = 4096;

/// The top of a message that is too long to keep, without what lies in it. It
/// is read in pieces, because clients write the id first or last.
#[derive(Default)]
pub struct Outline {
    kept: Vec<u8>,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Outline {
    /// Reads on.
    pub fn add(&mut self, part: &[u8]) {
        for byte in part {
            let outside = self.depth;
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.in_string,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.depth += 1,
                b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if outside.min(self.depth) <= 1 && self.kept.len() < MAX_OUTLINE_BYTES {
                self.kept.push(*byte);
            }
        }
    }

    /// Returns the id of the message, if its top was short enough to keep.
    pub fn id(&self) -> Value {
        id_of(&self.kept)
    }
}

/// Whether a request for a list carries a cursor that is no string; rmcp takes
/// such a cursor as absent and would answer the first page.
pub fn has_misshapen_cursor(message: &Value) -> bool {
    let method = message.get("method").and_then(Value::as_str);
    let cursor = message.pointer("/params/cursor");
    method.is_some_and(|method| method.ends_with("/list"))
        && cursor.is_some_and(|cursor| !cursor.is_string() && !cursor.is_null())
}

fn next_escape(json: &[u8], from: usize) -> Option<usize> {
    let rest = json.get(from..)?;
    rest.iter()
        .position(|byte| *byte == b'\\')
        .map(|offset| from + offset)
}

/// Returns the UTF-16 unit that the escape at this place stands for.
fn unit_at(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let text = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sent: &str, expected: &str) {
        let marked = mark_lone_surrogates(sent.as_bytes());
        assert_eq!(String::from_utf8_lossy(&marked), expected);
    }

    #[test]
    fn the_id_of_a_message_nested_too_deep_is_found() {
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        let message = format!(r#"{{"params":{{"a":{deep}}},"id":7}}"#);
        assert!(serde_json::from_str::<Value>(&message).is_err());
        assert_eq!(id_of(message.as_bytes()), 7);
        assert_eq!(id_of(br#"{"id":[1]}"#), Value::Null);
        assert_eq!(id_of(b"{\"id\":"), Value::Null);
    }

    #[test]
    fn the_id_of_a_message_that_comes_in_pieces_is_found() {
        let deep = r#"{"a":["]}",{"id":1}],"b":"\"}{\\"}"#;
        let first = format!(r#"{{"id":7,"params":{deep}}}"#);
        let last = format!(r#"{{"params":{deep},"x":"\"}}","id":7}}"#);
        for message in [first, last] {
            for size in 1..message.len() {
                let mut outline = Outline::default();
                message
                    .as_bytes()
                    .chunks(size)
                    .for_each(|part| outline.add(part));
                assert_eq!(outline.id(), 7, "{message}");
            }
        }
        let mut outline = Outline::default();
        outline.add(&[b' '; MAX_OUTLINE_BYTES]);
        outline.add(br#"{"id":7}"#);
        assert_eq!(outline.id(), Value::Null);
    }

    #[test]
    fn only_half_pairs_are_marked() {
        check(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#);
        check(r#""\ud83d""#, r#""\ufdd0""#);
        check(r#""\ude00\ud83d""#, r#""\ufdd0\ufdd0""#);
        check(r#""\\ud83d""#, r#""\\ud83d""#);
        check(r#""\ud83d\n""#, r#""\ufdd0\n""#);
        check(r#""\uD8"#, r#""\uD8"#);
        check("\"\\", "\"\\");
    }
}
