//! Opens the files: looks before it touches, then brings them up to date.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::Error;
use crate::migrate::{self, Migration};

/// How long a call waits for another process before it gives up. Longer than
/// any commit of ours, shorter than the patience of the clients we know.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

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
    application_id: i64,
    steps: &'static [Migration],
    /// How long a call waits for another process.
    patience: Duration,
    synchronous: &'static str,
}

/// The file that holds memories. An answer means that the data is on disk.
pub(crate) const MEMORY: Kind = Kind {
    application_id: 0x7a6d_656d,
    steps: migrate::MEMORY,
    patience: PATIENCE,
    synchronous: "FULL",
};

/// The file that holds the server's own bookkeeping; its last moments may be
/// lost with the power.
pub(crate) const BOOKKEEPING: Kind = Kind {
    application_id: 0x7a6d_626b,
    steps: migrate::BOOKKEEPING,
    // A call goes on without its thread rather than wait for it.
    patience: Duration::from_millis(250),
    synchronous: "NORMAL",
};

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
    if !create(path)? {
        inspect(path, kind)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags)?;
    wait_for_others(&mut conn, PATIENCE)?;
    keep_statements(&conn)?;
    use_wal(&conn)?;
    conn.pragma_update(None, "synchronous", kind.synchronous)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "secure_delete", true)?;
    conn.pragma_update(None, "journal_size_limit", WAL_KEPT_BYTES)?;
    migrate::run(&mut conn, kind.application_id, kind.steps)?;
    wait_for_others(&mut conn, kind.patience)?;
    Ok(conn)
}

/// Leaves no trace in a file, nor in its log, of what was deleted. `secure_delete`
/// overwrites rows, but not every copy that a page kept while it was split.
pub(crate) fn scrub(conn: &Connection) -> Result<(), Error> {
    conn.execute_batch("VACUUM")?;
    let busy: bool = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy { Err(Error::Busy) } else { Ok(()) }
}

/// Opens a file in a way in which SQLite refuses every write.
pub(crate) fn reader(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags)?;
    wait_for_others(&mut conn, PATIENCE)?;
    keep_statements(&conn)?;
    conn.pragma_update(None, "query_only", true)?;
    conn.pragma_update(None, "cache_size", -READ_CACHE_KIB)?;
    Ok(conn)
}

/// Makes an empty file that only its owner may read; SQLite gives the same
/// mode to the files beside it. Returns false when there was one.
fn create(path: &Path) -> Result<bool, Error> {
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
fn inspect(path: &Path, kind: &Kind) -> Result<(), Error> {
    // Not opened here: closing any descriptor of a file drops the locks that
    // this process holds on it (SQLite, "How to corrupt", 2.2).
    match fs::metadata(path).map_err(Error::Folder)?.len() {
        0 => return Ok(()),
        // The header alone is longer.
        1..SHORTEST => return Err(Error::ForeignFile),
        _ => {}
    }
    let mut conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    wait_for_others(&mut conn, PATIENCE)?;
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
    Ok(())
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
fn keep_statements(conn: &Connection) -> Result<(), Error> {
    conn.set_prepared_statement_cache_capacity(N_STATEMENTS);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Lets SQLite wait in short steps while another process holds a lock.
fn wait_for_others(conn: &mut Connection, patience: Duration) -> Result<(), Error> {
    let mut since = Instant::now();
    Ok(conn.busy_handler(Some(move |n_tries: i32| {
        if n_tries == 0 {
            since = Instant::now();
        }
        if since.elapsed() >= patience {
            return false;
        }
        pause(n_tries);
        true
    }))?)
}

/// Sleeps 1 to 5 ms; the changing length keeps two waiters out of step.
pub(crate) fn pause(n_tries: i32) {
    let ms = u64::try_from(n_tries.rem_euclid(5)).unwrap_or(0) + 1;
    std::thread::sleep(Duration::from_millis(ms));
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
