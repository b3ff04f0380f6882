//! Finds memories that say nearly what a text says, by its rarest words.

use crate::error::Error;
use crate::index;
use crate::rarity::Rarity;
use crate::search::{Reach, Scoring, in_column, merge};
use crate::views::Read;

/// Words by which like texts are found, and more where so many say little: six
/// names that one memory each holds lead to none that is like the whole text. On
/// 5,800 LoCoMo turns of which up to half of the words were changed, the closest
/// one was among the best 20 as often as with all words (99 %), for half of the
/// entries read.
const RAREST: usize = 6;

/// A word of a text, and how many memories held it when it was last looked for.
struct Counted<'w> {
    word: &'w str,
    mark: u64,
    count: usize,
    /// The entries that hold it, where they were looked for just now.
    entries: Option<Vec<i64>>,
}

impl Read<'_> {
    /// Returns memories within reach that share words with a text, the best
    /// `take` of them.
    ///
    /// Two texts that say nearly the same share rare words, so only the rarest
    /// are looked at, of those that no more than `rare` memories hold; where
    /// there are none, all words have to be in a memory.
    pub fn alike(
        &self,
        reach: &Reach,
        words: &[String],
        rare: usize,
        take: usize,
    ) -> Result<Vec<i64>, Error> {
        let ranges = reach.ranges(self.caller);
        let scoring = Scoring::of(&self.corpus(reach)?);
        let mut scored: Vec<(i64, f64)> = Vec::new();
        let mut merged = Vec::new();
        let (mut n_asked, mut n_entries) = (0, 0);
        for word in self.rarest_first(words, &ranges, rare)? {
            let entries = match word.entries {
                Some(entries) => entries,
                None => self.holding(word.word, word.mark, &ranges, rare)?,
            };
            // There were fewer, or more, when they were counted.
            if entries.is_empty() || entries.len() > rare {
                continue;
            }
            n_entries += entries.len();
            let idf = scoring.idf(entries.len());
            let postings: Vec<(i64, f64)> = entries.into_iter().map(|entry| (entry, 1.0)).collect();
            merged.clear();
            merge(&scored, &postings, &mut merged, |entry, weight| {
                idf * scoring.saturate(weight, index::length(entry))
            });
            std::mem::swap(&mut scored, &mut merged);
            n_asked += 1;
            if n_asked >= RAREST && n_entries >= rare {
                break;
            }
        }
        if scored.is_empty() && !words.is_empty() {
            let all: Vec<String> = words.iter().map(|word| in_column("text", word)).collect();
            let entries = self.postings(&all.join(" AND "), &ranges, one_more(rare))?;
            scored = entries.into_iter().map(|entry| (entry, 1.0)).collect();
        }
        let best_first = |a: &(i64, f64), b: &(i64, f64)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
        if take < scored.len() {
            scored.select_nth_unstable_by(take, best_first);
            scored.truncate(take);
        }
        scored.sort_unstable_by(best_first);
        Ok(scored
            .into_iter()
            .map(|(entry, _)| index::seq(entry))
            .collect())
    }

    /// Returns the words that are not known to be in more than `rare` memories,
    /// those first that the fewest hold. Those of which nothing is known are
    /// looked for.
    fn rarest_first<'w>(
        &self,
        words: &'w [String],
        ranges: &[(i64, i64)],
        rare: usize,
    ) -> Result<Vec<Counted<'w>>, Error> {
        let mut counted = Vec::with_capacity(words.len());
        for word in words {
            let mark = Rarity::mark(word, ranges, rare);
            let known = self.rarity.and_then(|rarity| rarity.find(mark));
            let (count, entries) = match known {
                Some(count) => (count, None),
                None => {
                    let entries = self.holding(word, mark, ranges, rare)?;
                    (entries.len(), Some(entries))
                }
            };
            if count <= rare {
                counted.push(Counted {
                    word,
                    mark,
                    count,
                    entries,
                });
            }
        }
        counted.sort_by_key(|word| word.count);
        Ok(counted)
    }

    /// Returns the entries that hold a word, one more than `rare` at most, and
    /// remembers how many there are.
    fn holding(
        &self,
        word: &str,
        mark: u64,
        ranges: &[(i64, i64)],
        rare: usize,
    ) -> Result<Vec<i64>, Error> {
        let entries = self.postings(&in_column("text", word), ranges, one_more(rare))?;
        if let Some(rarity) = self.rarity {
            rarity.note(mark, entries.len());
        }
        Ok(entries)
    }
}

/// Returns the limit by which more than so many are told from so many.
fn one_more(rare: usize) -> i64 {
    i64::try_from(rare).map_or(i64::MAX, |rare| rare.saturating_add(1))
}
