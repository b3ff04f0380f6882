//! `export_memories`: everything of the caller's, whole, page by page.
//!
//! A cursor holds the number of the last memory shown and that of the newest
//! one when the walk began: what is stored meanwhile moves no page and does
//! not prolong the walk.

use std::collections::HashMap;

use contract::constants::ANSWER_MAX_CHARACTERS;
use contract::tools::EXPORT_MEMORIES_LIMIT_DEFAULT;
use contract::types::{
    ExportMemoriesInput, ExportMemoriesOutput, ExportedMemory, ExportedMemoryLinksItem,
};
use store::Read;

use crate::error::Error;
use crate::routing::{Unpinned, coverage};
use crate::{Call, Keeper, cursor, wire};

pub(crate) fn export_memories(
    _memory: &Keeper,
    _call: &Call,
    view: &mut Read<'_>,
    input: ExportMemoriesInput,
) -> Result<ExportMemoriesOutput, contract::Error> {
    Ok(page(view, &input)?)
}

fn page(view: &Read<'_>, input: &ExportMemoriesInput) -> Result<ExportMemoriesOutput, Error> {
    let scopes = input.scopes.as_deref();
    let covered = coverage(view, scopes, None, Unpinned::Everything)?;
    let named: Vec<&str> = scopes.unwrap_or_default().iter().map(|scope| scope.trim()).collect();
    let mark = cursor::mark(&["export_memories", view.caller().id(), &named.join(",")]);
    let (after, up_to) = match &input.cursor {
        Some(cursor) => {
            let [after, up_to] = cursor::read(cursor, &mark)?;
            (after, up_to)
        }
        None => (0, view.corpus(&covered.reach)?.max_seq),
    };
    let limit = input.limit.unwrap_or(EXPORT_MEMORIES_LIMIT_DEFAULT);
    let n_most = usize::try_from(limit).unwrap_or(1);
    let mut room = ANSWER_MAX_CHARACTERS - wire::ENVELOPE;
    let mut items: Vec<ExportedMemory> = Vec::new();
    let mut last = after;
    // Texts may be long: few are read at a time.
    const AT_ONCE: i64 = 32;
    let more = 'walk: loop {
        // One more than wanted tells whether there is another page.
        let rows = view.export(covered.scopes.as_deref(), last, up_to, AT_ONCE)?;
        let is_end = i64::try_from(rows.len()).unwrap_or(AT_ONCE) < AT_ONCE;
        let seqs: Vec<i64> = rows.iter().map(|row| row.seq).collect();
        let mut names: HashMap<i64, Vec<String>> = HashMap::new();
        for anchor in view.anchors_of(&seqs)? {
            names.entry(anchor.memory).or_default().push(anchor.name);
        }
        let mut links: HashMap<i64, Vec<ExportedMemoryLinksItem>> = HashMap::new();
        for link in view.links_from(&seqs)? {
            let shown = ExportedMemoryLinksItem { type_: link.link, target: link.dst };
            links.entry(link.src).or_default().push(shown);
        }
        for row in rows {
            let seq = row.seq;
            let names = names.remove(&seq).unwrap_or_default();
            let item = wire::exported(row, names, links.remove(&seq).unwrap_or_default())?;
            let n_characters = wire::size(&item)?.1 + wire::LINK;
            // The first one is shown whatever its size: a page of none would
            // end the walk.
            if items.len() >= n_most || n_characters >= room && !items.is_empty() {
                break 'walk true;
            }
            room = room.saturating_sub(n_characters + 1);
            last = seq;
            items.push(item);
        }
        if is_end {
            break false;
        }
    };
    Ok(ExportMemoriesOutput {
        items,
        next_cursor: more.then(|| cursor::write(&mark, &[last, up_to])),
    })
}
