//! Doubts about memories: one that somebody challenged, or several that do not
//! go together.
//!
//! A challenge is seen by everyone who may read its memory. Any other dispute
//! is about at least two, and who may read fewer of them does not see it: a
//! memory that is hidden must not show itself by what it disagrees with.

use rusqlite::{Row, named_params};

use crate::error::Error;
use crate::ids;
use crate::scopes::Visibility;
use crate::sql::{Keys, served, visible, words};
use crate::views::{Append, Read, Write};

/// Why a dispute was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Somebody doubts a memory.
    Challenge,
    /// Several say nearly the same.
    NearDuplicate,
    /// Several cannot all be true.
    Contradiction,
}

words!(Cause {
    Challenge = "challenge",
    NearDuplicate = "near_duplicate",
    Contradiction = "contradiction",
});

/// Whether a dispute waits for a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeStatus {
    /// It waits.
    Pending,
    /// It was decided.
    Settled,
}

words!(DisputeStatus { Pending = "pending", Settled = "settled" });

/// A dispute to raise.
#[derive(Clone, Debug)]
pub struct NewDispute<'a> {
    /// Why.
    pub cause: Cause,
    /// Numbers of the memories it is about: a, b and so on. One for a
    /// challenge, at least two for anything else.
    pub sides: &'a [i64],
    /// Why, in words.
    pub reason: &'a str,
    /// What was seen.
    pub evidence: Option<&'a str>,
    /// Milliseconds since the epoch.
    pub at: i64,
}

/// A dispute that marks a memory.
#[derive(Clone, Debug)]
pub struct Dispute {
    /// Its id.
    pub id: String,
    /// Number of the doubtful memory.
    pub memory: i64,
    /// Id of another memory that it is about, if the caller may read one.
    pub other: Option<String>,
}

/// A whole dispute.
#[derive(Clone, Debug)]
pub struct DisputeRow {
    /// Rises with every dispute; names the row inside the store.
    pub key: i64,
    /// Its name outside.
    pub id: String,
    /// Why it was raised.
    pub cause: Cause,
    /// Whether it waits for a decision.
    pub status: DisputeStatus,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    /// Handle of who raised it.
    pub created_by: String,
    /// Whether that is the caller.
    pub raised: bool,
    /// When it was decided.
    pub settled_at: Option<i64>,
    /// Handle of who decided.
    pub settled_by: Option<String>,
    /// The decision: a word of the CHECK on the column.
    pub decision: Option<String>,
    /// Why it was raised, in words.
    pub reason: String,
    /// What was seen.
    pub evidence: Option<String>,
}

/// A memory that a dispute is about.
#[derive(Clone, Debug)]
pub struct SideRow {
    /// Number of the dispute.
    pub dispute: i64,
    /// Whether the decision took it out of default reads.
    pub retired: bool,
    /// Whether default reads serve it.
    pub live: bool,
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Path of its scope.
    pub scope_path: String,
    /// Who reads it.
    pub visibility: Visibility,
    /// Handle of its owner.
    pub owner: String,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    /// Its text, or the beginning.
    pub content: String,
}

/// True for a dispute row `d` that the caller may see.
macro_rules! dispute_seen {
    () => {
        concat!(
            "(SELECT count(*) FROM dispute_side ds JOIN memory dm ON dm.seq = ds.memory ",
            "WHERE ds.dispute = d.key AND ",
            visible!("dm"),
            ") >= iif(d.cause = 'challenge', 1, 2)"
        )
    };
}

pub(crate) use dispute_seen;

/// True for a dispute row `d` that waits for a decision and has none to wait
/// for: what it is about has left default reads. It comes back with it.
macro_rules! rests {
    () => {
        concat!(
            "(d.status = 'pending' AND (SELECT count(*) FROM dispute_side rs ",
            "JOIN memory rm ON rm.seq = rs.memory WHERE rs.dispute = d.key AND ",
            served!("rm"),
            " AND ",
            visible!("rm"),
            ") < iif(d.cause = 'challenge', 1, 2))"
        )
    };
}

macro_rules! select_dispute {
    () => {
        concat!(
            "SELECT d.key, d.id, d.cause, d.status, d.created_at, ra.handle, d.created_by = :me, ",
            "d.settled_at, sa.handle, d.decision, d.reason, d.evidence ",
            "FROM dispute d JOIN account ra ON ra.key = d.created_by ",
            "LEFT JOIN account sa ON sa.key = d.settled_by WHERE ",
            dispute_seen!()
        )
    };
}

fn dispute(row: &Row<'_>) -> rusqlite::Result<DisputeRow> {
    Ok(DisputeRow {
        key: row.get(0)?,
        id: row.get(1)?,
        cause: row.get(2)?,
        status: row.get(3)?,
        created_at: row.get(4)?,
        created_by: row.get(5)?,
        raised: row.get(6)?,
        settled_at: row.get(7)?,
        settled_by: row.get(8)?,
        decision: row.get(9)?,
        reason: row.get(10)?,
        evidence: row.get(11)?,
    })
}

impl Read<'_> {
    /// Returns the pending disputes that mark the given memories, a challenge
    /// before any other. One whose other memories have left default reads
    /// marks nothing any more.
    pub fn pending_disputes(&self, seqs: &[i64]) -> Result<Vec<Dispute>, Error> {
        self.list(
            concat!(
                "SELECT d.id, m.seq, ",
                "(SELECT o.id FROM dispute_side os JOIN memory o ON o.seq = os.memory ",
                "WHERE os.dispute = d.key AND o.seq <> m.seq AND ",
                served!("o"),
                " AND ",
                visible!("o"),
                " ORDER BY os.place LIMIT 1) AS other ",
                "FROM json_each(:seqs) j JOIN memory m ON m.seq = j.value ",
                "JOIN dispute_side s ON s.memory = m.seq ",
                "JOIN dispute d ON d.key = s.dispute AND d.status = 'pending' ",
                "WHERE ",
                visible!("m"),
                " AND (d.cause = 'challenge' OR other IS NOT NULL) ",
                "ORDER BY m.seq, d.cause <> 'challenge', d.key"
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

    /// Returns whether somebody reads one memory and not the other.
    pub fn is_hidden_from_readers_of(&self, other: i64, memory: i64) -> Result<bool, Error> {
        let found = self.find(
            concat!(
                "SELECT 1 FROM memory m JOIN memory o ON o.seq = :other JOIN account a ",
                "WHERE m.seq = :memory AND a.erased_at IS NULL AND ",
                visible!("m", "a.key"),
                " AND NOT ",
                visible!("o", "a.key"),
                " LIMIT 1"
            ),
            named_params! {":memory": memory, ":other": other},
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }

    /// Returns the dispute with an id.
    pub fn find_dispute(&self, id: &str) -> Result<Option<DisputeRow>, Error> {
        self.find(
            concat!(select_dispute!(), " AND d.id = :id"),
            named_params! {":id": id, ":me": self.caller.key},
            dispute,
        )
    }

    /// Returns disputes that were raised before the one with a number, newest
    /// first, without those that rest. `decision` is a word of the CHECK on the column.
    pub fn disputes(
        &self,
        status: Option<DisputeStatus>,
        decision: Option<&str>,
        before: i64,
        limit: i64,
    ) -> Result<Vec<DisputeRow>, Error> {
        self.list(
            concat!(
                select_dispute!(),
                " AND NOT ",
                rests!(),
                " AND d.key < :before AND (:status IS NULL OR d.status = :status) ",
                "AND (:decision IS NULL OR d.decision = :decision) ",
                "ORDER BY d.key DESC LIMIT :limit"
            ),
            named_params! {
                ":status": status, ":decision": decision, ":before": before, ":limit": limit,
                ":me": self.caller.key,
            },
            dispute,
        )
    }

    /// Returns what the given disputes are about, as far as the caller may
    /// read it: a, b and so on, with the beginnings of the texts.
    pub fn dispute_sides(
        &self,
        disputes: &[i64],
        n_characters: usize,
    ) -> Result<Vec<SideRow>, Error> {
        self.list(
            concat!(
                "SELECT ds.dispute, ds.retired, ",
                served!("m"),
                ", m.id, m.kind, s.path, m.visibility, ow.handle, m.created_at, ",
                "substr(m.content, 1, :characters) ",
                "FROM json_each(:disputes) j JOIN dispute_side ds ON ds.dispute = j.value ",
                "JOIN memory m ON m.seq = ds.memory JOIN scope s ON s.key = m.scope ",
                "JOIN account ow ON ow.key = m.owner WHERE ",
                visible!("m"),
                " ORDER BY ds.dispute, ds.place"
            ),
            named_params! {
                ":disputes": Keys::of(disputes.iter().copied()),
                ":characters": i64::try_from(n_characters).unwrap_or(i64::MAX),
                ":me": self.caller.key,
            },
            |row| {
                Ok(SideRow {
                    dispute: row.get(0)?,
                    retired: row.get(1)?,
                    live: row.get(2)?,
                    id: row.get(3)?,
                    kind: row.get(4)?,
                    scope_path: row.get(5)?,
                    visibility: row.get(6)?,
                    owner: row.get(7)?,
                    created_at: row.get(8)?,
                    content: row.get(9)?,
                })
            },
        )
    }
}

/// A memory in a dispute.
#[derive(Clone, Debug)]
pub struct Together {
    /// Number of the dispute.
    pub dispute: i64,
    /// Id of the dispute.
    pub id: String,
    /// Why it was raised.
    pub cause: Cause,
    /// Whether it waits for a decision.
    pub status: DisputeStatus,
    /// Number of the memory.
    pub memory: i64,
    /// Id of the memory.
    pub memory_id: String,
}

impl Read<'_> {
    /// Returns what the pending disputes that touch the given memories are
    /// about, and which of these were settled to stay side by side: oldest
    /// dispute first, newest memory first, as far as the caller may read it.
    pub fn disputed_together(&self, seqs: &[i64]) -> Result<Vec<Together>, Error> {
        self.list(
            concat!(
                "SELECT d.key, d.id, d.cause, d.status, m.seq, m.id FROM dispute d ",
                "JOIN dispute_side s ON s.dispute = d.key JOIN memory m ON m.seq = s.memory ",
                "WHERE d.key IN (SELECT t.dispute FROM json_each(:seqs) j ",
                "JOIN dispute_side t ON t.memory = j.value) ",
                "AND (d.status = 'pending' OR d.decision = 'keep_both') AND NOT ",
                rests!(),
                " AND ",
                dispute_seen!(),
                " AND ",
                served!("m"),
                " AND ",
                visible!("m"),
                " ORDER BY d.key, m.seq DESC"
            ),
            named_params! {":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key},
            |row| {
                Ok(Together {
                    dispute: row.get(0)?,
                    id: row.get(1)?,
                    cause: row.get(2)?,
                    status: row.get(3)?,
                    memory: row.get(4)?,
                    memory_id: row.get(5)?,
                })
            },
        )
    }
}

impl Append<'_> {
    /// Challenges a memory that the caller may read, unless a challenge of it
    /// is pending. Returns its id and whether it was there already.
    pub fn challenge(
        &mut self,
        memory: i64,
        reason: &str,
        evidence: Option<&str>,
        at: i64,
    ) -> Result<(String, bool), Error> {
        let pending = self.find(
            concat!(
                "SELECT d.id FROM dispute d JOIN memory m ON m.seq = d.memory ",
                "WHERE d.memory = :memory AND d.status = 'pending' AND ",
                visible!("m")
            ),
            named_params! {":memory": memory, ":me": self.caller.key},
            |row| row.get(0),
        )?;
        if let Some(id) = pending {
            return Ok((id, true));
        }
        let (_, id) = self.raise(&NewDispute {
            cause: Cause::Challenge,
            sides: &[memory],
            reason,
            evidence,
            at,
        })?;
        Ok((id, false))
    }

    /// Raises a dispute about memories that the caller may read. Returns its
    /// number and its id.
    pub fn raise(&mut self, new: &NewDispute<'_>) -> Result<(i64, String), Error> {
        let id = ids::fresh(ids::DISPUTE, new.at);
        let challenged = new.sides.first().filter(|_| new.cause == Cause::Challenge);
        self.run(
            "INSERT INTO dispute (id, cause, memory, created_at, created_by, reason, evidence) \
             VALUES (:id, :cause, :memory, :at, :me, :reason, :evidence)",
            named_params! {
                ":id": id, ":cause": new.cause, ":memory": challenged, ":at": new.at,
                ":me": self.caller.key, ":reason": new.reason, ":evidence": new.evidence,
            },
        )?;
        let key = self.conn.last_insert_rowid();
        for side in new.sides {
            self.add_side(key, *side)?;
        }
        Ok((key, id))
    }

    /// Adds a memory to what a dispute is about.
    pub fn add_side(&mut self, dispute: i64, memory: i64) -> Result<(), Error> {
        self.run(
            "INSERT INTO dispute_side (dispute, place, memory) SELECT :dispute, \
             coalesce(max(place) + 1, 0), :memory FROM dispute_side WHERE dispute = :dispute",
            named_params! {":dispute": dispute, ":memory": memory},
        )?;
        Ok(())
    }
}

impl Write<'_> {
    /// Writes the decision of a pending dispute down, and which memories it
    /// took out of default reads. Returns false when it was settled already.
    pub fn settle(
        &mut self,
        dispute: i64,
        decision: &str,
        retired: &[i64],
        at: i64,
    ) -> Result<bool, Error> {
        let n_changed = self.run(
            "UPDATE dispute SET status = 'settled', settled_at = :at, settled_by = :me, \
             decision = :decision WHERE key = :dispute AND status = 'pending'",
            named_params! {
                ":dispute": dispute, ":decision": decision, ":at": at, ":me": self.caller.key,
            },
        )?;
        for memory in retired {
            self.run(
                "UPDATE dispute_side SET retired = 1 WHERE dispute = :dispute AND memory = :memory",
                named_params! {":dispute": dispute, ":memory": memory},
            )?;
        }
        Ok(n_changed > 0)
    }
}
