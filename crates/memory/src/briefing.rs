//! Briefings: what bears on a task, in order of priority, under a ceiling
//! that holds for the whole answer.
//!
//! An item is shown whole or not at all. What is counted is the compact JSON
//! of the answer, four bytes to a token.

use std::collections::HashSet;

use contract::tools::{BUILD_CONTEXT_BRIEFING_DEFAULT, BUILD_CONTEXT_MAX_TOKENS_DEFAULT};
use contract::types::{BuildContextInput, BuildContextOutput};
use serde::Serialize;
use store::Read;

use crate::error::Error;
use crate::recall::{self, EXCERPT, Search, Walk};
use crate::resources::standing_rules;
use crate::routing::{Unpinned, coverage};
use crate::threads::{Selectors, stand_for_read};
use crate::{Call, Keeper, digest, guard, scopes, wire};

/// Bytes that count as one token; the estimate of the contract.
const BYTES_PER_TOKEN: usize = 4;

/// More loops and memories than fit are never looked at: the least that one
/// takes, in tokens.
const TOKENS_PER_LOOP: usize = 40;
const TOKENS_PER_MEMORY: usize = 80;

/// Memories that are ranked for a briefing at most, whatever the ceiling.
const MEMORIES_MOST: usize = 100;
/// Recent changes, besides what is shown above them.
const RECENT: usize = 10;

/// The bytes that are left.
struct Room {
    bytes: usize,
    truncated: bool,
}

impl Room {
    /// Adds an item if it fits; notes that something was left out if not.
    fn add<T: Serialize>(&mut self, items: &mut Vec<T>, item: T) -> Result<bool, Error> {
        let comma = usize::from(!items.is_empty());
        let (n_bytes, _) = wire::size(&item)?;
        if n_bytes + comma > self.bytes {
            self.truncated = true;
            return Ok(false);
        }
        self.bytes -= n_bytes + comma;
        items.push(item);
        Ok(true)
    }
}

/// Builds a briefing.
pub(crate) fn build(
    memory: &Keeper,
    call: &Call,
    view: &Read<'_>,
    input: &BuildContextInput,
) -> Result<BuildContextOutput, Error> {
    let now = memory.now();
    let topic = guard::visible("topic", &input.topic)?;
    // Kept as a digest: an id of somebody else's may say more than it should.
    let conversation = input
        .conversation_id
        .as_deref()
        .map(str::trim)
        .filter(|id| !id.is_empty())
        .map(|id| digest::hex(&digest::sha256(&[id])));
    let selectors = Selectors {
        hint: input.project_hint.as_deref(),
        thread: input.thread.as_deref(),
        conversation: conversation.as_deref(),
    };
    let stand = stand_for_read(memory, call, view, selectors)?;
    let covered = coverage(
        view,
        input.scopes.as_deref(),
        stand.project.as_ref(),
        Unpinned::Own,
    )?;
    let is_full = input.briefing.unwrap_or(BUILD_CONTEXT_BRIEFING_DEFAULT);
    let max_tokens = input.max_tokens.unwrap_or(BUILD_CONTEXT_MAX_TOKENS_DEFAULT);
    let max_tokens = usize::try_from(max_tokens).unwrap_or(0);

    let mut answer = BuildContextOutput {
        rules: Vec::new(),
        open_loops: Vec::new(),
        open_loops_total: view.count_open_loops(&covered.reach)?,
        memories: Vec::new(),
        recent: Vec::new(),
        linked_memories: Vec::new(),
        entities: Vec::new(),
        edges: Vec::new(),
        project_scope: covered.project.clone(),
        // As long as any that can stand here in the end.
        tokens_used: input.max_tokens.unwrap_or(BUILD_CONTEXT_MAX_TOKENS_DEFAULT),
        truncated: false,
        session: Some(stand.answer()),
    };
    let (envelope, _) = wire::size(&answer)?;
    let mut room = Room {
        bytes: (max_tokens * BYTES_PER_TOKEN).saturating_sub(envelope),
        truncated: false,
    };

    if is_full {
        // The rules of the person hold wherever a briefing looks.
        let mut ruled = covered.scopes.clone();
        if let Some(keys) = &mut ruled {
            keys.push(scopes::personal(view)?.key);
        }
        for rule in standing_rules(view, ruled.as_deref())? {
            room.add(&mut answer.rules, rule)?;
        }
    }

    let mut above = HashSet::new();
    for stub in view.open_loops(&covered.reach, max_tokens / TOKENS_PER_LOOP + 1)? {
        let id = stub.id.clone();
        if room.add(&mut answer.open_loops, wire::open_loop(&stub, now)?)? {
            above.insert(id);
        }
    }
    let n_shown = i64::try_from(answer.open_loops.len()).unwrap_or(i64::MAX);
    room.truncated |= n_shown < answer.open_loops_total;

    let terms = recall::terms(topic);
    let search = Search {
        reach: &covered.reach,
        terms: &terms,
        kinds: &[],
        corpus: view.corpus(&covered.reach)?,
        at: now,
    };
    let mut walk = Walk::new(view, &search, 0)?;
    let most = (max_tokens / TOKENS_PER_MEMORY).clamp(1, MEMORIES_MOST);
    let mut ranked = walk.take(most + above.len())?;
    room.truncated |= walk.total() > ranked.len();
    ranked.retain(|ranked| !above.contains(&ranked.summary.id));
    room.truncated |= ranked.len() > most;
    ranked.truncate(most);
    let mut shown: Vec<(i64, String)> = Vec::new();
    for (memory, ranked) in recall::shown(view, &ranked, &terms, EXCERPT, now)?
        .into_iter()
        .zip(&ranked)
    {
        let id = memory.id.clone();
        if room.add(&mut answer.memories, memory)? {
            above.insert(id.clone());
            shown.push((ranked.summary.seq, id));
        }
    }

    if is_full {
        let newest = view.newest(&covered.reach, RECENT + above.len())?;
        let others = newest
            .iter()
            .filter(|stub| !above.contains(&stub.id))
            .take(RECENT);
        for stub in others {
            room.add(&mut answer.recent, wire::recent(stub)?)?;
        }
    }

    let of: Vec<(i64, &str)> = shown.iter().map(|(seq, id)| (*seq, id.as_str())).collect();
    for neighbour in recall::neighbours(view, &of, false)? {
        room.add(&mut answer.linked_memories, neighbour)?;
    }

    let seqs: Vec<i64> = shown.iter().map(|(seq, _)| *seq).collect();
    let mut keys = Vec::new();
    for entity in view.entities_of(&seqs)? {
        if room.add(&mut answer.entities, wire::entity(&entity))? {
            keys.push(entity.entity.key);
        }
    }
    for edge in view.edges_among(&keys)? {
        room.add(&mut answer.edges, wire::edge(&edge))?;
    }

    answer.truncated = room.truncated;
    count(&mut answer)?;
    Ok(answer)
}

/// Writes the size of the answer into it; that is part of the size.
fn count(answer: &mut BuildContextOutput) -> Result<(), Error> {
    answer.tokens_used = 0;
    loop {
        let (n_bytes, _) = wire::size(answer)?;
        let n_tokens = i64::try_from(n_bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(i64::MAX);
        if n_tokens <= answer.tokens_used {
            return Ok(());
        }
        answer.tokens_used = n_tokens;
    }
}
