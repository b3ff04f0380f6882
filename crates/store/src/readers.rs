//! Connections that only read, kept for reuse.
//!
//! Opening one and compiling its statements takes longer than most reads, and
//! more reads at a time than processors do not end sooner. So there are only
//! few, and who finds none waits for one; but not long: reads that take their
//! time, or wait for each other, must not hold up all others.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use crate::error::Error;
use crate::stop::{Present, Stop};
use crate::{limited, open};

/// Connections for each processor, and how many there are at least and at most:
/// each holds a page cache.
const PER_PROCESSOR: usize = 2;
const LEAST: usize = 4;
const MOST: usize = 16;

/// How long a call waits for another one's connection before it opens one of
/// its own, which is closed afterwards.
const PATIENCE: Duration = Duration::from_millis(100);

/// Hands out reading connections, one snapshot at a time.
pub(crate) struct Readers {
    path: PathBuf,
    /// Whether the folder can only be read.
    read_only: bool,
    most: usize,
    patience: Duration,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Reader>,
    n_lent: usize,
}

struct Reader {
    conn: Connection,
    present: Present,
}

/// That a connection is lent, until this goes, also in a panic.
struct Loan<'r>(&'r Readers);

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        self.0.state().n_lent -= 1;
        self.0.returned.notify_one();
    }
}

impl Readers {
    pub(crate) fn new(path: PathBuf, read_only: bool) -> Self {
        let n_processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            path,
            read_only,
            most: (PER_PROCESSOR * n_processors).clamp(LEAST, MOST),
            patience: PATIENCE,
            state: Mutex::default(),
            returned: Condvar::new(),
        }
    }

    /// Runs `look` on one snapshot of the file, however long it takes.
    pub(crate) fn run<R, E: From<Error>>(
        &self,
        look: impl FnOnce(&Connection) -> Result<R, E>,
    ) -> Result<R, E> {
        self.run_until(&Stop::default(), look)
    }

    /// Runs `look` on one snapshot of the file, and gives up in the middle of
    /// it when it should stop.
    ///
    /// A connection whose closure panicked or whose transaction would not end
    /// is dropped, so that no snapshot outlives its call.
    pub(crate) fn run_until<R, E: From<Error>>(
        &self,
        stop: &Stop,
        look: impl FnOnce(&Connection) -> Result<R, E>,
    ) -> Result<R, E> {
        stop.check()?;
        let (_loan, idle) = self.lend();
        let reader = match idle {
            Some(reader) => reader,
            None => self.open()?,
        };
        // The wait may have outlasted the call.
        stop.check()?;
        reader.present.set(Some(stop));
        reader.conn.execute_batch("BEGIN").map_err(Error::from)?;
        let result = look(&reader.conn);
        reader.present.set(None);
        if reader.conn.execute_batch("COMMIT").is_ok() {
            self.give_back(reader);
        }
        result
    }

    fn open(&self) -> Result<Reader, Error> {
        let mut conn = if self.read_only {
            limited::reader(&self.path)?
        } else {
            open::reader(&self.path)?
        };
        let present = Present::default();
        present.interrupts(&mut conn)?;
        Ok(Reader { conn, present })
    }

    /// Lends a connection; none where one has to be opened.
    fn lend(&self) -> (Loan<'_>, Option<Reader>) {
        let is_short = |state: &mut State| state.idle.is_empty() && state.n_lent >= self.most;
        let (mut state, _) = self
            .returned
            .wait_timeout_while(self.state(), self.patience, is_short)
            .unwrap_or_else(PoisonError::into_inner);
        state.n_lent += 1;
        (Loan(self), state.idle.pop())
    }

    /// Keeps a connection, before its loan ends.
    fn give_back(&self, reader: Reader) {
        let mut state = self.state();
        if state.idle.len() < self.most {
            state.idle.push(reader);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::thread;

    use super::*;

    /// Connections that are lent at a time in these tests.
    const FEW: usize = 2;

    fn readers(path: PathBuf, patience: Duration) -> Readers {
        let mut readers = Readers::new(path, false);
        readers.most = FEW;
        readers.patience = patience;
        readers
    }

    /// Marks a connection, and returns whether it was marked before.
    fn mark(conn: &Connection) -> Result<bool, Error> {
        let before: i64 = conn.query_row("PRAGMA cache_size", [], |row| row.get(0))?;
        conn.pragma_update(None, "cache_size", 77)?;
        Ok(before == 77)
    }

    fn file() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        Connection::open(&path).unwrap();
        (dir, path)
    }

    /// Holds all connections while something else is done.
    fn with_all_held<R>(readers: &Readers, meanwhile: impl FnOnce(mpsc::Sender<()>) -> R) -> R {
        thread::scope(|scope| {
            let (free, freed) = mpsc::channel::<()>();
            let freed = Arc::new(Mutex::new(freed));
            let (tell, told) = mpsc::channel();
            for _ in 0..FEW {
                let (tell, freed) = (tell.clone(), Arc::clone(&freed));
                scope.spawn(move || {
                    readers.run(|conn| {
                        mark(conn)?;
                        tell.send(()).unwrap();
                        // Ends as well when nobody is left to free it.
                        let _ = freed.lock().unwrap().recv();
                        Ok::<_, Error>(())
                    })
                });
            }
            (0..FEW).for_each(|_| told.recv().unwrap());
            meanwhile(free)
        })
    }

    #[test]
    fn who_finds_no_connection_gets_the_next_that_comes_back() {
        let (_dir, path) = file();
        let readers = readers(path, Duration::from_secs(600));
        let was_marked = with_all_held(&readers, |free| {
            thread::scope(|scope| {
                let late = scope.spawn(|| readers.run(mark));
                free.send(()).unwrap();
                late.join().unwrap()
            })
        });
        assert!(was_marked.unwrap());
    }

    #[test]
    fn who_waits_too_long_gets_a_connection_of_its_own() {
        let (_dir, path) = file();
        let readers = readers(path, Duration::ZERO);
        let was_marked = with_all_held(&readers, |_free| readers.run(mark));
        assert!(!was_marked.unwrap());
        assert_eq!(readers.state().n_lent, 0);
        assert_eq!(readers.state().idle.len(), FEW);
    }

    #[test]
    fn a_panic_takes_no_connection_for_good() {
        let (_dir, path) = file();
        let readers = readers(path, Duration::from_secs(600));
        for _ in 0..=FEW {
            let readers = &readers;
            thread::scope(|scope| {
                let look = |_: &Connection| -> Result<(), Error> { panic!("on purpose") };
                assert!(scope.spawn(move || readers.run(look)).join().is_err());
            });
        }
        assert!(!readers.run(mark).unwrap());
    }
}
