//! How a connection waits for other processes.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::error::Error;
use crate::stop::Present;

/// Lets SQLite wait in short steps while another process holds a lock.
pub(super) fn wait_for_others(conn: &mut Connection, patience: Duration) -> Result<(), Error> {
    wait_unless(conn, patience, &Present::default())
}

/// The same, unless the call that waits has to stop.
pub(super) fn wait_unless(
    conn: &mut Connection,
    patience: Duration,
    present: &Present,
) -> Result<(), Error> {
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
pub(super) struct Waits {
    patience: Duration,
    since: Instant,
    gave_up: Option<Instant>,
}

/// How long somebody who gave up does not wait again.
const REST: Duration = Duration::from_secs(1);

impl Waits {
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            patience,
            since: Instant::now(),
            gave_up: None,
        }
    }

    /// Waits a moment; returns whether to try again.
    pub(super) fn go_on(&mut self, n_tries: i32) -> bool {
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
}
