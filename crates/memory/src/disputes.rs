//! What a dispute looks like from outside, and which decisions it takes.

use contract::types::{Conflict, ConflictMemory, Decision};
use store::{Cause, DisputeRow, DisputeStatus, SideRow};

use crate::clock::rfc3339;
use crate::error::Error;
use crate::wire;

/// What settles a challenge.
const OF_ONE: [Decision; 2] = [Decision::Uphold, Decision::Retire];
/// What settles a dispute about several memories.
const OF_SEVERAL: [Decision; 3] = [Decision::KeepBoth, Decision::KeepA, Decision::KeepB];

/// Returns the decisions that fit a dispute.
pub(crate) fn decisions(row: &DisputeRow) -> &'static [Decision] {
    match row.cause {
        Cause::Challenge => &OF_ONE,
        Cause::NearDuplicate | Cause::Contradiction => &OF_SEVERAL,
    }
}

/// Returns a dispute without the memories that it is about.
pub(crate) fn conflict(row: DisputeRow, sides: &[SideRow]) -> Result<Conflict, Error> {
    let is_pending = row.status == DisputeStatus::Pending;
    // The row is only ever seen by somebody who may read a side of it.
    let Some(first) = sides.first() else {
        return Err(Error::Misfit("a dispute about nothing".to_owned()));
    };
    Ok(Conflict {
        status: wire::word(row.status.as_str())?,
        cause: row.cause.as_str().to_owned(),
        decisions: if is_pending {
            decisions(&row).to_vec()
        } else {
            Vec::new()
        },
        dispute_id: row.id,
        reason: row.reason,
        evidence: row.evidence,
        raised_by: row.created_by,
        created_at: rfc3339(row.created_at),
        verdict: row.decision,
        settled_by: row.settled_by,
        settled_at: row.settled_at.map(rfc3339),
        retired: retired(sides),
        memory_count: i64::try_from(sides.len()).unwrap_or(i64::MAX),
        a: side(first, 0)?,
        b: None,
        others: Vec::new(),
    })
}

/// Returns the ids of what a decision took out of default reads.
pub(crate) fn retired(sides: &[SideRow]) -> Vec<String> {
    let out = sides.iter().filter(|side| side.retired);
    out.map(|side| side.id.clone()).collect()
}

/// Returns a memory of a dispute with as much of its text as takes no more
/// than `room` characters of an answer.
pub(crate) fn side(row: &SideRow, room: usize) -> Result<ConflictMemory, Error> {
    let (content, truncated) = fitting(&row.content, room)?;
    Ok(ConflictMemory {
        id: row.id.clone(),
        content,
        truncated,
        kind: wire::kind(&row.kind)?,
        scope: row.scope_path.clone(),
        visibility: wire::visibility(row.visibility),
        owner: row.owner.clone(),
        created_at: rfc3339(row.created_at),
        live: row.live,
    })
}

/// Returns the beginning of a text that takes no more than `room` characters
/// as JSON, and whether that is less than all.
fn fitting(text: &str, room: usize) -> Result<(String, bool), Error> {
    let mut n_characters = room;
    loop {
        let cut = wire::beginning(text, n_characters);
        let size = wire::size(&cut)?.1;
        if size <= room.saturating_add(3) || n_characters == 0 {
            let truncated = cut != text;
            return Ok((cut, truncated));
        }
        // What is escaped takes up to six characters in place of one.
        n_characters = (n_characters * room / size).min(n_characters - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_what_it_takes_as_json() {
        for text in [
            "",
            "plain",
            &"\u{1}".repeat(300),
            &"日本語".repeat(100),
            &"\"".repeat(300),
        ] {
            for room in [0, 1, 10, 299, 2_000] {
                let (cut, truncated) = fitting(text, room).unwrap();
                assert!(wire::size(&cut).unwrap().1 <= room + 3, "{room}");
                assert_eq!(truncated, cut != text);
            }
        }
        assert_eq!(fitting("plain", 7).unwrap(), ("plain".to_owned(), false));
    }
}
