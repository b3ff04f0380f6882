//! What a folder waits for before it is used, and what takes as long as its file
//! is big: a newer version, and the end of an erasure.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::{Kind, MEMORY, SHORT_PATIENCE, alone, look, pause, reader, wait_unless};
use crate::backup::{Temporary, leftovers};
use crate::error::Error;
use crate::limited;
use crate::migrate;
use crate::stop::Present;

/// What the name of a copy begins with that was made before an upgrade; then
/// comes the version of the copy.
const COPY_PREFIX: &str = "memory.db.v";
/// What it ends with.
const COPY_SUFFIX: &str = ".bak";

/// What of the upkeep that a folder waits for is done when it is opened. Both
/// take as long as the file is big.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// An older file is brought to this version, and one in which something was
    /// erased is rewritten.
    Done,
    /// Neither; an older file is refused.
    Left,
}

/// Whether the upkeep of a folder waits for somebody to open it.
pub fn waits_for_upkeep(dir: &Path) -> bool {
    let path = dir.join("memory.db");
    if fs::symlink_metadata(&path).is_err() {
        return false;
    }
    match only_newest(&path, &MEMORY) {
        Err(error) => matches!(error, Error::OlderFile),
        Ok(()) => limited::reader(&path)
            .and_then(|conn| scrub_is_due(&conn))
            .unwrap_or_default(),
    }
}

/// Refuses a file of an older version.
pub(crate) fn only_newest(path: &Path, kind: &Kind) -> Result<(), Error> {
    let is_there = fs::symlink_metadata(path).is_ok();
    if is_there && look(path, kind)? < migrate::newest(kind.steps) {
        return Err(Error::OlderFile);
    }
    Ok(())
}

/// Keeps the file as it is before it is brought to a newer version, so that
/// the program of before can have it back. One such copy is kept.
pub(super) fn copy_before_upgrade(path: &Path, version: i64) -> Result<(), Error> {
    let Some(dir) = path.parent() else {
        return Ok(());
    };
    let target = dir.join(format!("{COPY_PREFIX}{version}{COPY_SUFFIX}"));
    if target.symlink_metadata().is_ok() {
        return Ok(());
    }
    let temporary = Temporary::beside(&target)?;
    let source = reader(path)?;
    source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
    crate::backup::copy(&source, &temporary.path, &mut |_, _| {})?;
    drop(source);
    if migrate::version(&alone(&temporary.path)?)? != version {
        // Another process was faster, and has made a copy as well.
        return Ok(());
    }
    let others = copies(dir);
    match temporary.put(&target) {
        Ok(()) | Err(Error::Exists) => {}
        Err(error) => return Err(error),
    }
    for other in others.iter().filter(|other| **other != target) {
        fs::remove_file(other).map_err(Error::Folder)?;
    }
    Ok(())
}

/// Leaves no trace in a file, nor in its log, of what was deleted. `secure_delete`
/// overwrites rows, but not every copy that a page kept while it was split.
pub(crate) fn scrub(conn: &Connection, patience: Duration) -> Result<(), Error> {
    // Rewriting the file beside a reader of the past only makes the log longer
    // by the whole file, each time that it is tried.
    cut(conn, patience)?;
    conn.execute_batch("VACUUM")?;
    cut(conn, patience)
}

/// Copies the log into the file and cuts it, once nobody needs it any more.
fn cut(conn: &Connection, patience: Duration) -> Result<(), Error> {
    let deadline = Instant::now() + patience;
    loop {
        let busy: bool = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if !busy {
            return Ok(());
        }
        // SQLite does not wait for another one that copies the log just now.
        if Instant::now() >= deadline {
            return Err(Error::Busy);
        }
        pause(0);
    }
}

/// The same for the memory file; what the ledger still asks for is done then.
pub(crate) fn scrub_memory(conn: &Connection, patience: Duration) -> Result<(), Error> {
    scrub(conn, patience)?;
    conn.execute("UPDATE erasure SET scrubbed = 1 WHERE scrubbed = 0", [])?;
    Ok(())
}

/// Returns whether something was erased whose bytes may still be in the file.
pub(crate) fn scrub_is_due(conn: &Connection) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM erasure WHERE scrubbed = 0)";
    Ok(conn.query_row(sql, [], |row| row.get(0))?)
}

/// Does a scrub that is due if nobody stands in its way at this moment;
/// otherwise somebody does it later.
pub(crate) fn scrub_if_due(
    conn: &mut Connection,
    dir: &Path,
    present: &Present,
) -> Result<(), Error> {
    if !scrub_is_due(conn)? {
        return Ok(());
    }
    forget_copies(dir)?;
    let outcome = scrub_within(conn, SHORT_PATIENCE, present);
    match outcome {
        Ok(()) | Err(Error::Busy) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Scrubs the memory file, and waits for others no longer than this; then the
/// connection waits as it did before.
pub(crate) fn scrub_within(
    conn: &mut Connection,
    patience: Duration,
    present: &Present,
) -> Result<(), Error> {
    wait_unless(conn, patience, present)?;
    let outcome = scrub_memory(conn, patience);
    wait_unless(conn, MEMORY.patience, present)?;
    outcome
}

/// Returns the copies of the memory file that were made before it was brought
/// to a newer version.
pub(crate) fn copies(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.strip_prefix(COPY_PREFIX)
                .and_then(|rest| rest.strip_suffix(COPY_SUFFIX))
                .is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit()))
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// Removes these copies, and those that somebody left half-made: they still
/// hold what was erased.
pub(crate) fn forget_copies(dir: &Path) -> Result<(), Error> {
    leftovers::remove(dir)?;
    for path in copies(dir) {
        match fs::remove_file(path) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::Folder(error)),
        }
    }
    Ok(())
}
