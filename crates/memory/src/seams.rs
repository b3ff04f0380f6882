//! The parsers of this crate, as a fuzz target reaches them. No release is
//! built with the feature that holds this module.

use crate::{clock, cursor, hints, ids, secrets, text};

/// Returns the mark of a call.
pub fn mark(parts: &[&str]) -> String {
    cursor::mark(parts)
}

/// Returns a cursor of some numbers.
pub fn write_cursor(mark: &str, numbers: &[i64]) -> String {
    cursor::write(mark, numbers)
}

/// Returns what of a hint may be kept.
pub fn kept_hint(hint: &str) -> String {
    hints::kept(hint)
}

/// Returns the slug of a name.
pub fn slug(text: &str) -> Option<String> {
    hints::slug(text)
}

/// Returns the tokens under which a text is found.
pub fn index_tokens(text: &str) -> Vec<String> {
    text::index_tokens(text)
}

/// Returns the terms of a query.
pub fn query_terms(query: &str) -> Vec<String> {
    text::query_terms(query)
}

/// Returns the form in which words are compared.
pub fn fold(text: &str) -> String {
    text::fold(text)
}

/// Returns the form under which two texts are the same.
pub fn key(text: &str) -> String {
    text::key(text)
}

/// Whether a person would see anything of a text.
pub fn has_visible(text: &str) -> bool {
    text::has_visible(text)
}

/// Returns at most so many characters of a text, around what matches.
pub fn excerpt(text: &str, terms: &[String], max_chars: usize) -> String {
    text::excerpt(text, terms, max_chars)
}

/// What a hint was read as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadHint {
    /// `remote`, `path` or `name`.
    pub kind: &'static str,
    /// What it is compared by.
    pub key: String,
    /// Its last segment; of a name, nothing.
    pub last: String,
}

/// Reads a project hint.
pub fn hint(hint: &str) -> ReadHint {
    let (kind, key, last) = match hints::parse(hint) {
        hints::Hint::Remote { key, last } => ("remote", key, last),
        hints::Hint::Path { key, last } => ("path", key, last),
        hints::Hint::Name { key } => ("name", key, String::new()),
    };
    ReadHint { kind, key, last }
}

/// Reads a cursor of three numbers that carries this mark.
pub fn read_cursor(text: &str, mark: &str) -> Option<[i64; 3]> {
    cursor::read(text, mark).ok()
}

/// Reads an id of a memory or an entity.
pub fn id(text: &str) -> Option<String> {
    ids::parse(text).map(|id| match id {
        ids::Id::Memory(id) | ids::Id::Entity(id) => id,
    })
}

/// Reads a moment of RFC 3339, in milliseconds.
pub fn moment(text: &str) -> Option<i64> {
    clock::parse("/at", text).ok()
}

/// Writes a moment.
pub fn write_moment(at: i64) -> String {
    clock::rfc3339(at)
}

/// A credential that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSecret {
    /// Byte at which it starts.
    pub start: usize,
    /// What of it may be shown.
    pub shown: String,
}

/// Looks for a credential.
pub fn secret(text: &str) -> Option<FoundSecret> {
    secrets::find(text).map(|found| FoundSecret {
        start: found.start,
        shown: found.shown,
    })
}

/// What an importer made of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// Name of its format.
    pub format: &'static str,
    /// Where in the file each item stands, as far as it says.
    pub places: Vec<Option<(usize, usize)>>,
    /// How much was rejected.
    pub n_rejects: usize,
}

/// Reads one file as each importer would.
pub fn import(path: &str, bytes: &[u8], now: i64) -> Vec<Brought> {
    let parsed = crate::import::by_each(path, bytes, now);
    parsed
        .into_iter()
        .map(|(format, parsed)| Brought {
            format: format.as_str(),
            places: parsed.items.iter().map(|item| item.bytes).collect(),
            n_rejects: parsed.rejects.len(),
        })
        .collect()
}

/// Reads one line of a dump; returns whether it may be taken in.
pub fn dump_line(line: &[u8], now: i64) -> bool {
    crate::dump::is_sound(line, now)
}
