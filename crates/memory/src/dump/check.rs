//! What a record of a dump must be before the store looks at it: its ids are
//! ids, its moments lie in time, its texts pass the guard that every other
//! text passes.

use store::Refusal;
use store::dump::Record;

use crate::clock::DAY_MS;
use crate::import::CONTENT_BYTES;
use crate::write_path::name_key;
use crate::{secrets, text};

/// Bytes of names, paths and other short texts.
const SHORT: usize = 1_024;
/// Bytes of reasons, rules and what else is written in sentences.
const LONG: usize = 65_536;
/// Digits of an id behind its prefix.
const ULID_LENGTH: usize = 26;

/// Returns of which sort a record is.
pub(super) fn sort(record: &Record) -> &'static str {
    match record {
        Record::Account(_) => "account",
        Record::Erasure(_) => "erasure",
        Record::Scope(_) => "scope",
        Record::Member(_) => "member",
        Record::Binding(_) => "binding",
        Record::Entity(_) => "entity",
        Record::Memory(_) => "memory",
        Record::History(_) => "history",
        Record::Link(_) => "link",
        Record::Anchor(_) => "anchor",
        Record::Edge(_) => "edge",
        Record::Rule(_) => "rule",
        Record::Dispute(_) => "dispute",
    }
}

/// Returns the memories and entities without which a record says nothing.
pub(super) fn refers_to(record: &Record) -> Vec<&str> {
    match record {
        Record::Account(_)
        | Record::Erasure(_)
        | Record::Scope(_)
        | Record::Member(_)
        | Record::Binding(_)
        | Record::Entity(_)
        | Record::Memory(_) => Vec::new(),
        Record::History(it) => vec![&it.memory],
        Record::Link(it) => vec![&it.src, &it.dst],
        Record::Anchor(it) => vec![&it.memory, &it.entity],
        Record::Edge(it) => vec![&it.src, &it.dst],
        Record::Rule(it) => it.memory.iter().map(String::as_str).collect(),
        Record::Dispute(it) => it.sides.iter().map(|side| side.memory.as_str()).collect(),
    }
}

/// Returns why the store did not take a record.
pub(super) fn why(refusal: Refusal) -> String {
    match refusal {
        Refusal::SomebodyElses => "it is another account's, and a folder in use takes only your own rows; if that account is you, say so with --map".to_owned(),
        Refusal::Missing(what) => format!("it refers to a row of type {what} that is not there"),
        Refusal::Taken(what) => format!("another row has its {what}"),
        Refusal::Erased => "it was erased for ever, and stays away".to_owned(),
        Refusal::Double => "a memory with this text is there".to_owned(),
        Refusal::Inconsistent(what) => what.to_owned(),
        Refusal::Broken => "a word or a combination of fields in it is none that is known".to_owned(),
    }
}

struct Check {
    latest: i64,
    why: Option<String>,
}

impl Check {
    fn say(&mut self, why: impl Into<String>) {
        self.why.get_or_insert(why.into());
    }

    fn id(&mut self, prefix: &str, id: &str) {
        let fits = id.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() == ULID_LENGTH
                && rest.bytes().all(|byte| {
                    byte.is_ascii_digit() || (byte.is_ascii_lowercase() && !b"ilou".contains(&byte))
                })
        });
        if !fits {
            self.say(format!(
                "an id is none: it should be {prefix} and {ULID_LENGTH} digits of base 32"
            ));
        }
    }

    fn ids<'t>(&mut self, prefix: &str, ids: impl IntoIterator<Item = &'t String>) {
        ids.into_iter().for_each(|id| self.id(prefix, id));
    }

    /// A moment that is not in the future.
    fn at(&mut self, moment: i64) {
        if !(0..=self.latest).contains(&moment) {
            self.say("a moment lies before 1970 or in the future");
        }
    }

    fn text(&mut self, what: &str, text: &str, limit: usize) {
        if text.len() > limit {
            self.say(format!(
                "{what} has {} bytes, and {limit} are taken",
                text.len()
            ));
        } else if text.contains('\0') {
            self.say(format!("{what} holds U+0000, which no text may hold"));
        } else if let Some(found) = secrets::find(text) {
            self.say(format!(
                "{what} holds what looks like a credential ({})",
                found.format
            ));
        }
    }

    fn seen(&mut self, what: &str, text: &str, limit: usize) {
        if !text::has_visible(text) {
            self.say(format!("{what} shows nothing"));
        }
        self.text(what, text, limit);
    }

    fn texts<'t>(&mut self, what: &str, texts: impl IntoIterator<Item = &'t String>, limit: usize) {
        texts
            .into_iter()
            .for_each(|text| self.text(what, text, limit));
    }

    fn relation(&mut self, word: &str) {
        let fits = word.len() <= 64
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !fits {
            self.say("a relation is no word of a to z, 0 to 9 and _");
        }
    }
}

/// Returns why a record may not be taken in, if it may not.
pub(super) fn check(record: &Record, now: i64) -> Result<(), String> {
    let mut check = Check {
        latest: now.saturating_add(DAY_MS),
        why: None,
    };
    look(record, &mut check);
    check.why.map_or(Ok(()), Err)
}

fn look(record: &Record, check: &mut Check) {
    use store::ids::{DISPUTE, EDGE, ENTITY, MEMORY, RULE, USER};
    match record {
        Record::Account(it) => {
            check.id(USER, &it.id);
            check.text("its handle", &it.handle, SHORT);
            check.at(it.created_at);
            it.erased_at.into_iter().for_each(|at| check.at(at));
        }
        Record::Erasure(it) => {
            let prefix = if it.what == "account" { USER } else { MEMORY };
            check.id(prefix, &it.id);
            check.id(USER, &it.by);
            check.at(it.at);
        }
        Record::Scope(it) => {
            check.text("its path", &it.path, 256);
            check.id(USER, &it.owner);
            check.at(it.created_at);
            check.texts("a name of it", &it.names, SHORT);
        }
        Record::Member(it) => {
            check.id(USER, &it.account);
            check.at(it.added_at);
        }
        Record::Binding(it) => {
            check.id(USER, &it.owner);
            check.seen("its key", &it.key, 4_096);
            check.at(it.bound_at);
        }
        Record::Entity(it) => {
            check.id(ENTITY, &it.id);
            check.id(USER, &it.created_by);
            check.seen("its name", &it.name, SHORT);
            if it.name_key != name_key(&it.name) {
                check.say("its normalised name is not that of its name");
            }
            check.at(it.created_at);
        }
        Record::Memory(it) => {
            check.id(MEMORY, &it.id);
            check.ids(
                USER,
                [&it.owner]
                    .into_iter()
                    .chain(&it.retired_by)
                    .chain(&it.closed_by),
            );
            check.ids(MEMORY, &it.superseded_by);
            check.at(it.created_at);
            it.retired_at
                .iter()
                .chain(&it.closed_at)
                .for_each(|at| check.at(*at));
            check.seen("its text", &it.content, CONTENT_BYTES);
            for (what, text) in [
                ("its agent", &it.agent),
                ("its thread", &it.thread),
                ("its client", &it.client),
                ("its source tool", &it.source_tool),
                ("its source path", &it.source_path),
                ("its source hash", &it.source_hash),
            ] {
                check.texts(what, text, 4_096);
            }
            check.texts("its phrase", &it.verbatim, LONG);
            check.texts(
                "a reason",
                it.retired_reason.iter().chain(&it.resolution),
                LONG,
            );
            if let Some(origin) = &it.origin {
                check.texts(
                    "what is kept of its source",
                    origin
                        .notes
                        .iter()
                        .chain(&origin.name)
                        .chain(&origin.author),
                    LONG,
                );
            }
        }
        Record::History(it) => {
            check.id(MEMORY, &it.memory);
            check.ids(MEMORY, &it.other);
            check.id(USER, &it.by);
            check.at(it.at);
            check.texts("a reason", &it.reason, LONG);
        }
        Record::Link(it) => {
            check.ids(MEMORY, [&it.src, &it.dst]);
            check.id(USER, &it.created_by);
            check.relation(&it.link);
            check.at(it.created_at);
        }
        Record::Anchor(it) => {
            check.id(MEMORY, &it.memory);
            check.id(ENTITY, &it.entity);
            check.id(USER, &it.created_by);
            check.at(it.created_at);
        }
        Record::Edge(it) => {
            check.id(EDGE, &it.id);
            check.ids(ENTITY, [&it.src, &it.dst]);
            check.id(USER, &it.created_by);
            check.relation(&it.relation);
            check.at(it.created_at);
        }
        Record::Rule(it) => {
            check.id(RULE, &it.id);
            check.id(USER, &it.owner);
            check.ids(MEMORY, &it.memory);
            check.ids(RULE, &it.replaced);
            check.seen("its text", &it.text, LONG);
            check.at(it.created_at);
            it.retired_at.into_iter().for_each(|at| check.at(at));
        }
        Record::Dispute(it) => {
            check.id(DISPUTE, &it.id);
            check.ids(
                MEMORY,
                it.memory
                    .iter()
                    .chain(it.sides.iter().map(|side| &side.memory)),
            );
            check.ids(USER, [&it.created_by].into_iter().chain(&it.settled_by));
            check.seen("its reason", &it.reason, LONG);
            check.texts("its evidence", &it.evidence, LONG);
            check.at(it.created_at);
            it.settled_at.into_iter().for_each(|at| check.at(at));
        }
    }
}
