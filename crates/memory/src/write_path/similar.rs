//! Finds stored memories that are close to a new text.
//!
//! It takes far longer than the write itself, so it is done before the write
//! has its turn; what was stored meanwhile is compared then.

use contract::types::SimilarMemory;
use store::{Read, ScopeKey, ScopeRow, Stub};

use super::draft::Draft;
use super::words::Words;
use crate::clock::days_between;
use crate::error::Error;
use crate::{Keeper, text, wire};

/// Memories that a word may be in to say that two texts are alike.
const RARE: usize = 300;
/// Memories that are compared word by word.
const COMPARED: usize = 20;
/// Shared words, as a share of all, from which two texts are close.
const CLOSE: f64 = 0.3;
/// Close memories that an answer lists.
const SIMILAR: usize = 10;

/// Characters of two texts that are compared; what the store gives in short.
pub(super) const COMPARED_CHARACTERS: usize = 1_000;

/// Memories stored since a look that are compared one by one: several times as
/// many as calls wait for their turn. Beyond it a new look is cheaper.
pub(super) const FRESH: usize = 256;

/// What is close to a text in a scope.
pub(super) struct Look {
    scope: ScopeKey,
    /// Number of the newest memory that there was.
    newest: i64,
    /// How close, and the number of the memory.
    close: Vec<(f64, i64)>,
}

impl Look {
    /// Looks for what is close to a text.
    pub(super) fn take(
        memory: &Keeper,
        view: &Read<'_>,
        scope: &ScopeRow,
        draft: &Draft,
    ) -> Result<Self, Error> {
        let reach = view.reach(&[scope.key])?;
        let newest = view.corpus(&reach)?.max_seq;
        let seqs = view.alike(&reach, &draft.terms, RARE, COMPARED)?;
        let mut look = Self {
            scope: scope.key,
            newest,
            close: Vec::new(),
        };
        look.compare(memory, view, draft, &seqs)?;
        Ok(look)
    }

    /// Returns whether this is what was looked for in a scope.
    pub(super) fn is_of(&self, scope: &ScopeRow) -> bool {
        self.scope == scope.key
    }

    /// Brings it up to date with what was stored since.
    pub(super) fn catch_up(
        mut self,
        memory: &Keeper,
        view: &Read<'_>,
        scope: &ScopeRow,
        draft: &Draft,
    ) -> Result<Self, Error> {
        let reach = view.reach(&[scope.key])?;
        let fresh = view.newer(&reach, self.newest, FRESH + 1)?;
        if fresh.len() > FRESH {
            return Self::take(memory, view, scope, draft);
        }
        self.compare(memory, view, draft, &fresh)?;
        Ok(self)
    }

    /// Compares the text with memories, word by word.
    fn compare(
        &mut self,
        memory: &Keeper,
        view: &Read<'_>,
        draft: &Draft,
        seqs: &[i64],
    ) -> Result<(), Error> {
        let known = memory.recent_words();
        let mut unknown = Vec::new();
        let mut meet = |seq: i64, words: &Words| {
            let likeness = draft.words.likeness(words);
            if likeness >= CLOSE {
                self.close.push((likeness, seq));
            }
        };
        for seq in seqs {
            match known.find(*seq) {
                Some(words) => meet(*seq, &words),
                None => unknown.push(*seq),
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        for stub in view.stubs(&unknown)? {
            let words = Words::of(&text::index_tokens(&stub.content));
            meet(stub.seq, &words);
            known.note(stub.seq, words);
        }
        Ok(())
    }

    /// Returns what is close and still served, closest first.
    pub(super) fn answer(
        &self,
        view: &Read<'_>,
        gone: impl Fn(&str) -> bool,
        now: i64,
    ) -> Result<Vec<SimilarMemory>, Error> {
        if self.close.is_empty() {
            return Ok(Vec::new());
        }
        let seqs: Vec<i64> = self.close.iter().map(|(_, seq)| *seq).collect();
        let likeness = |stub: &Stub| {
            let found = self.close.iter().find(|(_, seq)| *seq == stub.seq);
            found.map_or(0.0, |(likeness, _)| *likeness)
        };
        let mut close: Vec<(f64, Stub)> = view
            .stubs(&seqs)?
            .into_iter()
            .filter(|stub| !gone(&stub.id))
            .map(|stub| (likeness(&stub), stub))
            .collect();
        close.sort_by(|(a, left), (b, right)| {
            b.total_cmp(a)
                .then_with(|| right.created_at.cmp(&left.created_at))
                .then_with(|| left.id.cmp(&right.id))
        });
        close.truncate(SIMILAR);
        close
            .into_iter()
            .map(|(similarity, stub)| {
                Ok(SimilarMemory {
                    content: wire::short(&stub.content),
                    kind: wire::kind(&stub.kind)?,
                    age_days: days_between(stub.created_at, now),
                    id: stub.id,
                    similarity,
                })
            })
            .collect()
    }
}
