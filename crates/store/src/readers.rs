//! Connections that only read, kept for reuse.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use crate::error::Error;
use crate::open;

/// Idle connections kept; each holds a page cache.
const IDLE_LIMIT: usize = 4;

/// Hands out reading connections, one snapshot at a time.
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Runs `look` on one snapshot of the file.
    ///
    /// A connection whose closure panicked or whose transaction would not end
    /// is dropped, so that no snapshot outlives its call.
    pub(crate) fn run<R, E: From<Error>>(
        &self,
        look: impl FnOnce(&Connection) -> Result<R, E>,
    ) -> Result<R, E> {
        let conn = match self.take() {
            Some(conn) => conn,
            None => open::reader(&self.path).map_err(E::from)?,
        };
        conn.execute_batch("BEGIN")
            .map_err(|error| E::from(error.into()))?;
        let result = look(&conn);
        if conn.execute_batch("COMMIT").is_ok() {
            self.give_back(conn);
        }
        result
    }

    fn take(&self) -> Option<Connection> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    fn give_back(&self, conn: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_LIMIT {
            idle.push(conn);
        }
    }
}
