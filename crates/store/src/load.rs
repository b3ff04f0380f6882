//! Takes records of a dump in: all of them into a file that nobody used yet,
//! or those of one account into a file in use, where what is there stays as
//! it is.
//!
//! A record is untrusted: whatever it refers to is looked up, and what breaks
//! a rule of the tables is refused and leaves nothing. Only rows that the
//! account may write are added to a file in use.

mod graph;
mod people;
mod stop;

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, ErrorCode, named_params};

use stop::{Outcome, Stop, demand, missing};

use crate::accounts::Caller;
use crate::dump::{MemoryRecord, Record};
use crate::error::Error;
use crate::postponed::Postponed;
use crate::views::{Append, Read};
use crate::{Store, Tokenise};

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// It was added.
    Added,
    /// It was there.
    Present,
    /// It may not be added.
    Refused(Refusal),
}

/// Why a record was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is somebody else's than the account that takes records in.
    SomebodyElses,
    /// It refers to an account, a scope, a memory or the like that is not there.
    Missing(&'static str),
    /// Another row has what only one may have.
    Taken(&'static str),
    /// It was erased for ever.
    Erased,
    /// The account holds this text in this scope already.
    Double,
    /// Its parts do not go together.
    Inconsistent(&'static str),
    /// It breaks a rule of the tables.
    Broken,
}

/// Takes records in, inside one transaction.
pub struct Loader<'l> {
    conn: &'l Connection,
    postponed: &'l Postponed,
    tokenise: Tokenise,
    text_key: fn(&str) -> [u8; 32],
    /// The account whose records are taken; everybody's when there is none.
    only: Option<&'l Caller>,
    /// The account that an unused file was made with, until one of the dump
    /// takes its place.
    slot: Option<i64>,
    nobody: Caller,
    /// Entities of the dump that go by another id here.
    same: HashMap<String, String>,
}

fn added(n_changed: usize) -> Load {
    if n_changed > 0 {
        Load::Added
    } else {
        Load::Present
    }
}

impl Store {
    /// Returns whether nobody has kept anything in this file yet: one account
    /// at most, with its two scopes and nothing in them.
    pub fn is_unused(&self) -> Result<bool, Error> {
        self.readers.run(is_unused)
    }

    /// Returns the ids of all memories that were erased from this file.
    pub fn erased_memories(&self) -> Result<HashSet<String>, Error> {
        self.readers.run(|conn| {
            let mut statement = conn.prepare("SELECT id FROM erasure WHERE what = 'memory'")?;
            let ids = statement.query_map([], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
    }

    /// Runs `work` with a loader; `Ok` means that it is on disk. With no
    /// account, everybody's records are taken, into an unused file only.
    pub fn load<R, E: From<Error>>(
        &self,
        only: Option<&Caller>,
        text_key: fn(&str) -> [u8; 32],
        work: impl FnOnce(&mut Loader<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        self.writer()?.run(|conn, postponed| {
            if only.is_none() && !is_unused(conn)? {
                return Err(E::from(Error::NotAllowed));
            }
            if let Some(caller) = only {
                Read::new(conn, caller).admit()?;
            }
            let mut loader = Loader {
                conn,
                postponed,
                tokenise: self.tokenise,
                text_key,
                only,
                slot: first_account(conn)?,
                nobody: Caller::nobody(),
                same: HashMap::new(),
            };
            let result = work(&mut loader)?;
            if only.is_none() {
                loader.complete_accounts()?;
            }
            Ok(result)
        })
    }
}

fn first_account(conn: &Connection) -> Result<Option<i64>, Error> {
    Ok(conn.query_row("SELECT min(key) FROM account", [], |row| row.get(0))?)
}

fn is_unused(conn: &Connection) -> Result<bool, Error> {
    Ok(conn.query_row(
        "SELECT (SELECT count(*) FROM account) <= 1 \
         AND NOT EXISTS (SELECT 1 FROM scope WHERE kind IN ('project', 'team')) \
         AND NOT EXISTS (SELECT 1 FROM memory) AND NOT EXISTS (SELECT 1 FROM entity) \
         AND NOT EXISTS (SELECT 1 FROM rule) AND NOT EXISTS (SELECT 1 FROM account WHERE erased_at IS NOT NULL)",
        [],
        |row| row.get(0),
    )?)
}

impl Loader<'_> {
    /// Takes one record in, as a whole or not at all.
    pub fn add(&mut self, record: &Record) -> Result<Load, Error> {
        if self.postponed.is_much() {
            self.postponed.settle(self.conn)?;
        }
        let mark = self.postponed.mark();
        self.conn.execute_batch("SAVEPOINT record")?;
        let outcome = match record {
            Record::Account(record) => self.account(record),
            Record::Erasure(record) => self.erasure(record),
            Record::Scope(record) => self.scope(record),
            Record::Member(record) => self.member(record),
            Record::Binding(record) => self.binding(record),
            Record::Entity(record) => self.entity(record),
            Record::Memory(record) => self.memory(record),
            Record::History(record) => self.history(record),
            Record::Link(record) => self.link(record),
            Record::Anchor(record) => self.anchor(record),
            Record::Edge(record) => self.edge(record),
            Record::Rule(record) => self.rule(record),
            Record::Dispute(record) => self.dispute(record),
        };
        let refusal = match outcome {
            Ok(load) => {
                self.conn.execute_batch("RELEASE record")?;
                return Ok(load);
            }
            Err(Stop::Refused(refusal)) => refusal,
            Err(Stop::Failed(Error::Sqlite(cause)))
                if cause.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) =>
            {
                Refusal::Broken
            }
            Err(Stop::Failed(error)) => return Err(error),
        };
        self.conn
            .execute_batch("ROLLBACK TO record; RELEASE record")?;
        self.postponed.cut_to(mark);
        Ok(Load::Refused(refusal))
    }

    /// Says which memory took the place of one that was taken in, now that
    /// both are there. Returns false when it cannot be.
    pub fn succeed(&mut self, memory: &str, successor: &str) -> Result<bool, Error> {
        let n_changed = self.view().run(
            "UPDATE memory SET superseded_by = (SELECT seq FROM memory WHERE id = :successor) \
             WHERE id = :memory AND id <> :successor AND retired_at IS NOT NULL AND superseded_by IS NULL \
             AND (:me IS NULL OR owner = :me) AND EXISTS (SELECT 1 FROM memory WHERE id = :successor)",
            named_params! {":memory": memory, ":successor": successor, ":me": self.me()},
        )?;
        Ok(n_changed > 0)
    }

    /// The same for rules.
    pub fn replace(&mut self, rule: &str, successor: &str) -> Result<bool, Error> {
        let n_changed = self.view().run(
            "UPDATE rule SET replaced = (SELECT key FROM rule WHERE id = :successor) \
             WHERE id = :rule AND id <> :successor AND retired_at IS NOT NULL AND replaced IS NULL \
             AND (:me IS NULL OR owner = :me) AND EXISTS (SELECT 1 FROM rule WHERE id = :successor)",
            named_params! {":rule": rule, ":successor": successor, ":me": self.me()},
        )?;
        Ok(n_changed > 0)
    }

    fn me(&self) -> Option<i64> {
        self.only.map(|caller| caller.key)
    }

    fn view(&self) -> Read<'_> {
        Read::new(self.conn, &self.nobody)
    }

    /// Returns the key of an account, which must be the one that takes records
    /// in, if there is one.
    fn own(&self, id: &str) -> Result<i64, Stop> {
        if let Some(me) = self.only {
            demand(me.id() == id, Refusal::SomebodyElses)?;
        }
        self.known(id)
    }

    /// Returns the key of an account.
    fn known(&self, id: &str) -> Result<i64, Stop> {
        let found = self.view().find(
            "SELECT key FROM account WHERE id = :id",
            named_params! {":id": id},
            |row| row.get(0),
        )?;
        missing(found, "account")
    }

    fn known_if_any(&self, id: Option<&str>) -> Result<Option<i64>, Stop> {
        id.map(|id| self.known(id)).transpose()
    }

    /// Returns the number of a memory that may be referred to.
    fn memory_seq(&self, id: &str) -> Result<i64, Stop> {
        let found = self.view().find(
            concat!(
                "SELECT m.seq FROM memory m WHERE m.id = :id AND (:me IS NULL OR ",
                crate::sql::visible!("m"),
                ")"
            ),
            named_params! {":id": id, ":me": self.me()},
            |row| row.get(0),
        )?;
        missing(found, "memory")
    }

    /// Returns the number of a memory of the account's own.
    fn own_memory(&self, id: &str) -> Result<i64, Stop> {
        let seq = self.memory_seq(id)?;
        let found = self.view().find(
            "SELECT 1 FROM memory WHERE seq = :seq AND (:me IS NULL OR owner = :me)",
            named_params! {":seq": seq, ":me": self.me()},
            |_| Ok(()),
        )?;
        demand(found.is_some(), Refusal::SomebodyElses)?;
        Ok(seq)
    }

    /// Returns whether a row has an id already; `sql` finds whose it is, and
    /// it must be that of the record.
    fn is_there(&self, sql: &str, id: &str, whose: i64) -> Result<bool, Stop> {
        let there: Option<i64> = self
            .view()
            .find(sql, named_params! {":id": id}, |row| row.get(0))?;
        demand(
            there.is_none_or(|there| there == whose),
            Refusal::Taken("id"),
        )?;
        Ok(there.is_some())
    }

    fn memory(&mut self, record: &MemoryRecord) -> Outcome {
        let owner = self.own(&record.owner)?;
        if self.is_there("SELECT owner FROM memory WHERE id = :id", &record.id, owner)? {
            return Ok(Load::Present);
        }
        let erased = self.view().find(
            "SELECT 1 FROM erasure WHERE what = 'memory' AND id = :id",
            named_params! {":id": record.id},
            |_| Ok(()),
        )?;
        demand(erased.is_none(), Refusal::Erased)?;
        let scope = self.scope_named(&record.scope)?;
        if self.only.is_some() {
            demand(scope.writable, Refusal::SomebodyElses)?;
        }
        demand(
            record.visibility != "shared" || matches!(scope.kind.as_str(), "project" | "team"),
            Refusal::Inconsistent("a memory is shared where nobody else can be"),
        )?;
        demand(
            record.closed_at.is_none() || matches!(record.kind.as_str(), "task" | "open-question"),
            Refusal::Inconsistent("a memory that is no open loop was closed"),
        )?;
        demand(
            record.superseded_by.is_none() || record.retired_at.is_some(),
            Refusal::Inconsistent("a memory has a successor and was never retired"),
        )?;
        let text_key = (self.text_key)(&record.content);
        let is_served = record.retired_at.is_none() && record.closed_at.is_none();
        if is_served && self.only.is_some() {
            let double = self.view().find(
                "SELECT 1 FROM memory WHERE owner = :owner AND scope = :scope AND text_key = :text_key \
                 AND retired_at IS NULL AND closed_at IS NULL",
                named_params! {":owner": owner, ":scope": scope.key, ":text_key": text_key},
                |_| Ok(()),
            )?;
            demand(double.is_none(), Refusal::Double)?;
        }
        let visibility = match record.visibility.as_str() {
            "private" => crate::Visibility::Private,
            "shared" => crate::Visibility::Shared,
            _ => return Err(Stop::Refused(Refusal::Broken)),
        };
        let tokens = (self.tokenise)(&record.content);
        let as_owner = Caller::with_key(owner);
        let mut view = Append::new(self.conn, &as_owner, self.tokenise);
        view.postpone(self.postponed);
        let partition = view.partition(crate::ScopeKey(scope.key), visibility)?;
        view.run(
            "INSERT INTO memory (id, partition, scope, owner, visibility, kind, text_key, n_tokens, \
             created_at, author_kind, scope_source, thread, agent, client, source_tool, source_hash, \
             source_path, content, verbatim, retired_at, retired_by, retired_reason, closed_at, closed_by, \
             resolution) VALUES (:id, :partition, :scope, :owner, :visibility, :kind, :text_key, :n_tokens, \
             :created_at, :author_kind, :scope_source, :thread, :agent, :client, :source_tool, \
             :source_hash, :source_path, :content, :verbatim, :retired_at, :retired_by, :retired_reason, \
             :closed_at, :closed_by, :resolution)",
            named_params! {
                ":id": record.id, ":partition": partition, ":scope": scope.key, ":owner": owner,
                ":visibility": visibility, ":kind": record.kind, ":text_key": text_key,
                ":n_tokens": crate::index::count(&tokens), ":created_at": record.created_at,
                ":author_kind": record.author_kind, ":scope_source": record.scope_source,
                ":thread": record.thread, ":agent": record.agent, ":client": record.client,
                ":source_tool": record.source_tool, ":source_hash": record.source_hash,
                ":source_path": record.source_path, ":content": record.content,
                ":verbatim": record.verbatim, ":retired_at": record.retired_at,
                ":retired_by": self.known_if_any(record.retired_by.as_deref())?,
                ":retired_reason": record.retired_reason, ":closed_at": record.closed_at,
                ":closed_by": self.known_if_any(record.closed_by.as_deref())?,
                ":resolution": record.resolution,
            },
        )?;
        let seq = self.conn.last_insert_rowid();
        if let Some(origin) = &record.origin {
            view.run(
                "INSERT INTO origin (memory, owner, first_byte, end_byte, updated_at, expires_at, name, \
                 author, notes) VALUES (:memory, :owner, :first, :end, :updated_at, :expires_at, :name, \
                 :author, :notes)",
                named_params! {
                    ":memory": seq, ":owner": owner, ":first": origin.first_byte,
                    ":end": origin.end_byte, ":updated_at": origin.updated_at,
                    ":expires_at": origin.expires_at, ":name": origin.name,
                    ":author": origin.author, ":notes": origin.notes,
                },
            )?;
        }
        if is_served {
            view.index_memory(seq)?;
        }
        Ok(Load::Added)
    }
}
