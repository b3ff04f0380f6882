//! `build_context`: what is known that bears on a task, within a ceiling.

use contract::types::{BuildContextInput, BuildContextOutput};
use store::Read;

use crate::{Call, Keeper, briefing, usage};

pub(crate) fn build_context(
    memory: &Keeper,
    call: &Call,
    view: &mut Read<'_>,
    input: BuildContextInput,
) -> Result<BuildContextOutput, contract::Error> {
    let answer = briefing::build(memory, call, view, &input)?;
    usage::count_read(memory, view, answer.memories.len())?;
    Ok(answer)
}
