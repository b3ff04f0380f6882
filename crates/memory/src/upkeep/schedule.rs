//! Backups that the server makes by itself, and how many of them are kept.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Backup, Failure, copy, of_store, seal};
use crate::clock;

/// When to make backups, where, and how many to keep.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Time between two of them.
    pub every: Duration,
    /// How many of its own are kept; older ones are deleted.
    pub keep: usize,
    /// Where they are put.
    pub folder: PathBuf,
}

/// What one look at the schedule came to.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The backup that was made.
    pub made: Backup,
    /// How many older ones were deleted.
    pub n_deleted: usize,
}

impl Schedule {
    /// Makes a backup if one is due, and deletes those of its own that are too
    /// many. What somebody else put into the folder stays.
    pub fn run(&self, dir: &Path) -> Result<Option<Kept>, Failure> {
        let now = (clock::system())();
        let every = i64::try_from(self.every.as_millis()).unwrap_or(i64::MAX);
        let newest = self.own(dir)?.first().map(|row| row.at);
        // A clock that was set back must not stop backups for years.
        let is_due = newest.is_none_or(|at| now.saturating_sub(at) >= every || at > now);
        if !is_due || !dir.join("memory.db").is_file() {
            return Ok(None);
        }
        let made = copy::into_folder(dir, &self.folder, now, true, &mut |_, _| {})?;
        let mut n_deleted = 0;
        for row in self.own(dir)?.iter().skip(self.keep.max(1)) {
            let failed = |error| of_store(error, &row.path, dir);
            // The digest first: it must not lie about without its backup.
            for (path, n) in [(seal::path(&row.path), 0), (row.path.clone(), 1)] {
                match std::fs::remove_file(&path) {
                    Ok(()) => n_deleted += n,
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(failed(store::Error::Folder(error))),
                }
            }
            store::forget_backup(dir, &row.path).map_err(failed)?;
        }
        Ok(Some(Kept { made, n_deleted }))
    }

    /// Returns the backups of this schedule, newest first.
    fn own(&self, dir: &Path) -> Result<Vec<store::BackupRow>, Failure> {
        let rows = store::known_backups(dir).map_err(|error| of_store(error, &self.folder, dir))?;
        let folder = std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        Ok(rows
            .into_iter()
            .filter(|row| row.scheduled && row.path.parent() == Some(&folder))
            .collect())
    }
}
