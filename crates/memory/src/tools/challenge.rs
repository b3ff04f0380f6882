//! `challenge`: marks a memory as doubtful.

use contract::types::{ChallengeInput, ChallengeOutput};
use store::Append;

use crate::error::Error;
use crate::{Call, Keeper, guard, ids};

pub(crate) fn challenge(
    memory: &Keeper,
    _call: &Call,
    view: &mut Append<'_>,
    input: ChallengeInput,
) -> Result<ChallengeOutput, contract::Error> {
    Ok(dispute(memory, view, &input)?)
}

fn dispute(
    memory: &Keeper,
    view: &mut Append<'_>,
    input: &ChallengeInput,
) -> Result<ChallengeOutput, Error> {
    let reason = guard::admit("reason", &input.reason)?;
    let evidence = guard::admit_optional("evidence", input.evidence.as_deref())?;
    let id = ids::normalise(&input.memory_id);
    let Some(row) = view.find_memory(&id)? else {
        return Err(Error::Hidden { what: "memory", id });
    };
    if !row.is_live() {
        return Err(Error::Retired(id));
    }
    if !row.is_served() {
        return Err(Error::Closed(id));
    }
    let (dispute_id, already_pending) =
        view.challenge(row.seq, reason, evidence, memory.now())?;
    Ok(ChallengeOutput { dispute_id, already_pending })
}
