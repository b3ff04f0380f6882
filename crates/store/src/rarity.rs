//! How many memories hold a word, as it was seen lately.
//!
//! Two texts are found to be alike by their rarest words, and which those are
//! takes as long to find out as to ask for all. So it is remembered for a while.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Words that are remembered: the vocabulary of many projects, in about 1 MiB.
const MOST: usize = 32 * 1024;

/// Times that is asked before all are looked at anew: memories that another
/// process takes out are not heard of.
const FRESH_FOR: usize = 100_000;

/// The words that were met lately, each with where and how often.
#[derive(Default)]
pub(crate) struct Rarity(Mutex<Known>);

#[derive(Default)]
struct Known {
    counts: HashMap<u64, usize>,
    n_asked: usize,
}

impl Rarity {
    /// Returns the mark of a word among the entries of some ranges, of which
    /// no more than so many are counted.
    pub(crate) fn mark(word: &str, ranges: &[(i64, i64)], limit: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        (word, ranges, limit).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns how many memories held a word when it was last looked for.
    pub(crate) fn find(&self, mark: u64) -> Option<usize> {
        let mut known = self.known();
        known.n_asked += 1;
        if known.n_asked > FRESH_FOR {
            *known = Known::default();
        }
        known.counts.get(&mark).copied()
    }

    /// Remembers how many memories hold a word. That none does is not: who
    /// asks is about to store one.
    pub(crate) fn note(&self, mark: u64, count: usize) {
        let mut known = self.known();
        if count == 0 {
            known.counts.remove(&mark);
            return;
        }
        if known.counts.len() >= MOST {
            *known = Known::default();
        }
        known.counts.insert(mark, count);
    }

    /// Forgets all: a memory was taken out, so there may be fewer.
    pub(crate) fn clear(&self) {
        let mut known = self.known();
        if !known.counts.is_empty() {
            *known = Known::default();
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_known_where_it_was_met_and_nowhere_else() {
        let rarity = Rarity::default();
        let here = Rarity::mark("the", &[(1, 2)], 300);
        rarity.note(here, 7);
        assert_eq!(rarity.find(here), Some(7));
        for other in [
            Rarity::mark("a", &[(1, 2)], 300),
            Rarity::mark("the", &[(3, 4)], 300),
            Rarity::mark("the", &[(1, 2)], 9),
        ] {
            assert_eq!(rarity.find(other), None);
        }
        rarity.clear();
        assert_eq!(rarity.find(here), None);
    }

    #[test]
    fn that_no_memory_holds_a_word_is_not_remembered() {
        let rarity = Rarity::default();
        let mark = Rarity::mark("new", &[(1, 2)], 300);
        rarity.note(mark, 3);
        rarity.note(mark, 0);
        assert_eq!(rarity.find(mark), None);
    }

    #[test]
    fn what_is_known_is_looked_at_anew_in_time() {
        let rarity = Rarity::default();
        let mark = Rarity::mark("the", &[(1, 2)], 300);
        rarity.note(mark, 301);
        let n_known = (0..=FRESH_FOR)
            .filter(|_| rarity.find(mark).is_some())
            .count();
        assert_eq!(n_known, FRESH_FOR);
    }
}
