//! Brings a backup back into an empty folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::Temporary;
use super::verify::{BackupFacts, sound, verify};
use crate::erase::{LEDGER_FILE, Ledger, LedgerEntry, extend};
use crate::error::Error;
use crate::{Store, Tokenise, open};

/// Names that may stand in a folder before a memory comes back to it.
const HARMLESS: [&str; 3] = [LEDGER_FILE, "token", "backups"];

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// What the backup held.
    pub backup: BackupFacts,
    /// Entries of the ledger that were newer than the backup: what they name
    /// was erased again.
    pub n_replayed: usize,
    /// Memories afterwards, retired ones too.
    pub memories: i64,
    /// Whether no byte of what was erased again is left.
    pub scrubbed: bool,
}

/// Brings a backup back. What was erased since is erased again before anybody
/// can read it: the ledger is looked for beside the backup, one folder above,
/// in the data folder, and where the caller says.
pub fn restore(
    file: &Path,
    dir: &Path,
    ledger: Option<&Path>,
    tokenise: Tokenise,
) -> Result<Restored, Error> {
    let found = file.symlink_metadata().map_err(Error::Folder)?;
    if !found.is_file() {
        return Err(Error::NotAFile);
    }
    let is_in_use =
        |end: &str| fs::metadata(open::beside(file, end)).is_ok_and(|log| log.len() > 0);
    if is_in_use("-wal") || is_in_use("-journal") {
        return Err(Error::Unfit(
            "a log stands beside it, so it is a file in use and no finished backup",
        ));
    }
    empty(dir)?;
    open::folder(dir)?;
    let target = dir.join("memory.db");
    let temporary = Temporary::beside(&target)?;
    // Verified is what will be opened, not what somebody may change meanwhile.
    fs::copy(file, &temporary.path).map_err(of_io)?;
    open::own(&temporary.path)?;
    let facts = verify(&temporary.path)?;
    let entries = ledgers(file, ledger)?;
    extend(dir, &entries)?;
    let known = known_entries(&temporary.path)?;
    let all = Ledger::read(&dir.join(LEDGER_FILE))?.entries;
    let n_replayed = all.difference(&known).count();
    fs::OpenOptions::new()
        .write(true)
        .open(&temporary.path)
        .and_then(|file| file.sync_all())
        .map_err(of_io)?;
    temporary.put(&target)?;
    // From here on any start of the server would finish it: opening the file
    // brings it up to date and replays the ledger.
    let store = Store::open(dir, tokenise)?;
    let memories = store.readers.run(|conn| {
        sound(conn)?;
        Ok::<i64, Error>(conn.query_row("SELECT count(*) FROM memory", [], |row| row.get(0))?)
    })?;
    Ok(Restored {
        backup: facts,
        n_replayed,
        memories,
        scrubbed: !store.scrub_is_due()?,
    })
}

/// Refuses a folder that holds something.
fn empty(dir: &Path) -> Result<(), Error> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::Folder(error)),
    };
    for entry in entries {
        let name = entry.map_err(Error::Folder)?.file_name();
        if !HARMLESS.iter().any(|harmless| name == *harmless) {
            return Err(Error::NotEmpty);
        }
    }
    Ok(())
}

/// Returns what all ledgers say that can be found for a backup.
fn ledgers(file: &Path, named: Option<&Path>) -> Result<BTreeSet<LedgerEntry>, Error> {
    let mut entries = BTreeSet::new();
    let file = fs::canonicalize(file).map_err(Error::Folder)?;
    for folder in file.ancestors().skip(1).take(2) {
        entries.extend(Ledger::read(&folder.join(LEDGER_FILE))?.entries);
    }
    if let Some(named) = named {
        // One that was asked for has to be there.
        named.metadata().map_err(Error::Folder)?;
        let ledger = Ledger::read(named)?;
        if ledger.entries.is_empty() && ledger.n_unreadable > 0 {
            return Err(Error::Unfit("the ledger that was named is no ledger"));
        }
        entries.extend(ledger.entries);
    }
    Ok(entries)
}

fn known_entries(path: &Path) -> Result<BTreeSet<LedgerEntry>, Error> {
    let conn = open::alone(path)?;
    let has_table: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'erasure')",
        [],
        |row| row.get(0),
    )?;
    if has_table {
        crate::erase::entries(&conn)
    } else {
        Ok(BTreeSet::new())
    }
}

fn of_io(error: std::io::Error) -> Error {
    if error.kind() == std::io::ErrorKind::StorageFull {
        Error::DiskFull
    } else {
        Error::Folder(error)
    }
}
