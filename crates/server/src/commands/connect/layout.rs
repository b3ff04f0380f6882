//! Gives a file back its bytes of before when it says the same again: editing
//! lays a line out anew, and leaves an empty list where there was none.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::clients::Format;
use super::{files, json, masked, toml};

/// Returns what the file said before we were put in, if a copy beside it says
/// the same as one of these texts; otherwise the last of them. `old` is what
/// they were made of.
pub fn of_before(format: Format, path: &Path, old: &str, mut texts: Vec<String>) -> String {
    texts.dedup();
    let says: Vec<Says<'_>> = texts
        .iter()
        .filter_map(|text| Says::of(format, text))
        .collect();
    let copies = files::copies(path);
    let same = copies.into_iter().find(|copy| {
        let copy = Says::of(format, copy);
        copy.is_some_and(|copy| says.iter().any(|text| copy.is_same(text, old)))
    });
    let last = texts.pop();
    same.or(last).unwrap_or_else(|| old.to_owned())
}

/// What a text says.
struct Says<'a> {
    format: Format,
    text: &'a str,
    fields: Vec<(String, Value)>,
}

impl<'a> Says<'a> {
    fn of(format: Format, text: &'a str) -> Option<Self> {
        let fields = fields(format, text).ok()?;
        Some(Self {
            format,
            text,
            fields,
        })
    }

    /// Whether a copy and a text differ in their layout only. Comments are no
    /// value; those of the old text count, for one may have lost its place.
    fn is_same(&self, text: &Self, old: &str) -> bool {
        let comments = |text| masked::comments(text, self.format);
        self.fields == text.fields
            && (printed(self.text) == printed(text.text) || comments(self.text) == comments(old))
    }
}

fn fields(format: Format, text: &str) -> Result<Vec<(String, Value)>> {
    match format {
        Format::Json => json::object(text, &[]),
        Format::Toml => toml::object(text, &[]),
    }
}

/// Returns a text without what only lays it out: a comma before a bracket is
/// allowed and not needed, and a file that says nothing may have no braces.
fn printed(text: &str) -> String {
    let is_print = |letter: &char| !letter.is_whitespace() && *letter != ',';
    let text: String = text.chars().filter(is_print).collect();
    text.strip_suffix("{}").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says_same(format: Format, one: &str, other: &str) -> bool {
        let both = Says::of(format, one).zip(Says::of(format, other));
        both.is_some_and(|(one, text)| one.is_same(&text, other))
    }

    #[test]
    fn only_layout_is_no_difference() {
        for (one, other, is_same) in [
            ("{}", "", true),
            ("{\"a\":1}", "{\n  \"a\": 1,\n}\n", true),
            ("// x\n", "// x\n{}", true),
            ("// x\n", "// y\n{}", false),
            ("{\"a\":\"b c\"}", "{\"a\":\"bc\"}", false),
            ("{\"a\":\"b,c\"}", "{\"a\":\"bc\"}", false),
            ("{\"a\":1 /* x */}", "{\"a\":1}", false),
            ("{\"a\":{}}", "{\"a\":\"\"}", false),
            ("{\"a\":", "{\"a\":", false),
        ] {
            assert_eq!(
                says_same(Format::Json, one, other),
                is_same,
                "{one} {other}"
            );
        }
        for (one, other, is_same) in [
            ("a = 1", "a=1\n", true),
            ("a = 1 # x", "a = 1", false),
            ("a = 'b c'", "a = 'bc'", false),
            ("a = 1\nb = 2", "a = 12", false),
            ("[a]\nb = 1", "[a.b]", false),
        ] {
            assert_eq!(
                says_same(Format::Toml, one, other),
                is_same,
                "{one} {other}"
            );
        }
    }
}
