//! Retires what has ended: another program said until when a memory holds, and
//! from then on it is served no more. It can be restored like any other.

use store::{Caller, Store};

use crate::Memory;
use crate::error::Error;

/// Why such a memory was retired. By this it is told from what a person
/// retired: it comes back when its source gives it another end.
pub(crate) const REASON: &str = "it has ended, as its source said it would";

/// Memories that are retired in one transaction.
const BATCH: i64 = 200;

impl Memory {
    /// Retires what has ended meanwhile, for a process that looks from time to
    /// time: opens nothing. Returns how many memories that were.
    pub fn retire_ended(&self) -> Result<usize, contract::Error> {
        if self.whole_if_open().is_none() {
            return Ok(0);
        }
        let retire = || -> Result<usize, Error> {
            let (store, caller) = self.whole()?;
            retire(&store, &caller, self.now())
        };
        Ok(retire()?)
    }
}

/// Retires what of an account's has ended by now, if anything can be written.
pub(crate) fn retire(store: &Store, caller: &Caller, now: i64) -> Result<usize, Error> {
    let mut n_retired = 0;
    while !store.is_read_only() {
        let ended = store.read(caller, |view| view.ended(now, BATCH))?;
        if ended.is_empty() {
            break;
        }
        n_retired += ended.len();
        store.write(caller, |view| -> Result<(), Error> {
            for row in &ended {
                view.retire(row, Some(REASON), now)?;
            }
            Ok(())
        })?;
    }
    Ok(n_retired)
}
