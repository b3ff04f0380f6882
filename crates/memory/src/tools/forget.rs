//! `forget`: takes a memory out of every read.

use contract::types::{ForgetInput, ForgetOutput};
use store::{Metric, Write};

use crate::error::Error;
use crate::{Call, Keeper, guard, ids, usage};

pub(crate) fn forget(
    memory: &Keeper,
    _call: &Call,
    view: &mut Write<'_>,
    input: ForgetInput,
) -> Result<ForgetOutput, contract::Error> {
    Ok(retire(memory, view, &input)?)
}

fn retire(
    memory: &Keeper,
    view: &mut Write<'_>,
    input: &ForgetInput,
) -> Result<ForgetOutput, Error> {
    let reason = guard::admit_optional("reason", input.reason.as_deref())?;
    let id = ids::normalise(&input.memory_id);
    let Some(row) = view.find_memory(&id)? else {
        return Err(Error::Hidden { what: "memory", id });
    };
    if !row.may_retire() {
        return Err(Error::NotYours(id));
    }
    let invalidated = view.retire(&row, reason, memory.now())?;
    usage::count_write(memory, view, vec![(Metric::Forgotten, i64::from(invalidated))])?;
    Ok(ForgetOutput { invalidated, memory_id: id })
}
