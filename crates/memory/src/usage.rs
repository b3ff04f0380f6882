//! Counts what calls do. A count never fails a call and holds no text.

use contract::types::Kind;
use store::{Append, Caller, Metric, Read};

use crate::error::Error;
use crate::open::Bookkeeping;
use crate::{Keeper, wire};

/// Counts what a read showed.
pub(crate) fn count_read(memory: &Keeper, view: &Read<'_>, n_shown: usize) -> Result<(), Error> {
    let shown = i64::try_from(n_shown).unwrap_or(i64::MAX);
    let counts = [(Metric::Recalls, 1), (Metric::Recalled, shown)];
    let store = memory.bookkeeping()?;
    count(&store, view.caller(), &counts, memory.now());
    Ok(())
}

/// Counts what a write did, once it is on disk.
pub(crate) fn count_write(
    memory: &Keeper,
    view: &mut Append<'_>,
    counts: Vec<(Metric, i64)>,
) -> Result<(), Error> {
    let (store, caller, now) = (memory.bookkeeping()?, view.caller().clone(), memory.now());
    view.after_commit(move || count(&store, &caller, &counts, now));
    Ok(())
}

fn count(store: &Bookkeeping, caller: &Caller, counts: &[(Metric, i64)], now: i64) {
    if let Err(error) = store.count(caller, counts, now) {
        tracing::warn!(error = %error, "a count was lost");
    }
}

/// Returns the count of a memory of this kind that was stored.
pub(crate) fn loops(kind: Kind) -> (Metric, i64) {
    (Metric::LoopsOpened, i64::from(wire::is_loop(kind)))
}
