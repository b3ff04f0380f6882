//! What happened to a memory, step by step. Rows are only ever added.
//!
//! What happened to a memory before it came to those who read it now is its
//! owner's alone: anyone else sees who stored it and what happened since it
//! was last shared or moved.

use rusqlite::named_params;

use crate::disputes::dispute_seen;
use crate::error::Error;
use crate::scopes::ScopeKey;
use crate::sql::{Keys, readable, visible, words};
use crate::views::{Append, Read};

/// Characters of a text that a [`VersionRow`] carries.
const VERSION_CHARACTERS: i64 = 1_000;

/// A step in the life of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was stored.
    Created,
    /// A successor took its place.
    Superseded,
    /// It was forgotten.
    Retired,
    /// The open loop ended.
    Closed,
    /// It came back.
    Restored,
    /// The members of a scope may read it from now on.
    Shared,
    /// It went to another scope.
    Moved,
    /// Somebody doubted it.
    Disputed,
    /// A doubt was settled.
    Settled,
}

words!(Event {
    Created = "created",
    Superseded = "superseded",
    Retired = "retired",
    Closed = "closed",
    Restored = "restored",
    Shared = "shared",
    Moved = "moved",
    Disputed = "disputed",
    Settled = "settled",
});

/// One step, with who, when and why.
#[derive(Clone, Debug)]
pub struct HistoryRow {
    /// Number of the memory.
    pub memory: i64,
    /// What happened.
    pub event: Event,
    /// Milliseconds since the epoch.
    pub at: i64,
    /// Handle of who did it.
    pub by: String,
    /// Id of the other memory in it, if the caller may read that one.
    pub other: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Path of the scope that it came from, if the caller may read that one.
    pub source: Option<String>,
    /// Path of the scope that it came to, likewise.
    pub target: Option<String>,
}

/// One memory of a row of successors.
#[derive(Clone, Debug)]
pub struct VersionRow {
    /// Names the row inside the store.
    pub seq: i64,
    /// Its name outside.
    pub id: String,
    /// What sort of statement it is.
    pub kind: String,
    /// Path of its scope.
    pub scope_path: String,
    /// Whether default reads serve it.
    pub served: bool,
    /// The first thousand characters of its text.
    pub content: String,
}

/// Where a memory came from and went to.
pub(crate) struct Journey {
    pub(crate) source: ScopeKey,
    pub(crate) target: ScopeKey,
}

impl Read<'_> {
    /// Returns what a memory superseded and what superseded it, at any
    /// remove, as far as the caller may read: oldest first, the newest ones if
    /// there are more than `limit`. Also what was restored since stays in it.
    pub fn versions(&self, seq: i64, limit: usize) -> Result<Vec<VersionRow>, Error> {
        let mut found = self.list(
            concat!(
                "WITH RECURSIVE chain (seq) AS (SELECT :seq UNION ",
                "SELECT m.seq FROM chain c JOIN (",
                "SELECT src AS of, dst AS other FROM memory_link WHERE type = 'supersedes' UNION ALL ",
                "SELECT dst AS of, src AS other FROM memory_link WHERE type = 'supersedes') l ",
                "ON l.of = c.seq JOIN memory m ON m.seq = l.other WHERE ",
                visible!("m"),
                ") SELECT m.seq, m.id, m.kind, s.path, m.retired_at IS NULL AND m.closed_at IS NULL, ",
                "substr(m.content, 1, :characters) FROM chain c JOIN memory m ON m.seq = c.seq ",
                "JOIN scope s ON s.key = m.scope WHERE ",
                visible!("m"),
                " ORDER BY m.seq DESC LIMIT :limit"
            ),
            named_params! {
                ":seq": seq, ":characters": VERSION_CHARACTERS, ":me": self.caller.key,
                ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
            },
            |row| {
                Ok(VersionRow {
                    seq: row.get(0)?,
                    id: row.get(1)?,
                    kind: row.get(2)?,
                    scope_path: row.get(3)?,
                    served: row.get(4)?,
                    content: row.get(5)?,
                })
            },
        )?;
        found.reverse();
        Ok(found)
    }

    /// Returns the steps of the given memories that the caller may see, oldest
    /// first.
    pub fn history(&self, seqs: &[i64]) -> Result<Vec<HistoryRow>, Error> {
        self.list(
            concat!(
                "SELECT m.seq, h.event, h.at, a.handle, ",
                "h.other, h.reason, ",
                "(SELECT s.path FROM scope s WHERE s.key = h.source AND ",
                readable!("s"),
                "), (SELECT s.path FROM scope s WHERE s.key = h.target AND ",
                readable!("s"),
                ") FROM json_each(:seqs) j JOIN memory m ON m.seq = j.value JOIN (",
                "SELECT e.memory, e.event, e.at, e.by, (SELECT o.id FROM memory o WHERE o.seq = e.other AND ",
                visible!("o"),
                ") AS other, e.reason, e.source, e.target, e.key AS step ",
                "FROM json_each(:seqs) j JOIN history e ON e.memory = j.value ",
                "UNION ALL SELECT w.memory, w.event, w.at, w.by, (SELECT o.id FROM dispute_side os ",
                "JOIN memory o ON o.seq = os.memory WHERE os.dispute = w.dispute ",
                "AND os.memory <> w.memory AND ",
                visible!("o"),
                " ORDER BY os.place LIMIT 1), w.reason, NULL, NULL, NULL FROM (",
                "SELECT ds.memory, d.key AS dispute, 'disputed' AS event, d.created_at AS at, ",
                "d.created_by AS by, d.reason FROM json_each(:seqs) j ",
                "JOIN dispute_side ds ON ds.memory = j.value JOIN dispute d ON d.key = ds.dispute ",
                "WHERE ",
                dispute_seen!(),
                " UNION ALL SELECT ds.memory, d.key, 'settled', d.settled_at, d.settled_by, d.decision ",
                "FROM json_each(:seqs) j JOIN dispute_side ds ON ds.memory = j.value ",
                "JOIN dispute d ON d.key = ds.dispute WHERE d.settled_at IS NOT NULL AND ",
                dispute_seen!(),
                ") w) h ON h.memory = m.seq ",
                "JOIN account a ON a.key = h.by WHERE ",
                visible!("m"),
                " AND (m.owner = :me OR h.event = 'created' OR coalesce(h.step >= (",
                "SELECT max(k.key) FROM history k WHERE k.memory = m.seq AND k.source IS NOT NULL), ",
                "h.at >= (SELECT max(k.at) FROM history k WHERE k.memory = m.seq ",
                "AND k.source IS NOT NULL), 1)) ",
                "ORDER BY h.at, h.step IS NULL, h.step"
            ),
            named_params! {":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key},
            |row| {
                Ok(HistoryRow {
                    memory: row.get(0)?,
                    event: row.get(1)?,
                    at: row.get(2)?,
                    by: row.get(3)?,
                    other: row.get(4)?,
                    reason: row.get(5)?,
                    source: row.get(6)?,
                    target: row.get(7)?,
                })
            },
        )
    }
}

impl Append<'_> {
    pub(crate) fn note(
        &mut self,
        memory: i64,
        event: Event,
        at: i64,
        other: Option<i64>,
        reason: Option<&str>,
    ) -> Result<(), Error> {
        self.run(
            "INSERT INTO history (memory, event, at, by, other, reason) \
             VALUES (:memory, :event, :at, :me, :other, :reason)",
            named_params! {
                ":memory": memory, ":event": event, ":at": at, ":me": self.caller.key,
                ":other": other, ":reason": reason,
            },
        )?;
        Ok(())
    }

    pub(crate) fn note_journey(
        &mut self,
        memory: i64,
        event: Event,
        at: i64,
        journey: &Journey,
    ) -> Result<(), Error> {
        self.run(
            "INSERT INTO history (memory, event, at, by, source, target) \
             VALUES (:memory, :event, :at, :me, :source, :target)",
            named_params! {
                ":memory": memory, ":event": event, ":at": at, ":me": self.caller.key,
                ":source": journey.source, ":target": journey.target,
            },
        )?;
        Ok(())
    }
}
