//! What is left to do once an erasure is on disk: the ledger beside the file,
//! the bytes in it, and the proof.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, named_params};

use super::ledger;
use crate::Store;
use crate::error::Error;
use crate::open;

/// A file of the data folder that may hold texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFile {
    /// Where it is.
    pub path: PathBuf,
    /// Whether SQLite may hold locks on it. Closing any other descriptor of
    /// such a file drops the locks of the whole process (SQLite, "How to
    /// corrupt", 2.2), so who reads it must keep it open until the end.
    pub locked: bool,
}

impl Store {
    /// Does what an erasure leaves behind: notes it beside the file and beside
    /// the backups, and rewrites the file. Returns whether no byte is left;
    /// false means that somebody still looks at the past.
    pub fn finish_erasure(&self) -> Result<bool, Error> {
        self.finish_erasure_within(open::PATIENCE)
    }

    /// The same for a process that tries again: callers wait behind it, so it
    /// gives up soon.
    pub fn retry_erasure(&self) -> Result<bool, Error> {
        self.finish_erasure_within(open::SHORT_PATIENCE)
    }

    fn finish_erasure_within(&self, patience: Duration) -> Result<bool, Error> {
        self.write_ledgers()?;
        open::forget_copies(&self.dir)?;
        match self.writer()?.scrub(patience) {
            Ok(()) => Ok(true),
            Err(Error::Busy) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns whether something was erased whose bytes may still be in the
    /// file.
    pub fn scrub_is_due(&self) -> Result<bool, Error> {
        self.readers.run(open::scrub_is_due)
    }

    /// Writes the ledger into the data folder and beside every known backup.
    fn write_ledgers(&self) -> Result<(), Error> {
        let entries = self.readers.run(ledger::entries)?;
        ledger::extend(&self.dir, &entries)?;
        for folder in self.backup_folders()? {
            // A folder that went away, or is not ours any more, is no reason
            // to fail: restoring also reads the ledger of the data folder.
            if folder.is_dir() {
                let _ = ledger::extend(&folder, &entries);
            }
        }
        Ok(())
    }

    /// Returns whether any row, whoever owns it, or the schema holds a piece
    /// of text: then it is no trace of what was erased.
    pub fn holds(&self, piece: &[u8]) -> Result<bool, Error> {
        self.readers.run(|conn| holds(conn, piece))
    }

    /// Returns whether a word is in the full-text index of what is left.
    pub fn holds_word(&self, word: &str) -> Result<bool, Error> {
        self.readers.run(|conn| {
            let quoted = format!("\"{}\"", word.replace('"', "\"\""));
            let found = conn
                .query_row(
                    "SELECT 1 FROM memory_fts WHERE memory_fts MATCH :word LIMIT 1",
                    named_params! {":word": quoted},
                    |_| Ok(()),
                )
                .optional()?;
            Ok(found.is_some())
        })
    }
}

/// Returns the files of a data folder that may hold texts. The shared-memory
/// files beside the logs hold page numbers only.
pub fn data_files(dir: &Path) -> Vec<DataFile> {
    let mut files = Vec::new();
    let mut put = |name: &str, locked| {
        let path = dir.join(name);
        if path.is_file() {
            files.push(DataFile { path, locked });
        }
    };
    put("memory.db", true);
    put("memory.db-wal", false);
    put("bookkeeping.db", true);
    put("bookkeeping.db-wal", false);
    put(ledger::LEDGER_FILE, false);
    for path in open::copies(dir) {
        files.push(DataFile {
            path,
            locked: false,
        });
    }
    files
}

fn holds(conn: &Connection, piece: &[u8]) -> Result<bool, Error> {
    let tables: Vec<String> = conn
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' \
             AND name NOT LIKE 'memory\\_fts%' ESCAPE '\\'",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for table in tables.iter().map(String::as_str).chain(["sqlite_schema"]) {
        let columns: Vec<String> = conn
            .prepare("SELECT name FROM pragma_table_info(?1) WHERE type = 'TEXT'")?
            .query_map([table], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        if columns.is_empty() {
            continue;
        }
        let any: Vec<String> = columns
            .iter()
            .map(|column| format!("instr(CAST(\"{column}\" AS BLOB), :piece)"))
            .collect();
        let sql = format!(
            "SELECT 1 FROM \"{table}\" WHERE {} LIMIT 1",
            any.join(" OR ")
        );
        let found = conn
            .query_row(&sql, named_params! {":piece": piece}, |_| Ok(()))
            .optional()?;
        if found.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
