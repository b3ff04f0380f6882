//! Hygiene: finds memories that say nearly the same, or cannot all be true.
//!
//! It proposes and decides nothing, so it may miss much but should seldom be
//! wrong. Two memories of one audience are compared by their words:
//!
//! - *At odds* are two that share their subject (of the words that carry
//!   meaning, at least four in five) and differ in exactly one value (a word
//!   with a digit), in a negation, or in one pair of switch words such as on
//!   and off.
//! - *Alike* are two with the same values that share at least seven in ten of
//!   all their words, or three in five of those that carry meaning; and two that share their subject and differ
//!   in several values, as two runs of one measurement do.
//!
//! Meaning beyond words is not seen: two that agree in other words are missed,
//! and so are two that contradict each other in other words.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use contract::constants::ANSWER_MAX_CHARACTERS;
use contract::types::{ScanHygieneOutput, ScanHygieneOutputRaisedItem as Raised};
use store::{Append, Cause, DisputeStatus, NewDispute, Stub};

use crate::error::Error;
use crate::{text, wire};

/// Share of all words in common from which two texts are alike.
const ALIKE: f64 = 0.7;
/// The same of meaningful words alone, of which there are several.
const REPHRASED: f64 = 0.6;
/// Share of meaningful words in common from which two texts have one subject.
const SAME_SUBJECT: f64 = 0.8;
/// Meaningful words that one subject takes at least.
const SUBJECT_WORDS: usize = 2;
/// Meaningful words in common from which rephrasings are told by them alone.
const REPHRASED_WORDS: usize = 4;

/// Words that turn a statement round; folded, without apostrophes.
const NEGATIONS: &[&str] = &[
    "arent", "cannot", "cant", "couldnt", "didnt", "doesnt", "dont", "hasnt", "havent", "isnt",
    "mustnt", "neither", "never", "no", "none", "nor", "not", "shouldnt", "wasnt", "werent",
    "without", "wont", "wouldnt",
];

/// Words of which a thing can be one only.
const SWITCHES: &[(&str, &str)] = &[
    ("allowed", "forbidden"),
    ("always", "never"),
    ("disable", "enable"),
    ("disabled", "enabled"),
    ("false", "true"),
    ("mandatory", "optional"),
    ("off", "on"),
    ("optional", "required"),
    ("private", "public"),
    ("supported", "unsupported"),
];

/// What two memories are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tie {
    Alike,
    AtOdds,
}

/// A text as it is compared.
struct Words {
    /// Tokens of the index.
    all: BTreeSet<String>,
    /// Words that carry meaning, without values, negations and switch words.
    subject: BTreeSet<String>,
    values: BTreeSet<String>,
    switches: BTreeSet<String>,
    negated: bool,
}

impl Words {
    fn of(text: &str) -> Self {
        let mut words = Self {
            all: text::index_tokens(text).into_iter().collect(),
            subject: BTreeSet::new(),
            values: BTreeSet::new(),
            switches: BTreeSet::new(),
            negated: false,
        };
        for word in text::fold(text).split_whitespace() {
            let word: String = word.chars().filter(|c| !matches!(c, '\'' | '’')).collect();
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.is_empty() {
                continue;
            }
            if word.contains(|c: char| c.is_numeric()) {
                words.values.insert(word.to_owned());
                continue;
            }
            if NEGATIONS.contains(&word) {
                words.negated = !words.negated;
            }
            if SWITCHES
                .iter()
                .any(|(left, right)| *left == word || *right == word)
            {
                words.switches.insert(word.to_owned());
            } else if !NEGATIONS.contains(&word) && !text::is_stop_word(word) {
                // One and many of a thing are one subject.
                let stem = word
                    .strip_suffix('s')
                    .filter(|stem| stem.len() > 2)
                    .unwrap_or(word);
                words.subject.insert(stem.to_owned());
            }
        }
        words
    }

    fn tie(&self, other: &Self) -> Option<Tie> {
        let n_common = self.subject.intersection(&other.subject).count();
        let subject = share(&self.subject, &other.subject);
        let same_values = self.values == other.values;
        let own = self.values.difference(&other.values).count();
        let theirs = other.values.difference(&self.values).count();
        if n_common >= SUBJECT_WORDS && subject >= SAME_SUBJECT {
            let switched = self.switches.difference(&other.switches).any(|left| {
                other.switches.difference(&self.switches).any(|right| {
                    let pair = |one: &str, two: &str| SWITCHES.contains(&(one, two));
                    pair(left, right) || pair(right, left)
                })
            });
            if same_values && (switched || self.negated != other.negated) || own == 1 && theirs == 1
            {
                return Some(Tie::AtOdds);
            }
            if own > 0 && theirs > 0 {
                return Some(Tie::Alike);
            }
        }
        let rephrased = n_common >= REPHRASED_WORDS && subject >= REPHRASED;
        let alike = rephrased || share(&self.all, &other.all) >= ALIKE;
        let agree = same_values && self.negated == other.negated;
        (alike && agree).then_some(Tie::Alike)
    }
}

/// Returns the share of words that two sets have in common.
fn share(left: &BTreeSet<String>, right: &BTreeSet<String>) -> f64 {
    let (fewer, more) = (left.len().min(right.len()), left.len().max(right.len()));
    // Most pairs end here: the share is never greater than that of the sizes.
    if (fewer as f64) < REPHRASED * more as f64 || more == 0 {
        return 0.0;
    }
    let common = left.intersection(right).count();
    common as f64 / (left.len() + right.len() - common) as f64
}

/// Compares the newest memories and raises what was not raised before.
pub(crate) fn scan(
    view: &mut Append<'_>,
    limit: usize,
    now: i64,
) -> Result<ScanHygieneOutput, Error> {
    let found = view.newest_to_tidy(limit)?;
    let scanned = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let seqs: Vec<i64> = found.iter().map(|(_, stub)| stub.seq).collect();
    let mut settled: BTreeMap<i64, HashSet<i64>> = BTreeMap::new();
    let mut pending: BTreeMap<i64, Pending> = BTreeMap::new();
    for side in view.disputed_together(&seqs)? {
        match side.status {
            DisputeStatus::Settled => {
                settled.entry(side.dispute).or_default().insert(side.memory);
            }
            DisputeStatus::Pending => {
                let known = pending.entry(side.dispute).or_insert_with(|| Pending {
                    id: side.id,
                    cause: side.cause,
                    sides: Vec::new(),
                });
                known.sides.push((side.memory, side.memory_id));
            }
        }
    }
    let mut raised = Vec::new();
    for cluster in clusters(&found, &settled) {
        let seqs: Vec<i64> = cluster.members.iter().map(|stub| stub.seq).collect();
        let known = pending
            .iter()
            .filter(|(_, of)| of.cause != Cause::Challenge)
            .find(|(_, of)| seqs.iter().any(|seq| of.is_about(*seq)));
        let dispute_id = match known {
            Some((key, of)) => {
                let is_in = |seq: i64| {
                    let mut several = pending.values().filter(|of| of.cause != Cause::Challenge);
                    several.any(|of| of.is_about(seq))
                };
                for seq in seqs.iter().filter(|seq| !is_in(**seq)) {
                    view.add_side(*key, *seq)?;
                }
                of.id.clone()
            }
            None => {
                let reason = match cluster.cause {
                    Cause::Contradiction => {
                        "They have one subject and differ in a number, a version, a switch word or a negation."
                    }
                    Cause::NearDuplicate | Cause::Challenge => "They say nearly the same.",
                };
                view.raise(&NewDispute {
                    cause: cluster.cause,
                    sides: &seqs,
                    reason,
                    evidence: None,
                    at: now,
                })?
                .1
            }
        };
        raised.push(Raised {
            already_pending: known.is_some(),
            cause: cluster.cause.as_str().to_owned(),
            memory_ids: cluster.members.iter().map(|stub| stub.id.clone()).collect(),
            dispute_id,
        });
    }
    // What waits already and joined no cluster: challenges, and disputes whose
    // other memories lie beyond the limit.
    for known in pending.into_values().rev() {
        if raised.iter().all(|shown| shown.dispute_id != known.id) {
            raised.push(Raised {
                dispute_id: known.id,
                cause: known.cause.as_str().to_owned(),
                memory_ids: known.sides.into_iter().map(|(_, id)| id).collect(),
                already_pending: true,
            });
        }
    }
    let mut room = ANSWER_MAX_CHARACTERS - wire::ENVELOPE;
    let mut shown = Vec::new();
    for item in raised {
        let n_characters = wire::size(&item)?.1 + 1;
        if n_characters > room {
            break;
        }
        room -= n_characters;
        shown.push(item);
    }
    Ok(ScanHygieneOutput {
        scanned,
        raised: shown,
    })
}

/// A dispute that waits for a decision.
struct Pending {
    id: String,
    cause: Cause,
    /// Numbers and ids of its memories, newest first.
    sides: Vec<(i64, String)>,
}

impl Pending {
    fn is_about(&self, memory: i64) -> bool {
        self.sides.iter().any(|(seq, _)| *seq == memory)
    }
}

/// Memories that hang together, newest first.
struct Cluster<'a> {
    cause: Cause,
    members: Vec<&'a Stub>,
}

/// Returns the clusters among memories that are given newest first. Two that
/// were judged together before are not held against each other again.
fn clusters<'a>(
    found: &'a [(i64, Stub)],
    settled: &BTreeMap<i64, HashSet<i64>>,
) -> Vec<Cluster<'a>> {
    let words: Vec<Words> = found
        .iter()
        .map(|(_, stub)| Words::of(&stub.content))
        .collect();
    let items: Vec<(&(i64, Stub), &Words)> = found.iter().zip(&words).collect();
    let judged = |left: i64, right: i64| {
        settled
            .values()
            .any(|of| of.contains(&left) && of.contains(&right))
    };
    // The newest memory of each one's cluster stands for it.
    let mut heads: BTreeMap<i64, i64> =
        found.iter().map(|(_, stub)| (stub.seq, stub.seq)).collect();
    let mut at_odds: HashSet<i64> = HashSet::new();
    for (index, ((partition, stub), words)) in items.iter().enumerate() {
        for ((other_partition, other), other_words) in items.iter().skip(index + 1) {
            if partition != other_partition {
                continue;
            }
            let Some(tie) = words.tie(other_words) else {
                continue;
            };
            if judged(stub.seq, other.seq) {
                continue;
            }
            if tie == Tie::AtOdds {
                at_odds.insert(stub.seq);
            }
            let of = |seq: i64| heads.get(&seq).copied().unwrap_or(seq);
            let (left, right) = (of(stub.seq), of(other.seq));
            for head in heads.values_mut() {
                if *head == left.min(right) {
                    *head = left.max(right);
                }
            }
        }
    }
    let mut members: BTreeMap<i64, Vec<&Stub>> = BTreeMap::new();
    for (_, stub) in found {
        let head = heads.get(&stub.seq).copied().unwrap_or(stub.seq);
        members.entry(head).or_default().push(stub);
    }
    let several = members
        .into_values()
        .rev()
        .filter(|members| members.len() > 1);
    several
        .map(|members| Cluster {
            cause: if members.iter().any(|stub| at_odds.contains(&stub.seq)) {
                Cause::Contradiction
            } else {
                Cause::NearDuplicate
            },
            members,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_statements_are_to_each_other() {
        let (alike, at_odds) = (Some(Tie::Alike), Some(Tie::AtOdds));
        let table = [
            (
                "The API listens on port 8080.",
                "The API listens on port 9090.",
                at_odds,
            ),
            (
                "The API listens on port 8080.",
                "The web API listens on port 9090.",
                None,
            ),
            (
                "The build uses Node 20.11.",
                "The build uses Node v22.",
                at_odds,
            ),
            (
                "Retries are enabled in staging.",
                "Retries are disabled in staging.",
                at_odds,
            ),
            (
                "Deploys must be retried.",
                "Deploys must never be retried.",
                at_odds,
            ),
            (
                "Deploys don’t run on Fridays.",
                "Deploys run on Fridays.",
                at_odds,
            ),
            ("run 41 took 812 ms", "run 42 took 815 ms", alike),
            (
                "Restart the worker after each deploy.",
                "After each deploy, restart the worker!",
                alike,
            ),
            (
                "Restart the queue worker after every deploy, or jobs hang.",
                "Jobs hang unless the queue worker is restarted: restart it after a deploy.",
                alike,
            ),
            (
                "The payment service retries twice.",
                "The cache holds 512 MiB.",
                None,
            ),
            (
                "The payment service retries twice.",
                "The billing service retries twice.",
                None,
            ),
            ("Postgres 15", "Redis 7", None),
            ("Alice is tall.", "Alice is kind.", None),
            (
                "請在部署後重新啟動工作程序",
                "部署後請重新啟動工作程序",
                alike,
            ),
            ("請在部署後重新啟動工作程序", "快取大小為五百", None),
        ];
        for (left, right, expected) in table {
            let (one, two) = (Words::of(left), Words::of(right));
            assert_eq!(one.tie(&two), expected, "{left} | {right}");
            assert_eq!(two.tie(&one), expected, "{right} | {left}");
        }
    }
}
