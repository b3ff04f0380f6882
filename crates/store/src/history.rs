//! What happened to a memory, step by step. Rows are only ever added.

use rusqlite::named_params;

use crate::error::Error;
use crate::sql::{visible, words};
use crate::views::{Append, Read};

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
}

words!(Event {
    Created = "created",
    Superseded = "superseded",
    Retired = "retired",
    Closed = "closed",
    Restored = "restored",
});

/// One step, with who, when and why.
#[derive(Clone, Debug)]
pub struct HistoryRow {
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
}

impl Read<'_> {
    /// Returns the steps of a memory that the caller may read, oldest first.
    pub fn history(&self, id: &str) -> Result<Vec<HistoryRow>, Error> {
        self.list(
            concat!(
                "SELECT h.event, h.at, a.handle, ",
                "(SELECT o.id FROM memory o WHERE o.seq = h.other AND ",
                visible!("o"),
                "), h.reason ",
                "FROM memory m JOIN history h ON h.memory = m.seq JOIN account a ON a.key = h.by ",
                "WHERE m.id = :id AND ",
                visible!("m"),
                " ORDER BY h.key"
            ),
            named_params! {":id": id, ":me": self.caller.key},
            |row| {
                Ok(HistoryRow {
                    event: row.get(0)?,
                    at: row.get(1)?,
                    by: row.get(2)?,
                    other: row.get(3)?,
                    reason: row.get(4)?,
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
}
