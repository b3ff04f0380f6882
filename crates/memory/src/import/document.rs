//! A file that is one JSON document with a list of items in it, or one item a
//! line. What is wrong with an item costs this item, and a file that breaks off
//! the rest of it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::item::{Lines, Parsed, Reject, place, text};
use super::json::{self, Raw};
use super::{RAW_BYTES, TOO_LONG};

/// How often a list may be wrapped into objects: a scroll through a vector
/// store does it twice.
const WRAPPED: usize = 4;

/// Keys of which an item has one, and a document without a list none.
const OF_ITEMS: [&str; 5] = ["memory", "data", "content", "text", "payload"];

/// A document and the places in it.
pub struct Document<'d> {
    path: &'d str,
    text: Cow<'d, str>,
    mark: usize,
    lines: Lines,
}

/// The objects of a list, and those of a list of relations beside it.
#[derive(Default)]
struct Lists<'t> {
    items: Vec<Raw<'t>>,
    relations: Vec<Raw<'t>>,
    /// Where something was not read, and why.
    faults: Vec<(Raw<'t>, String)>,
}

/// An object, and where it stands.
pub struct Placed<'t> {
    /// Its line, from 1.
    pub line: usize,
    /// Its bytes in the file.
    pub bytes: Option<(usize, usize)>,
    /// Its text.
    pub raw: &'t str,
    /// What is in it.
    pub fields: Map<String, Value>,
}

impl<'d> Document<'d> {
    /// Looks at a file.
    pub fn of(path: &'d str, bytes: &'d [u8]) -> Self {
        let (text, mark) = text(bytes);
        let lines = Lines::of(text.as_bytes());
        Self {
            path,
            text,
            mark,
            lines,
        }
    }

    /// Returns the objects of the list that is the document, or that it holds
    /// under one of some keys, and those of its relations.
    pub fn lists(&self, keys: &[&str], parsed: &mut Parsed) -> (Vec<Raw<'_>>, Vec<Raw<'_>>) {
        let mut lists = Lists::default();
        lists.find(&self.text, keys, 0);
        for (at, why) in lists.faults {
            parsed.reject(Reject::at(self.path, self.line(at), why));
        }
        (lists.items, lists.relations)
    }

    /// Returns the line of a value.
    pub fn line(&self, raw: Raw<'_>) -> usize {
        self.lines.line(raw.offset(&self.text))
    }

    /// Reads an object, or says why it cannot be read.
    pub fn object<'t>(&self, raw: Raw<'t>, parsed: &mut Parsed) -> Option<Placed<'t>> {
        let line = self.line(raw);
        let why = match raw.value() {
            _ if raw.get().len() > RAW_BYTES => TOO_LONG,
            // The file is as it should be elsewhere.
            _ if matches!(self.text, Cow::Owned(_)) && raw.get().contains('\u{fffd}') => {
                "the item holds bytes that are no UTF-8; save the file as UTF-8"
            }
            Ok(Value::Object(fields)) => {
                let first = raw.offset(&self.text);
                return Some(Placed {
                    line,
                    bytes: place(&self.text, self.mark, first, first + raw.get().len()),
                    raw: raw.get(),
                    fields,
                });
            }
            Ok(_) => "the item is no object",
            Err(_) => {
                "the item cannot be read; it nests too deep, is no JSON or holds half a character"
            }
        };
        parsed.reject(Reject::at(self.path, line, why));
        None
    }
}

impl<'t> Lists<'t> {
    fn find(&mut self, text: &'t str, keys: &[&str], depth: usize) {
        if let Some(found) = json::elements(text) {
            self.items = found.whole;
            self.ends(found.cut, found.after);
            return;
        }
        let Some(found) = json::members(text) else {
            let whole = json::whole(text);
            self.faults.push((
                whole,
                "the file is no JSON: it begins with neither a list nor an object".to_owned(),
            ));
            return;
        };
        let fields = found.whole;
        if let Some(relations) = fields
            .get("relations")
            .and_then(|raw| json::elements(raw.get()))
        {
            self.relations = relations.whole;
            self.ends(relations.cut, json::whole(""));
        }
        let wrapped = keys.iter().chain(&["result"]).find_map(|key| {
            let inner = fields.get(*key)?;
            let fits = inner.get().starts_with('[') || depth < WRAPPED;
            (fits && inner.get().starts_with(['{', '['])).then_some(*inner)
        });
        match wrapped {
            Some(inner) => self.find(inner.get(), keys, depth + 1),
            None if fields.is_empty() && found.cut.is_none() => {}
            None if depth == 0 && self.alone(text) => return,
            None => self.faults.push((
                json::whole(text),
                format!("the file holds none of the lists {}", keys.join(", ")),
            )),
        }
        if self.faults.is_empty() {
            self.ends(found.cut, found.after);
        }
    }

    /// Takes items that stand in no list: one a line, or a single one. Returns
    /// whether there are any. A broken first line does not hide the others.
    fn alone(&mut self, text: &'t str) -> bool {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        if lines.clone().take(2).any(is_item) {
            self.items = lines.map(json::whole).collect();
        } else if is_item(text.trim()) {
            self.items = vec![json::whole(text.trim())];
        }
        !self.items.is_empty()
    }

    /// Says where a list or an object does not end as it should.
    fn ends(&mut self, cut: Option<Raw<'t>>, after: Raw<'t>) {
        if let Some(cut) = cut {
            self.faults.push((
                cut,
                "the file breaks off from here on; what came before is read".to_owned(),
            ));
        } else if !after.get().is_empty() {
            self.faults.push((
                after,
                "the document has ended before this, and nothing of it was read".to_owned(),
            ));
        }
    }
}

/// Returns whether a text is one whole item and nothing else.
fn is_item(text: &str) -> bool {
    json::members(text).is_some_and(|found| {
        let is_whole = found.cut.is_none() && found.after.get().is_empty();
        is_whole && OF_ITEMS.iter().any(|key| found.whole.contains_key(*key))
    })
}
