//! The words of texts as they are compared, and those that were cut lately.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Memories whose words are kept. A text of a hundred characters has 100 bytes
/// of them, the longest that are compared have 1 KiB.
const KEPT: usize = 8 * 1_024;

/// The different words of a text, each as a number, in rising order. That two
/// have the same is so rare that no likeness is off by more than one word.
#[derive(Clone, Debug)]
pub(crate) struct Words(Arc<[u32]>);

impl Words {
    /// Returns the words of a text that is cut.
    pub(crate) fn of(tokens: &[String]) -> Self {
        let mut words: Vec<u32> = tokens.iter().map(|token| number(token)).collect();
        words.sort_unstable();
        words.dedup();
        Self(words.into())
    }

    /// Returns the share of words that two texts have in common, 0 to 1.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = 0;
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                Ordering::Less => drop(left.next()),
                Ordering::Greater => drop(right.next()),
                Ordering::Equal => {
                    common += 1;
                    left.next();
                    right.next();
                }
            }
        }
        let union = self.0.len() + other.0.len() - common;
        if union == 0 {
            0.0
        } else {
            common as f64 / union as f64
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
fn number(token: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    token.hash(&mut hasher);
    hasher.finish() as u32
}

/// The words of memories that were stored or compared lately, by their number.
/// A text never changes under its number.
#[derive(Default)]
pub(crate) struct RecentWords(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    order: VecDeque<i64>,
    words: HashMap<i64, Words>,
}

impl RecentWords {
    /// Returns the words of a memory, if they are kept.
    pub(crate) fn find(&self, seq: i64) -> Option<Words> {
        self.kept().words.get(&seq).cloned()
    }

    /// Keeps the words of a memory.
    pub(crate) fn note(&self, seq: i64, words: Words) {
        let mut kept = self.kept();
        if kept.words.insert(seq, words).is_none() {
            kept.order.push_back(seq);
        }
        if kept.order.len() > KEPT
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.words.remove(&oldest);
        }
    }

    /// Forgets all: a transaction was undone, and its numbers will be given
    /// to others.
    pub(crate) fn clear(&self) {
        *self.kept() = Kept::default();
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Words {
        let tokens: Vec<String> = text.split(' ').map(str::to_owned).collect();
        Words::of(&tokens)
    }

    #[test]
    fn likeness_is_the_share_of_different_words() {
        let likeness = |left: &str, right: &str| words(left).likeness(&words(right));
        assert_eq!(likeness("a b c", "c b a"), 1.0);
        assert_eq!(likeness("a a b", "b c"), 1.0 / 3.0);
        assert_eq!(likeness("a", "b"), 0.0);
        assert_eq!(Words::of(&[]).likeness(&Words::of(&[])), 0.0);
    }

    #[test]
    fn the_words_of_the_oldest_go_first() {
        let recent = RecentWords::default();
        for seq in 0..=8_192 {
            recent.note(seq, words("a"));
        }
        assert!(recent.find(0).is_none());
        assert!(recent.find(1).is_some());
        recent.clear();
        assert!(recent.find(1).is_none());
    }
}
