//! `session_receipt`: what the memory did for its caller since a moment.

use contract::types::{SessionReceiptInput, SessionReceiptOutput};
use store::{Metric, Read};

use crate::clock::{self, rfc3339};
use crate::error::Error;
use crate::{Call, Keeper};

pub(crate) fn session_receipt(
    memory: &Keeper,
    _call: &Call,
    view: &mut Read<'_>,
    input: SessionReceiptInput,
) -> Result<SessionReceiptOutput, contract::Error> {
    Ok(receipt(memory, view, &input)?)
}

fn receipt(
    memory: &Keeper,
    view: &Read<'_>,
    input: &SessionReceiptInput,
) -> Result<SessionReceiptOutput, Error> {
    let books = memory.bookkeeping()?;
    let since = books.counted_from(clock::parse("/since", &input.since)?, memory.now());
    let counts = books.counts_since(view.caller(), since)?;
    let of = |metric: Metric| {
        let found = counts.iter().find(|(counted, _)| *counted == metric);
        found.map_or(0, |(_, n)| *n)
    };
    Ok(SessionReceiptOutput {
        recalled: of(Metric::Recalled),
        remembered: of(Metric::Remembered),
        loops_opened: of(Metric::LoopsOpened),
        loops_closed: of(Metric::LoopsClosed),
        already_knew: of(Metric::AlreadyKnew),
        since: rfc3339(since),
    })
}
