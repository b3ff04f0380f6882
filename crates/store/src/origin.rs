//! What another program said of a memory that was imported from it.

use rusqlite::named_params;

use crate::error::Error;
use crate::memories::MemoryRow;
use crate::sql::Keys;
use crate::views::{Append, Read};

/// What another program said of a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// First byte of the raw item in its file, and the one after its last.
    pub bytes: Option<(i64, i64)>,
    /// When it was last changed there: milliseconds since the epoch.
    pub updated_at: Option<i64>,
    /// When it ends there.
    pub expires_at: Option<i64>,
    /// What names the item there, if it keeps its name when it changes.
    pub name: Option<String>,
    /// Who wrote it there.
    pub author: Option<String>,
    /// A JSON object with whatever else stood there.
    pub notes: Option<String>,
}

/// What stands between the name of a whole and that of a part of it.
pub const PART: &str = "#part-";

/// What comes right after the names of all parts of a whole.
const PARTS_END: &str = "#part.";

// All look a name up: left alone, SQLite would rather walk all memories of
// the account in the order that is asked for.
impl Read<'_> {
    /// Returns the id of the caller's newest live memory that was imported
    /// under a name.
    pub fn find_named_origin(&self, name: &str) -> Result<Option<MemoryRow>, Error> {
        let id: Option<String> = self.find(
            "SELECT m.id FROM origin o INDEXED BY origin_name CROSS JOIN memory m ON m.seq = o.memory \
             WHERE o.owner = :me AND o.name = :name AND m.owner = :me AND m.retired_at IS NULL \
             ORDER BY m.seq DESC LIMIT 1",
            named_params! {":name": name, ":me": self.caller.key},
            |row| row.get(0),
        )?;
        match id {
            None => Ok(None),
            Some(id) => self.find_memory(&id),
        }
    }

    /// Returns whether one of the caller's memories, live or not, came from
    /// the raw item with a hash under a name.
    pub fn find_same_origin(&self, name: &str, hash: &str) -> Result<Option<MemoryRow>, Error> {
        let id: Option<String> = self.find(
            "SELECT m.id FROM origin o INDEXED BY origin_name CROSS JOIN memory m ON m.seq = o.memory \
             WHERE o.owner = :me AND o.name = :name AND m.owner = :me AND m.source_hash = :hash \
             ORDER BY m.seq DESC LIMIT 1",
            named_params! {":name": name, ":hash": hash, ":me": self.caller.key},
            |row| row.get(0),
        )?;
        match id {
            None => Ok(None),
            Some(id) => self.find_memory(&id),
        }
    }

    /// Returns the caller's memories that are not retired and were imported as
    /// parts of what has a name, with the names of the parts.
    pub fn parts_of(&self, whole: &str) -> Result<Vec<(String, MemoryRow)>, Error> {
        let (first, end) = (format!("{whole}{PART}"), format!("{whole}{PARTS_END}"));
        let found: Vec<(String, String)> = self.list(
            "SELECT o.name, m.id FROM origin o INDEXED BY origin_name CROSS JOIN memory m ON m.seq = o.memory \
             WHERE o.owner = :me AND o.name >= :first AND o.name < :end AND m.owner = :me \
             AND m.retired_at IS NULL ORDER BY m.seq",
            named_params! {":first": first, ":end": end, ":me": self.caller.key},
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let mut parts = Vec::new();
        for (name, id) in found {
            parts.extend(self.find_memory(&id)?.map(|row| (name, row)));
        }
        Ok(parts)
    }

    /// Returns the caller's memories that are served and ended by a moment.
    pub fn ended(&self, by: i64, limit: i64) -> Result<Vec<MemoryRow>, Error> {
        // From what was brought in to the memories, and not the other way: every
        // process asks this when it opens, and would read all memories for it.
        let ids: Vec<String> = self.list(
            concat!(
                "SELECT m.id FROM origin o CROSS JOIN memory m ON m.seq = o.memory WHERE o.owner = :me \
                 AND o.expires_at <= :by AND m.owner = :me AND ",
                crate::sql::served!("m"),
                " ORDER BY m.seq LIMIT :limit"
            ),
            named_params! {":by": by, ":limit": limit, ":me": self.caller.key},
            |row| row.get(0),
        )?;
        let mut rows = Vec::new();
        for id in ids {
            rows.extend(self.find_memory(&id)?);
        }
        Ok(rows)
    }

    /// Returns what other programs said of the caller's given memories.
    pub fn origins(&self, seqs: &[i64]) -> Result<Vec<(i64, Origin)>, Error> {
        self.list(
            "SELECT o.memory, o.first_byte, o.end_byte, o.updated_at, o.expires_at, o.name, \
             o.author, o.notes FROM json_each(:seqs) j JOIN origin o ON o.memory = j.value \
             WHERE o.owner = :me ORDER BY o.memory",
            named_params! {":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key},
            |row| Ok((row.get(0)?, origin(row, 1)?)),
        )
    }
}

/// Reads an origin from the columns that start at a place.
pub(crate) fn origin(row: &rusqlite::Row<'_>, start: usize) -> rusqlite::Result<Origin> {
    let first: Option<i64> = row.get(start)?;
    let end: Option<i64> = row.get(start + 1)?;
    Ok(Origin {
        bytes: first.zip(end),
        updated_at: row.get(start + 2)?,
        expires_at: row.get(start + 3)?,
        name: row.get(start + 4)?,
        author: row.get(start + 5)?,
        notes: row.get(start + 6)?,
    })
}

impl Append<'_> {
    /// Keeps what another program said of a memory of the caller's.
    pub fn add_origin(&mut self, memory: i64, origin: &Origin) -> Result<(), Error> {
        self.run(
            "INSERT INTO origin (memory, owner, first_byte, end_byte, updated_at, expires_at, name, \
             author, notes) SELECT m.seq, m.owner, :first, :end, :updated_at, :expires_at, :name, \
             :author, :notes FROM memory m WHERE m.seq = :memory AND m.owner = :me",
            named_params! {
                ":memory": memory,
                ":first": origin.bytes.map(|(first, _)| first),
                ":end": origin.bytes.map(|(_, end)| end),
                ":updated_at": origin.updated_at,
                ":expires_at": origin.expires_at,
                ":name": origin.name,
                ":author": origin.author,
                ":notes": origin.notes,
                ":me": self.caller.key,
            },
        )?;
        Ok(())
    }
}
