//! `list_conflicts`: lists disputes, newest first, page by page.

use contract::constants::ANSWER_MAX_CHARACTERS;
use contract::tools::LIST_CONFLICTS_LIMIT_DEFAULT;
use contract::types::{DisputeStatus, ListConflictsInput, ListConflictsOutput};
use store::{Read, SideRow};

use crate::error::Error;
use crate::{Call, Keeper, cursor, disputes, wire};

/// Characters of a text that a list shows.
const BEGINNING: usize = 240;

pub(crate) fn list_conflicts(
    _memory: &Keeper,
    _call: &Call,
    view: &mut Read<'_>,
    input: ListConflictsInput,
) -> Result<ListConflictsOutput, contract::Error> {
    Ok(page(view, &input)?)
}

fn page(view: &Read<'_>, input: &ListConflictsInput) -> Result<ListConflictsOutput, Error> {
    let status = input.status.map(|status| match status {
        DisputeStatus::Pending => store::DisputeStatus::Pending,
        DisputeStatus::Settled => store::DisputeStatus::Settled,
    });
    let verdict = input.verdict.map(|verdict| verdict.to_string());
    let mark = cursor::mark(&[
        "list_conflicts",
        view.caller().id(),
        status.map(store::DisputeStatus::as_str).unwrap_or_default(),
        verdict.as_deref().unwrap_or_default(),
    ]);
    let before = match &input.cursor {
        Some(cursor) => {
            let [before] = cursor::read(cursor, &mark)?;
            before
        }
        None => i64::MAX,
    };
    let limit = input.limit.unwrap_or(LIST_CONFLICTS_LIMIT_DEFAULT);
    // One more than asked for tells whether there is another page.
    let rows = view.disputes(status, verdict.as_deref(), before, limit.saturating_add(1))?;
    let n_rows = rows.len();
    let keys: Vec<i64> = rows.iter().map(|row| row.key).collect();
    // One character more shows that a text was cut.
    let sides = view.dispute_sides(&keys, BEGINNING + 1)?;

    let mut room = ANSWER_MAX_CHARACTERS - wire::ENVELOPE;
    let mut conflicts = Vec::new();
    let mut last = before;
    for row in rows.into_iter().take(usize::try_from(limit).unwrap_or(1)) {
        let key = row.key;
        let sides: Vec<SideRow> =
            sides.iter().filter(|side| side.dispute == key).cloned().collect();
        let mut conflict = disputes::conflict(row, &sides)?;
        let mut shown = sides.iter().map(|row| disputes::side(row, BEGINNING));
        if let Some(side) = shown.next() {
            conflict.a = side?;
        }
        conflict.b = shown.next().transpose()?;
        let n_links = 1 + usize::from(conflict.b.is_some());
        let n_characters = wire::size(&conflict)?.1 + n_links * wire::LINK;
        // The first one is shown whatever its size: a page of none would end
        // the walk.
        if n_characters >= room && !conflicts.is_empty() {
            break;
        }
        room = room.saturating_sub(n_characters + 1);
        last = key;
        conflicts.push(conflict);
    }
    Ok(ListConflictsOutput {
        next_cursor: (conflicts.len() < n_rows).then(|| cursor::write(&mark, &[last])),
        conflicts,
    })
}
