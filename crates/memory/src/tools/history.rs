//! `history`: how a memory came to be what it is.

use contract::constants::ANSWER_MAX_CHARACTERS;
use contract::types::{
    HistoryInput, HistoryOutput, HistoryOutputVersionsItem, HistoryOutputVersionsItemEventsItem,
};
use store::{HistoryRow, Read};

use crate::clock::rfc3339;
use crate::error::Error;
use crate::{Call, Keeper, ids, wire};

/// Versions of one statement that are looked at; more than a person reads.
const VERSIONS: usize = 200;
/// Events of one version that are shown, the newest ones.
const EVENTS: usize = 50;
/// Characters of an answer that are not versions.
const ENVELOPE: usize = 1_000;

pub(crate) fn history(
    _memory: &Keeper,
    _call: &Call,
    view: &mut Read<'_>,
    input: HistoryInput,
) -> Result<HistoryOutput, contract::Error> {
    Ok(tell(view, &input)?)
}

fn tell(view: &Read<'_>, input: &HistoryInput) -> Result<HistoryOutput, Error> {
    let id = ids::normalise(&input.memory_id);
    let Some(row) = view.find_memory(&id)? else {
        return Err(Error::Hidden { what: "memory", id });
    };
    let found = view.versions(row.seq, VERSIONS)?;
    let mut truncated = found.len() == VERSIONS;
    let mut room = ANSWER_MAX_CHARACTERS - ENVELOPE;
    let mut versions = Vec::new();
    // The newest ones are what is asked for most; they get the room first.
    for version in found.into_iter().rev() {
        let mut events = view.history(&[version.seq])?;
        truncated |= events.len() > EVENTS;
        events.drain(..events.len().saturating_sub(EVENTS));
        let item = HistoryOutputVersionsItem {
            memory_id: version.id,
            content: wire::short(&version.content),
            kind: wire::kind(&version.kind)?,
            scope: version.scope_path,
            served: version.served,
            events: events.into_iter().map(event).collect(),
        };
        let (_, n_characters) = wire::size(&item)?;
        if n_characters > room {
            truncated = true;
            break;
        }
        room -= n_characters;
        versions.push(item);
    }
    versions.reverse();
    Ok(HistoryOutput {
        versions,
        truncated,
    })
}

fn event(row: HistoryRow) -> HistoryOutputVersionsItemEventsItem {
    HistoryOutputVersionsItemEventsItem {
        event: row.event.as_str().to_owned(),
        at: rfc3339(row.at),
        by: row.by,
        reason: row.reason.as_deref().map(wire::short),
        other: row.other,
        from: row.source,
        to: row.target,
    }
}
