//! Which project a conversation works in: the bookkeeping file.
//!
//! A token is looked up under its own account only; for anyone else it leads
//! nowhere, as one that was never given out.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, named_params};

use crate::Store;
use crate::accounts::Caller;
use crate::error::Error;
use crate::ids;
use crate::limited;
use crate::open;
use crate::scopes::ScopeKey;
use crate::usage::Counts;

/// Threads of an account that are kept, those used last: what no client echoes
/// would otherwise fill the file until it grows old.
const MOST_THREADS: i64 = 4_096;

/// Threads that are made between two looks at how many there are.
const BETWEEN_LOOKS: usize = 256;

/// A conversation that was heard of lately enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRow {
    /// What the client echoes.
    pub token: String,
    /// The project it works in.
    pub scope: ScopeKey,
    /// When it was last used: milliseconds since the epoch.
    pub used_at: i64,
}

/// The bookkeeping file.
pub(crate) struct Threads {
    conn: Mutex<Connection>,
    n_minted: AtomicUsize,
    pub(crate) counts: Counts,
}

impl Drop for Threads {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.settle_counts();
    }
}

impl Threads {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            conn: Mutex::new(open::writer(path, &open::BOOKKEEPING)?),
            n_minted: AtomicUsize::new(0),
            counts: Counts::default(),
        })
    }

    /// Keeps books in memory only, where the folder can only be read: calls
    /// need their threads as long as the process lives.
    pub(crate) fn unwritten() -> Result<Self, Error> {
        Ok(Self {
            conn: Mutex::new(limited::unwritten(&open::BOOKKEEPING)?),
            n_minted: AtomicUsize::new(0),
            counts: Counts::default(),
        })
    }

    /// Does something with the file. What is wrong with it is said of this
    /// file, and not of the one that holds memories.
    pub(crate) fn with<R>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let conn = self.conn.lock().unwrap_or_else(PoisonError::into_inner);
        work(&conn).map_err(Error::of_bookkeeping)
    }
}

impl Threads {
    /// Erases what is noted about an account.
    pub(crate) fn forget_account(&self, caller: &Caller) -> Result<(), Error> {
        self.settle_counts()?;
        self.with(|conn| {
            for sql in [
                "DELETE FROM thread WHERE account = :account",
                "DELETE FROM usage WHERE account = :account",
            ] {
                conn.execute(sql, named_params! {":account": caller.id()})?;
            }
            open::scrub(conn, open::PATIENCE)
        })
    }
}

impl Store {
    /// Returns the caller's thread with a token, if it was used after
    /// `not_before`.
    pub fn find_thread(
        &self,
        caller: &Caller,
        token: &str,
        not_before: i64,
    ) -> Result<Option<ThreadRow>, Error> {
        self.threads.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT token, scope, used_at FROM thread \
                 WHERE token = :token AND account = :account AND used_at > :not_before",
            )?;
            let found = statement.query_row(
                named_params! {":token": token, ":account": caller.id(), ":not_before": not_before},
                thread,
            );
            Ok(found.optional()?)
        })
    }

    /// Returns the caller's thread of a conversation, if it was used after
    /// `not_before`.
    pub fn find_thread_of(
        &self,
        caller: &Caller,
        conversation: &str,
        not_before: i64,
    ) -> Result<Option<ThreadRow>, Error> {
        self.threads.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT token, scope, used_at FROM thread WHERE account = :account \
                 AND conversation = :conversation AND used_at > :not_before",
            )?;
            let found = statement.query_row(
                named_params! {
                    ":account": caller.id(), ":conversation": conversation,
                    ":not_before": not_before,
                },
                thread,
            );
            Ok(found.optional()?)
        })
    }

    /// Returns a token for a thread that is yet to be made.
    pub fn fresh_thread_token(&self, now: i64) -> String {
        ids::fresh(ids::THREAD, now)
    }

    /// Makes a thread for the caller under a fresh token, and drops those that were not used after
    /// `not_before`.
    pub fn mint_thread(
        &self,
        caller: &Caller,
        token: &str,
        scope: ScopeKey,
        conversation: Option<&str>,
        now: i64,
        not_before: i64,
    ) -> Result<ThreadRow, Error> {
        let n_before = self.threads.n_minted.fetch_add(1, Ordering::Relaxed);
        self.threads.with(|conn| {
            conn.prepare_cached("DELETE FROM thread WHERE used_at <= :not_before")?
                .execute(named_params! {":not_before": not_before})?;
            if n_before.is_multiple_of(BETWEEN_LOOKS) {
                conn.prepare_cached(
                    "DELETE FROM thread WHERE token IN (SELECT token FROM thread \
                     WHERE account = :account ORDER BY used_at DESC, token DESC \
                     LIMIT -1 OFFSET :most)",
                )?
                .execute(named_params! {":account": caller.id(), ":most": MOST_THREADS})?;
            }
            // Two processes may hear of one conversation at once; the later
            // one takes over what the earlier one made.
            let mut statement = conn.prepare_cached(
                "INSERT INTO thread (token, account, scope, conversation, created_at, used_at) \
                 VALUES (:token, :account, :scope, :conversation, :now, :now) \
                 ON CONFLICT (account, conversation) WHERE conversation IS NOT NULL \
                 DO UPDATE SET scope = :scope, used_at = :now RETURNING token, scope, used_at",
            )?;
            Ok(statement.query_row(
                named_params! {
                    ":token": token, ":account": caller.id(), ":scope": scope,
                    ":conversation": conversation, ":now": now,
                },
                thread,
            )?)
        })
    }

    /// Notes that a thread of the caller's is in use, and the project it works
    /// in now.
    pub fn touch_thread(
        &self,
        caller: &Caller,
        token: &str,
        scope: ScopeKey,
        now: i64,
    ) -> Result<(), Error> {
        self.threads.with(|conn| {
            conn.prepare_cached(
                "UPDATE thread SET used_at = :now, scope = :scope \
                 WHERE token = :token AND account = :account",
            )?
            .execute(named_params! {
                ":token": token, ":account": caller.id(), ":scope": scope, ":now": now,
            })?;
            Ok(())
        })
    }
}

fn thread(row: &rusqlite::Row<'_>) -> rusqlite::Result<ThreadRow> {
    Ok(ThreadRow {
        token: row.get(0)?,
        scope: row.get(1)?,
        used_at: row.get(2)?,
    })
}
