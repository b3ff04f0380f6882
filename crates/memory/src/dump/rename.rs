//! Makes the rows of an account of a dump those of the account that imports,
//! where a person said that the two are one.

use std::collections::{BTreeMap, HashMap};

use store::Caller;
use store::dump::Record;

/// Which accounts of a dump are the caller's.
pub(super) struct Rename {
    id: String,
    handle: String,
    map: BTreeMap<String, String>,
    /// Handles by id, of those that the map names.
    known: HashMap<String, String>,
}

impl Rename {
    /// `map` names accounts of the dump by id or handle, and says `me`.
    pub(super) fn new(me: &Caller, map: &BTreeMap<String, String>) -> Self {
        Self {
            id: me.id().to_owned(),
            handle: me.handle().to_owned(),
            map: map.clone(),
            known: HashMap::new(),
        }
    }

    /// Returns a record as it is to be taken in; none for an account that is
    /// the caller's already.
    pub(super) fn apply(&mut self, mut record: Record) -> Option<Record> {
        if let Record::Account(account) = &record {
            let says = |name: &str| self.map.get(name).is_some_and(|place| place == "me");
            if says(&account.id) || says(&account.handle) {
                self.known
                    .insert(account.id.clone(), account.handle.clone());
                return None;
            }
        }
        if self.known.is_empty() {
            return Some(record);
        }
        match &mut record {
            Record::Account(_) => {}
            Record::Erasure(it) => self.account(&mut it.by),
            Record::Scope(it) => {
                self.account(&mut it.owner);
                self.path(&mut it.path);
            }
            Record::Member(it) => {
                self.account(&mut it.account);
                self.path(&mut it.scope);
            }
            Record::Binding(it) => {
                self.account(&mut it.owner);
                self.path(&mut it.scope);
            }
            Record::Entity(it) => {
                self.account(&mut it.created_by);
                self.path(&mut it.scope);
            }
            Record::Memory(it) => {
                self.account(&mut it.owner);
                self.path(&mut it.scope);
                it.retired_by.iter_mut().for_each(|id| self.account(id));
                it.closed_by.iter_mut().for_each(|id| self.account(id));
            }
            Record::History(it) => {
                self.account(&mut it.by);
                it.source.iter_mut().for_each(|path| self.path(path));
                it.target.iter_mut().for_each(|path| self.path(path));
            }
            Record::Link(it) => self.account(&mut it.created_by),
            Record::Anchor(it) => self.account(&mut it.created_by),
            Record::Edge(it) => self.account(&mut it.created_by),
            Record::Rule(it) => {
                self.account(&mut it.owner);
                self.path(&mut it.scope);
            }
            Record::Dispute(it) => {
                self.account(&mut it.created_by);
                it.settled_by.iter_mut().for_each(|id| self.account(id));
            }
        }
        Some(record)
    }

    fn account(&self, id: &mut String) {
        if self.known.contains_key(id) {
            self.id.clone_into(id);
        }
    }

    fn path(&self, path: &mut String) {
        let mut parts = path.splitn(3, '.');
        let (Some(root), Some(handle)) = (parts.next(), parts.next()) else {
            return;
        };
        if self.known.values().any(|known| known == handle) {
            let rest = parts
                .next()
                .map(|rest| format!(".{rest}"))
                .unwrap_or_default();
            *path = format!("{root}.{}{rest}", self.handle);
        }
    }
}
