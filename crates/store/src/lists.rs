//! Many memories at once, in short: what ranking and briefings list.

use std::collections::HashMap;

use rusqlite::{Row, named_params};

use crate::error::Error;
use crate::scopes::{ScopeKind, Visibility};
use crate::search::Reach;
use crate::sql::{Keys, served, visible};
use crate::views::Read;

/// Characters of a text that a [`Stub`] carries.
const STUB_CHARACTERS: i64 = 1_000;

/// What ranking needs of a memory; no text.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Names the row inside the store.
    pub seq: i64,
    /// Its name outside.
    pub id: String,
    /// What sort of statement it is.
    pub kind: String,
    /// Path of its scope.
    pub scope_path: String,
    /// What sort of scope that is.
    pub scope_kind: ScopeKind,
    /// Who reads it.
    pub visibility: Visibility,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    /// How many links from readable memories lead to it, five at most.
    pub n_links_in: i64,
}

/// A memory in short.
#[derive(Clone, Debug)]
pub struct Stub {
    /// Names the row inside the store.
    pub seq: i64,
    /// Its name outside.
    pub id: String,
    /// What sort of statement it is.
    pub kind: String,
    /// Path of its scope.
    pub scope_path: String,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    /// The first thousand characters of its text.
    pub content: String,
}

macro_rules! stub_columns {
    () => {
        "m.seq, m.id, m.kind, s.path, m.created_at, substr(m.content, 1, :characters)"
    };
}

pub(crate) use stub_columns;

pub(crate) fn stub(row: &Row<'_>) -> rusqlite::Result<Stub> {
    Ok(Stub {
        seq: row.get(0)?,
        id: row.get(1)?,
        kind: row.get(2)?,
        scope_path: row.get(3)?,
        created_at: row.get(4)?,
        content: row.get(5)?,
    })
}

/// Binds `:characters` of [`stub_columns`].
pub(crate) fn stub_characters() -> i64 {
    STUB_CHARACTERS
}

impl Read<'_> {
    /// Returns what ranking needs of live memories, in no order; links count
    /// that were made by a moment, so that a later page ranks like the first.
    pub fn summaries(&self, seqs: &[i64], at: i64) -> Result<Vec<Summary>, Error> {
        self.list(
            concat!(
                "SELECT m.seq, m.id, m.kind, s.path, s.kind, m.visibility, m.created_at, ",
                // Of links from memories that the caller may not read, nothing
                // shows; and more than a few make no difference.
                "(SELECT count(*) FROM (SELECT 1 FROM memory_link l ",
                "JOIN memory ls ON ls.seq = l.src ",
                "WHERE l.dst = m.seq AND l.created_at <= :at AND ",
                visible!("ls"),
                " LIMIT 5)) ",
                "FROM json_each(:seqs) j JOIN memory m ON m.seq = j.value ",
                "JOIN scope s ON s.key = m.scope ",
                "WHERE ",
                served!("m"),
                " AND ",
                visible!("m")
            ),
            named_params! {
                ":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key, ":at": at,
            },
            |row| {
                Ok(Summary {
                    seq: row.get(0)?,
                    id: row.get(1)?,
                    kind: row.get(2)?,
                    scope_path: row.get(3)?,
                    scope_kind: row.get(4)?,
                    visibility: row.get(5)?,
                    created_at: row.get(6)?,
                    n_links_in: row.get(7)?,
                })
            },
        )
    }

    /// Returns the whole texts of live memories by their numbers, in no order.
    pub fn contents(&self, seqs: &[i64]) -> Result<Vec<(i64, String)>, Error> {
        self.list(
            concat!(
                "SELECT m.seq, m.content FROM json_each(:seqs) j JOIN memory m ON m.seq = j.value ",
                "WHERE ",
                served!("m"),
                " AND ",
                visible!("m")
            ),
            named_params! {":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key},
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// Returns live memories in short, in no order.
    pub fn stubs(&self, seqs: &[i64]) -> Result<Vec<Stub>, Error> {
        self.list(
            concat!(
                "SELECT ",
                stub_columns!(),
                " FROM json_each(:seqs) j ",
                "JOIN memory m ON m.seq = j.value JOIN scope s ON s.key = m.scope ",
                "WHERE ",
                served!("m"),
                " AND ",
                visible!("m")
            ),
            named_params! {
                ":seqs": Keys::of(seqs.iter().copied()),
                ":characters": STUB_CHARACTERS,
                ":me": self.caller.key,
            },
            stub,
        )
    }

    /// Returns the numbers of live memories within reach that were stored
    /// after one, at most so many of each audience.
    pub fn newer(&self, reach: &Reach, after: i64, limit: usize) -> Result<Vec<i64>, Error> {
        let mut found = Vec::new();
        for partition in reach.partitions(self.caller) {
            found.extend(self.list(
                "SELECT seq FROM memory INDEXED BY memory_recent WHERE partition = :partition AND seq > :after \
                 AND retired_at IS NULL ORDER BY seq LIMIT :limit",
                named_params! {
                    ":partition": partition, ":after": after,
                    ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
                },
                |row| row.get::<_, i64>(0),
            )?);
        }
        Ok(found)
    }

    /// Returns the oldest open loops within reach, oldest first.
    pub fn open_loops(&self, reach: &Reach, limit: usize) -> Result<Vec<Stub>, Error> {
        let mut found = self.stubs_of_partitions(
            concat!(
                "SELECT ",
                stub_columns!(),
                // Left to itself, SQLite takes the index of all rows of a partition.
                " FROM memory m INDEXED BY memory_open_loop JOIN scope s ON s.key = m.scope ",
                "WHERE m.partition = :partition AND m.kind IN ('task', 'open-question') ",
                "AND ",
                served!("m"),
                " ORDER BY m.seq LIMIT :limit"
            ),
            reach,
            limit,
        )?;
        found.sort_by_key(|stub| (stub.created_at, stub.seq));
        found.truncate(limit);
        Ok(found)
    }

    /// Returns how many loops are open within reach.
    pub fn count_open_loops(&self, reach: &Reach) -> Result<i64, Error> {
        let mut total = 0;
        for partition in reach.partitions(self.caller) {
            total += self
                .find(
                    "SELECT count(*) FROM memory m INDEXED BY memory_open_loop WHERE m.partition = :partition \
                     AND m.kind IN ('task', 'open-question') \
                     AND m.retired_at IS NULL AND m.closed_at IS NULL",
                    named_params! {":partition": partition},
                    |row| row.get::<_, i64>(0),
                )?
                .unwrap_or(0);
        }
        Ok(total)
    }

    /// Returns the newest memories within reach, newest first.
    pub fn newest(&self, reach: &Reach, limit: usize) -> Result<Vec<Stub>, Error> {
        let mut found = self.stubs_of_partitions(
            concat!(
                "SELECT ",
                stub_columns!(),
                " FROM memory m INDEXED BY memory_recent JOIN scope s ON s.key = m.scope ",
                "WHERE m.partition = :partition AND ",
                served!("m"),
                " ",
                "ORDER BY m.seq DESC LIMIT :limit"
            ),
            reach,
            limit,
        )?;
        found.sort_by_key(|stub| std::cmp::Reverse((stub.created_at, stub.seq)));
        found.truncate(limit);
        Ok(found)
    }

    /// Returns ids of live memories that begin so, newest first.
    pub fn memory_ids(&self, beginning: &str, limit: usize) -> Result<Vec<String>, Error> {
        self.list(
            concat!(
                // An id is lower-case ASCII, and "{" follows its last letter.
                "SELECT m.id FROM memory m WHERE m.id >= :from AND m.id < :from || '{' AND ",
                served!("m"),
                " AND ",
                visible!("m"),
                " ORDER BY m.id DESC LIMIT :limit"
            ),
            named_params! {
                ":from": beginning,
                ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
                ":me": self.caller.key,
            },
            |row| row.get(0),
        )
    }

    /// Returns the newest memories that the caller may retire, episodes
    /// excepted, newest first, each with its partition: who reads them is the
    /// same within one.
    pub fn newest_to_tidy(&self, limit: usize) -> Result<Vec<(i64, Stub)>, Error> {
        let partitions = self.list(
            "SELECT p.key FROM partition p WHERE p.owner = :me UNION \
             SELECT p.key FROM partition p JOIN scope s ON s.key = p.scope \
             WHERE p.visibility = 'shared' AND (s.owner = :me OR EXISTS (\
             SELECT 1 FROM member w WHERE w.scope = s.key AND w.account = :me \
             AND w.role IN ('writer', 'admin')))",
            named_params! {":me": self.caller.key},
            |row| row.get::<_, i64>(0),
        )?;
        let mut newest: Vec<(i64, i64)> = Vec::new();
        for partition in partitions {
            newest.extend(self.list(
                concat!(
                    "SELECT m.seq, m.partition FROM memory m INDEXED BY memory_recent ",
                    "WHERE m.partition = :partition ",
                    "AND m.kind <> 'episode' AND ",
                    served!("m"),
                    " ORDER BY m.seq DESC LIMIT :limit"
                ),
                named_params! {
                    ":partition": partition, ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
                },
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?);
        }
        newest.sort_unstable_by(|left, right| right.cmp(left));
        newest.truncate(limit);
        let partitions: HashMap<i64, i64> = newest.iter().copied().collect();
        let seqs: Vec<i64> = newest.iter().map(|(seq, _)| *seq).collect();
        let mut stubs = self.stubs(&seqs)?;
        stubs.sort_unstable_by_key(|stub| std::cmp::Reverse(stub.seq));
        Ok(stubs
            .into_iter()
            .filter_map(|stub| Some((*partitions.get(&stub.seq)?, stub)))
            .collect())
    }

    fn stubs_of_partitions(
        &self,
        sql: &str,
        reach: &Reach,
        limit: usize,
    ) -> Result<Vec<Stub>, Error> {
        let mut found = Vec::new();
        for partition in reach.partitions(self.caller) {
            found.extend(self.list(
                sql,
                named_params! {
                    ":partition": partition,
                    ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
                    ":characters": STUB_CHARACTERS,
                },
                stub,
            )?);
        }
        Ok(found)
    }
}
