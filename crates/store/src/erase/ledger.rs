//! The ledger of erasures, in the file and beside it.
//!
//! A restored backup is older than what was erased since, so the ledger also
//! stands outside of the memory file: in `erasures.jsonl` of the data folder,
//! and in the folders in which backups lie. Whoever opens the memory file
//! erases first what the ledger beside it names and the file does not.
//!
//! It holds ids and moments, and nothing of what was erased.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, named_params};

use crate::Tokenise;
use crate::accounts::Caller;
use crate::error::Error;
use crate::views::Write;

/// Name of the ledger in a folder.
pub const LEDGER_FILE: &str = "erasures.jsonl";

/// Bytes of a ledger that are read: a million entries.
const LEDGER_LIMIT: u64 = 128 * 1024 * 1024;

/// One entry: what was erased, when, and who asked for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LedgerEntry {
    /// `memory` or `account`.
    pub what: String,
    /// Id of the memory or account.
    pub id: String,
    /// Milliseconds since the epoch.
    pub at: i64,
    /// Id of the account that asked for it.
    pub by: String,
}

/// What a ledger file says, and how many of its lines nobody can read.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Its entries.
    pub entries: BTreeSet<LedgerEntry>,
    /// Lines that are no entry; a line that was cut off by a crash is one.
    pub n_unreadable: usize,
    /// Number of the first of them, from 1.
    pub first_unreadable: Option<usize>,
}

impl Ledger {
    /// Reads a ledger; an absent file is an empty one.
    pub fn read(path: &Path) -> Result<Self, Error> {
        // Opening a pipe would wait for somebody who writes to it.
        if path.metadata().is_ok_and(|about| !about.is_file()) {
            return Err(Error::Folder(std::io::Error::other(
                "the ledger of erasures is no file",
            )));
        }
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(Error::Folder(error)),
        };
        let mut bytes = Vec::new();
        file.take(LEDGER_LIMIT + 1)
            .read_to_end(&mut bytes)
            .map_err(Error::Folder)?;
        let is_cut = u64::try_from(bytes.len()).is_ok_and(|n| n > LEDGER_LIMIT);
        let text = String::from_utf8_lossy(&bytes);
        let mut ledger = Self::default();
        if bytes.is_empty() {
            return Ok(ledger);
        }
        // SQLite reads JSON, so that this crate needs no other reader.
        let json = Connection::open_in_memory()?;
        let mut statement = json.prepare(
            "SELECT :line ->> 'what', :line ->> 'id', :line ->> 'at', :line ->> 'by' \
             WHERE json_valid(:line) AND typeof(:line ->> 'at') = 'integer'",
        )?;
        let mut n_lines = 0;
        for line in text.lines() {
            n_lines += 1;
            if line.trim().is_empty() {
                continue;
            }
            let entry = statement
                .query_row(named_params! {":line": line}, |row| {
                    Ok(LedgerEntry {
                        what: row.get(0)?,
                        id: row.get(1)?,
                        at: row.get(2)?,
                        by: row.get(3)?,
                    })
                })
                .optional();
            match entry {
                Ok(Some(entry)) if entry.is_sound() => {
                    ledger.entries.insert(entry);
                }
                Ok(_) | Err(_) => ledger.note_unreadable(n_lines),
            }
        }
        if is_cut {
            // What lies behind the limit was not looked at.
            ledger.note_unreadable(n_lines + 1);
        }
        Ok(ledger)
    }

    fn note_unreadable(&mut self, line: usize) {
        self.n_unreadable += 1;
        self.first_unreadable.get_or_insert(line);
    }
}

impl LedgerEntry {
    fn is_sound(&self) -> bool {
        let is_id = |text: &str| {
            !text.is_empty()
                && text.len() <= 64
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        ["memory", "account"].contains(&self.what.as_str()) && is_id(&self.id) && is_id(&self.by)
    }

    /// Returns its line. All of its words are plain, so none needs escaping.
    fn line(&self) -> String {
        let Self { what, id, at, by } = self;
        format!("{{\"what\":\"{what}\",\"id\":\"{id}\",\"at\":{at},\"by\":\"{by}\"}}\n")
    }
}

/// Returns the entries of the memory file.
pub(crate) fn entries(conn: &Connection) -> Result<BTreeSet<LedgerEntry>, Error> {
    let mut statement = conn.prepare("SELECT what, id, at, by FROM erasure")?;
    let rows = statement.query_map([], |row| {
        Ok(LedgerEntry {
            what: row.get(0)?,
            id: row.get(1)?,
            at: row.get(2)?,
            by: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds to the ledger of a folder what it lacks.
pub fn extend(dir: &Path, entries: &BTreeSet<LedgerEntry>) -> Result<(), Error> {
    let path = dir.join(LEDGER_FILE);
    let known = Ledger::read(&path)?;
    let mut lines: String = entries
        .difference(&known.entries)
        .map(LedgerEntry::line)
        .collect();
    if lines.is_empty() {
        return Ok(());
    }
    if known.n_unreadable > 0 {
        // The last line may have been cut off; it must not spoil the next one.
        lines.insert(0, '\n');
    }
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).map_err(Error::Folder)?;
    file.write_all(lines.as_bytes()).map_err(Error::Folder)?;
    file.sync_all().map_err(Error::Folder)
}

/// Erases what the ledger of the folder names and the file does not, in one
/// transaction; then brings the ledger up to date. Returns how many entries
/// were new to the file.
pub(crate) fn replay(conn: &Connection, dir: &Path, tokenise: Tokenise) -> Result<usize, Error> {
    let ledger = Ledger::read(&dir.join(LEDGER_FILE))?;
    let known = entries(conn)?;
    let mut n_new = 0;
    if !ledger.entries.is_subset(&known) {
        conn.execute_batch("BEGIN IMMEDIATE")?;
        match replay_entries(conn, &ledger.entries, tokenise) {
            Ok(n) => n_new = n,
            Err(error) => {
                // The error that counts is the first one.
                let _ = conn.execute_batch("ROLLBACK");
                return Err(error);
            }
        }
        conn.execute_batch("COMMIT")?;
    }
    // A folder that cannot be written to is found by whoever writes next.
    let _ = extend(dir, &known);
    Ok(n_new)
}

fn replay_entries(
    conn: &Connection,
    wanted: &BTreeSet<LedgerEntry>,
    tokenise: Tokenise,
) -> Result<usize, Error> {
    // Read again under the lock: another process may be doing the same.
    let known = entries(conn)?;
    let missing: Vec<&LedgerEntry> = wanted.difference(&known).collect();
    for entry in &missing {
        match entry.what.as_str() {
            "account" => {
                if let Some(caller) = Caller::of_account(conn, &entry.id)? {
                    Write::new(conn, &caller, tokenise).erase_account(entry.at)?;
                }
            }
            _ => {
                if let Some((caller, seq)) = Caller::of_memory(conn, &entry.id)? {
                    Write::new(conn, &caller, tokenise).take_out_for_ever(&[seq], entry.at)?;
                }
            }
        }
        note(conn, entry)?;
    }
    Ok(missing.len())
}

/// Writes an entry, unless it is there.
pub(crate) fn note(conn: &Connection, entry: &LedgerEntry) -> Result<(), Error> {
    conn.prepare_cached(
        "INSERT INTO erasure (what, id, at, by) VALUES (:what, :id, :at, :by) \
         ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! {
        ":what": entry.what, ":id": entry.id, ":at": entry.at, ":by": entry.by,
    })?;
    Ok(())
}
