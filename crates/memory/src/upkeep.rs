//! What keeps a data folder in order: looking at it, copying it, bringing a
//! copy back. For the person who runs it; no agent calls any of this.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use store::{Finding, Severity};

use crate::clock;
use crate::open::tokenise;

mod copy;
mod report;
mod schedule;
mod seal;
mod terminal;

pub use report::{Check, Level, Report, examine};
pub use schedule::{Kept, Schedule};
pub use terminal::{erase, finish_erasures, open, rebuild_index, retry_erasures};

/// Why something was not done, and what to do about it. Names no content; may
/// name files, because the person at the terminal named them.
#[derive(Debug, thiserror::Error)]
pub struct Failure {
    what: String,
    hint: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\nhint: {}", self.what, self.hint)
    }
}

impl Failure {
    fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hint: hint.into(),
        }
    }
}

/// What a backup came to.
#[derive(Clone, Debug, Serialize)]
pub struct Backup {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Digest of the file, in hexadecimal.
    pub sha256: String,
    /// Version of the schema in it.
    pub schema_version: i64,
    /// Memories in it, retired ones too.
    pub memories: i64,
    /// Entities in it.
    pub entities: i64,
    /// Accounts in it.
    pub accounts: i64,
}

/// What came back.
#[derive(Clone, Debug, Serialize)]
pub struct Restored {
    /// Memories in the backup.
    pub memories_in_backup: i64,
    /// Memories afterwards.
    pub memories: i64,
    /// Whether the backup has the digest that stands beside it.
    pub digest: Seal,
    /// The ledgers of erasures that were found. Without any, what was erased
    /// after the backup was made is back.
    pub ledgers: Vec<PathBuf>,
    /// Erasures that were newer than the backup and were done again.
    pub erased_again: usize,
    /// Whether the full-text index did not agree with the memories and was
    /// made anew.
    pub index_rebuilt: bool,
    /// Whether no byte of what was erased again is left.
    pub scrubbed: bool,
}

/// What the digest beside a backup says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Seal {
    /// The backup is what was made, to the byte.
    Matched,
    /// There is none, so nobody can tell.
    Absent,
}

/// Copies the memory of a folder into a file that is not there yet, also while
/// it is written to, and verifies the copy. Tells how far it is in bytes.
pub fn backup(
    dir: &Path,
    target: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Backup, Failure> {
    let now = (clock::system())();
    copy::one(dir, target, now, false, progress).map_err(Failure::from)
}

/// The same into a folder, under a name made of the moment.
pub fn backup_into(
    dir: &Path,
    folder: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Backup, Failure> {
    copy::into_folder(dir, folder, (clock::system())(), false, progress)
}

/// Brings a backup back into an empty folder; erases again first what was
/// erased since.
pub fn restore(file: &Path, dir: &Path, ledger: Option<&Path>) -> Result<Restored, Failure> {
    let expected = seal::find(file).map_err(|error| {
        Failure::new(
            format!("{} cannot be used: {error}", seal::path(file).display()),
            "put the digest back that zero-memory backup wrote; or move that file away, and nobody can tell whether the backup was changed",
        )
    })?;
    let is_whole = |copy: &Path| -> std::io::Result<bool> {
        match &expected {
            Some(expected) => Ok(seal::digest(copy)? == *expected),
            None => Ok(true),
        }
    };
    let done = store::restore(file, dir, ledger, &is_whole, tokenise)
        .map_err(|error| of_store(error, file, dir))?;
    Ok(Restored {
        memories_in_backup: done.backup.memories,
        memories: done.memories,
        digest: if expected.is_some() {
            Seal::Matched
        } else {
            Seal::Absent
        },
        ledgers: done.ledgers,
        erased_again: done.n_replayed,
        index_rebuilt: done.is_index_new,
        scrubbed: done.scrubbed,
    })
}

/// What a data folder that cannot be used is to the person at the terminal.
pub(crate) fn of_folder(error: store::Error, dir: &Path) -> Failure {
    tracing::debug!(
        cause = crate::error::chain(&error),
        "the folder cannot be used"
    );
    let is_of_files = matches!(
        error,
        store::Error::Corrupt(_)
            | store::Error::Index(_)
            | store::Error::ForeignFile
            | store::Error::NotAFile
            | store::Error::Emptied
            | store::Error::NewerFile { .. }
            | store::Error::Unfit(_)
            | store::Error::Bookkeeping(_)
    );
    // Which file it is, and the way out, is what doctor finds.
    let finding = is_of_files.then(|| {
        let checks = examine(dir).checks.into_iter();
        checks.max_by_key(|check| check.level)
    });
    if let Some(check) = finding.flatten()
        && let Some(remedy) = check.remedy
    {
        return Failure::new(
            format!(
                "the data folder {} cannot be used: {}",
                dir.display(),
                check.what
            ),
            format!(
                "{remedy}; zero-memory doctor --data {} says more",
                dir.display()
            ),
        );
    }
    of_store(error, &dir.join("memory.db"), dir)
}

/// What a failure of the store is to the person at the terminal.
fn of_store(error: store::Error, file: &Path, dir: &Path) -> Failure {
    let file = file.display();
    match error {
        store::Error::Exists => Failure::new(
            format!("{file} is there already, and nothing is ever overwritten"),
            "name another file, or move this one away",
        ),
        store::Error::UnderWay => Failure::new(
            format!("another backup to {file} is under way"),
            "wait until it is done, or name another file",
        ),
        store::Error::NotEmpty => Failure::new(
            format!(
                "{} is not empty, and nothing is ever overwritten",
                dir.display()
            ),
            "restore into a new folder with --data, or move everything but token, erasures.jsonl and backups out of this one first",
        ),
        store::Error::NotAFile => Failure::new(
            format!("{file} is a link or a folder or a pipe"),
            "name the file itself",
        ),
        store::Error::Unfit(why) => Failure::new(
            format!("{file} was refused: {why}"),
            "take a file that zero-memory backup made",
        ),
        store::Error::Ledger { path, why } => Failure::new(
            format!(
                "the ledger of erasures {} cannot be used: {why}",
                path.display()
            ),
            "nothing was restored, since what was erased could come back; mend the ledger or delete that line, or name the right file with --ledger",
        ),
        store::Error::Bookkeeping(cause) => Failure::new(
            format!(
                "bookkeeping.db in {} cannot be used: {cause}",
                dir.display()
            ),
            "stop every server on this folder and move bookkeeping.db and the files beside it away; no memory is lost with them",
        ),
        store::Error::ForeignFile => Failure::new(
            format!("{file} is no memory of this program"),
            "take a file that zero-memory backup made",
        ),
        store::Error::Index(_) => Failure::new(
            format!("the full-text index in {file} is damaged"),
            "run zero-memory doctor --rebuild-index; no memory is lost by it",
        ),
        store::Error::Corrupt(_) => Failure::new(
            format!("{file} is damaged"),
            "take another backup; zero-memory doctor looks at the data folder",
        ),
        store::Error::NewerFile { found, known } => Failure::new(
            format!(
                "the memory has version {found}, and this program knows versions up to {known}"
            ),
            "update zero-memory",
        ),
        store::Error::DiskFull => Failure::new("the disk is full", "make room, and try again"),
        store::Error::Disk(_) => Failure::new(
            format!("{file} cannot be read or written: the disk failed, or takes no larger files"),
            "look at the disk and the limits on files, and try again",
        ),
        store::Error::ReadOnly => Failure::new(
            format!("{} can only be read", dir.display()),
            "make it writable, and try again",
        ),
        store::Error::Folder(cause) => Failure::new(
            format!("{file} or {} cannot be used: {cause}", dir.display()),
            "check the names and the rights on both",
        ),
        store::Error::Busy => Failure::new(
            "another process holds the memory",
            "try again, or end the program that holds it",
        ),
        store::Error::Emptied => Failure::new(
            format!("{file} was in use and is empty now"),
            "zero-memory doctor says what to do",
        ),
        store::Error::Dragged => {
            Failure::new(format!("{file} was not changed: {error}"), "try again")
        }
        // The cause is in the words of SQLite, and goes to the log.
        store::Error::Stopped
        | store::Error::OlderFile
        | store::Error::Migration { .. }
        | store::Error::Commit(_)
        | store::Error::NotAllowed
        | store::Error::Erased
        | store::Error::Sqlite(_) => Failure::new(
            format!("{file} cannot be used: {error}"),
            format!("run zero-memory doctor --data {}", dir.display()),
        ),
    }
}
