//! Brings a backup back into an empty folder.
//!
//! Everything is done in a folder of its own inside of that one: the copy is
//! proven, brought up to date, cleaned of what was erased and held against its
//! index there. Moving the finished file into its place is the last step, so
//! that a failure leaves the folder as it was.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::verify::{BackupFacts, sound, verify};
use super::{Temporary, leftovers};
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
    /// The ledgers that were found. Without any, what was erased after the
    /// backup was made is back.
    pub ledgers: Vec<PathBuf>,
    /// Entries of the ledgers that were newer than the backup: what they name
    /// was erased again.
    pub n_replayed: usize,
    /// Whether the index did not agree with the rows and was made anew.
    pub is_index_new: bool,
    /// Memories afterwards, retired ones too.
    pub memories: i64,
    /// Whether no byte of what was erased again is left.
    pub scrubbed: bool,
}

/// Says whether the bytes of a file are those that they should be.
pub type IsWhole<'a> = &'a dyn Fn(&Path) -> std::io::Result<bool>;

/// Brings a backup back. What was erased since is erased again before anybody
/// can read it: the ledger is looked for beside the backup, one folder above,
/// in the data folder, and where the caller says.
pub fn restore(
    file: &Path,
    dir: &Path,
    ledger: Option<&Path>,
    is_whole: IsWhole<'_>,
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
    leftovers::remove(dir)?;
    empty(dir)?;
    let ledgers = ledgers(file, dir, ledger)?;
    let workshop = Workshop::inside(dir)?;
    let copy = workshop.path.join("memory.db");
    // Verified is what will be opened, not what somebody may change meanwhile.
    fs::copy(file, &copy).map_err(of_io)?;
    open::own(&copy)?;
    if !is_whole(&copy).map_err(of_io)? {
        return Err(Error::Unfit(
            "its bytes are not those whose digest stands beside it, so it was changed or damaged since it was made",
        ));
    }
    let facts = verify(&copy)?;
    extend(&workshop.path, &ledgers.entries)?;
    let n_replayed = ledgers
        .entries
        .difference(&known_entries(&open::alone(&copy)?)?)
        .count();
    // Opening the file brings it up to date and replays the ledger.
    let store = Store::open(&workshop.path, tokenise)?;
    let is_index_new = store.settle_index()?;
    let memories = store.readers.run(|conn| {
        sound(conn)?;
        Ok::<i64, Error>(conn.query_row("SELECT count(*) FROM memory", [], |row| row.get(0))?)
    })?;
    let scrubbed = !store.scrub_is_due()?;
    drop(store);
    if open::is_filled(&open::beside(&copy, "-wal")) {
        // Somebody looks into the workshop; the file is not whole without it.
        return Err(Error::Busy);
    }
    fs::OpenOptions::new()
        .write(true)
        .open(&copy)
        .and_then(|file| file.sync_all())
        .map_err(of_io)?;
    Temporary::inside(copy).put(&dir.join("memory.db"))?;
    workshop.keep_folder();
    // As every start does.
    let _ = open::own_folder(dir);
    // The file holds the entries as well, and the next start writes down what
    // the ledger beside it lacks.
    let _ = extend(dir, &ledgers.entries);
    Ok(Restored {
        backup: facts,
        ledgers: ledgers.files,
        n_replayed,
        is_index_new,
        memories,
        scrubbed,
    })
}

/// A folder inside of the data folder that is gone afterwards; so are the
/// folders that had to be made for it, unless they are to stay.
struct Workshop {
    path: PathBuf,
    /// Folders that were not there, innermost first.
    made: Vec<PathBuf>,
    /// Tells others that somebody still works in it.
    claim: Option<fs::File>,
}

impl Workshop {
    fn inside(dir: &Path) -> Result<Self, Error> {
        let dir = std::path::absolute(dir).map_err(Error::Folder)?;
        let made = dir
            .ancestors()
            .take_while(|folder| folder.symlink_metadata().is_err())
            .map(Path::to_owned)
            .collect();
        let path = dir.join(leftovers::name_of("memory.db"));
        // From here on a failure takes away what was made.
        let mut workshop = Self {
            path,
            made,
            claim: None,
        };
        open::folder(&workshop.path)?;
        workshop.claim = leftovers::claim(&workshop.path);
        Ok(workshop)
    }

    fn keep_folder(mut self) {
        self.made.clear();
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // An open file cannot be removed everywhere.
        self.claim.take();
        // What stays behind in spite of it is a finding of `doctor`.
        let _ = fs::remove_dir_all(&self.path);
        for folder in &self.made {
            // Fails where somebody else has put something meanwhile.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Refuses a folder that holds something.
fn empty(dir: &Path) -> Result<(), Error> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
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

/// What all ledgers say that can be found for a backup.
#[derive(Default)]
struct Ledgers {
    files: Vec<PathBuf>,
    entries: BTreeSet<LedgerEntry>,
}

/// Reads all ledgers that can be found for a backup. One that cannot be read
/// to its end is refused: what its other lines name would come back.
fn ledgers(file: &Path, dir: &Path, named: Option<&Path>) -> Result<Ledgers, Error> {
    let file = fs::canonicalize(file).map_err(Error::Folder)?;
    let folders = file.ancestors().skip(1).take(2).chain([dir]);
    let looked_for = folders.map(|folder| (folder.join(LEDGER_FILE), false));
    // One that was asked for has to be there.
    let asked_for = named.map(|named| (named.to_owned(), true));
    let mut found = Ledgers::default();
    for (path, has_to_be_there) in looked_for.chain(asked_for) {
        let refused = |why: String| Error::Ledger {
            path: path.clone(),
            why,
        };
        match path.metadata() {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound && !has_to_be_there => continue,
            Err(error) => return Err(refused(error.to_string())),
        }
        let ledger = match Ledger::read(&path) {
            Ok(ledger) => ledger,
            Err(Error::Folder(error)) => return Err(refused(error.to_string())),
            Err(error) => return Err(error),
        };
        if let Some(line) = ledger.first_unreadable {
            return Err(refused(format!("its line {line} is no entry of a ledger")));
        }
        let path = fs::canonicalize(&path).unwrap_or(path);
        if !found.files.contains(&path) {
            found.files.push(path);
        }
        found.entries.extend(ledger.entries);
    }
    Ok(found)
}

/// Returns the entries of a memory file of any version.
pub(super) fn known_entries(conn: &Connection) -> Result<BTreeSet<LedgerEntry>, Error> {
    let has_table: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'erasure')",
        [],
        |row| row.get(0),
    )?;
    if has_table {
        crate::erase::entries(conn)
    } else {
        Ok(BTreeSet::new())
    }
}

fn of_io(error: std::io::Error) -> Error {
    if error.kind() == ErrorKind::StorageFull {
        Error::DiskFull
    } else {
        Error::Folder(error)
    }
}
