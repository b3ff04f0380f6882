//! Erases single memories: the row, and everything that repeats or was made of
//! its text.
//!
//! What others said about other things stays, and so do names that something
//! else still uses.

use rusqlite::named_params;

use super::ledger::{self, LedgerEntry};
use crate::error::Error;
use crate::sql::{Keys, served};
use crate::views::{Read, Traces, Write};

/// How many of each went with the memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErasedWith {
    /// Steps of history.
    pub history: i64,
    /// Links between memories.
    pub links: i64,
    /// Entities.
    pub entities: i64,
    /// Rules.
    pub rules: i64,
    /// Disputes.
    pub disputes: i64,
}

/// Every text that goes with memories: their own, and what was said of them.
const TEXTS: &str = "SELECT content FROM memory WHERE seq IN (SEQS) \
    UNION SELECT verbatim FROM memory WHERE seq IN (SEQS) \
    UNION SELECT retired_reason FROM memory WHERE seq IN (SEQS) \
    UNION SELECT resolution FROM memory WHERE seq IN (SEQS) \
    UNION SELECT source_path FROM memory WHERE seq IN (SEQS) \
    UNION SELECT reason FROM history WHERE memory IN (SEQS) \
    UNION SELECT text FROM rule WHERE memory IN (SEQS) \
    UNION SELECT reason FROM dispute WHERE memory IN (SEQS) \
    UNION SELECT evidence FROM dispute WHERE memory IN (SEQS)";

/// Disputes that go: about one of the memories alone, or with fewer than two
/// others.
const DISPUTES: &str = "SELECT key FROM dispute WHERE memory IN (SEQS) UNION \
    SELECT s.dispute FROM dispute_side s WHERE s.memory IN (SEQS) \
    AND (SELECT count(*) FROM dispute_side o WHERE o.dispute = s.dispute \
    AND o.memory NOT IN (SEQS)) < 2";

impl Read<'_> {
    /// Returns when the caller erased a memory, if that is so.
    pub fn erased_at(&self, id: &str) -> Result<Option<i64>, Error> {
        self.find(
            "SELECT max(at) FROM erasure WHERE what = 'memory' AND id = :id AND by = :by HAVING count(*) > 0",
            named_params! {":id": id, ":by": self.caller.id()},
            |row| row.get(0),
        )
    }

    /// Returns every text that goes with memories of the caller's.
    pub fn texts_that_go(&self, seqs: &[i64]) -> Result<Vec<String>, Error> {
        let texts = self.list(
            &with_seqs(TEXTS),
            named_params! {":seqs": Keys::of(seqs.iter().copied())},
            |row| row.get::<_, Option<String>>(0),
        )?;
        Ok(texts.into_iter().flatten().collect())
    }
}

impl Write<'_> {
    /// Erases memories of the caller's for ever, and notes it in the ledger.
    pub fn erase_memories(&mut self, seqs: &[i64], at: i64) -> Result<ErasedWith, Error> {
        let mine: i64 = self
            .find(
                &with_seqs("SELECT count(*) FROM memory WHERE seq IN (SEQS) AND owner = :me"),
                named_params! {
                    ":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key,
                },
                |row| row.get(0),
            )?
            .unwrap_or_default();
        if usize::try_from(mine).ok() != Some(seqs.len()) {
            return Err(Error::NotAllowed);
        }
        let ids: Vec<String> = self.list(
            &with_seqs("SELECT id FROM memory WHERE seq IN (SEQS)"),
            named_params! {":seqs": Keys::of(seqs.iter().copied())},
            |row| row.get(0),
        )?;
        let erased = self.take_out_for_ever(seqs, at)?;
        for id in ids {
            let entry = LedgerEntry {
                what: "memory".to_owned(),
                id,
                at,
                by: self.caller.id().to_owned(),
            };
            ledger::note(self.conn, &entry)?;
        }
        self.traces = Traces::Memories;
        Ok(erased)
    }

    /// The same without asking whose they are and without the ledger.
    pub(crate) fn take_out_for_ever(&mut self, seqs: &[i64], at: i64) -> Result<ErasedWith, Error> {
        let disputes = self.keys(DISPUTES, seqs)?;
        let rules = self.keys("SELECT key FROM rule WHERE memory IN (SEQS)", seqs)?;
        let entities = self.keys(
            "SELECT DISTINCT entity FROM anchor WHERE memory IN (SEQS)",
            seqs,
        )?;
        self.unindex_for_ever(seqs, at)?;
        self.of(seqs, "DELETE FROM dispute_side WHERE memory IN (SEQS)")?;
        self.of(
            &disputes,
            "DELETE FROM dispute_side WHERE dispute IN (SEQS)",
        )?;
        let n_disputes = self.of(&disputes, "DELETE FROM dispute WHERE key IN (SEQS)")?;
        self.of(
            &rules,
            "UPDATE rule SET replaced = NULL WHERE replaced IN (SEQS)",
        )?;
        let n_rules = self.of(&rules, "DELETE FROM rule WHERE key IN (SEQS)")?;
        let n_links = self.of(
            seqs,
            "DELETE FROM memory_link WHERE src IN (SEQS) OR dst IN (SEQS)",
        )?;
        self.of(seqs, "DELETE FROM anchor WHERE memory IN (SEQS)")?;
        // What is anchored or related otherwise is somebody's name still.
        let n_entities = self.of(
            &entities,
            "DELETE FROM entity WHERE key IN (SEQS) \
             AND NOT EXISTS (SELECT 1 FROM anchor a WHERE a.entity = entity.key) \
             AND NOT EXISTS (SELECT 1 FROM edge g WHERE g.src = entity.key OR g.dst = entity.key)",
        )?;
        let n_history = self.of(seqs, "DELETE FROM history WHERE memory IN (SEQS)")?;
        self.of(
            seqs,
            "UPDATE history SET other = NULL WHERE other IN (SEQS)",
        )?;
        self.of(
            seqs,
            "UPDATE memory SET superseded_by = NULL WHERE superseded_by IN (SEQS)",
        )?;
        self.of(seqs, "DELETE FROM memory WHERE seq IN (SEQS)")?;
        Ok(ErasedWith {
            history: n_history,
            links: n_links,
            entities: n_entities,
            rules: n_rules,
            disputes: n_disputes,
        })
    }

    /// Takes memories out of the full-text index, and their words out of what
    /// stands beside them.
    fn unindex_for_ever(&mut self, seqs: &[i64], at: i64) -> Result<(), Error> {
        let served = self.keys(
            concat!(
                "SELECT m.seq FROM memory m WHERE m.seq IN (SEQS) AND ",
                served!("m")
            ),
            seqs,
        )?;
        // What stands beside them is mended from live rows.
        self.run(
            &with_seqs(
                "UPDATE memory SET retired_at = :at, retired_by = owner \
                 WHERE seq IN (SEQS) AND retired_at IS NULL",
            ),
            named_params! {":at": at, ":seqs": Keys::of(seqs.iter().copied())},
        )?;
        for seq in served {
            self.unindex_memory(seq)?;
        }
        self.catch_up()?;
        // Deleted entries only leave the index when its segments are merged.
        self.run(
            "INSERT INTO memory_fts (memory_fts) VALUES ('optimize')",
            [],
        )?;
        Ok(())
    }

    /// Runs a statement about rows; returns how many it changed.
    fn of(&mut self, keys: &[i64], sql: &str) -> Result<i64, Error> {
        let n_changed = self.run(
            &with_seqs(sql),
            named_params! {":seqs": Keys::of(keys.iter().copied())},
        )?;
        Ok(i64::try_from(n_changed).unwrap_or(i64::MAX))
    }

    fn keys(&self, sql: &str, seqs: &[i64]) -> Result<Vec<i64>, Error> {
        self.list(
            &with_seqs(sql),
            named_params! {":seqs": Keys::of(seqs.iter().copied())},
            |row| row.get(0),
        )
    }
}

fn with_seqs(sql: &str) -> String {
    sql.replace("SEQS", "SELECT value FROM json_each(:seqs)")
}
