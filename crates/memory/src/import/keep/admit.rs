//! What an item must be to be stored at all, and in what form it is.

use contract::types::Kind;
use store::{Origin, ScopeKind};

use super::{Keeping, Not};
use crate::clock::DAY_MS;
use crate::import::CONTENT_BYTES;
use crate::import::item::Item;
use crate::{scopes, secrets, text};

/// Bytes of what is kept of an item beside its text.
const NOTES_BYTES: usize = 16_384;
/// Words that a memory is filed under.
const N_TAGS: usize = 64;

impl Keeping<'_> {
    /// Passes an item through everything that can refuse it wherever it goes.
    pub(super) fn admit(&self, item: &Item) -> Result<(), Not> {
        let notes = serde_json::Value::Object(item.notes.clone()).to_string();
        let tags = item.tags.join(" ");
        let parts = [
            ("the text", item.content.as_str()),
            ("what else is kept of it", &notes),
            ("its title", item.title.as_deref().unwrap_or("-")),
            ("its author", item.author.as_deref().unwrap_or("-")),
            ("its phrase", item.verbatim.as_deref().unwrap_or("-")),
            ("its tags", if tags.is_empty() { "-" } else { &tags }),
            ("its path", &item.path),
            ("its id", item.name.as_deref().unwrap_or("-")),
            ("its user", item.user.as_deref().unwrap_or("-")),
        ];
        for (part, text) in parts {
            if let Some(found) = secrets::find(text) {
                return Err(Not::Rejected(format!(
                    "{part} holds what looks like a credential ({}); take it out at its source and say where it is kept instead",
                    found.format
                )));
            }
            if text.contains('\0') {
                return Err(Not::Rejected(format!(
                    "{part} holds U+0000, which no text may hold"
                )));
            }
        }
        if !text::has_visible(&item.content) {
            return Err(Not::Rejected(
                "it has no text that a person could see".to_owned(),
            ));
        }
        let n_bytes = item.content.trim().len();
        if n_bytes > CONTENT_BYTES {
            return Err(Not::Rejected(format!(
                "its text has {n_bytes} bytes, and a memory takes {CONTENT_BYTES}; split it at its source"
            )));
        }
        // Clocks of two machines differ; beyond a day a moment is a mistake.
        if item
            .created_at
            .is_some_and(|at| at > self.now.saturating_add(DAY_MS))
        {
            return Err(Not::Rejected(
                "it says that it was written in the future".to_owned(),
            ));
        }
        Ok(())
    }
}

/// Returns the kind that a scope takes in place of one that it does not. An
/// importer guesses kinds; what a person chose is never changed like this.
pub(super) fn fit(kind: Kind, scope: ScopeKind) -> Kind {
    match (scopes::misfit(scope, kind), scope, kind) {
        (None, ..) => kind,
        (Some(_), ScopeKind::Personal, Kind::Convention) => Kind::Preference,
        (Some(_), ..) => Kind::Fact,
    }
}

pub(super) fn origin(item: &Item, kind: Kind) -> Origin {
    let number = |byte: usize| i64::try_from(byte).unwrap_or(i64::MAX);
    let mut notes = item.notes.clone();
    let tags: Vec<String> = item.tags.iter().take(N_TAGS).cloned().collect();
    for (key, value) in [("title", item.title.clone()), ("user", item.user.clone())] {
        if let Some(value) = value {
            notes.insert(key.to_owned(), value.into());
        }
    }
    if !tags.is_empty() {
        notes.insert("tags".to_owned(), tags.into());
    }
    if let Some(stated) = item.kind.filter(|stated| *stated != kind) {
        notes.insert("kind".to_owned(), stated.to_string().into());
    }
    if item.is_candidate {
        notes.insert("rule_candidate".to_owned(), true.into());
    }
    let line = i64::try_from(item.line).unwrap_or(i64::MAX);
    notes.insert("line".to_owned(), line.into());
    let text = serde_json::Value::Object(notes).to_string();
    Origin {
        bytes: item.bytes.map(|(first, end)| (number(first), number(end))),
        updated_at: item.updated_at,
        expires_at: item.expires_at,
        name: item.name.clone(),
        author: item.author.clone(),
        notes: Some(if text.len() <= NOTES_BYTES {
            text
        } else {
            format!("{{\"line\":{line}}}")
        }),
    }
}
