//! Erases an account: every row of its own, and every trace of their texts.
//! Single memories are erased in `erase/memories.rs`, and what was erased is
//! kept in mind by `erase/ledger.rs`.
//!
//! What others keep stays as it is, and still says who did what to it. So the
//! row of the account stays too, without anything else: its handle is taken for
//! ever. The account that was made first is the owner of the folder; it goes on
//! with its two scopes, empty.

mod ledger;
mod memories;
mod traces;

use rusqlite::named_params;

pub use ledger::{LEDGER_FILE, Ledger, LedgerEntry, extend};
pub(crate) use ledger::{entries, replay};
pub use memories::ErasedWith;
pub use traces::{DataFile, data_files};

use crate::error::Error;
use crate::index;
use crate::postponed::Change;
use crate::sql::served;
use crate::views::{Read, Traces, Write};

/// How many of each were erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erased {
    /// Memories.
    pub memories: i64,
    /// Projects and teams.
    pub scopes: i64,
    /// Entities.
    pub entities: i64,
    /// Links between memories, and relations between entities.
    pub links: i64,
    /// Rules.
    pub rules: i64,
    /// Disputes.
    pub disputes: i64,
}

impl Erased {
    fn is_something(&self) -> bool {
        let Self {
            memories,
            scopes,
            entities,
            links,
            rules,
            disputes,
        } = self;
        [memories, scopes, entities, links, rules, disputes]
            .iter()
            .any(|n| **n != 0)
    }
}

/// Memories of the caller's.
const OWN: &str = "SELECT seq FROM memory WHERE owner = :me";

/// Scopes of the caller's that go: all but the two of the folder's owner, and
/// those in which others keep something, as they may have in an old backup.
const GOING: &str = "SELECT key FROM scope WHERE owner = :me AND (kind IN ('project', 'team') \
                     OR :me <> (SELECT min(key) FROM account)) \
                     AND NOT EXISTS (SELECT 1 FROM memory om WHERE om.scope = scope.key AND om.owner <> :me) \
                     AND NOT EXISTS (SELECT 1 FROM rule orl WHERE orl.scope = scope.key AND orl.owner <> :me)";

impl Read<'_> {
    /// Returns the paths of the caller's scopes in which others keep memories
    /// or rules.
    pub fn scopes_others_use(&self) -> Result<Vec<String>, Error> {
        self.list(
            "SELECT s.path FROM scope s WHERE s.owner = :me AND (\
             EXISTS (SELECT 1 FROM memory m WHERE m.scope = s.key AND m.owner <> :me) OR \
             EXISTS (SELECT 1 FROM rule r WHERE r.scope = s.key AND r.owner <> :me)) \
             ORDER BY s.path",
            named_params! {":me": self.caller.key},
            |row| row.get(0),
        )
    }
}

impl Write<'_> {
    /// Erases everything of the caller's. Nobody else keeps anything in the
    /// caller's scopes; the caller of this has checked it.
    pub fn erase_account(&mut self, at: i64) -> Result<Erased, Error> {
        self.traces = Traces::Account;
        self.erase_index(at)?;
        let disputes = self.each(&[
            // A dispute goes with who raised it, and with what it was about.
            "DELETE FROM dispute_side WHERE memory IN (OWN) OR dispute IN \
             (SELECT key FROM dispute WHERE created_by = :me OR memory IN (OWN))",
            "DELETE FROM dispute_side WHERE dispute IN (SELECT d.key FROM dispute d WHERE d.cause <> 'challenge' \
             AND (SELECT count(*) FROM dispute_side s WHERE s.dispute = d.key) = 1)",
            "DELETE FROM dispute WHERE NOT EXISTS (SELECT 1 FROM dispute_side s WHERE s.dispute = dispute.key)",
        ])?;
        let rules = self.each(&[
            "UPDATE rule SET memory = NULL WHERE memory IN (OWN)",
            "UPDATE rule SET replaced = NULL WHERE replaced IN (SELECT key FROM rule WHERE owner = :me)",
            "DELETE FROM rule WHERE owner = :me OR scope IN (GOING)",
        ])?;
        let n_links = self.each(&[
            "DELETE FROM memory_link WHERE created_by = :me OR src IN (OWN) OR dst IN (OWN)",
        ])?;
        let n_edges = self.each(&[
            "DELETE FROM edge WHERE created_by = :me OR src IN (SELECT key FROM entity WHERE scope IN (GOING)) \
             OR dst IN (SELECT key FROM entity WHERE scope IN (GOING))",
        ])?;
        let entities = self.each(&[
            "DELETE FROM anchor WHERE created_by = :me OR memory IN (OWN) \
             OR entity IN (SELECT key FROM entity WHERE scope IN (GOING))",
            "DELETE FROM entity WHERE scope IN (GOING) OR (created_by = :me \
             AND NOT EXISTS (SELECT 1 FROM anchor a WHERE a.entity = entity.key) \
             AND NOT EXISTS (SELECT 1 FROM edge g WHERE g.src = entity.key OR g.dst = entity.key))",
        ])?;
        let memories = self.each(&[
            "DELETE FROM history WHERE memory IN (OWN) OR source IN (GOING) OR target IN (GOING)",
            "UPDATE history SET other = NULL WHERE other IN (OWN)",
            "UPDATE memory SET superseded_by = NULL WHERE superseded_by IN (OWN)",
            "DELETE FROM origin WHERE owner = :me",
            "DELETE FROM memory WHERE owner = :me",
        ])?;
        let scopes = self.each(&[
            "DELETE FROM partition WHERE owner = :me OR scope IN (GOING)",
            "DELETE FROM member WHERE account = :me OR scope IN (SELECT key FROM scope WHERE owner = :me)",
            "UPDATE scope SET default_visibility = 'private' WHERE owner = :me AND default_visibility <> 'private'",
            "DELETE FROM scope_alias WHERE scope IN (GOING)",
            "DELETE FROM hint_binding WHERE owner = :me OR scope IN (GOING)",
            "DELETE FROM scope WHERE key IN (GOING)",
        ])?;
        // The owner of the folder goes on.
        self.run(
            "UPDATE account SET erased_at = :at WHERE key = :me \
             AND key <> (SELECT min(key) FROM account)",
            named_params! {":at": at, ":me": self.caller.key},
        )?;
        let erased = Erased {
            memories,
            scopes,
            entities,
            links: n_links + n_edges,
            rules,
            disputes,
        };
        // A second call that finds nothing leaves nothing behind either.
        if erased.is_something() {
            let id = self.caller.id().to_owned();
            let entry = LedgerEntry {
                what: "account".to_owned(),
                by: id.clone(),
                id,
                at,
            };
            ledger::note(self.conn, &entry)?;
        }
        Ok(erased)
    }

    /// Takes every memory of the caller's out of the full-text index, and
    /// their words out of what stands beside them.
    fn erase_index(&mut self, at: i64) -> Result<(), Error> {
        let rows = self.list(
            concat!(
                "SELECT m.seq, m.partition, m.n_tokens, m.visibility = 'shared' ",
                "FROM memory m WHERE m.owner = :me AND ",
                served!("m")
            ),
            named_params! {":me": self.caller.key},
            |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get::<_, bool>(3)?,
                ))
            },
        )?;
        // What stands beside them is mended from live rows.
        self.run(
            "UPDATE memory SET retired_at = :at, retired_by = :me \
             WHERE owner = :me AND retired_at IS NULL",
            named_params! {":at": at, ":me": self.caller.key},
        )?;
        for (seq, partition, n_tokens, is_shared) in rows {
            if is_shared {
                self.unindex_memory(seq)?;
            } else {
                // The whole partition goes, so nothing is left beside it.
                self.change(Change::Remove {
                    entry: index::entry(partition, seq, n_tokens),
                })?;
            }
        }
        self.catch_up()?;
        // Deleted entries only leave the index when its segments are merged.
        self.run(
            "INSERT INTO memory_fts (memory_fts) VALUES ('optimize')",
            [],
        )?;
        Ok(())
    }

    /// Runs statements; returns how many rows the last one changed.
    fn each(&mut self, statements: &[&str]) -> Result<i64, Error> {
        let mut n_changed = 0;
        for sql in statements {
            let sql = sql.replace("(OWN)", &format!("({OWN})"));
            let sql = sql.replace("(GOING)", &format!("({GOING})"));
            let mut statement = self.conn.prepare(&sql)?;
            n_changed = if statement.parameter_count() > 0 {
                statement.execute(named_params! {":me": self.caller.key})?
            } else {
                statement.execute([])?
            };
        }
        Ok(i64::try_from(n_changed).unwrap_or(i64::MAX))
    }
}
