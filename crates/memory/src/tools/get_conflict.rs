//! `get_conflict`: shows one dispute with whole texts.

use contract::constants::ANSWER_MAX_CHARACTERS;
use contract::types::{Conflict, GetConflictInput, GetConflictOutput};
use store::Read;

use crate::error::Error;
use crate::{Call, Keeper, disputes, ids, wire};

/// Characters of a memory of a dispute besides its text, its link included.
const AROUND: usize = 500 + wire::LINK;

/// Characters of the further memories of a cluster.
const BEGINNING: usize = 240;

pub(crate) fn get_conflict(
    _memory: &Keeper,
    _call: &Call,
    view: &mut Read<'_>,
    input: GetConflictInput,
) -> Result<GetConflictOutput, contract::Error> {
    let conflict = whole(view, &input)?;
    Ok(GetConflictOutput { conflict })
}

fn whole(view: &Read<'_>, input: &GetConflictInput) -> Result<Conflict, Error> {
    let id = ids::normalise(&input.dispute_id);
    let Some(row) = view.find_dispute(&id)? else {
        return Err(Error::Hidden { what: "dispute", id });
    };
    let sides = view.dispute_sides(&[row.key], usize::MAX)?;
    let mut conflict = disputes::conflict(row, &sides)?;
    let taken = wire::size(&conflict)?.1 + wire::ENVELOPE;
    let all = ANSWER_MAX_CHARACTERS.saturating_sub(taken);
    // Long texts leave a quarter to the others of a cluster, if there are any.
    let kept = (sides.len().saturating_sub(2) * (BEGINNING + AROUND)).min(all / 4);
    let mut room = all - kept;
    // What one text leaves of its half, the other may use.
    let mut sides = sides.iter();
    let (a, b) = (sides.next(), sides.next());
    let shares = [a, b].into_iter().flatten().count();
    for (n_left, row) in (1..=shares).rev().zip([a, b].into_iter().flatten()) {
        let side = disputes::side(row, (room / n_left).saturating_sub(AROUND))?;
        room = room.saturating_sub(wire::size(&side)?.1 + wire::LINK);
        if n_left == shares {
            conflict.a = side;
        } else {
            conflict.b = Some(side);
        }
    }
    room += kept;
    for row in sides {
        let side = disputes::side(row, BEGINNING)?;
        let n_characters = wire::size(&side)?.1 + wire::LINK;
        if n_characters >= room {
            break;
        }
        room -= n_characters + 1;
        conflict.others.push(side);
    }
    Ok(conflict)
}
