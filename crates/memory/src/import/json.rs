//! Finds the parts of a JSON text where they stand, so that each can be kept,
//! hashed and named by its place. Reading one is the library's business, so
//! that what is wrong in one part, or a text that breaks off, costs no other.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::Value;

/// A value of JSON as it stands in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'t>(&'t str);

impl<'t> Raw<'t> {
    /// Returns the text of the value.
    pub fn get(self) -> &'t str {
        self.0
    }

    /// Returns where it begins in the text that it was found in.
    pub fn offset(self, whole: &str) -> usize {
        (self.0.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
    }

    /// Returns the value. Some writers put numbers that are none into JSON;
    /// they say nothing, and count as absent.
    pub fn value(self) -> Result<Value, serde_json::Error> {
        serde_json::from_str(self.0).or_else(|error| match without_odd_numbers(self.0) {
            Some(mended) => serde_json::from_str(&mended),
            None => Err(error),
        })
    }
}

/// Returns a text as the one value that it should be.
pub fn whole(text: &str) -> Raw<'_> {
    Raw(text)
}

/// What stands in a list or an object.
#[derive(Debug)]
pub struct Parts<'t, T> {
    /// The whole ones.
    pub whole: T,
    /// The one in which the text breaks off.
    pub cut: Option<Raw<'t>>,
    /// What follows the end.
    pub after: Raw<'t>,
}

/// Returns the elements of a text that begins as a list.
pub fn elements(text: &str) -> Option<Parts<'_, Vec<Raw<'_>>>> {
    let inner = text.trim_start().strip_prefix('[')?;
    let parts = parts(inner);
    Some(Parts {
        whole: parts.whole.into_iter().map(Raw).collect(),
        cut: parts.cut,
        after: parts.after,
    })
}

/// Returns the members of a text that begins as an object; of two with one
/// name the last. The value in which the text breaks off is one of them, too.
pub fn members(text: &str) -> Option<Parts<'_, BTreeMap<String, Raw<'_>>>> {
    let inner = text.trim_start().strip_prefix('{')?;
    let parts = parts(inner);
    let cut = parts.cut.map(Raw::get);
    let whole = parts.whole.into_iter().chain(cut).filter_map(member);
    Some(Parts {
        whole: whole.collect(),
        cut: parts.cut,
        after: parts.after,
    })
}

/// Returns the name and the value of a member.
fn member(part: &str) -> Option<(String, Raw<'_>)> {
    let mut colon = None;
    scan(part, |at, byte, depth| {
        if byte == b':' && depth == 0 && colon.is_none() {
            colon = Some(at);
        }
        false
    });
    let colon = colon?;
    let name = serde_json::from_str(part.get(..colon)?.trim()).ok()?;
    Some((name, Raw(part.get(colon + 1..)?.trim())))
}

/// Returns the values in a text that holds one after the other; where it
/// breaks off, an error is last.
pub fn stream(text: &str) -> Vec<Result<Raw<'_>, serde_json::Error>> {
    let mut found = Vec::new();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut start = 0;
    while let Some(value) = values.next() {
        let end = values.byte_offset();
        match value {
            Ok(_) => found.push(Ok(Raw(text.get(start..end).unwrap_or_default().trim()))),
            Err(error) => {
                let rest = Raw(text.get(start..).unwrap_or_default().trim());
                found.push(rest.value().map(|_| rest).map_err(|_| error));
            }
        }
        start = end;
    }
    found
}

/// Returns what stands between the commas of a list or an object, whose inside
/// this is.
fn parts(inner: &str) -> Parts<'_, Vec<&str>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut end = None;
    let mut push = |start: usize, end: usize| {
        let part = inner.get(start..end).unwrap_or_default().trim();
        if !part.is_empty() {
            found.push(part);
        }
    };
    scan(inner, |at, byte, depth| {
        match byte {
            b',' if depth == 0 => {
                push(start, at);
                start = at + 1;
            }
            b']' | b'}' if depth == 0 => {
                push(start, at);
                end = Some(at);
            }
            _ => {}
        }
        end.is_some()
    });
    let rest = |from: usize| Raw(inner.get(from..).unwrap_or_default().trim());
    Parts {
        whole: found,
        cut: end.is_none().then(|| rest(start)),
        after: end.map_or(Raw(""), |end| rest(end + 1)),
    }
}

/// Shows every byte outside of strings and how deep it lies, until `each` has
/// seen enough. Brackets are shown only where they close more than was opened.
fn scan(text: &str, mut each: impl FnMut(usize, u8, usize) -> bool) {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            _ if each(at, byte, depth) => return,
            _ => {}
        }
    }
}

/// Returns a text with `null` in place of the numbers that Python writes and
/// JSON does not know; none if there are none.
fn without_odd_numbers(text: &str) -> Option<String> {
    const ODD: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    if !ODD.iter().any(|odd| text.contains(odd)) {
        return None;
    }
    let mut spots = Vec::new();
    let mut next = 0;
    scan(text, |at, _, _| {
        let rest = text.get(at..).unwrap_or_default();
        if at >= next
            && let Some(odd) = ODD.iter().find(|odd| rest.starts_with(**odd))
        {
            next = at + odd.len();
            spots.push((at, next));
        }
        false
    });
    let mut mended = String::with_capacity(text.len());
    let mut start = 0;
    for (at, end) in spots {
        mended.push_str(text.get(start..at).unwrap_or_default());
        mended.push_str("null");
        start = end;
    }
    mended.push_str(text.get(start..).unwrap_or_default());
    Some(mended)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> (Vec<&str>, Option<&str>, &str) {
        let found = elements(text).unwrap();
        (
            found.whole.into_iter().map(Raw::get).collect(),
            found.cut.map(Raw::get),
            found.after.get(),
        )
    }

    #[test]
    fn parts_are_found_where_they_stand() {
        let text = " [ 1, \"a,]\\\"\", {\"b\": [2, 3]} , [] ] ";
        assert_eq!(
            listed(text),
            (vec!["1", "\"a,]\\\"\"", "{\"b\": [2, 3]}", "[]"], None, "")
        );
        let second = elements(text).unwrap().whole[1];
        assert_eq!(&text[second.offset(text)..][..3], "\"a,");
        let text = r#"{"a:": {"b": 1}, "c\u0041" : [1,2], "a:": 3}"#;
        let found: Vec<_> = members(text)
            .unwrap()
            .whole
            .into_iter()
            .map(|(name, raw)| (name, raw.get()))
            .collect();
        assert_eq!(found, [("a:".to_owned(), "3"), ("cA".to_owned(), "[1,2]")]);
        assert!(elements("{}").is_none() && members("[]").is_none());
        assert_eq!(listed("[]"), (vec![], None, ""));
        let found: Vec<_> = stream("{}{\"a\":1} x")
            .into_iter()
            .map(|raw| raw.ok().map(Raw::get))
            .collect();
        assert_eq!(found, [Some("{}"), Some("{\"a\":1}"), None]);
    }

    #[test]
    fn a_text_that_breaks_off_or_goes_on_shows_what_is_whole() {
        assert_eq!(listed("[1,[2"), (vec!["1"], Some("[2"), ""));
        assert_eq!(listed("[1,"), (vec!["1"], Some(""), ""));
        assert_eq!(listed("[1] [2]"), (vec!["1"], None, "[2]"));
        assert_eq!(listed("[\"a"), (vec![], Some("\"a"), ""));
        let found = members("{\"a\":1,\"b\":[2,{\"c\":").unwrap();
        assert_eq!(found.whole["b"].get(), "[2,{\"c\":");
        assert!(found.cut.is_some());
        let deep = "[".repeat(100_000);
        assert_eq!(listed(&deep).1.map(str::len), Some(99_999));
    }

    #[test]
    fn numbers_that_are_none_count_as_absent() {
        let value = |text: &'static str| Raw(text).value().ok();
        assert_eq!(
            value(r#"{"a":NaN,"b":[-Infinity,1,Infinity],"c":"NaN"}"#),
            Some(serde_json::json!({ "a": null, "b": [null, 1, null], "c": "NaN" }))
        );
        assert_eq!(value(r#"{"a":NaN"#), None);
        assert_eq!(stream("{\"a\":NaN}").len(), 1);
        assert!(stream("{\"a\":NaN}")[0].is_ok());
    }
}
