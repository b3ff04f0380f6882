//! Looks at a data folder without touching it, whatever state it is in.
//!
//! Must not write: a damaged, newer or foreign file is reported, not mended.
//! What a finding says is for the person who runs the folder; it names files
//! and numbers, and never what is stored.

mod index;
mod words;

use std::fs;
use std::path::Path;

use rusqlite::{Connection, named_params};

use crate::Tokenise;
use crate::backup::{self, leftovers};
use crate::erase::{self, LEDGER_FILE, Ledger};
use crate::error::Error;
use crate::migrate;
use crate::open::{self, Kind};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// As it should be.
    Ok,
    /// Good to know.
    Info,
    /// Works, and may not tomorrow.
    Warning,
    /// Does not work, or something is lost.
    Error,
}

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Stable name of the check.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found.
    pub what: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

impl Finding {
    /// Returns that a check found nothing.
    pub fn ok(id: &'static str, what: impl Into<String>) -> Self {
        Self {
            id,
            severity: Severity::Ok,
            what: what.into(),
            remedy: None,
        }
    }

    /// Returns something good to know.
    pub fn info(id: &'static str, what: impl Into<String>) -> Self {
        Self {
            severity: Severity::Info,
            ..Self::ok(id, what)
        }
    }

    /// Returns something to do soon.
    pub fn warning(id: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            remedy: Some(remedy.into()),
            ..Self::ok(id, what)
        }
    }

    /// Returns something to do now.
    pub fn error(id: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            ..Self::warning(id, what, remedy)
        }
    }
}

/// A log of this many bytes is not cut any more by ordinary work: somebody
/// keeps a snapshot open. Four times what a writer leaves.
const WAL_ALARM_BYTES: u64 = 64 * 1024 * 1024;

/// How far a clock may be ahead without a word, in milliseconds.
const CLOCK_TOLERANCE_MS: i64 = 5 * 60 * 1000;

/// Age at which the newest scheduled backup is reported, in milliseconds.
const BACKUP_ALARM_MS: i64 = 8 * 24 * 60 * 60 * 1000;

const MEMORY_FILE: &str = "memory.db";
const BOOKKEEPING_FILE: &str = "bookkeeping.db";

/// Looks at everything in a data folder.
pub fn examine(dir: &Path, tokenise: Tokenise, now: i64) -> Vec<Finding> {
    let mut found = Vec::new();
    match fs::metadata(dir) {
        Err(_) => {
            found.push(Finding::info(
                "folder",
                "there is no data folder here yet; the first start makes it",
            ));
            return found;
        }
        Ok(about) if !about.is_dir() => {
            found.push(Finding::error(
                "folder",
                "a file stands where the data folder should be",
                "move the file away, or name another folder with --data",
            ));
            return found;
        }
        Ok(_) => found.push(Finding::ok("folder", "the data folder is there")),
    }
    permissions(dir, &mut found);
    leftovers(dir, &mut found);
    memory_file(dir, tokenise, now, &mut found);
    bookkeeping_file(dir, now, &mut found);
    found
}

fn permissions(dir: &Path, found: &mut Vec<Finding>) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let is_open = |path: &Path| {
            fs::symlink_metadata(path)
                .is_ok_and(|about| !about.is_symlink() && about.permissions().mode() & 0o077 != 0)
        };
        let mut open: Vec<String> = names(dir)
            .into_iter()
            .filter(|name| open::is_ours(name) && is_open(&dir.join(name)))
            .collect();
        if is_open(dir) {
            open.insert(0, "the folder itself".to_owned());
        }
        found.push(if open.is_empty() {
            Finding::ok("permissions", "only the owner can read the files")
        } else {
            Finding::warning(
                "permissions",
                format!("others on this machine have rights on {}", open.join(", ")),
                "run chmod -R go-rwx on the data folder; the next start takes the rights on its own files away by itself",
            )
        });
    }
    #[cfg(not(unix))]
    {
        let _ = dir;
        found.push(Finding::info(
            "permissions",
            "who may read the folder is not looked at on this system",
        ));
    }
}

fn leftovers(dir: &Path, found: &mut Vec<Finding>) {
    let mut left: Vec<String> = names(dir)
        .into_iter()
        .filter(|name| name.starts_with("token.") && name.ends_with(".new"))
        .collect();
    for path in leftovers::find(dir) {
        let shown = path.strip_prefix(dir).unwrap_or(&path);
        left.push(shown.to_string_lossy().into_owned());
    }
    found.push(if left.is_empty() {
        Finding::ok("leftovers", "no half-made file lies about")
    } else {
        Finding::warning(
            "leftovers",
            format!(
                "half-made files of a process that broke off: {}",
                left.join(", ")
            ),
            "delete them: nobody works on them any more, and they hold memories",
        )
    });
    let copies: Vec<String> = open::copies(dir)
        .iter()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if !copies.is_empty() {
        found.push(Finding::info(
            "upgrade_copy",
            format!(
                "{} is the memory as it was before an upgrade; delete it once you trust this version",
                copies.join(", ")
            ),
        ));
    }
}

/// Returns the names in a folder.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn memory_file(dir: &Path, tokenise: Tokenise, now: i64, found: &mut Vec<Finding>) {
    let path = dir.join(MEMORY_FILE);
    if path.symlink_metadata().is_err() {
        let was_there = dir.join(BOOKKEEPING_FILE).exists() || dir.join(LEDGER_FILE).exists();
        found.push(if was_there {
            Finding::error(
                "memory_file",
                "memory.db is missing, although the folder was in use",
                "put it back, or restore a backup into an empty folder with zero-memory restore; the next start would begin with an empty memory",
            )
        } else {
            Finding::info("memory_file", "nothing was stored here yet")
        });
        return;
    }
    let conn = match opened(&path, &open::MEMORY) {
        Ok((conn, version)) => {
            found.push(Finding::ok(
                "memory_file",
                "memory.db is a memory of this program",
            ));
            schema_version(version, found);
            conn
        }
        Err(error) => {
            found.push(of_memory_file(&error, &path));
            return;
        }
    };
    let Some(conn) = conn else {
        return;
    };
    log_size(dir, found);
    let outcome = snapshot(&conn, |conn, version| {
        integrity("integrity", conn, found)?;
        foreign_keys(conn, found)?;
        if version == migrate::newest(migrate::MEMORY) {
            index::agreement(conn, tokenise, found)?;
            clock(conn, now, found)?;
            ledger(dir, conn, found)?;
        }
        Ok(())
    });
    if let Err(error) = outcome {
        // It began as one, and a check says one thing.
        if !matches!(error, Error::Busy | Error::Index(_)) {
            found.retain(|finding| finding.id != "memory_file");
        }
        found.push(match error {
            Error::Busy => Finding::error(
                "memory_busy",
                "another process held memory.db for longer than doctor waits",
                "stop the program that holds it, and run doctor again",
            ),
            Error::Index(_) => index::damaged(),
            error => of_memory_file(&error, &path),
        });
    }
}

/// Opens a file to look at it, if there is something in it. Returns its
/// version, too.
fn opened(path: &Path, kind: &Kind) -> Result<(Option<Connection>, i64), Error> {
    let version = open::look(path, kind)?;
    if version == 0 {
        return Ok((None, 0));
    }
    // Somebody may have it open; then only SQLite's own locks give a snapshot.
    let is_open = open::beside(path, "-shm").exists() || open::beside(path, "-wal").exists();
    let conn = if is_open {
        let conn = open::reader(path)?;
        match conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())) {
            Ok(()) => conn,
            // A folder that cannot be written to has no room for locks.
            Err(_) => open::alone(path)?,
        }
    } else {
        open::alone(path)?
    };
    Ok((Some(conn), version))
}

fn snapshot(
    conn: &Connection,
    look: impl FnOnce(&Connection, i64) -> Result<(), Error>,
) -> Result<(), Error> {
    conn.execute_batch("BEGIN")?;
    look(conn, migrate::version(conn)?)
}

fn of_memory_file(error: &Error, path: &Path) -> Finding {
    let finding = |what: &str, remedy: &str| Finding::error("memory_file", what, remedy);
    let restore = "stop every server on this folder, move memory.db and the files beside it into another folder (keep them), and bring the last backup back with zero-memory restore";
    match error {
        Error::NewerFile { found, known } => finding(
            &format!(
                "memory.db has version {found}, and this program knows versions up to {known}"
            ),
            "update zero-memory; this program leaves the file as it is",
        ),
        Error::ForeignFile => finding(
            "memory.db is no file of this program",
            "move it away, or name another folder with --data; this program leaves it as it is",
        ),
        Error::NotAFile => {
            let odd = open::odd_one(path);
            let name = odd.as_deref().and_then(Path::file_name);
            let name = name.map_or(MEMORY_FILE.into(), |name| name.to_string_lossy());
            let remedy = if name == MEMORY_FILE {
                "put the file itself there, or name the folder that holds it with --data"
            } else {
                "move it away: no program of ours made it, and memory.db is left untouched"
            };
            finding(
                &format!("{name} is a link or a folder or a pipe, and no file"),
                remedy,
            )
        }
        Error::Emptied => finding(
            "memory.db is empty, although the folder was in use",
            "restore a backup; or delete memory.db to begin with an empty memory",
        ),
        Error::Corrupt(_) => finding("memory.db is damaged", restore),
        Error::Busy => finding(
            "another process held memory.db for longer than doctor waits",
            "stop the program that holds it, and run doctor again",
        ),
        Error::Folder(_) => finding(
            "memory.db cannot be read",
            "check who owns the data folder and the rights on it",
        ),
        other => finding(&format!("memory.db cannot be examined: {other}"), restore),
    }
}

fn schema_version(version: i64, found: &mut Vec<Finding>) {
    let known = migrate::newest(migrate::MEMORY);
    found.push(if version == known {
        Finding::ok("schema_version", format!("version {version}, the newest"))
    } else {
        Finding::info(
            "schema_version",
            format!("version {version}; the next start keeps a copy and brings it to {known}"),
        )
    });
}

fn log_size(dir: &Path, found: &mut Vec<Finding>) {
    let log = open::beside(&dir.join(MEMORY_FILE), "-wal");
    let bytes = fs::metadata(log).map_or(0, |about| about.len());
    let mib = bytes / (1024 * 1024);
    found.push(if bytes > WAL_ALARM_BYTES {
        Finding::warning(
            "log_size",
            format!("the log beside memory.db has {mib} MiB"),
            "a program keeps an old snapshot open: end it, or restart the servers on this folder, and the log shrinks",
        )
    } else {
        Finding::ok("log_size", format!("the log has {mib} MiB"))
    });
}

fn integrity(id: &'static str, conn: &Connection, found: &mut Vec<Finding>) -> Result<(), Error> {
    let mut statement = conn.prepare("PRAGMA integrity_check(20)")?;
    let said: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if said == ["ok"] {
        found.push(Finding::ok(id, "every page and every index holds together"));
        return Ok(());
    }
    let (index, file): (Vec<&String>, Vec<&String>) =
        said.iter().partition(|line| line.contains("memory_fts"));
    if !index.is_empty() {
        found.push(index::damaged());
    }
    if let Some(first) = file.first() {
        found.push(Finding::error(
            id,
            format!("{} places are damaged, the first: {first}", file.len()),
            "stop every server on this folder, keep a copy of its files, and bring the last backup back with zero-memory restore",
        ));
    }
    Ok(())
}

fn foreign_keys(conn: &Connection, found: &mut Vec<Finding>) -> Result<(), Error> {
    let n_broken: i64 =
        conn.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })?;
    found.push(if n_broken == 0 {
        Finding::ok("foreign_keys", "every row refers to rows that are there")
    } else {
        Finding::error(
            "foreign_keys",
            format!("{n_broken} rows refer to rows that are not there"),
            "keep a copy of memory.db, and bring the last backup back with zero-memory restore",
        )
    });
    Ok(())
}

fn clock(conn: &Connection, now: i64, found: &mut Vec<Finding>) -> Result<(), Error> {
    let (n_ahead, newest): (i64, i64) = conn.query_row(
        "SELECT count(*), coalesce(max(at), 0) FROM history WHERE at > :now",
        named_params! {":now": now.saturating_add(CLOCK_TOLERANCE_MS)},
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    found.push(if n_ahead == 0 {
        Finding::ok("clock", "nothing is dated later than now")
    } else {
        let hours = newest.saturating_sub(now) / 3_600_000;
        Finding::warning(
            "clock",
            format!("{n_ahead} steps are dated later than now, by up to {hours} hours"),
            "set the clock of this machine; if it is right now, it was wrong when they were written, and they only sort too early",
        )
    });
    Ok(())
}

fn ledger(dir: &Path, conn: &Connection, found: &mut Vec<Finding>) -> Result<(), Error> {
    let known = erase::entries(conn)?;
    let path = dir.join(LEDGER_FILE);
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        found.push(Finding::error(
            "ledger",
            format!("{LEDGER_FILE} is no file, and no program of ours made it"),
            format!("move it away, and the next start writes {LEDGER_FILE} anew"),
        ));
        return Ok(());
    }
    let ledger = Ledger::read(&path)?;
    let n_unapplied = ledger.entries.difference(&known).count();
    let n_unwritten = known.difference(&ledger.entries).count();
    if ledger.n_unreadable > 0 {
        found.push(Finding::warning(
            "ledger",
            format!("{} lines of {LEDGER_FILE} cannot be read", ledger.n_unreadable),
            format!("compare {LEDGER_FILE} with the one beside your backups; what was erased before the last backup is in the backup as well"),
        ));
    } else if n_unapplied + n_unwritten > 0 {
        found.push(Finding::warning(
            "ledger",
            format!("{n_unapplied} erasures are to be done again and {n_unwritten} to be noted in {LEDGER_FILE}"),
            "start the server, or run zero-memory doctor --repair",
        ));
    } else {
        found.push(Finding::ok(
            "ledger",
            format!("{} erasures are noted", known.len()),
        ));
    }
    if open::scrub_is_due(conn)? {
        found.push(Finding::warning(
            "scrub",
            "something was erased whose bytes may still be in the file",
            "end programs that keep the folder open, and run zero-memory doctor --repair",
        ));
    }
    Ok(())
}

fn bookkeeping_file(dir: &Path, now: i64, found: &mut Vec<Finding>) {
    let path = dir.join(BOOKKEEPING_FILE);
    if path.symlink_metadata().is_err() {
        return;
    }
    let remedy = "stop every server on this folder and move bookkeeping.db and the files beside it away; no memory is lost with them";
    let conn = match opened(&path, &open::BOOKKEEPING) {
        Ok((Some(conn), _)) => conn,
        Ok((None, _)) => return,
        Err(error) => {
            let newer = matches!(error, Error::NewerFile { .. });
            let remedy = if newer { "update zero-memory" } else { remedy };
            found.push(Finding::error(
                "bookkeeping_file",
                format!("bookkeeping.db cannot be used: {error}"),
                remedy,
            ));
            return;
        }
    };
    let said: Result<String, Error> = conn
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(Error::from);
    found.push(match said {
        Ok(said) if said == "ok" => {
            Finding::ok("bookkeeping_file", "bookkeeping.db holds together")
        }
        Ok(_) | Err(_) => Finding::error("bookkeeping_file", "bookkeeping.db is damaged", remedy),
    });
    backups(&conn, now, found);
}

fn backups(conn: &Connection, now: i64, found: &mut Vec<Finding>) {
    let rows = backup::known(conn).unwrap_or_default();
    let (there, gone): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.path.is_file());
    let days = |at: i64| now.saturating_sub(at).max(0) / 86_400_000;
    found.push(match there.first() {
        None => Finding::info(
            "backup",
            "no backup is known; zero-memory backup makes one, and serve --backup-every makes them by itself",
        ),
        Some(newest) if rows.iter().any(|row| row.scheduled)
            && now.saturating_sub(newest.at) > BACKUP_ALARM_MS =>
        {
            Finding::warning(
                "backup",
                format!("the newest backup is {} days old, although they were made by schedule", days(newest.at)),
                "start the server with --backup-every again, or run zero-memory backup",
            )
        }
        Some(newest) => Finding::ok(
            "backup",
            format!("{} backups, the newest {} days old", there.len(), days(newest.at)),
        ),
    });
    if !gone.is_empty() {
        found.push(Finding::info(
            "backup_gone",
            format!(
                "{} backups that were made here are not where they were put",
                gone.len()
            ),
        ));
    }
}
