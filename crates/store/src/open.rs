//! Opens the files: looks before it touches, then brings them up to date.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::backup::Temporary;
use crate::backup::leftovers;
use crate::error::Error;
use crate::limited;
use crate::migrate::{self, Migration};
use crate::stop::Present;

/// How long a call waits for another process before it gives up. Longer than
/// any commit of ours, shorter than the patience of the clients we know.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long something waits that may as well be done later.
pub(crate) const SHORT_PATIENCE: Duration = Duration::from_millis(250);

/// What the name of a copy begins with that was made before an upgrade; then
/// comes the version of the copy.
const COPY_PREFIX: &str = "memory.db.v";
/// What it ends with.
const COPY_SUFFIX: &str = ".bak";

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

/// What of the upkeep that a folder waits for is done when it is opened. Both
/// take as long as the file is big.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// An older file is brought to this version, and one in which something was
    /// erased is rewritten.
    Done,
    /// Neither; an older file is refused.
    Left,
}

/// Whether the upkeep of a folder waits for somebody to open it.
pub fn waits_for_upkeep(dir: &Path) -> bool {
    let path = dir.join("memory.db");
    if fs::symlink_metadata(&path).is_err() {
        return false;
    }
    match only_newest(&path, &MEMORY) {
        Err(error) => matches!(error, Error::OlderFile),
        Ok(()) => limited::reader(&path)
            .and_then(|conn| scrub_is_due(&conn))
            .unwrap_or_default(),
    }
}

/// Refuses a file of an older version.
pub(crate) fn only_newest(path: &Path, kind: &Kind) -> Result<(), Error> {
    let is_there = fs::symlink_metadata(path).is_ok();
    if is_there && look(path, kind)? < migrate::newest(kind.steps) {
        return Err(Error::OlderFile);
    }
    Ok(())
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

/// Keeps the file as it is before it is brought to a newer version, so that
/// the program of before can have it back. One such copy is kept.
fn copy_before_upgrade(path: &Path, version: i64) -> Result<(), Error> {
    let Some(dir) = path.parent() else {
        return Ok(());
    };
    let target = dir.join(format!("{COPY_PREFIX}{version}{COPY_SUFFIX}"));
    if target.symlink_metadata().is_ok() {
        return Ok(());
    }
    let temporary = Temporary::beside(&target)?;
    let source = reader(path)?;
    source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
    crate::backup::copy(&source, &temporary.path, &mut |_, _| {})?;
    drop(source);
    if migrate::version(&alone(&temporary.path)?)? != version {
        // Another process was faster, and has made a copy as well.
        return Ok(());
    }
    let others = copies(dir);
    match temporary.put(&target) {
        Ok(()) | Err(Error::Exists) => {}
        Err(error) => return Err(error),
    }
    for other in others.iter().filter(|other| **other != target) {
        fs::remove_file(other).map_err(Error::Folder)?;
    }
    Ok(())
}

/// Leaves no trace in a file, nor in its log, of what was deleted. `secure_delete`
/// overwrites rows, but not every copy that a page kept while it was split.
pub(crate) fn scrub(conn: &Connection, patience: Duration) -> Result<(), Error> {
    // Rewriting the file beside a reader of the past only makes the log longer
    // by the whole file, each time that it is tried.
    cut(conn, patience)?;
    conn.execute_batch("VACUUM")?;
    cut(conn, patience)
}

/// Copies the log into the file and cuts it, once nobody needs it any more.
fn cut(conn: &Connection, patience: Duration) -> Result<(), Error> {
    let deadline = Instant::now() + patience;
    loop {
        let busy: bool = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if !busy {
            return Ok(());
        }
        // SQLite does not wait for another one that copies the log just now.
        if Instant::now() >= deadline {
            return Err(Error::Busy);
        }
        pause(0);
    }
}

/// The same for the memory file; what the ledger still asks for is done then.
pub(crate) fn scrub_memory(conn: &Connection, patience: Duration) -> Result<(), Error> {
    scrub(conn, patience)?;
    conn.execute("UPDATE erasure SET scrubbed = 1 WHERE scrubbed = 0", [])?;
    Ok(())
}

/// Returns whether something was erased whose bytes may still be in the file.
pub(crate) fn scrub_is_due(conn: &Connection) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM erasure WHERE scrubbed = 0)";
    Ok(conn.query_row(sql, [], |row| row.get(0))?)
}

/// Does a scrub that is due if nobody stands in its way at this moment;
/// otherwise somebody does it later.
pub(crate) fn scrub_if_due(
    conn: &mut Connection,
    dir: &Path,
    present: &Present,
) -> Result<(), Error> {
    if !scrub_is_due(conn)? {
        return Ok(());
    }
    forget_copies(dir)?;
    let outcome = scrub_within(conn, SHORT_PATIENCE, present);
    match outcome {
        Ok(()) | Err(Error::Busy) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Scrubs the memory file, and waits for others no longer than this; then the
/// connection waits as it did before.
pub(crate) fn scrub_within(
    conn: &mut Connection,
    patience: Duration,
    present: &Present,
) -> Result<(), Error> {
    wait_unless(conn, patience, present)?;
    let outcome = scrub_memory(conn, patience);
    wait_unless(conn, MEMORY.patience, present)?;
    outcome
}

/// Returns the copies of the memory file that were made before it was brought
/// to a newer version.
pub(crate) fn copies(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.strip_prefix(COPY_PREFIX)
                .and_then(|rest| rest.strip_suffix(COPY_SUFFIX))
                .is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit()))
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// Removes these copies, and those that somebody left half-made: they still
/// hold what was erased.
pub(crate) fn forget_copies(dir: &Path) -> Result<(), Error> {
    leftovers::remove(dir)?;
    for path in copies(dir) {
        match fs::remove_file(path) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::Folder(error)),
        }
    }
    Ok(())
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

/// Lets SQLite wait in short steps while another process holds a lock.
fn wait_for_others(conn: &mut Connection, patience: Duration) -> Result<(), Error> {
    wait_unless(conn, patience, &Present::default())
}

/// The same, unless the call that waits has to stop.
fn wait_unless(conn: &mut Connection, patience: Duration, present: &Present) -> Result<(), Error> {
    let mut since = Instant::now();
    let present = present.clone();
    Ok(conn.busy_handler(Some(move |n_tries: i32| {
        if n_tries == 0 {
            since = Instant::now();
        }
        if since.elapsed() >= patience || present.is_due() {
            return false;
        }
        pause(n_tries);
        true
    }))?)
}

/// How long a connection waits that is not waited for: who gave up a moment ago
/// does not wait again. A call asks it several times, and each would wait.
struct Waits {
    patience: Duration,
    since: Instant,
    gave_up: Option<Instant>,
}

/// How long somebody who gave up does not wait again.
const REST: Duration = Duration::from_secs(1);

impl Waits {
    fn new(patience: Duration) -> Self {
        Self {
            patience,
            since: Instant::now(),
            gave_up: None,
        }
    }

    /// Waits a moment; returns whether to try again.
    fn go_on(&mut self, n_tries: i32) -> bool {
        if n_tries == 0 {
            self.since = Instant::now();
        }
        if self.gave_up.is_some_and(|moment| moment.elapsed() < REST) {
            return false;
        }
        if self.since.elapsed() >= self.patience {
            self.gave_up = Some(Instant::now());
            return false;
        }
        pause(n_tries);
        true
    }
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
    fn who_gave_up_a_moment_ago_does_not_wait_again() {
        let mut waits = Waits::new(Duration::from_secs(3_600));
        assert!(waits.go_on(0) && waits.go_on(1));
        waits.patience = Duration::ZERO;
        assert!(!waits.go_on(2));
        waits.patience = Duration::from_secs(3_600);
        assert!(!waits.go_on(0));
        waits.gave_up = Instant::now().checked_sub(REST);
        assert!(waits.go_on(0));
    }

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
