//! Doubts about memories.

use rusqlite::named_params;

use crate::error::Error;
use crate::ids;
use crate::sql::{Keys, visible};
use crate::views::{Append, Read};

/// A doubt to raise.
#[derive(Clone, Debug)]
pub struct NewDispute<'a> {
    /// Number of the doubtful memory.
    pub memory: i64,
    /// Number of the memory that it disagrees with.
    pub other: Option<i64>,
    /// Why it is doubted.
    pub reason: &'a str,
    /// What was seen.
    pub evidence: Option<&'a str>,
    /// Milliseconds since the epoch.
    pub at: i64,
}

/// A doubt that nobody has settled.
#[derive(Clone, Debug)]
pub struct Dispute {
    /// Its id.
    pub id: String,
    /// Number of the doubtful memory.
    pub memory: i64,
    /// Id of the memory that it disagrees with, if the caller may read that.
    pub other: Option<String>,
}

impl Read<'_> {
    /// Returns the pending disputes of the given memories.
    pub fn pending_disputes(&self, seqs: &[i64]) -> Result<Vec<Dispute>, Error> {
        self.list(
            concat!(
                "SELECT d.id, d.memory, ",
                "(SELECT o.id FROM memory o WHERE o.seq = d.other AND ",
                visible!("o"),
                ") ",
                "FROM json_each(:seqs) j JOIN memory m ON m.seq = j.value ",
                "JOIN dispute d ON d.memory = m.seq AND d.status = 'pending' ",
                "WHERE ",
                visible!("m")
            ),
            named_params! {":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key},
            |row| {
                Ok(Dispute {
                    id: row.get(0)?,
                    memory: row.get(1)?,
                    other: row.get(2)?,
                })
            },
        )
    }
}

impl Append<'_> {
    /// Raises a doubt about a memory that the caller may read, unless one is
    /// pending. Returns its id and whether it was there already.
    pub fn dispute(&mut self, new: &NewDispute<'_>) -> Result<(String, bool), Error> {
        if let Some(pending) = self.pending_disputes(&[new.memory])?.into_iter().next() {
            return Ok((pending.id, true));
        }
        let id = ids::fresh(ids::DISPUTE, new.at);
        self.run(
            "INSERT INTO dispute (id, memory, other, created_at, created_by, reason, evidence) \
             VALUES (:id, :memory, :other, :at, :me, :reason, :evidence)",
            named_params! {
                ":id": id, ":memory": new.memory, ":other": new.other, ":at": new.at,
                ":me": self.caller.key, ":reason": new.reason, ":evidence": new.evidence,
            },
        )?;
        Ok((id, false))
    }
}
