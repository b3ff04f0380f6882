//! `recall`: finds memories, best first, page by page.

use contract::constants::ANSWER_MAX_CHARACTERS;
use contract::tools::{RECALL_INCLUDE_GRAPH_DEFAULT, RECALL_K_DEFAULT};
use contract::types::{Kind, RecallInput, RecallOutput};
use store::{Corpus, Read};

use crate::error::Error;
use crate::recall::{self, EXCERPT, Search, Walk};
use crate::routing::{Unpinned, coverage};
use crate::threads::{Selectors, stand_for_read};
use crate::{Call, Keeper, cursor, guard, usage, wire};

pub(crate) fn recall(
    memory: &Keeper,
    call: &Call,
    view: &mut Read<'_>,
    input: RecallInput,
) -> Result<RecallOutput, contract::Error> {
    Ok(page(memory, call, view, &input)?)
}

fn page(
    memory: &Keeper,
    call: &Call,
    view: &Read<'_>,
    input: &RecallInput,
) -> Result<RecallOutput, Error> {
    let query = guard::visible("query", &input.query)?;
    let selectors = Selectors {
        hint: input.project_hint.as_deref(),
        thread: input.thread.as_deref(),
        conversation: None,
    };
    let stand = stand_for_read(memory, call, view, selectors)?;
    let scopes = input.scopes.as_deref();
    let covered = coverage(view, scopes, stand.project.as_ref(), Unpinned::Everything)?;
    let terms = recall::terms(query);
    let kinds = input.kinds.clone().unwrap_or_default();
    let mark = mark(view, query, &kinds, scopes, covered.project.as_deref());
    let (start, corpus, at) = match &input.cursor {
        None => (0, view.corpus(&covered.reach)?, memory.now()),
        Some(cursor) => {
            let [start, max_seq, n_docs, n_tokens, at] = cursor::read(cursor, &mark)?;
            (start, Corpus { n_docs, n_tokens, max_seq }, at)
        }
    };
    let search = Search { reach: &covered.reach, terms: &terms, kinds: &kinds, corpus, at };
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let mut walk = Walk::new(view, &search, start)?;
    let k = usize::try_from(input.k.unwrap_or(RECALL_K_DEFAULT)).unwrap_or(1);
    let ranked = walk.take(k)?;

    let mut room = ANSWER_MAX_CHARACTERS - wire::ENVELOPE;
    let mut memories = Vec::new();
    for memory in recall::shown(view, &ranked, &terms, EXCERPT, memory.now())? {
        let n_characters = wire::size(&memory)?.1 + wire::LINK;
        // The first one is shown whatever its size: a page of none would end
        // the walk.
        if n_characters >= room && !memories.is_empty() {
            break;
        }
        room = room.saturating_sub(n_characters + 1);
        memories.push(memory);
    }
    let of: Vec<(i64, &str)> = ranked
        .iter()
        .take(memories.len())
        .map(|ranked| (ranked.summary.seq, ranked.summary.id.as_str()))
        .collect();
    let mut related = Vec::new();
    if input.include_graph.unwrap_or(RECALL_INCLUDE_GRAPH_DEFAULT) {
        for neighbour in recall::neighbours(view, &of, false)? {
            let n_characters = wire::size(&neighbour)?.1 + wire::LINK;
            if n_characters >= room {
                break;
            }
            room -= n_characters + 1;
            related.push(neighbour);
        }
    }
    let end = start.saturating_add(memories.len());
    let next_cursor = (end < walk.total() && !memories.is_empty()).then(|| {
        let end = i64::try_from(end).unwrap_or(i64::MAX);
        let numbers = [end, corpus.max_seq, corpus.n_docs, corpus.n_tokens, at];
        cursor::write(&mark, &numbers)
    });
    usage::count_read(memory, view, memories.len())?;
    Ok(RecallOutput {
        memories,
        related,
        project_scope: covered.project,
        next_cursor,
        session: Some(stand.answer()),
    })
}

/// Returns the mark of everything that a later page must have in common.
fn mark(
    view: &Read<'_>,
    query: &str,
    kinds: &[Kind],
    scopes: Option<&[String]>,
    project: Option<&str>,
) -> String {
    let kinds: Vec<String> = kinds.iter().map(Kind::to_string).collect();
    let scopes: Vec<&str> = scopes.unwrap_or_default().iter().map(|scope| scope.trim()).collect();
    cursor::mark(&[
        "recall",
        view.caller().id(),
        query,
        &kinds.join(","),
        &scopes.join(","),
        project.unwrap_or_default(),
    ])
}
