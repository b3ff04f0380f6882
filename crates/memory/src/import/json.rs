//! Finds the parts of a JSON text where they stand, so that each can be kept,
//! hashed and named by its place. Reading them is the library's business.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;

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
}

/// Returns the elements of a text that is a list.
pub fn elements(text: &str) -> Result<Vec<Raw<'_>>, serde_json::Error> {
    serde_json::from_str::<Vec<IgnoredAny>>(text)?;
    Ok(parts(text).into_iter().map(Raw).collect())
}

/// Returns the members of a text that is an object; of two with one name the
/// last.
pub fn members(text: &str) -> Result<BTreeMap<String, Raw<'_>>, serde_json::Error> {
    let names: Vec<String> = serde_json::from_str::<Names>(text)?.0;
    let values = parts(text).into_iter().map(|part| {
        let mut colon = 0;
        scan(part, |at, byte, depth| {
            if byte == b':' && depth == 0 && colon == 0 {
                colon = at + 1;
            }
        });
        Raw(part.get(colon..).unwrap_or_default().trim())
    });
    Ok(names.into_iter().zip(values).collect())
}

/// Returns the values in a text that holds one after the other; where it
/// breaks off, an error is last.
pub fn stream(text: &str) -> Vec<Result<Raw<'_>, serde_json::Error>> {
    let mut found = Vec::new();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut start = 0;
    while let Some(value) = values.next() {
        let end = values.byte_offset();
        found.push(value.map(|_| Raw(text.get(start..end).unwrap_or_default().trim())));
        start = end;
    }
    found
}

/// The names of the members of an object, in their order.
struct Names(Vec<String>);

impl<'de> serde::Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Names;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// Returns what stands between the commas of a list or an object that was
/// found to be sound.
fn parts(text: &str) -> Vec<&str> {
    let text = text.trim();
    let inner = text
        .get(1..text.len().saturating_sub(1))
        .unwrap_or_default();
    let mut commas = Vec::new();
    scan(inner, |at, byte, depth| {
        if byte == b',' && depth == 0 {
            commas.push(at);
        }
    });
    let mut found = Vec::new();
    let mut start = 0;
    for end in commas.into_iter().chain([inner.len()]) {
        let part = inner.get(start..end).unwrap_or_default().trim();
        if !part.is_empty() {
            found.push(part);
        }
        start = end + 1;
    }
    found
}

/// Shows every byte outside of strings, and how deep it lies.
fn scan(text: &str, mut each: impl FnMut(usize, u8, usize)) {
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
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => each(at, byte, depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_where_they_stand() {
        let text = " [ 1, \"a,]\\\"\", {\"b\": [2, 3]} , [] ] ";
        let found: Vec<&str> = elements(text).unwrap().into_iter().map(Raw::get).collect();
        assert_eq!(found, ["1", "\"a,]\\\"\"", "{\"b\": [2, 3]}", "[]"]);
        let second = elements(text).unwrap()[1];
        assert_eq!(&text[second.offset(text)..][..3], "\"a,");
        let text = r#"{"a:": {"b": 1}, "c\u0041" : [1,2], "a:": 3}"#;
        let found: Vec<_> = members(text)
            .unwrap()
            .into_iter()
            .map(|(name, raw)| (name, raw.get()))
            .collect();
        assert_eq!(found, [("a:".to_owned(), "3"), ("cA".to_owned(), "[1,2]")]);
        assert!(elements("[1,").is_err() && elements("{}").is_err() && members("[]").is_err());
        assert_eq!(elements("[]").unwrap(), []);
        let found: Vec<_> = stream("{}{\"a\":1} x")
            .into_iter()
            .map(|raw| raw.ok().map(Raw::get))
            .collect();
        assert_eq!(found, [Some("{}"), Some("{\"a\":1}"), None]);
    }
}
