//! How many calls are taken at once, how long each may take, and how all of
//! them are ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use contract::Error;
use memory::Stop;
use tokio::sync::Semaphore;

/// Writes that may hold a thread at once; of the 64 threads, the others are
/// for reads.
const WRITING: usize = 48;

/// What a refused caller is told to wait: calls take milliseconds.
const RETRY_AFTER_S: u64 = 1;

/// The calls that were taken and are not done.
pub struct Crowd {
    most: usize,
    deadline: Duration,
    taken: AtomicUsize,
    all: Stop,
    /// Writes wait for each other; they must not keep the threads from reads.
    pub writes: Semaphore,
}

impl Crowd {
    /// Returns a crowd of so many calls at most, each of which may take so
    /// long.
    pub fn new(most: usize, deadline: Duration) -> Self {
        Self {
            most,
            deadline,
            taken: AtomicUsize::new(0),
            all: Stop::default(),
            writes: Semaphore::new(WRITING),
        }
    }

    /// Returns what ends a call that begins now.
    pub fn stop(&self) -> Stop {
        self.all.child(Some(Instant::now() + self.deadline))
    }

    /// Takes a call, or refuses it at once when there are too many.
    pub fn enter(self: &Arc<Self>) -> Result<Place, Error> {
        let before = self.taken.fetch_add(1, Ordering::SeqCst);
        let place = Place(Arc::clone(self));
        if before < self.most {
            return Ok(place);
        }
        Err(Error::rate_limited(
            format!(
                "the server works on as many calls as it takes at once, {}; nothing of this one was done, so send it again",
                self.most
            ),
            RETRY_AFTER_S,
        ))
    }

    /// Returns how many calls are not done.
    pub fn len(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    /// Ends every call: what is being written is written or left out whole.
    pub fn disperse(&self) {
        self.all.ask();
    }
}

/// The place of a call, free again when this goes, also when it panics.
pub struct Place(Arc<Crowd>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::SeqCst);
    }
}
