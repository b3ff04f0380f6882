//! Changes of the full-text index that wait for the end of their transaction.
//!
//! The index writes what it holds in memory to its tables whenever a savepoint
//! begins and whenever it is asked, each time as a segment that is merged
//! later. Calls that share a commit would pay for one each. So their changes
//! are kept here, in their order, and are written together: before the commit,
//! or when somebody asks the index on the same connection.

use std::cell::RefCell;

use rusqlite::{Connection, named_params};

/// Bytes of words that wait at most; then they are written at once.
const MOST_BYTES: usize = 1024 * 1024;

/// A change of one entry of the index.
pub(crate) enum Change {
    /// The entry is new.
    Put {
        entry: i64,
        text: String,
        ctx: String,
    },
    /// The entry is there, and its words change.
    Replace {
        entry: i64,
        text: String,
        ctx: String,
    },
    /// The entry goes.
    Remove { entry: i64 },
}

impl Change {
    /// Writes it to the index.
    pub(crate) fn apply(&self, conn: &Connection) -> rusqlite::Result<()> {
        let (sql, entry, words) = match self {
            Self::Put { entry, text, ctx } => (
                "INSERT INTO memory_fts (rowid, text, ctx) VALUES (:entry, :text, :ctx)",
                entry,
                Some((text, ctx)),
            ),
            Self::Replace { entry, text, ctx } => (
                "UPDATE memory_fts SET text = :text, ctx = :ctx WHERE rowid = :entry",
                entry,
                Some((text, ctx)),
            ),
            Self::Remove { entry } => ("DELETE FROM memory_fts WHERE rowid = :entry", entry, None),
        };
        let mut statement = conn.prepare_cached(sql)?;
        match words {
            Some((text, ctx)) => statement.execute(named_params! {
                ":entry": entry, ":text": text, ":ctx": ctx,
            })?,
            None => statement.execute(named_params! {":entry": entry})?,
        };
        Ok(())
    }

    fn n_bytes(&self) -> usize {
        match self {
            Self::Put { text, ctx, .. } | Self::Replace { text, ctx, .. } => text.len() + ctx.len(),
            Self::Remove { .. } => 0,
        }
    }
}

/// What waits on one connection.
///
/// Invariant: between two calls nothing is both written and kept.
#[derive(Default)]
pub(crate) struct Postponed(RefCell<Waiting>);

#[derive(Default)]
struct Waiting {
    changes: Vec<Change>,
    n_bytes: usize,
    /// Changes of earlier calls of the transaction: what the present one does
    /// may be undone, and theirs may not.
    n_before: usize,
    /// Changes that the present call made, written or not.
    n_added: usize,
    /// Changes that are written: those of earlier calls are kept until the
    /// present one has ended, because its savepoint takes them back.
    n_written: usize,
}

impl Waiting {
    fn cut(&mut self, length: usize) {
        self.changes.truncate(length);
        self.n_bytes = self.changes.iter().map(Change::n_bytes).sum();
    }

    fn write(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        for change in self.changes.iter().skip(self.n_written) {
            change.apply(conn)?;
            self.n_written += 1;
        }
        Ok(())
    }
}

impl Postponed {
    /// Begins a call: a savepoint is open from now on.
    pub(crate) fn begin(&self) {
        let mut waiting = self.0.borrow_mut();
        waiting.n_before = waiting.changes.len();
        waiting.n_added = 0;
    }

    /// Ends a call whose work is kept.
    pub(crate) fn keep(&self) {
        let mut waiting = self.0.borrow_mut();
        let n_written = std::mem::take(&mut waiting.n_written);
        if n_written > 0 {
            waiting.changes.drain(..n_written);
            let length = waiting.changes.len();
            waiting.cut(length);
        }
    }

    /// Ends a call whose savepoint was taken back.
    pub(crate) fn undo(&self) {
        let mut waiting = self.0.borrow_mut();
        waiting.n_written = 0;
        let n_before = waiting.n_before;
        waiting.cut(n_before);
    }

    /// Forgets everything: the transaction is over.
    pub(crate) fn clear(&self) {
        self.0.take();
    }

    /// Writes everything, while no call is under way.
    pub(crate) fn finish(&self, conn: &Connection) -> rusqlite::Result<()> {
        self.0.borrow_mut().write(conn)?;
        self.clear();
        Ok(())
    }

    /// Returns how much waits, for [`Postponed::cut_to`].
    pub(crate) fn mark(&self) -> usize {
        self.0.borrow().changes.len()
    }

    /// Forgets what a part of a call added after a mark. Nothing of it was
    /// written: only what is asked for, or is much, is.
    pub(crate) fn cut_to(&self, mark: usize) {
        self.0.borrow_mut().cut(mark);
    }

    /// Adds a change.
    pub(crate) fn add(&self, change: Change) {
        let mut waiting = self.0.borrow_mut();
        waiting.n_bytes += change.n_bytes();
        waiting.n_added += 1;
        waiting.changes.push(change);
    }

    /// Returns whether the present call, or the one that ended last, changes
    /// the index.
    pub(crate) fn has_added(&self) -> bool {
        self.0.borrow().n_added > 0
    }

    /// Returns whether more waits than should.
    pub(crate) fn is_much(&self) -> bool {
        self.0.borrow().n_bytes > MOST_BYTES
    }

    /// Writes what waits, and has the index write what it holds in memory, so
    /// that a call hears itself when that cannot be done.
    pub(crate) fn write_through(&self, conn: &Connection) -> rusqlite::Result<()> {
        self.settle(conn)?;
        conn.execute_batch("SAVEPOINT written; RELEASE written")
    }

    /// Writes what waits to the index, in the middle of a call.
    pub(crate) fn settle(&self, conn: &Connection) -> rusqlite::Result<()> {
        let mut waiting = self.0.borrow_mut();
        waiting.write(conn)?;
        // What this call added is in its savepoint, and goes with it.
        let n_before = waiting.n_before;
        waiting.cut(n_before);
        waiting.n_written = n_before;
        Ok(())
    }
}
