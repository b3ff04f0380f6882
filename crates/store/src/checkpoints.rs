//! Keeps the write-ahead log short, on a thread of its own and never in the
//! way of callers.
//!
//! SQLite copies the log into the file at a commit, once it has a thousand
//! pages: then a caller pays for it, and as long as readers overlap or writers
//! do not pause the log starts over never and grows without end. So the copying
//! is done here, the log is cut when nobody writes, and where it grew too long
//! readers are waited for.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::error::Error;
use crate::open;
use crate::writer::Writer;

/// How long nobody writes before the log is cut, and how often it is looked at
/// while somebody does.
const PAUSE: Duration = Duration::from_millis(200);

/// The longest time between two attempts to cut a log that a reader elsewhere
/// needs.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Bytes from which the log is copied while others write.
const COPIED_BYTES: u64 = 4 * 1024 * 1024;

/// Bytes from which writers wait until the log is cut: it starts over only
/// when no reader needs it.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// How long writers wait for readers then. Reads of ours are far shorter.
const PATIENCE: Duration = Duration::from_millis(500);

/// Follows the commits of a writer.
pub(crate) struct Checkpoints {
    path: PathBuf,
    writer: Arc<Writer>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    seen: Mutex<Seen>,
    woken: Condvar,
}

#[derive(Default)]
struct Seen {
    n_commits: u64,
    /// Length of the log after the last commit or cut, in bytes.
    n_bytes: u64,
    has_ended: bool,
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a commit after so many; returns how many there are, or none
    /// at the end.
    fn wait_for_more(&self, than: u64) -> Option<u64> {
        let idle = |seen: &mut Seen| !seen.has_ended && seen.n_commits == than;
        let seen = self
            .woken
            .wait_while(self.seen(), idle)
            .unwrap_or_else(PoisonError::into_inner);
        (!seen.has_ended).then_some(seen.n_commits)
    }

    /// Lets time pass, and less of it where the log grows beyond what is
    /// allowed; returns how many commits there are, or none at the end.
    fn pause(&self, time: Duration, allowed: u64) -> Option<u64> {
        let is_short = |seen: &mut Seen| !seen.has_ended && seen.n_bytes < allowed;
        let (seen, _) = self
            .woken
            .wait_timeout_while(self.seen(), time, is_short)
            .unwrap_or_else(PoisonError::into_inner);
        (!seen.has_ended).then_some(seen.n_commits)
    }
}

impl Checkpoints {
    pub(crate) fn new(path: PathBuf, writer: Arc<Writer>) -> Self {
        Self {
            path,
            writer,
            shared: Arc::default(),
            thread: Mutex::default(),
        }
    }

    /// Notes that something was committed.
    pub(crate) fn note(&self) {
        let n_bytes = log_bytes(&self.path);
        let mut seen = self.shared.seen();
        seen.n_commits += 1;
        seen.n_bytes = n_bytes;
        if seen.n_commits == 1 {
            self.start();
        }
        drop(seen);
        self.shared.woken.notify_all();
    }

    /// A process that only reads has no such thread.
    fn start(&self) {
        let (shared, writer) = (Arc::clone(&self.shared), Arc::clone(&self.writer));
        let path = self.path.clone();
        let thread = std::thread::Builder::new()
            .name("checkpoints".to_owned())
            .spawn(move || follow(&shared, &path, &writer));
        // Without a thread, SQLite still copies the log at a commit.
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = thread.ok();
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.shared.seen().has_ended = true;
        self.shared.woken.notify_all();
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // It holds a connection, and the last one to close cuts the log.
            let _ = thread.join();
        }
    }
}

/// Follows the commits until the end.
fn follow(shared: &Arc<Shared>, path: &Path, writer: &Writer) {
    let Ok(conn) = connection(shared, path) else {
        return;
    };
    // Cuts the log while no call of ours writes; where it cannot be cut, it may
    // grow by as much again before writers wait once more.
    let cut = || {
        let is_cut = writer.pause(|| cut(&conn));
        let n_bytes = log_bytes(path);
        shared.seen().n_bytes = n_bytes;
        let allowed = if is_cut {
            MOST_BYTES
        } else {
            n_bytes + MOST_BYTES
        };
        (is_cut, allowed)
    };
    let mut done = 0;
    let mut pause = PAUSE;
    let mut allowed = MOST_BYTES;
    while let Some(mut last) = shared.wait_for_more(done) {
        while let Some(now) = shared.pause(pause, allowed) {
            if now == last {
                let is_cut;
                (is_cut, allowed) = cut();
                if is_cut {
                    done = now;
                    pause = PAUSE;
                    break;
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
                continue;
            }
            last = now;
            pause = PAUSE;
            let n_bytes = log_bytes(path);
            if n_bytes >= allowed {
                (_, allowed) = cut();
            } else if n_bytes >= COPIED_BYTES {
                copy(&conn);
            }
        }
    }
}

/// Returns the length of the log beside a file.
fn log_bytes(path: &Path) -> u64 {
    let log = open::beside(path, "-wal");
    fs::metadata(log).map_or(0, |file| file.len())
}

/// Opens a connection that waits for readers as long as writers may wait.
fn connection(shared: &Arc<Shared>, path: &Path) -> Result<Connection, Error> {
    let mut conn = open::companion(path)?;
    let shared = Arc::clone(shared);
    let mut since = Instant::now();
    conn.busy_handler(Some(move |n_tries: i32| {
        if n_tries == 0 {
            since = Instant::now();
        }
        let waits = since.elapsed() < PATIENCE && !shared.seen().has_ended;
        if waits {
            open::pause(n_tries);
        }
        waits
    }))?;
    Ok(conn)
}

/// Copies the log into the file and cuts it; false if a reader or a writer
/// was in the way.
fn cut(conn: &Connection) -> bool {
    let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get::<_, bool>(0)
    });
    matches!(busy, Ok(false))
}

/// Copies as much of the log as nobody needs, beside those who write.
fn copy(conn: &Connection) {
    // It is tried again soon, and a disk that fails is told to a caller.
    let _ = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
        row.get::<_, bool>(0)
    });
}
