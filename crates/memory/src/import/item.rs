//! What an importer makes of a source: items, what it could not read, and what
//! it left out on purpose.

use std::collections::BTreeMap;

use contract::types::Kind;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::digest;

/// Where an item belongs, as far as its source says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Belongs {
    /// The source does not say.
    #[default]
    Unsaid,
    /// It is about the person.
    Person,
    /// It is about the project.
    Project,
}

/// A memory as another program kept it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Path of its file, below the folder that is imported.
    pub path: String,
    /// Line that it starts in, from 1.
    pub line: usize,
    /// First byte in the file and the one after the last.
    pub bytes: Option<(usize, usize)>,
    /// SHA-256 of the raw item, in hex.
    pub hash: String,
    /// What names it in its source, if it keeps its name when it changes.
    pub name: Option<String>,
    /// Id of the memory of ours that it was exported from.
    pub own_id: Option<String>,
    /// Path of the scope of ours that it was exported from.
    pub scope: Option<String>,
    /// What sort of statement it is.
    pub kind: Option<Kind>,
    /// Where it belongs.
    pub belongs: Belongs,
    /// Whose it is there.
    pub user: Option<String>,
    /// The text.
    pub content: String,
    /// The phrase as it stood there, where the text says more.
    pub verbatim: Option<String>,
    /// Its heading or summary.
    pub title: Option<String>,
    /// Words that it is filed under.
    pub tags: Vec<String>,
    /// Whatever else stood there.
    pub notes: Map<String, Value>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Milliseconds since the epoch.
    pub created_at: Option<i64>,
    /// When it was last changed.
    pub updated_at: Option<i64>,
    /// When it ends.
    pub expires_at: Option<i64>,
    /// Names of what it is about.
    pub about: Vec<String>,
    /// What it is linked to: a relation and the other's name.
    pub links: Vec<(String, String)>,
    /// Names by which other items of the same source link to it.
    pub called: Vec<String>,
    /// Whether a person may want to make a rule of it.
    pub is_candidate: bool,
    /// Whether its source keeps it from others.
    pub is_private: bool,
}

impl Item {
    /// Returns how many bytes it takes, about.
    fn weight(&self) -> usize {
        let texts = [&self.verbatim, &self.title, &self.name, &self.author];
        let pairs = self
            .links
            .iter()
            .flat_map(|(relation, name)| [relation, name]);
        let lists = self.tags.iter().chain(&self.about).chain(&self.called);
        let words: usize = lists.chain(pairs).map(|word| word.len() + 64).sum();
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        let notes: usize = self
            .notes
            .iter()
            .map(|(key, value)| key.len() + 64 + weight(value))
            .sum();
        ITEM_BYTES + self.content.len() + self.path.len() + words + texts + notes
    }

    /// Returns an item with a text, its place and the hash of what is raw.
    pub fn new(path: &str, line: usize, bytes: Option<(usize, usize)>, raw: &[u8]) -> Self {
        Self {
            path: path.to_owned(),
            line,
            bytes,
            hash: hash(raw),
            ..Self::default()
        }
    }

    /// Keeps something that has no field of its own, if it is there.
    pub fn note(&mut self, key: &str, value: impl Into<Value>) {
        let value = value.into();
        if !value.is_null() {
            self.notes.insert(key.to_owned(), value);
        }
    }
}

/// Returns the SHA-256 of bytes in hex.
pub fn hash(raw: &[u8]) -> String {
    let bytes: [u8; 32] = Sha256::digest(raw).into();
    digest::hex(&bytes)
}

/// Returns how many bytes a value takes, about.
fn weight(value: &Value) -> usize {
    let inner: usize = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| key.len() + 64 + weight(value))
            .sum(),
    };
    inner + 32
}

/// What could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reject {
    /// Path of the file, below what is imported.
    pub path: String,
    /// Line, from 1; none where the whole file is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong and what to do. Never what stands there.
    pub why: String,
}

impl Reject {
    /// Returns a rejection of what starts in a line.
    pub fn at(path: &str, line: usize, why: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: Some(line),
            why: why.into(),
        }
    }

    /// Returns a rejection of a whole file.
    pub fn whole(path: &str, why: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            why: why.into(),
        }
    }
}

/// A relation between two things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Name of the thing that it starts from.
    pub from: String,
    /// What it says.
    pub relation: String,
    /// Name of the thing that it points to.
    pub to: String,
}

/// What an importer made of a source.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// Memories, in the order in which they are to be stored.
    pub items: Vec<Item>,
    /// Things that are named without a memory about them.
    pub things: Vec<String>,
    /// Relations between things.
    pub relations: Vec<Relation>,
    /// Names of what was read with all its parts: a part that is not among
    /// the items is gone.
    pub wholes: Vec<String>,
    /// What could not be read.
    pub rejects: Vec<Reject>,
    /// What was left out on purpose, by the reason.
    pub skipped: BTreeMap<String, usize>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// Bytes that all of it takes, about.
    held: usize,
    /// Size of the file that it comes from, if it is one.
    source: Option<usize>,
}

/// Bytes that everything that was read may take.
const HELD_BYTES: usize = 512 << 20;

/// What one file may come to, as a multiple of its size: one may repeat a
/// heading or a field in each of its items, and so come to a thousand times.
const TIMES: usize = 32;

/// What a small file may come to beside that.
const SPARE_BYTES: usize = 32 << 20;

/// Bytes that an item takes beside its texts, about.
const ITEM_BYTES: usize = 1_024;

/// Bytes that a rejection takes, about.
const REJECT_BYTES: usize = 256;

impl Parsed {
    /// Returns what nothing was read into yet, of a file of a size.
    pub fn of(n_bytes: usize) -> Self {
        Self {
            source: Some(n_bytes),
            ..Self::default()
        }
    }

    /// Adds an item, unless that is more than can be held.
    pub fn add(&mut self, item: Item) {
        if self.is_full() {
            return;
        }
        self.held = self.held.saturating_add(item.weight());
        if self.is_full() {
            self.rejects.push(Reject::at(
                &item.path,
                item.line,
                "from here on nothing was read: with all that is said of each of its items, it takes more than files of its size do, or more than 512 MiB; import it in parts",
            ));
        } else {
            self.items.push(item);
        }
    }

    /// Adds a rejection, unless that is more than can be held.
    pub fn reject(&mut self, reject: Reject) {
        if !self.is_full() {
            self.held = self.held.saturating_add(REJECT_BYTES);
            self.rejects.push(reject);
        }
    }

    /// Returns whether nothing more is taken.
    pub fn is_full(&self) -> bool {
        let most = self.source.map_or(HELD_BYTES, |n_bytes| {
            n_bytes
                .saturating_mul(TIMES)
                .saturating_add(SPARE_BYTES)
                .min(HELD_BYTES)
        });
        self.held > most
    }

    /// Counts something that was left out on purpose.
    pub fn skip(&mut self, why: &str) {
        *self.skipped.entry(why.to_owned()).or_default() += 1;
    }

    /// Adds what another importer made.
    pub fn extend(&mut self, other: Self) {
        for item in other.items {
            self.add(item);
        }
        self.things.extend(other.things);
        self.relations.extend(other.relations);
        // Items of it may have found no room.
        if !self.is_full() {
            self.wholes.extend(other.wholes);
        }
        // What made the other one stop is told in any case.
        self.held = self
            .held
            .saturating_add(other.rejects.len().saturating_mul(REJECT_BYTES));
        self.rejects.extend(other.rejects);
        for (why, n) in other.skipped {
            *self.skipped.entry(why).or_default() += n;
        }
        self.notes.extend(other.notes);
    }
}

/// Returns a relation as the word that links and relations are stored under:
/// letters, digits and `_`. A credential is no word.
pub fn relation_word(text: &str) -> String {
    if crate::secrets::find(text).is_some() {
        return "relates_to".to_owned();
    }
    let mut word = String::new();
    for c in crate::text::fold(text).chars() {
        if c.is_ascii_alphanumeric() {
            word.push(c);
        } else if !word.is_empty() && !word.ends_with('_') {
            word.push('_');
        }
    }
    word.truncate(64);
    let word = word.trim_end_matches('_');
    if word.starts_with(|c: char| c.is_ascii_lowercase()) {
        word.to_owned()
    } else {
        "relates_to".to_owned()
    }
}

/// Finds the line of a byte.
pub struct Lines(Vec<usize>);

impl Lines {
    /// Looks at a text once.
    pub fn of(bytes: &[u8]) -> Self {
        let ends = bytes.iter().enumerate();
        Self(
            ends.filter(|(_, byte)| **byte == b'\n')
                .map(|(index, _)| index)
                .collect(),
        )
    }

    /// Returns the line of a byte, from 1.
    pub fn line(&self, byte: usize) -> usize {
        self.0.partition_point(|end| *end < byte) + 1
    }
}

/// Returns a place in a file by one in its text; none where bytes that are no
/// UTF-8 were replaced, for then the two differ.
#[expect(clippy::ptr_arg, reason = "whether it is borrowed tells the two apart")]
pub fn place(
    text: &std::borrow::Cow<'_, str>,
    mark: usize,
    first: usize,
    end: usize,
) -> Option<(usize, usize)> {
    let is_as_it_was = matches!(text, std::borrow::Cow::Borrowed(_));
    is_as_it_was.then_some((first + mark, end + mark))
}

/// Returns a text without the mark that some editors put in front, and how
/// many bytes that took. What is no UTF-8 is replaced.
pub fn text(bytes: &[u8]) -> (std::borrow::Cow<'_, str>, usize) {
    let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    (String::from_utf8_lossy(rest), bytes.len() - rest.len())
}
