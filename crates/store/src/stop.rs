//! When a call has to stop working: somebody called it off, or it is late.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rusqlite::Connection;

use crate::error::Error;

/// Steps of SQLite's machine between two looks at the clock: about a tenth of
/// a millisecond of work.
const STEPS: i32 = 4_096;

/// Says whether a call should go on. Clones are about the same call.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    /// Of all calls of the process.
    above: Option<Arc<AtomicBool>>,
    deadline: Option<Instant>,
    looks: Arc<AtomicU64>,
    most_looks: Option<u64>,
}

/// Why a call has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nobody waits for its answer any more.
    Asked,
    /// It has taken all the time that it had.
    Late,
}

impl Stop {
    /// Returns what stops at a deadline, when it is asked to, and when this
    /// one is.
    #[must_use]
    pub fn child(&self, deadline: Option<Instant>) -> Self {
        Self {
            above: Some(Arc::clone(&self.asked)),
            deadline,
            ..Self::default()
        }
    }

    /// Returns what stops at the look after so many, for a proof that does not
    /// depend on a clock.
    #[must_use]
    pub fn after_looks(most: u64) -> Self {
        Self {
            most_looks: Some(most),
            ..Self::default()
        }
    }

    /// Calls the work off.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// Returns why the work has to stop, if it has to.
    pub fn why(&self) -> Option<Why> {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::SeqCst);
        if is_set(&self.asked) || self.above.as_ref().is_some_and(is_set) {
            return Some(Why::Asked);
        }
        let late = self.deadline.is_some_and(|moment| Instant::now() >= moment);
        late.then_some(Why::Late)
    }

    /// Returns how often the work asked whether it should go on.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::SeqCst)
    }

    /// Returns whether the work has to stop, and counts the question.
    pub(crate) fn is_due(&self) -> bool {
        let looks = self.looks.fetch_add(1, Ordering::SeqCst);
        self.why().is_some() || self.most_looks.is_some_and(|most| looks >= most)
    }

    /// Refuses to go on when it has to stop.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_due() {
            Err(Error::Stopped)
        } else {
            Ok(())
        }
    }
}

/// What a connection works for at the moment.
///
/// SQLite's handlers are set once for a connection; they look here.
#[derive(Clone, Default)]
pub(crate) struct Present(Arc<Mutex<Option<Stop>>>);

impl Present {
    /// Says for whom the connection works from now on.
    pub(crate) fn set(&self, stop: Option<&Stop>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stop.cloned();
    }

    /// Returns whether that one should stop.
    pub(crate) fn is_due(&self) -> bool {
        let present = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        present.as_ref().is_some_and(Stop::is_due)
    }

    /// Has SQLite give up in the middle of a statement that should stop.
    ///
    /// Only for a connection that reads: an interrupted statement that writes
    /// takes its whole transaction along, and the calls that share it.
    pub(crate) fn interrupts(&self, conn: &mut Connection) -> Result<(), Error> {
        let present = self.clone();
        Ok(conn.progress_handler(STEPS, Some(move || present.is_due()))?)
    }
}
