//! What words each entry of the full-text index has, and should have.
//!
//! The index keeps word stems, and only the index knows how to make them. So
//! the words of the rows go through an index of the same make in memory, a
//! portion at a time, and both are read to their end.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use rusqlite::{Connection, named_params};

use crate::error::Error;
use crate::{limited, open};

/// Entries that lie in memory at a time.
const PORTION: usize = 512;

/// The view of all words of an index, made in a schema of the connection that
/// is gone with it.
const VIEW: &str =
    "CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'memory_fts', 'instance')";

/// Sums over the words of entries, by entry. Equal words give equal sums, in
/// whatever order they are met; others do not, but by a chance that nobody can
/// arrange, since the keys differ from one look to the next.
type Sums = HashMap<i64, u64>;

/// Compares what is indexed with what should be.
pub(super) struct Words {
    keys: RandomState,
    indexed: Sums,
    scratch: Connection,
    /// Entries in the scratch index.
    waiting: Vec<i64>,
    n_wrong: usize,
}

impl Words {
    /// Reads the words of all entries.
    pub(super) fn of(conn: &Connection) -> Result<Self, Error> {
        let scratch = limited::unwritten(&open::MEMORY)?;
        scratch.execute_batch(VIEW)?;
        let keys = RandomState::new();
        let was_locked: bool = conn.pragma_query_value(None, "query_only", |row| row.get(0))?;
        // Only the view is made, and in memory; the file was opened so that
        // nothing can be written to it.
        conn.pragma_update(None, "query_only", false)?;
        let indexed = conn
            .execute_batch(VIEW)
            .map_err(Error::from)
            .and_then(|()| sums(conn, &keys));
        let removed = conn.execute_batch("DROP TABLE IF EXISTS temp.words");
        conn.pragma_update(None, "query_only", was_locked)?;
        removed?;
        Ok(Self {
            keys,
            indexed: indexed?,
            scratch,
            waiting: Vec::new(),
            n_wrong: 0,
        })
    }

    /// Holds an entry against the words that it should have: its own, and
    /// those that stand beside it.
    pub(super) fn expect(&mut self, entry: i64, text: &str, ctx: &str) -> Result<(), Error> {
        self.scratch
            .prepare_cached(
                "INSERT INTO memory_fts (rowid, text, ctx) VALUES (:entry, :text, :ctx)",
            )?
            .execute(named_params! {":entry": entry, ":text": text, ":ctx": ctx})?;
        self.waiting.push(entry);
        if self.waiting.len() == PORTION {
            self.compare()?;
        }
        Ok(())
    }

    /// Returns how many entries have other words than they should.
    pub(super) fn n_wrong(mut self) -> Result<usize, Error> {
        self.compare()?;
        Ok(self.n_wrong)
    }

    fn compare(&mut self) -> Result<(), Error> {
        let expected = sums(&self.scratch, &self.keys)?;
        for entry in self.waiting.drain(..) {
            // An entry without words is in neither.
            self.n_wrong += usize::from(expected.get(&entry) != self.indexed.get(&entry));
        }
        let empty = "INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')";
        Ok(self.scratch.execute_batch(empty)?)
    }
}

fn sums(conn: &Connection, keys: &RandomState) -> Result<Sums, Error> {
    let mut sums = Sums::new();
    let mut statement = conn.prepare("SELECT doc, col, CAST(term AS BLOB) FROM temp.words")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (entry, column, word) = (row.get(0)?, row.get_ref(1)?, row.get_ref(2)?);
        let column = column.as_bytes().map_err(rusqlite::Error::from)?;
        let word = word.as_bytes().map_err(rusqlite::Error::from)?;
        let sum: &mut u64 = sums.entry(entry).or_default();
        *sum = sum.wrapping_add(keys.hash_one((column, word)));
    }
    Ok(sums)
}
