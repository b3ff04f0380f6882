//! Connections that only read, kept for reuse.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use crate::error::Error;
use crate::stop::{Present, Stop};
use crate::{limited, open};

/// Idle connections kept; each holds a page cache.
const IDLE_LIMIT: usize = 4;

/// Hands out reading connections, one snapshot at a time.
pub(crate) struct Readers {
    path: PathBuf,
    /// Whether the folder can only be read.
    read_only: bool,
    idle: Mutex<Vec<Reader>>,
}

struct Reader {
    conn: Connection,
    present: Present,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, read_only: bool) -> Self {
        Self {
            path,
            read_only,
            idle: Mutex::new(Vec::new()),
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
        let reader = match self.take() {
            Some(reader) => reader,
            None => self.open()?,
        };
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

    fn take(&self) -> Option<Reader> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    fn give_back(&self, reader: Reader) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_LIMIT {
            idle.push(reader);
        }
    }
}
