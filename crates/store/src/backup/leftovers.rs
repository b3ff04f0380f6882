//! Half-made copies that a process left when it was killed: they hold texts,
//! and nobody knows of them.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::open;

/// What stands between the name of a copy and the process that makes it, with
/// a number of its own for each.
const MARK: &str = ".partial-";

/// The file by which a folder in the making is claimed.
const LOCK: &str = "lock";

/// The folder of a data folder in which backups are put unless told otherwise.
const BACKUPS: &str = "backups";

/// Returns a name under which this process makes something, and nothing else
/// at the same time.
pub(super) fn name_of(name: &str) -> String {
    static N_MADE: AtomicU64 = AtomicU64::new(0);
    let n = N_MADE.fetch_add(1, Ordering::Relaxed);
    format!(".{name}{MARK}{}-{n}", std::process::id())
}

/// Claims a file or folder in the making, for as long as what is returned
/// lives; `None` if another process has it, or the system knows no locks.
pub(super) fn claim(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    let place = if path.is_dir() {
        options.create(true);
        path.join(LOCK)
    } else {
        path.to_owned()
    };
    // A pipe would wait for somebody who reads it.
    if place.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return None;
    }
    let file = options.open(place).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Returns whether a process, this one included, is making a file.
pub fn is_under_way(target: &Path) -> bool {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return false;
    };
    let start = format!(".{}{MARK}", name.to_string_lossy());
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        entry.file_name().to_string_lossy().starts_with(&start)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && claim(&entry.path()).is_none()
    })
}

/// Returns the half-made copies in a data folder whose process is gone.
pub(crate) fn find(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in [dir.to_owned(), dir.join(BACKUPS)] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let process = name
                .strip_prefix('.')
                .and_then(|rest| rest.rsplit_once(MARK));
            let is_copy = process.is_some_and(|(_, process)| {
                !process.is_empty()
                    && process
                        .bytes()
                        .all(|byte| byte.is_ascii_digit() || byte == b'-')
            });
            let kind = entry.file_type();
            let is_plain = kind.is_ok_and(|kind| kind.is_file() || kind.is_dir());
            if is_copy && is_plain && claim(&entry.path()).is_some() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Removes them.
pub(crate) fn remove(dir: &Path) -> Result<(), Error> {
    for path in find(dir) {
        let removed = if path.is_dir() {
            fs::remove_dir_all(&path)
        } else {
            for end in ["-journal", "-wal", "-shm"] {
                // Most have none.
                let _ = fs::remove_file(open::beside(&path, end));
            }
            fs::remove_file(&path)
        };
        match removed {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Error::Folder(error)),
        }
    }
    Ok(())
}
