//! Recall: finds, ranks and fills in memories. One code path decides the
//! order, for `recall` and for briefings.
//!
//! The lexical order is cut in windows, and each window is ranked inside
//! itself: so every page is stable, there is no last page before the last
//! memory, and only one window of rows is ever looked at.

use std::collections::HashMap;

use contract::types::{Kind, Memory, RelatedMemory};
use store::{Corpus, Hit, Reach, Read, Summary};

use crate::clock::DAY_MS;
use crate::error::Error;
use crate::rank::{self, Candidate, Leg};
use crate::{text, wire};

/// Memories that are ranked among each other.
const WINDOW: usize = 200;

/// Characters of a long memory that are shown around what matched.
pub(crate) const EXCERPT: usize = 700;

/// Entities that are named with a memory at most.
const NAMES_SHOWN: usize = 16;

/// Neighbours that come along at most.
pub(crate) const NEIGHBOURS: usize = 50;

/// What age takes off the weight of a memory in the end, and how fast: half
/// of it in half a year. Old decisions hold until they are superseded.
const AGE_SHARE: f64 = 0.1;
const AGE_HALF_MS: f64 = 180.0 * DAY_MS as f64;

/// What a link that leads to a memory adds to its weight, and how many count.
const LINK_SHARE: f64 = 0.02;
const LINKS_COUNTED: i64 = 5;

/// A search, as it began.
pub(crate) struct Search<'a> {
    pub(crate) reach: &'a Reach,
    pub(crate) terms: &'a [String],
    pub(crate) kinds: &'a [Kind],
    /// What is searched; of the first page, on every page.
    pub(crate) corpus: Corpus,
    /// When the first page was asked for.
    pub(crate) at: i64,
}

/// A memory in its place.
pub(crate) struct Ranked {
    pub(crate) summary: Summary,
    pub(crate) score: f64,
}

/// Walks the order from a place on.
pub(crate) struct Walk<'a, 'v> {
    view: &'a Read<'v>,
    search: &'a Search<'a>,
    window: usize,
    ranked: std::vec::IntoIter<Ranked>,
    total: usize,
    /// The next place.
    place: usize,
}

impl<'a, 'v> Walk<'a, 'v> {
    pub(crate) fn new(
        view: &'a Read<'v>,
        search: &'a Search<'a>,
        place: usize,
    ) -> Result<Self, Error> {
        let mut walk = Self {
            view,
            search,
            window: place / WINDOW,
            ranked: Vec::new().into_iter(),
            total: 0,
            place,
        };
        walk.load()?;
        for _ in 0..place % WINDOW {
            walk.ranked.next();
        }
        Ok(walk)
    }

    /// How many memories match in all.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// The next `n` memories in order; fewer at the end.
    pub(crate) fn take(&mut self, n: usize) -> Result<Vec<Ranked>, Error> {
        let mut taken = Vec::new();
        while taken.len() < n && self.place < self.total {
            match self.ranked.next() {
                Some(ranked) => {
                    taken.push(ranked);
                    self.place += 1;
                }
                None => {
                    self.window += 1;
                    self.place = self.window * WINDOW;
                    self.load()?;
                }
            }
        }
        Ok(taken)
    }

    /// Ranks the window that the place lies in.
    fn load(&mut self) -> Result<(), Error> {
        let kinds: Vec<String> = self.search.kinds.iter().map(Kind::to_string).collect();
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        let start = self.window.saturating_mul(WINDOW);
        let found = self.view.search(
            self.search.reach,
            &self.search.corpus,
            self.search.terms,
            &kinds,
            start.saturating_add(WINDOW),
        )?;
        self.total = found.total;
        let hits = found.hits.get(start..).unwrap_or_default();
        self.ranked = ranked(self.view, self.search, found.hits.first(), hits)?.into_iter();
        Ok(())
    }
}

/// Ranks some hits among each other. `best` is the best hit of all, so that
/// the scores of one window can be compared with those of another.
fn ranked(
    view: &Read<'_>,
    search: &Search<'_>,
    best: Option<&Hit>,
    hits: &[Hit],
) -> Result<Vec<Ranked>, Error> {
    let seqs: Vec<i64> = hits.iter().map(|hit| hit.seq).collect();
    let mut summaries: HashMap<i64, Summary> = view
        .summaries(&seqs, search.at)?
        .into_iter()
        .map(|summary| (summary.seq, summary))
        .collect();
    let lexical = Leg {
        weight: 1.0,
        floor: Some(0.0),
        scores: best
            .into_iter()
            .chain(hits)
            .map(|hit| (hit.seq, hit.score))
            .collect(),
    };
    let candidates = summaries
        .values()
        .map(|summary| Candidate {
            row: summary.seq,
            id: summary.id.clone(),
            created_at: summary.created_at,
            multiplier: weight(summary, search.at),
        })
        .collect();
    Ok(rank::fuse(&[lexical], candidates)
        .into_iter()
        .filter_map(|(candidate, score)| {
            let summary = summaries.remove(&candidate.row)?;
            Some(Ranked { summary, score })
        })
        .collect())
}

/// Returns what kind, age and links make of a memory; about 1.
fn weight(summary: &Summary, now: i64) -> f64 {
    let kind = match summary.kind.as_str() {
        // What was settled, and what will bite again, helps more often.
        "decision" | "convention" | "gotcha" => 1.05,
        "episode" => 0.95,
        _ => 1.0,
    };
    let age_ms = now.saturating_sub(summary.created_at).max(0) as f64;
    let age = 1.0 - AGE_SHARE * (1.0 - (-age_ms / AGE_HALF_MS).exp2());
    let links = 1.0 + LINK_SHARE * summary.n_links_in.clamp(0, LINKS_COUNTED) as f64;
    kind * age * links
}

/// Fills in texts, disputes and entities of memories, in their order.
pub(crate) fn shown(
    view: &Read<'_>,
    ranked: &[Ranked],
    terms: &[String],
    n_characters: usize,
    now: i64,
) -> Result<Vec<Memory>, Error> {
    let seqs: Vec<i64> = ranked.iter().map(|ranked| ranked.summary.seq).collect();
    let contents: HashMap<i64, String> = view.contents(&seqs)?.into_iter().collect();
    let mut names: HashMap<i64, Vec<String>> = HashMap::new();
    for anchor in view.anchors_of(&seqs)? {
        let of_memory = names.entry(anchor.memory).or_default();
        if of_memory.len() < NAMES_SHOWN {
            of_memory.push(anchor.name);
        }
    }
    let mut disputes: HashMap<i64, store::Dispute> = HashMap::new();
    for dispute in view.pending_disputes(&seqs)? {
        disputes.entry(dispute.memory).or_insert(dispute);
    }
    let mut memories = Vec::with_capacity(ranked.len());
    for Ranked { summary, score } in ranked {
        let content = contents
            .get(&summary.seq)
            .map(String::as_str)
            .unwrap_or_default();
        let content = text::excerpt(content, terms, n_characters);
        let mut memory = wire::memory(summary, content, *score, now)?;
        memory.entities = names.remove(&summary.seq).unwrap_or_default();
        if let Some(dispute) = disputes.remove(&summary.seq) {
            memory.disputed = true;
            memory.dispute_id = Some(dispute.id);
            memory.dispute_with = dispute.other;
        }
        memories.push(memory);
    }
    Ok(memories)
}

/// Returns the live neighbours of memories, oldest link first.
pub(crate) fn neighbours(
    view: &Read<'_>,
    of: &[(i64, &str)],
    with_retired: bool,
) -> Result<Vec<RelatedMemory>, Error> {
    let seqs: Vec<i64> = of.iter().map(|(seq, _)| *seq).collect();
    let ids: HashMap<i64, &str> = of.iter().copied().collect();
    view.neighbours(&seqs, with_retired, NEIGHBOURS)?
        .iter()
        .map(|neighbour| {
            let id = ids.get(&neighbour.of).copied().unwrap_or_default();
            wire::related(neighbour, id)
        })
        .collect()
}

/// Returns the terms of a query, ready for a search.
pub(crate) fn terms(query: &str) -> Vec<String> {
    text::query_terms(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(kind: &str, created_at: i64, n_links_in: i64) -> Summary {
        Summary {
            seq: 1,
            id: "mem_1".to_owned(),
            kind: kind.to_owned(),
            scope_path: String::new(),
            scope_kind: store::ScopeKind::Project,
            visibility: store::Visibility::Private,
            created_at,
            n_links_in,
        }
    }

    #[test]
    fn weights_are_small_and_bounded() {
        let year = 365 * DAY_MS;
        let table = [
            (summary("fact", 0, 0), 0, 1.0),
            (summary("fact", 0, 0), 180 * DAY_MS, 0.95),
            (summary("fact", 0, 0), 100 * year, 0.9),
            (summary("fact", year, 0), 0, 1.0),
            (summary("decision", 0, 0), 0, 1.05),
            (summary("episode", 0, 0), 0, 0.95),
            (summary("fact", 0, 3), 0, 1.06),
            (summary("fact", 0, 99), 0, 1.1),
        ];
        for (summary, now, expected) in table {
            let weight = weight(&summary, now);
            assert!((weight - expected).abs() < 1e-6, "{summary:?}: {weight}");
        }
    }
}
