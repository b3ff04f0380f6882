//! Makes one backup: the copy, its digest and the ledger beside it, and a line
//! in the bookkeeping from its beginning on.

use std::path::Path;

use store::BackupRow;

use super::{Backup, Failure, of_store, seal};
use crate::clock;

/// Names that are tried for backups of one second.
const NAMES: usize = 100;

/// Why a backup was not made.
pub(super) enum Refusal {
    /// Something stands in its place.
    Taken(Failure),
    /// Anything else.
    Failed(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Taken(failure) | Refusal::Failed(failure) => failure,
        }
    }
}

/// Returns the name of a backup of a moment, by whether it is the first one of
/// its second: names sort by time.
fn name(at: i64, n: usize) -> String {
    let digits: String = clock::rfc3339(at)
        .chars()
        .take(19)
        .filter(|letter| !"-:".contains(*letter))
        .collect();
    match n {
        1 => format!("zero-memory-{digits}Z.db"),
        _ => format!("zero-memory-{digits}Z_{n}.db"),
    }
}

/// Makes a backup in a folder, under a name that nobody has.
pub(super) fn into_folder(
    dir: &Path,
    folder: &Path,
    at: i64,
    scheduled: bool,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Backup, Failure> {
    let mut n = 1;
    loop {
        match one(dir, &folder.join(name(at, n)), at, scheduled, progress) {
            Err(Refusal::Taken(_)) if n < NAMES => n += 1,
            outcome => return outcome.map_err(Failure::from),
        }
    }
}

/// Makes a backup in a place where there is nothing yet.
pub(super) fn one(
    dir: &Path,
    target: &Path,
    at: i64,
    scheduled: bool,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Backup, Refusal> {
    let source = dir.join("memory.db");
    if source.symlink_metadata().is_err() {
        return Err(Refusal::Failed(Failure::new(
            format!("{} holds no memory", dir.display()),
            "name the data folder with --data",
        )));
    }
    if !source.is_file() {
        let failure = of_source(store::Error::NotAFile, target, dir);
        return Err(Refusal::Failed(failure));
    }
    let target = std::path::absolute(target)
        .map_err(|error| Failure::new(error.to_string(), "name another file"))?;
    if let Some(folder) = target.parent() {
        make_folder(folder)?;
    }
    // The digest of another backup must not stand beside this one.
    for path in [&target, &seal::path(&target)] {
        if path.symlink_metadata().is_ok() {
            return Err(Refusal::Taken(of_store(store::Error::Exists, path, dir)));
        }
    }
    if store::is_under_way(&target) {
        let failure = of_store(store::Error::UnderWay, &target, dir);
        return Err(Refusal::Taken(failure));
    }
    let row = BackupRow {
        path: target.clone(),
        at,
        bytes: 0,
        scheduled,
    };
    let is_noted = note(store::begin_backup(dir, &row)) == Some(true);
    let facts = store::backup(dir, &target, progress).map_err(|error| {
        if is_noted {
            note(store::abandon_backup(dir, &target));
        }
        let is_taken = matches!(error, store::Error::Exists | store::Error::UnderWay);
        let failure = of_source(error, &target, dir);
        if is_taken {
            Refusal::Taken(failure)
        } else {
            Refusal::Failed(failure)
        }
    })?;
    let row = BackupRow {
        bytes: i64::try_from(facts.bytes).unwrap_or(i64::MAX),
        ..row
    };
    note(store::note_backup(dir, &row));
    // After that: what is erased from now on finds the backup noted.
    store::lay_ledger(dir, &target).map_err(|error| {
        let cause = of_store(error, &target, dir);
        Failure::new(
            format!(
                "{} is whole, but what was erased while it was made could not be noted beside it: {}",
                target.display(),
                cause.what
            ),
            "delete it and make another, or keep erasures.jsonl of the data folder with it",
        )
    })?;
    let sha256 = seal::digest(&target).map_err(|error| {
        Failure::new(
            format!("{} cannot be read again: {error}", target.display()),
            "do not rely on this backup; check the disk and make another",
        )
    })?;
    seal::put(&target, &sha256).map_err(|error| {
        Failure::new(
            format!(
                "{} is whole, but its digest could not be put beside it: {error}",
                target.display()
            ),
            "keep it or delete it; a backup whose digest stands beside it is proven when it comes back",
        )
    })?;
    Ok(Backup {
        path: target,
        bytes: facts.bytes,
        sha256,
        schema_version: facts.version,
        memories: facts.memories,
        entities: facts.entities,
        accounts: facts.accounts,
    })
}

/// The backup is whole without a line in the bookkeeping; only erasures could
/// not be counted or noted there.
fn note<T>(outcome: Result<T, store::Error>) -> Option<T> {
    outcome
        .inspect_err(|error| {
            tracing::warn!(error = %error, "the backup could not be noted in the bookkeeping");
        })
        .ok()
}

/// Makes a folder for its owner only, unless it is there.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        Failure::new(
            format!("{} cannot be made: {error}", folder.display()),
            "name another folder",
        )
    })
}

/// What a failure of a backup is to the person at the terminal: a copy is as
/// bad as what it was made of.
fn of_source(error: store::Error, target: &Path, dir: &Path) -> Failure {
    let file = if matches!(
        error,
        store::Error::Corrupt(_)
            | store::Error::Index(_)
            | store::Error::ForeignFile
            | store::Error::NotAFile
            | store::Error::Emptied
            | store::Error::Unfit(_)
    ) {
        dir.join("memory.db")
    } else {
        return of_store(error, target, dir);
    };
    let mut failure = of_store(error, &file, dir);
    failure.hint = format!(
        "no backup was made; zero-memory doctor --data {} says what to do",
        dir.display()
    );
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Memory, MemoryOptions};

    #[test]
    fn backups_of_one_second_get_names_of_their_own_that_sort_by_time() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        let options = MemoryOptions {
            handle: "me".to_owned(),
        };
        Memory::new(data.clone(), options).open().unwrap();
        let folder = place.path().join("backups");
        let mut made = Vec::new();
        for _ in 0..3 {
            let at = 1_790_000_000_000;
            let backup = into_folder(&data, &folder, at, false, &mut |_, _| {}).unwrap();
            made.push(backup.path);
        }
        let next = folder.join(name(1_790_000_001_000, 1));
        made.push(next);
        assert!(made.is_sorted_by(|one, other| one < other), "{made:?}");
        assert_eq!(store::known_backups(&data).unwrap().len(), 3);
        // A digest without its backup is not covered either.
        std::fs::remove_file(&made[0]).unwrap();
        let again = into_folder(&data, &folder, 1_790_000_000_000, false, &mut |_, _| {}).unwrap();
        assert!(
            again.path.ends_with("zero-memory-20260921T141320Z_4.db"),
            "{again:?}"
        );
    }
}
