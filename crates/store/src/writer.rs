//! The one connection that writes, shared by every caller: group commit.
//!
//! A commit costs a flush to the disk, and a flush serves as many calls as
//! have run before it. So the caller that gets the lock begins a transaction
//! if none is open, does its work inside a savepoint on its own thread, and
//! then looks behind it: if others wait for the lock, it leaves the
//! transaction to them and waits for its end; if nobody does, it commits and
//! wakes everyone whose work was in it.
//!
//! Invariant: a transaction left open has a thread waiting for the lock, and
//! every thread that gets the lock either commits or sees another one waiting.
//! So nothing waits for ever, and no timer is needed.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::error::Error;
use crate::open;
use crate::postponed::Postponed;
use crate::stop::{Present, Stop};

/// Calls in one transaction at most, so that the first of them does not wait
/// for an endless row of others.
const BATCH_LIMIT: usize = 64;

/// How long nobody tries again after a caller gave up: what a refusal tells
/// its caller to wait.
const REST: Duration = Duration::from_secs(1);

/// Calls that write the index each for itself once a shared commit failed
/// through it. One that cannot is then refused alone, at the price of a segment
/// for each of them.
const APART: usize = 256;

/// The writing connection and the transaction that is open on it.
pub(crate) struct Writer {
    waiting: AtomicUsize,
    state: Mutex<State>,
}

struct State {
    conn: Connection,
    /// What the open transaction has yet to do to the full-text index.
    postponed: Postponed,
    /// Calls yet to come that write the index each for itself.
    n_apart: usize,
    /// For whom the connection waits for other processes.
    present: Present,
    open: Option<Open>,
    /// When a caller last gave up on another process. Those who queued behind
    /// it give up with it, and so do those who come shortly after: they were
    /// told to wait, and readers need the threads.
    gave_up: Option<Instant>,
    commits: Commits,
}

/// How many transactions were committed, and how many calls shared them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Commits {
    /// Transactions.
    pub n_commits: u64,
    /// Calls in them.
    pub n_calls: u64,
}

struct Open {
    batch: Arc<Batch>,
    n_calls: usize,
}

/// One transaction, as those see it who wait for its end.
struct Batch {
    outcome: Mutex<Option<Outcome>>,
    decided: Condvar,
}

/// How a transaction ended; an error is shared by all calls in it.
type Outcome = Result<(), Lost>;

/// Why a transaction came to nothing.
struct Lost {
    cause: Arc<rusqlite::Error>,
    /// Whether it was the index that could not be written: who changed nothing
    /// in it was dragged along.
    by_index: bool,
}

impl Lost {
    fn new(cause: rusqlite::Error, at_index: bool) -> Self {
        let cause = Arc::new(cause);
        let by_index = match Error::of_commit(Arc::clone(&cause)) {
            Error::Index(_) => true,
            Error::Commit(_) | Error::Corrupt(_) => at_index,
            _ => false,
        };
        Self { cause, by_index }
    }

    /// Returns what it is to a call.
    fn told(&self, changed_index: bool) -> Error {
        if self.by_index && !changed_index {
            Error::Dragged
        } else {
            Error::of_commit(Arc::clone(&self.cause))
        }
    }
}

impl Batch {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            outcome: Mutex::new(None),
            decided: Condvar::new(),
        })
    }

    fn decide(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.decided.notify_all();
    }

    fn wait(&self, changed_index: bool) -> Result<(), Error> {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match outcome.as_ref() {
                Some(Ok(())) => return Ok(()),
                Some(Err(lost)) => return Err(lost.told(changed_index)),
                None => {
                    outcome = self
                        .decided
                        .wait(outcome)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// What a call's own work came to, before its transaction ends.
enum Work<R, E> {
    Kept { value: R, changed_index: bool },
    Refused(E),
    Panicked(Box<dyn Any + Send>),
}

impl Writer {
    /// Returns the writer; the busy handler of the connection looks at `present`.
    pub(crate) fn new(conn: Connection, present: Present) -> Self {
        Self {
            waiting: AtomicUsize::new(0),
            state: Mutex::new(State {
                conn,
                postponed: Postponed::default(),
                n_apart: 0,
                present,
                open: None,
                gave_up: None,
                commits: Commits::default(),
            }),
        }
    }

    /// Runs `work` so that all of it is committed when this returns `Ok`, and
    /// none of it is kept when it returns `Err` or panics.
    ///
    /// What has to stop before its turn comes does nothing. Its thread still
    /// waits for the lock: it may be the one that has to commit.
    pub(crate) fn run_until<R, E: From<Error>>(
        &self,
        stop: &Stop,
        work: impl FnOnce(&Connection, &Postponed) -> Result<R, E>,
    ) -> Result<R, E> {
        let entered = Instant::now();
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::SeqCst);

        if let Err(stopped) = stop.check() {
            self.end_or_hand_over(state);
            return Err(E::from(stopped));
        }
        let batch = state.join(entered, stop)?;
        let work = match state.work(work) {
            Ok(work) => work,
            Err(error) => Work::Refused(E::from(error)),
        };
        self.end_or_hand_over(state);
        match work {
            Work::Kept {
                value,
                changed_index,
            } => batch.wait(changed_index).map(|()| value).map_err(E::from),
            Work::Refused(error) => Err(error),
            Work::Panicked(payload) => resume_unwind(payload),
        }
    }

    /// The same for work that nothing stops.
    pub(crate) fn run<R, E: From<Error>>(
        &self,
        work: impl FnOnce(&Connection, &Postponed) -> Result<R, E>,
    ) -> Result<R, E> {
        self.run_until(&Stop::default(), work)
    }

    /// Does something while no call of this process writes or has a
    /// transaction open: whoever polls for the lock of the file never gets it
    /// from those who take turns with it.
    pub(crate) fn pause<R>(&self, action: impl FnOnce() -> R) -> R {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        state.commit();
        action()
    }

    /// Leaves no trace in the file of what was deleted, and waits for other
    /// processes no longer than this.
    pub(crate) fn scrub(&self, patience: Duration) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.commit();
        let State { conn, present, .. } = &mut *state;
        open::scrub_within(conn, patience, present)
    }

    /// Returns how many transactions were committed.
    pub(crate) fn commits(&self) -> Commits {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.commits
    }

    fn end_or_hand_over(&self, mut state: MutexGuard<'_, State>) {
        let Some(open) = state.open.as_ref() else {
            return;
        };
        let goes_on = self.waiting.load(Ordering::SeqCst) > 0 && open.n_calls < BATCH_LIMIT;
        if goes_on && !state.postponed.is_much() {
            return;
        }
        state.commit();
    }
}

impl State {
    /// Enters the open transaction, or begins one.
    fn join(&mut self, entered: Instant, stop: &Stop) -> Result<Arc<Batch>, Error> {
        if let Some(open) = self.open.as_mut() {
            open.n_calls += 1;
            return Ok(Arc::clone(&open.batch));
        }
        if self.gave_up.is_some_and(|moment| entered < moment + REST) {
            return Err(Error::Busy);
        }
        self.present.set(Some(stop));
        let begun = self.conn.execute_batch("BEGIN IMMEDIATE");
        self.present.set(None);
        if let Err(error) = begun.map_err(Error::from) {
            if matches!(error, Error::Busy) {
                if stop.why().is_some() {
                    return Err(Error::Stopped);
                }
                self.gave_up = Some(Instant::now());
            }
            return Err(error);
        }
        let batch = Batch::new();
        self.open = Some(Open {
            batch: Arc::clone(&batch),
            n_calls: 1,
        });
        Ok(batch)
    }

    /// Runs one call's work and keeps or undoes it as a whole.
    fn work<R, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&Connection, &Postponed) -> Result<R, E>,
    ) -> Result<Work<R, E>, Error> {
        if let Err(cause) = self.conn.execute_batch("SAVEPOINT call") {
            return Err(self.abandon(cause));
        }
        self.postponed.begin();
        let done = match catch_unwind(AssertUnwindSafe(|| work(&self.conn, &self.postponed))) {
            Ok(Ok(value)) => match self.write_apart() {
                Ok(changed_index) => Work::Kept {
                    value,
                    changed_index,
                },
                Err(cause) => Work::Refused(E::from(Error::from(cause))),
            },
            Ok(Err(error)) => Work::Refused(error),
            Err(payload) => Work::Panicked(payload),
        };
        let sql = match done {
            Work::Kept { .. } => "RELEASE call",
            Work::Refused(_) | Work::Panicked(_) => "ROLLBACK TO call; RELEASE call",
        };
        match self.conn.execute_batch(sql) {
            Ok(()) => match done {
                Work::Kept { .. } => self.postponed.keep(),
                Work::Refused(_) | Work::Panicked(_) => self.postponed.undo(),
            },
            // A full disk and its like make SQLite roll everything back on its
            // own; then there is no savepoint left, and the batch is lost. Who
            // would be kept hears so from the batch, as the others do.
            Err(cause) => drop(self.abandon(cause)),
        }
        Ok(done)
    }

    /// Writes what a call changes in the index, where calls do so each for
    /// itself. Returns whether it changes anything there.
    fn write_apart(&mut self) -> rusqlite::Result<bool> {
        let changed_index = self.postponed.has_added();
        if changed_index && self.n_apart > 0 {
            self.postponed.write_through(&self.conn)?;
            self.n_apart -= 1;
        }
        Ok(changed_index)
    }

    /// Ends the open transaction, if there is one.
    fn commit(&mut self) {
        let Some(open) = self.open.as_ref() else {
            return;
        };
        self.commits.n_commits += 1;
        self.commits.n_calls += u64::try_from(open.n_calls).unwrap_or(u64::MAX);
        let written = self.postponed.finish(&self.conn);
        let at_index = written.is_err();
        let outcome = written.and_then(|()| self.conn.execute_batch("COMMIT"));
        self.end(outcome.map_err(|cause| Lost::new(cause, at_index)));
    }

    /// Gives the whole transaction up.
    fn abandon(&mut self, cause: rusqlite::Error) -> Error {
        let lost = Lost::new(cause, false);
        let told = lost.told(false);
        self.end(Err(lost));
        told
    }

    fn end(&mut self, outcome: Outcome) {
        if outcome.as_ref().is_err_and(|lost| lost.by_index) {
            self.n_apart = APART;
        }
        if !self.conn.is_autocommit() {
            // Cannot fail in a way that leaves the transaction open: SQLite
            // ends it even when writing the rollback itself goes wrong.
            let _ = self.conn.execute_batch("ROLLBACK");
        }
        self.postponed.clear();
        if let Some(open) = self.open.take() {
            open.batch.decide(outcome);
        }
    }
}

#[cfg(test)]
mod tests;
