//! `close_loop`: ends a task or an open question.

use contract::types::{CloseLoopInput, CloseLoopOutput};
use store::{Append, Metric};

use crate::error::Error;
use crate::{Call, Keeper, guard, ids, usage, wire};

pub(crate) fn close_loop(
    memory: &Keeper,
    _call: &Call,
    view: &mut Append<'_>,
    input: CloseLoopInput,
) -> Result<CloseLoopOutput, contract::Error> {
    Ok(close(memory, view, &input)?)
}

fn close(
    memory: &Keeper,
    view: &mut Append<'_>,
    input: &CloseLoopInput,
) -> Result<CloseLoopOutput, Error> {
    let resolution = guard::admit_optional("resolution", input.resolution.as_deref())?;
    let id = ids::normalise(&input.memory_id);
    let Some(row) = view.find_memory(&id)? else {
        return Err(Error::Hidden { what: "memory", id });
    };
    if !row.may_retire() {
        return Err(Error::NotYours(id));
    }
    if !wire::is_loop(wire::kind(&row.kind)?) {
        return Err(Error::NoLoop { id, kind: row.kind });
    }
    if !row.is_live() {
        return Err(Error::Retired(id));
    }
    let closed = view.close(&row, resolution, memory.now())?;
    usage::count_write(memory, view, vec![(Metric::LoopsClosed, i64::from(closed))])?;
    Ok(CloseLoopOutput { closed, memory_id: id })
}
