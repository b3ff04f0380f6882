//! Full-text search within reach of a caller, scored from its postings.
//!
//! The score is BM25 with our own constants. Words count once per column: the
//! index keeps no positions, and memories are short. Document frequency and
//! average length are those of the partitions read, so that what others store
//! has no influence on a caller's order.

use std::collections::HashSet;

use rusqlite::named_params;

use crate::accounts::Caller;
use crate::error::Error;
use crate::index;
use crate::scopes::ScopeKey;
use crate::sql::Keys;
use crate::views::Read;

/// How much a word in a memory outweighs one beside it, and how much length
/// matters at all. Lower than the usual 1.2, because a word counts once per
/// column here.
const K1: f64 = 0.5;
/// How much a long text is held against itself; the usual 0.75 is for longer
/// texts. Both were measured on LoCoMo: 1 point of recall at 10 and 1 of nDCG
/// over 0.9 and 0.3, 3 and 6 over the usual ones.
const B: f64 = 0.2;
/// What a word beside a memory weighs against a word in it.
const CONTEXT_WEIGHT: f64 = 0.3;

/// The partitions that one caller may read.
///
/// Invariant: every partition in it is one that its caller may read, and it
/// serves no other caller.
#[derive(Clone, Debug)]
pub struct Reach {
    caller: i64,
    partitions: Vec<Partition>,
}

#[derive(Clone, Copy, Debug)]
struct Partition {
    key: i64,
    n_docs: i64,
    n_tokens: i64,
}

impl Reach {
    /// Returns the partitions, or none for a caller whose reach this is not.
    pub(crate) fn partitions(&self, caller: &Caller) -> impl Iterator<Item = i64> {
        let own = caller.key == self.caller;
        self.partitions
            .iter()
            .filter(move |_| own)
            .map(|partition| partition.key)
    }

    /// Returns the entries to search, as ranges; neighbours are joined.
    pub(crate) fn ranges(&self, caller: &Caller) -> Vec<(i64, i64)> {
        let mut runs: Vec<(i64, i64)> = Vec::new();
        if caller.key != self.caller {
            return runs;
        }
        for partition in self
            .partitions
            .iter()
            .filter(|partition| partition.n_docs > 0)
        {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == partition.key => *last = partition.key,
                _ => runs.push((partition.key, partition.key)),
            }
        }
        runs.into_iter()
            .map(|(first, last)| index::range(first, last))
            .collect()
    }
}

/// What is searched, as one number each. A page that is asked for later is cut
/// from the same numbers, so that later memories do not move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corpus {
    /// Memories within reach.
    pub n_docs: i64,
    /// Words in them.
    pub n_tokens: i64,
    /// Number of the newest memory there is.
    pub max_seq: i64,
}

/// A memory that holds a word of the query, or stands beside one that does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Number of the memory.
    pub seq: i64,
    /// BM25 score, greater than zero.
    pub score: f64,
}

/// The best hits, and how many there are in all.
#[derive(Clone, Debug)]
pub struct Found {
    /// Best first; newest first among equals.
    pub hits: Vec<Hit>,
    /// How many memories matched.
    pub total: usize,
}

impl Read<'_> {
    /// Returns the caller's reach in the given scopes. A scope that the caller
    /// may not read adds nothing.
    pub fn reach(&self, scopes: &[ScopeKey]) -> Result<Reach, Error> {
        scopes.iter().for_each(|scope| self.touch(scope.0));
        let partitions = self.list(
            "SELECT p.key, p.n_docs, p.n_tokens FROM json_each(:scopes) j \
             JOIN partition p ON p.scope = j.value AND p.visibility = 'private' AND p.owner = :me \
             UNION \
             SELECT p.key, p.n_docs, p.n_tokens FROM json_each(:scopes) j \
             JOIN scope s ON s.key = j.value \
             JOIN partition p ON p.scope = s.key AND p.visibility = 'shared' \
             WHERE s.owner = :me OR EXISTS (SELECT 1 FROM member m WHERE m.scope = s.key AND m.account = :me) \
             ORDER BY 1",
            named_params! {
                ":scopes": Keys::of(scopes.iter().map(|scope| scope.0)),
                ":me": self.caller.key,
            },
            partition,
        )?;
        Ok(Reach {
            caller: self.caller.key,
            partitions,
        })
    }

    /// Returns all that the caller may read.
    pub fn reach_everything(&self) -> Result<Reach, Error> {
        let partitions = self.list(
            "SELECT p.key, p.n_docs, p.n_tokens, p.scope FROM partition p \
             WHERE p.visibility = 'private' AND p.owner = :me \
             UNION \
             SELECT p.key, p.n_docs, p.n_tokens, p.scope FROM scope s \
             JOIN partition p ON p.scope = s.key AND p.visibility = 'shared' WHERE s.owner = :me \
             UNION \
             SELECT p.key, p.n_docs, p.n_tokens, p.scope FROM member m \
             JOIN partition p ON p.scope = m.scope AND p.visibility = 'shared' WHERE m.account = :me \
             ORDER BY 1",
            named_params! {":me": self.caller.key},
            |row| {
                self.touch(row.get(3)?);
                partition(row)
            },
        )?;
        Ok(Reach {
            caller: self.caller.key,
            partitions,
        })
    }

    /// Returns the numbers that a search within reach starts from.
    pub fn corpus(&self, reach: &Reach) -> Result<Corpus, Error> {
        let max_seq = self
            .find("SELECT max(seq) FROM memory", [], |row| {
                row.get::<_, Option<i64>>(0)
            })?
            .flatten()
            .unwrap_or(0);
        Ok(Corpus {
            n_docs: reach
                .partitions
                .iter()
                .map(|partition| partition.n_docs)
                .sum(),
            n_tokens: reach
                .partitions
                .iter()
                .map(|partition| partition.n_tokens)
                .sum(),
            max_seq,
        })
    }

    /// Returns the best `take` memories within reach for the words of a query,
    /// only of the given kinds if any are given.
    ///
    /// Words are those that [`crate::Tokenise`] makes, each at most once.
    pub fn search(
        &self,
        reach: &Reach,
        corpus: &Corpus,
        words: &[String],
        kinds: &[&str],
        take: usize,
    ) -> Result<Found, Error> {
        let ranges = reach.ranges(self.caller);
        let scoring = Scoring::of(corpus);
        let mut scored: Vec<(i64, f64)> = Vec::new();
        let mut merged = Vec::new();
        for word in words {
            let mut in_text = self.postings(&in_column("text", word), &ranges, i64::MAX)?;
            let mut beside = self.postings(&in_column("ctx", word), &ranges, i64::MAX)?;
            in_text.retain(|entry| index::seq(*entry) <= corpus.max_seq);
            beside.retain(|entry| index::seq(*entry) <= corpus.max_seq);
            let postings = join(&in_text, &beside);
            // Standing beside a word makes it no more common.
            let idf = scoring.idf(in_text.len());
            merged.clear();
            merge(&scored, &postings, &mut merged, |entry, weight| {
                idf * scoring.saturate(weight, index::length(entry))
            });
            std::mem::swap(&mut scored, &mut merged);
        }
        let allowed = self.of_kinds(reach, kinds)?;
        let mut hits: Vec<Hit> = scored
            .into_iter()
            .map(|(entry, score)| Hit {
                seq: index::seq(entry),
                score,
            })
            .filter(|hit| {
                allowed
                    .as_ref()
                    .is_none_or(|allowed| allowed.contains(&hit.seq))
            })
            .collect();
        let total = hits.len();
        let best_first = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq));
        if take < hits.len() {
            hits.select_nth_unstable_by(take, best_first);
            hits.truncate(take);
        }
        hits.sort_unstable_by(best_first);
        Ok(Found { hits, total })
    }

    /// Returns the entries within the ranges that match, in rising order; at
    /// most `limit` of each range.
    pub(crate) fn postings(
        &self,
        query: &str,
        ranges: &[(i64, i64)],
        limit: i64,
    ) -> Result<Vec<i64>, Error> {
        self.check()?;
        self.catch_up()?;
        let mut statement = self.conn.prepare_cached(
            "SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?1 AND rowid BETWEEN ?2 AND ?3 \
             LIMIT ?4",
        )?;
        let mut entries = Vec::new();
        for (first, last) in ranges {
            let mut rows = statement.query((query, first, last, limit))?;
            while let Some(row) = rows.next()? {
                entries.push(row.get(0)?);
            }
        }
        Ok(entries)
    }

    /// Returns the live memories of the given kinds within reach; `None` when
    /// every kind will do.
    fn of_kinds(&self, reach: &Reach, kinds: &[&str]) -> Result<Option<HashSet<i64>>, Error> {
        if kinds.is_empty() {
            return Ok(None);
        }
        let mut seqs = HashSet::new();
        for partition in reach.partitions(self.caller) {
            for kind in kinds {
                seqs.extend(self.list(
                    "SELECT seq FROM memory WHERE partition = :partition AND kind = :kind \
                     AND retired_at IS NULL AND closed_at IS NULL",
                    named_params! {":partition": partition, ":kind": kind},
                    |row| row.get::<_, i64>(0),
                )?);
            }
        }
        Ok(Some(seqs))
    }
}

fn partition(row: &rusqlite::Row<'_>) -> rusqlite::Result<Partition> {
    Ok(Partition {
        key: row.get(0)?,
        n_docs: row.get(1)?,
        n_tokens: row.get(2)?,
    })
}

/// Asks for a word in one column. Quoted, the word is a string to the query
/// language and nothing else.
pub(crate) fn in_column(column: &str, word: &str) -> String {
    format!("{{{column}}} : \"{}\"", word.replace('"', "\"\""))
}

/// The parts of BM25 that are the same for a whole search.
pub(crate) struct Scoring {
    n_docs: f64,
    average_length: f64,
}

impl Scoring {
    pub(crate) fn of(corpus: &Corpus) -> Self {
        let n_docs = corpus.n_docs.max(1) as f64;
        Self {
            n_docs,
            average_length: (corpus.n_tokens as f64 / n_docs).max(1.0),
        }
    }

    /// What a word is worth that `n_with` memories have; always positive, so
    /// that a word which nearly all have still counts for a little.
    pub(crate) fn idf(&self, n_with: usize) -> f64 {
        let n_with = n_with as f64;
        (1.0 + (self.n_docs - n_with).max(0.0) / (n_with + 0.5) + 0.5 / (n_with + 0.5)).ln()
    }

    pub(crate) fn saturate(&self, weight: f64, length: f64) -> f64 {
        let norm = K1 * (1.0 - B + B * length / self.average_length);
        weight * (K1 + 1.0) / (weight + norm)
    }
}

/// Joins the entries of the two columns; both lists rise.
fn join(in_text: &[i64], beside: &[i64]) -> Vec<(i64, f64)> {
    let text: Vec<(i64, f64)> = in_text.iter().map(|entry| (*entry, 1.0)).collect();
    let mut joined = Vec::with_capacity(in_text.len() + beside.len());
    let context: Vec<(i64, f64)> = beside
        .iter()
        .map(|entry| (*entry, CONTEXT_WEIGHT))
        .collect();
    merge(&text, &context, &mut joined, |_, weight| weight);
    joined
}

/// Adds `more`, mapped by `value`, to `sums`; all lists rise by entry.
pub(crate) fn merge(
    sums: &[(i64, f64)],
    more: &[(i64, f64)],
    out: &mut Vec<(i64, f64)>,
    value: impl Fn(i64, f64) -> f64,
) {
    out.reserve(sums.len() + more.len());
    let mut sums = sums.iter().copied().peekable();
    let mut more = more.iter().copied().peekable();
    loop {
        match (sums.peek().copied(), more.peek().copied()) {
            (Some((a, sum)), Some((b, weight))) if a == b => {
                out.push((a, sum + value(b, weight)));
                sums.next();
                more.next();
            }
            (Some((a, sum)), Some((b, _))) if a < b => {
                out.push((a, sum));
                sums.next();
            }
            (_, Some((b, weight))) => {
                out.push((b, value(b, weight)));
                more.next();
            }
            (Some(sum), None) => {
                out.push(sum);
                sums.next();
            }
            (None, None) => return,
        }
    }
}
