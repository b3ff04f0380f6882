//! Copies of the memory file, made while it is written to, and the way back.
//!
//! A backup is one file: the memory file as it was at one moment, without a
//! log beside it. The bookkeeping is left out, because losing it loses no
//! memory. A file that comes back is a stranger's until it is proven to be
//! what this program makes, and it comes back into an empty folder only.

pub(crate) mod leftovers;
mod restore;
mod verify;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, named_params};

pub use leftovers::is_under_way;
pub use restore::{IsWhole, Restored, restore};
pub use verify::{BackupFacts, verify};

use crate::Store;
use crate::erase::extend;
use crate::error::Error;
use crate::open;

/// Pages copied at a time: 128 KiB, which the disk takes in one breath.
const PAGES_AT_A_TIME: i32 = 32;

/// Steps after which what was copied is pushed to the disk, so that a writer
/// never waits behind more than 512 KiB of ours.
const STEPS_PER_SYNC: u32 = 4;

/// Rest between two steps, in which the writers have the disk for themselves.
const REST: Duration = Duration::from_millis(2);

/// A backup that this folder knows of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupRow {
    /// Where it was put.
    pub path: PathBuf,
    /// Milliseconds since the epoch.
    pub at: i64,
    /// Its size; 0 while it is being made.
    pub bytes: i64,
    /// Whether the server made it by itself, and may clear it away.
    pub scheduled: bool,
}

/// Copies the memory file of a folder, as it is at this moment, to a place
/// where there is nothing yet, and verifies the copy. Tells how far it is in
/// bytes, done and in all.
pub fn backup(
    dir: &Path,
    target: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<BackupFacts, Error> {
    if target.symlink_metadata().is_ok() {
        return Err(Error::Exists);
    }
    if is_under_way(target) {
        return Err(Error::UnderWay);
    }
    let temporary = Temporary::beside(target)?;
    let path = dir.join("memory.db");
    open::look(&path, &open::MEMORY)?;
    let source = open::reader(&path)?;
    // One snapshot from the first page to the last: otherwise every commit of
    // another connection would start the copy anew.
    source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
    copy(&source, &temporary.path, progress)?;
    drop(source);
    let facts = verify(&temporary.path)?;
    temporary.put(target)?;
    Ok(facts)
}

/// Copies what a connection sees into an empty file.
pub(crate) fn copy(
    source: &Connection,
    target: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), Error> {
    let page: u64 = source
        .pragma_query_value(None, "page_size", |row| row.get::<_, i64>(0))?
        .unsigned_abs();
    let file = fs::OpenOptions::new()
        .write(true)
        .open(target)
        .map_err(Error::Folder)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(target, flags)?;
    // Nobody else sees the file, and a copy that breaks off is thrown away.
    conn.pragma_update(None, "journal_mode", "OFF")?;
    conn.pragma_update(None, "synchronous", "OFF")?;
    let bytes = |pages: i32| u64::from(pages.unsigned_abs()) * page;
    {
        let backup = Backup::new(source, &mut conn)?;
        let mut n_steps: u32 = 0;
        loop {
            let step = backup.step(PAGES_AT_A_TIME)?;
            let state = backup.progress();
            let total = bytes(state.pagecount);
            progress(total.saturating_sub(bytes(state.remaining)), total);
            match step {
                StepResult::Done => break,
                StepResult::More => {
                    n_steps += 1;
                    if n_steps.is_multiple_of(STEPS_PER_SYNC) {
                        file.sync_data().map_err(Error::Folder)?;
                    }
                    std::thread::sleep(REST);
                }
                _ => open::pause(3),
            }
        }
    }
    drop(conn);
    // A copy of a file with a log says that it has one, too; it shall stand
    // alone.
    let conn = Connection::open_with_flags(target, flags)?;
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))?;
    if mode != "delete" {
        return Err(Error::Busy);
    }
    drop(conn);
    file.sync_all().map_err(Error::Folder)
}

/// A file in the making, which is gone unless it was put in its place.
pub(crate) struct Temporary {
    pub(crate) path: PathBuf,
    /// Tells others that somebody still works on it.
    _claim: Option<fs::File>,
}

impl Temporary {
    /// Makes an empty one for its owner only, beside the file that it is to
    /// become.
    pub(crate) fn beside(target: &Path) -> Result<Self, Error> {
        let name = target.file_name().map(|name| name.to_string_lossy());
        let name = name.ok_or(Error::NotAFile)?;
        let path = target.with_file_name(leftovers::name_of(&name));
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::Folder(error)),
        }
        open::create(&path)?;
        let claim = leftovers::claim(&path);
        Ok(Self {
            path,
            _claim: claim,
        })
    }

    /// Takes a file that stands in a folder which is claimed.
    fn inside(path: PathBuf) -> Self {
        Self { path, _claim: None }
    }

    /// Gives it its name, and never that of another file.
    pub(crate) fn put(self, target: &Path) -> Result<(), Error> {
        match fs::hard_link(&self.path, target) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(Error::Exists);
            }
            // A file system without links: look, then move.
            Err(_) if target.symlink_metadata().is_err() => {
                fs::rename(&self.path, target).map_err(Error::Folder)?;
            }
            Err(error) => return Err(Error::Folder(error)),
        }
        sync_folder(target);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        for end in ["", "-journal", "-wal", "-shm"] {
            let mut name = self.path.clone().into_os_string();
            name.push(end);
            // It may have been moved, or never made.
            let _ = fs::remove_file(name);
        }
    }
}

/// Makes a new name last. Windows does it by itself.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    if let Some(folder) = path.parent()
        && let Ok(folder) = fs::File::open(folder)
    {
        // A file system that cannot do it keeps names in its own way.
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Notes a backup that is about to be made, so that who erases something
/// meanwhile knows of it. One whose process broke off is struck off. Returns
/// false, and touches nothing, where the memory cannot be used.
pub fn begin_backup(dir: &Path, row: &BackupRow) -> Result<bool, Error> {
    if open::look(&dir.join("memory.db"), &open::MEMORY).is_err() {
        return Ok(false);
    }
    in_bookkeeping(dir, |conn| {
        let broken_off = all(conn)?.into_iter().filter(|row| !row.is_finished());
        for row in broken_off.filter(|row| !is_under_way(&row.path)) {
            strike_off_unfinished(conn, &row.path)?;
        }
        conn.execute(
            "INSERT INTO backup (path, at, bytes, scheduled) VALUES (:path, :at, 0, :scheduled) \
             ON CONFLICT DO NOTHING",
            named_params! {
                ":path": row.path.to_string_lossy(), ":at": row.at, ":scheduled": row.scheduled,
            },
        )?;
        Ok(true)
    })
}

/// Strikes off a backup that came to nothing, unless somebody else is making
/// one in the same place.
pub fn abandon_backup(dir: &Path, path: &Path) -> Result<(), Error> {
    if is_under_way(path) {
        return Ok(());
    }
    in_bookkeeping(dir, |conn| strike_off_unfinished(conn, path))
}

/// Notes something in the bookkeeping of a folder.
fn in_bookkeeping<R>(
    dir: &Path,
    work: impl FnOnce(&Connection) -> Result<R, Error>,
) -> Result<R, Error> {
    open::writer(&dir.join("bookkeeping.db"), &open::BOOKKEEPING)
        .and_then(|conn| work(&conn))
        .map_err(Error::of_bookkeeping)
}

fn strike_off_unfinished(conn: &Connection, path: &Path) -> Result<(), Error> {
    conn.execute(
        "DELETE FROM backup WHERE path = :path AND bytes = 0",
        named_params! {":path": path.to_string_lossy()},
    )?;
    Ok(())
}

/// Lays what was erased from the memory of a folder beside a backup of it:
/// what was erased while it was made is still in it.
pub fn lay_ledger(dir: &Path, backup: &Path) -> Result<(), Error> {
    let conn = open::reader(&dir.join("memory.db"))?;
    match backup.parent() {
        Some(folder) => extend(folder, &restore::known_entries(&conn)?),
        None => Ok(()),
    }
}

/// Notes a backup in the bookkeeping of a folder.
pub fn note_backup(dir: &Path, row: &BackupRow) -> Result<(), Error> {
    in_bookkeeping(dir, |conn| {
        conn.execute(
            "INSERT OR REPLACE INTO backup (path, at, bytes, scheduled) \
             VALUES (:path, :at, :bytes, :scheduled)",
            named_params! {
                ":path": row.path.to_string_lossy(), ":at": row.at, ":bytes": row.bytes,
                ":scheduled": row.scheduled,
            },
        )?;
        Ok(())
    })
}

/// Returns the backups that a folder knows of, newest first; those that are
/// gone too.
pub fn known_backups(dir: &Path) -> Result<Vec<BackupRow>, Error> {
    let path = dir.join("bookkeeping.db");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    open::reader(&path)
        .and_then(|conn| known(&conn))
        .map_err(Error::of_bookkeeping)
}

/// Strikes a backup off.
pub fn forget_backup(dir: &Path, path: &Path) -> Result<(), Error> {
    in_bookkeeping(dir, |conn| {
        conn.execute(
            "DELETE FROM backup WHERE path = :path",
            named_params! {":path": path.to_string_lossy()},
        )?;
        Ok(())
    })
}

/// Returns the backups that were finished.
pub(crate) fn known(conn: &Connection) -> Result<Vec<BackupRow>, Error> {
    let mut rows = all(conn)?;
    rows.retain(BackupRow::is_finished);
    Ok(rows)
}

fn all(conn: &Connection) -> Result<Vec<BackupRow>, Error> {
    let has_table: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'backup')",
        [],
        |row| row.get(0),
    )?;
    if !has_table {
        return Ok(Vec::new());
    }
    let mut statement =
        conn.prepare("SELECT path, at, bytes, scheduled FROM backup ORDER BY at DESC, path")?;
    let rows = statement.query_map([], |row| {
        Ok(BackupRow {
            path: PathBuf::from(row.get::<_, String>(0)?),
            at: row.get(1)?,
            bytes: row.get(2)?,
            scheduled: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl BackupRow {
    fn is_finished(&self) -> bool {
        self.bytes > 0
    }

    /// Returns whether it is there, or on its way.
    pub fn is_there(&self) -> bool {
        self.path.is_file() || is_under_way(&self.path)
    }
}

impl Store {
    /// Returns the backups that this folder knows of, newest first; those that
    /// are being made and those that are gone too.
    pub fn backups(&self) -> Result<Vec<BackupRow>, Error> {
        self.threads.with(all)
    }

    /// Returns the folders in which these backups were put.
    pub(crate) fn backup_folders(&self) -> Result<Vec<PathBuf>, Error> {
        let mut folders: Vec<PathBuf> = self
            .backups()?
            .iter()
            .filter_map(|row| row.path.parent().map(Path::to_owned))
            .collect();
        folders.sort();
        folders.dedup();
        Ok(folders)
    }
}
