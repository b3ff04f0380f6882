//! Words that too many memories hold to say that two texts are alike.
//!
//! To find that a word is one of them takes as long as to read any other, and
//! such words are in every text. So they are remembered for a while.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Words that are remembered: more than the common ones of many projects, in
/// about 256 KiB.
const MOST: usize = 16 * 1024;

/// Times that is asked before all are looked at anew: memories that another
/// process takes out are not heard of.
const FRESH_FOR: usize = 100_000;

/// The common words that were met lately, each with where it is one.
#[derive(Default)]
pub(crate) struct CommonWords(Mutex<Known>);

#[derive(Default)]
struct Known {
    words: HashSet<u64>,
    n_asked: usize,
}

impl CommonWords {
    /// Returns the mark of a word among the entries of some ranges, of which
    /// more than so many are too many.
    pub(crate) fn mark(word: &str, ranges: &[(i64, i64)], limit: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        (word, ranges, limit).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns whether a word is known to be common.
    pub(crate) fn holds(&self, mark: u64) -> bool {
        let mut known = self.known();
        known.n_asked += 1;
        if known.n_asked > FRESH_FOR {
            *known = Known::default();
        }
        known.words.contains(&mark)
    }

    /// Remembers that a word is common.
    pub(crate) fn note(&self, mark: u64) {
        let mut known = self.known();
        if known.words.len() >= MOST {
            *known = Known::default();
        }
        known.words.insert(mark);
    }

    /// Forgets all: a memory was taken out, so there may be fewer.
    pub(crate) fn clear(&self) {
        let mut known = self.known();
        if !known.words.is_empty() {
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
    fn a_word_is_common_where_it_was_met_and_nowhere_else() {
        let common = CommonWords::default();
        let here = CommonWords::mark("the", &[(1, 2)], 300);
        common.note(here);
        assert!(common.holds(here));
        for other in [
            CommonWords::mark("a", &[(1, 2)], 300),
            CommonWords::mark("the", &[(3, 4)], 300),
            CommonWords::mark("the", &[(1, 2)], 9),
        ] {
            assert!(!common.holds(other));
        }
        common.clear();
        assert!(!common.holds(here));
    }

    #[test]
    fn what_is_known_is_looked_at_anew_in_time() {
        let common = CommonWords::default();
        let mark = CommonWords::mark("the", &[(1, 2)], 300);
        common.note(mark);
        let n_known = (0..=FRESH_FOR).filter(|_| common.holds(mark)).count();
        assert_eq!(n_known, FRESH_FOR);
    }
}
