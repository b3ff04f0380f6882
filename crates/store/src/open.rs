//! Opens the files: looks before it touches, then brings them up to date.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::Error;
use crate::migrate::{self, Migration};
use crate::stop::Present;

mod due;
mod waits;

use due::copy_before_upgrade;
pub use due::{Upkeep, waits_for_upkeep};
pub(crate) use due::{
    copies, forget_copies, only_newest, scrub, scrub_if_due, scrub_is_due, scrub_within,
};
pub(crate) use waits::pause;
use waits::{Waits, wait_for_others, wait_unless};

/// How long a call waits for another process before it gives up. Longer than
/// any commit of ours, shorter than the patience of the clients we know.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long something waits that may as well be done later.
pub(crate) const SHORT_PATIENCE: Duration = Duration::from_millis(250);

/// Prepared statements kept per connection; the crate has fewer than this.
const N_STATEMENTS: usize = 128;

/// Page cache of a connection that reads, in KiB. A query over one project of
/// 10,000 memories then finds its index pages in memory.
const READ_CACHE_KIB: i64 = 16 * 1024;

/// A WAL that grew beyond this many bytes is cut after its next checkpoint.
const WAL_KEPT_BYTES: i64 = 16 * 1024 * 1024;

/// Bytes of the smallest SQLite file that is not empty: one page.
const SHORTEST: u64 = 512;

/// What distinguishes one of our files.
pub(crate) struct Kind {
    /// Stands in the file header, so that a file of another program is known.
    pub(crate) application_id: i64,
    pub(crate) steps: &'static [Migration],
    /// How long a call waits for another process.
    patience: Duration,
    synchronous: &'static str,
    /// Whether losing it loses a memory.
    is_copied: bool,
    /// Pages of the log from which a commit copies them into the file.
    wal_pages: i64,
}

/// The file that holds memories. An answer means that the data is on disk.
pub(crate) const MEMORY: Kind = Kind {
    application_id: 0x7a6d_656d,
    steps: migrate::MEMORY,
    patience: PATIENCE,
    synchronous: "FULL",
    is_copied: true,
    // `checkpoints` copies them sooner; this is for when it cannot.
    wal_pages: 16 * 1024,
};

/// The file that holds the server's own bookkeeping; its last moments may be
/// lost with the power.
pub(crate) const BOOKKEEPING: Kind = Kind {
    application_id: 0x7a6d_626b,
    steps: migrate::BOOKKEEPING,
    // A call goes on without its thread rather than wait for it. A commit here
    // waits for no disk, so whoever holds it longer is none of ours.
    patience: Duration::from_millis(30),
    synchronous: "NORMAL",
    is_copied: false,
    wal_pages: 1_000,
};

/// Returns whether a mark in the header of a SQLite file is one of ours.
pub fn is_mark(bytes: &[u8]) -> bool {
    [&MEMORY, &BOOKKEEPING].iter().any(|kind| {
        let id = i32::try_from(kind.application_id);
        id.is_ok_and(|id| id.to_be_bytes() == bytes)
    })
}

/// Makes the data folder, for its owner only, unless it is there.
pub(crate) fn folder(dir: &Path) -> Result<(), Error> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(dir).map_err(Error::Folder)
}

/// Opens a file for writing, making or migrating it first.
pub(crate) fn writer(path: &Path, kind: &Kind) -> Result<Connection, Error> {
    writer_for(path, kind, &Present::default())
}

/// The same; a call that has to stop stops waiting for other processes.
pub(crate) fn writer_for(path: &Path, kind: &Kind, present: &Present) -> Result<Connection, Error> {
    only_files(path)?;
    let before = if create(path)? { 0 } else { look(path, kind)? };
    if before > 0 && before < migrate::newest(kind.steps) && kind.is_copied {
        copy_before_upgrade(path, before)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags)?;
    // Where it may not write, SQLite opens the file for reading and says
    // nothing; if a log was left beside it, nothing else fails before a write.
    if conn.is_readonly("main")? {
        return Err(Error::ReadOnly);
    }
    wait_unless(&mut conn, PATIENCE, present)?;
    keep_statements(&conn)?;
    use_wal(&conn)?;
    conn.pragma_update(None, "synchronous", kind.synchronous)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "secure_delete", true)?;
    conn.pragma_update(None, "journal_size_limit", WAL_KEPT_BYTES)?;
    conn.pragma_update(None, "wal_autocheckpoint", kind.wal_pages)?;
    migrate::run(&mut conn, kind.application_id, kind.steps)?;
    if kind.is_copied {
        wait_unless(&mut conn, kind.patience, present)?;
    } else {
        let mut waits = Waits::new(kind.patience);
        conn.busy_handler(Some(move |n_tries| waits.go_on(n_tries)))?;
    }
    Ok(conn)
}

/// Opens a file that is open for writing already, for upkeep beside it.
pub(crate) fn companion(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.pragma_update(None, "journal_size_limit", WAL_KEPT_BYTES)?;
    Ok(conn)
}

/// Opens a file in a way in which SQLite refuses every write.
pub(crate) fn reader(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    reading(Connection::open_with_flags(path, flags)?)
}

/// Makes a connection one that reads.
pub(crate) fn reading(mut conn: Connection) -> Result<Connection, Error> {
    wait_for_others(&mut conn, PATIENCE)?;
    keep_statements(&conn)?;
    conn.pragma_update(None, "query_only", true)?;
    conn.pragma_update(None, "cache_size", -READ_CACHE_KIB)?;
    Ok(conn)
}

/// Makes an empty file that only its owner may read; SQLite gives the same
/// mode to the files beside it. Returns false when there was something.
pub(crate) fn create(path: &Path) -> Result<bool, Error> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    match options.open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::Folder(error)),
    }
}

/// Refuses a file that is not ours or is newer than we are, before anything
/// opens it for writing: closing a writer would already checkpoint its WAL.
/// Leaves nothing beside it. Returns its version.
pub(crate) fn look(path: &Path, kind: &Kind) -> Result<i64, Error> {
    // Not opened here: closing any descriptor of a file drops the locks that
    // this process holds on it (SQLite, "How to corrupt", 2.2).
    let found = fs::symlink_metadata(path).map_err(Error::Folder)?;
    only_files(path)?;
    match found.len() {
        // A process that was stopped while it made the file leaves it empty;
        // so does a disk that lost it, and then a new one must not cover it.
        0 if kind.is_copied && is_filled(&path.with_file_name("bookkeeping.db")) => {
            return Err(Error::Emptied);
        }
        0 => return Ok(0),
        // The header alone is longer.
        1..SHORTEST => return Err(Error::ForeignFile),
        _ => {}
    }
    if is_filled(&beside(path, "-wal")) {
        return look_inside(reader(path)?, kind);
    }
    let outcome = alone(path).and_then(|conn| look_inside(conn, kind));
    match outcome {
        // Another process has opened it meanwhile, so what was seen may be
        // half of something.
        Err(Error::Corrupt(_) | Error::ForeignFile) if is_filled(&beside(path, "-wal")) => {
            look_inside(reader(path)?, kind)
        }
        outcome => outcome,
    }
}

/// Refuses what is no file in the place of a file or of one that SQLite keeps
/// beside it: opening a pipe would wait for somebody at its other end.
fn only_files(path: &Path) -> Result<(), Error> {
    let odd = odd_one(path);
    odd.map_or(Ok(()), |_| Err(Error::NotAFile))
}

/// Returns the first of these places where something stands that is no file.
pub(crate) fn odd_one(path: &Path) -> Option<PathBuf> {
    let places = ["", "-wal", "-shm", "-journal"].map(|end| beside(path, end));
    places
        .into_iter()
        .find(|place| fs::symlink_metadata(place).is_ok_and(|found| !found.is_file()))
}

fn look_inside(conn: Connection, kind: &Kind) -> Result<i64, Error> {
    // One snapshot: another process may be making the file just now.
    conn.execute_batch("BEGIN")?;
    let application_id: i64 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    // A process that was stopped while it made the file leaves it without
    // tables and without our mark.
    if application_id != kind.application_id && (application_id != 0 || tables != 0) {
        return Err(Error::ForeignFile);
    }
    let (found, known) = (migrate::version(&conn)?, migrate::newest(kind.steps));
    if found > known {
        return Err(Error::NewerFile { found, known });
    }
    Ok(found)
}

/// Returns whether there is something in a file.
pub(crate) fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() > 0)
}

/// Returns the path of a file that SQLite keeps beside another.
pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Opens a file that nobody else has open, so that nothing is made beside it
/// and nothing in it is changed.
pub(crate) fn alone(path: &Path) -> Result<Connection, Error> {
    let mut uri = String::from("file:");
    if cfg!(windows) {
        uri.push('/');
    }
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(uri, flags)?)
}

/// Takes the rights on a file or a folder from everybody but its owner, if
/// there were any. Returns whether that was so and could be done.
pub(crate) fn own(path: &Path) -> Result<bool, Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let found = fs::symlink_metadata(path).map_err(Error::Folder)?;
        let mode = found.permissions().mode();
        if found.is_symlink() || mode & 0o077 == 0 {
            return Ok(false);
        }
        let permissions = fs::Permissions::from_mode(mode & 0o700);
        // Whoever does not own it cannot, and `doctor` says so.
        Ok(fs::set_permissions(path, permissions).is_ok())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(false)
    }
}

/// Takes the rights on our files in a data folder from everybody but their
/// owner, and those on the folder if it holds nothing else. Returns the names
/// of what was open to others.
pub(crate) fn own_folder(dir: &Path) -> Result<Vec<String>, Error> {
    let mut tightened = Vec::new();
    let mut is_ours_alone = true;
    for entry in fs::read_dir(dir).map_err(Error::Folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_ours(&name) {
            is_ours_alone = false;
        } else if own(&entry.path()).unwrap_or(false) {
            tightened.push(name);
        }
    }
    if is_ours_alone && own(dir)? {
        tightened.push(".".to_owned());
    }
    Ok(tightened)
}

/// Returns whether a name is one that this program gives.
pub(crate) fn is_ours(name: &str) -> bool {
    let ours = [
        "memory.db",
        "bookkeeping.db",
        "token",
        "erasures.jsonl",
        "backups",
        ".memory.db",
        ".zero-memory",
    ];
    ours.iter().any(|known| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    })
}

/// Turns the write-ahead log on. SQLite does not call the busy handler for
/// this step, so two processes that make a store at once meet here.
fn use_wal(conn: &Connection) -> Result<(), Error> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let outcome = conn
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match outcome.map_err(Error::from) {
            Ok(_) => return Ok(()),
            Err(Error::Busy) if Instant::now() < deadline => pause(0),
            Err(error) => return Err(error),
        }
    }
}

/// Keeps prepared statements, and their plans whatever is bound to them:
/// otherwise SQLite prepares a statement anew for every other value of a
/// parameter that its plan may depend on, such as that of a LIMIT.
pub(crate) fn keep_statements(conn: &Connection) -> Result<(), Error> {
    conn.set_prepared_statement_cache_capacity(N_STATEMENTS);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_refuses_every_write_on_a_reading_connection() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        let writing = writer(&path, &MEMORY).unwrap();
        let reading = reader(&path).unwrap();
        reading.pragma_update(None, "query_only", false).unwrap();
        for sql in [
            "DELETE FROM memory",
            "CREATE TABLE t (x)",
            "PRAGMA user_version = 7",
        ] {
            let error = reading.execute_batch(sql).unwrap_err();
            let code = error.sqlite_error_code();
            assert_eq!(code, Some(rusqlite::ErrorCode::ReadOnly), "{sql}");
        }
        assert_eq!(
            migrate::version(&writing).unwrap(),
            migrate::newest(MEMORY.steps)
        );
    }
}
