//! Puts candidates in order: the one place that decides it.
//!
//! Pure arithmetic on scores that others computed. Reciprocal rank fusion was
//! measured and lost against this sum on every data set tried.

use std::cmp::Ordering;
use std::collections::HashMap;

/// One way of searching, with what it found.
#[derive(Debug, Clone)]
pub(crate) struct Leg {
    /// Share of this leg in the sum.
    pub(crate) weight: f64,
    /// Score of something that does not match at all, where the scale has one
    /// (0 for BM25). Without it the lowest score found counts as none.
    pub(crate) floor: Option<f64>,
    /// Row number and score. A candidate that is missing here counts as none.
    pub(crate) scores: Vec<(i64, f64)>,
}

/// A memory that some leg found.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// Row number, by which legs name it.
    pub(crate) row: i64,
    /// Public id, the last word in a tie.
    pub(crate) id: String,
    /// UTC milliseconds; of two equals the newer stands first.
    pub(crate) created_at: i64,
    /// Product of the weights for kind, age and usefulness; 1 changes nothing.
    pub(crate) multiplier: f64,
}

/// Returns every candidate with its score from 0 to 1, best first. The same
/// candidates in another order give the same answer.
pub(crate) fn fuse(legs: &[Leg], candidates: Vec<Candidate>) -> Vec<(Candidate, f64)> {
    let legs: Vec<(f64, HashMap<i64, f64>)> = legs
        .iter()
        .map(|leg| (sane(leg.weight), normalised(leg)))
        .collect();
    let total: f64 = legs.iter().map(|(weight, _)| weight).sum();
    // A multiplier over 1 lowers the others, so that no two scores meet at
    // the ceiling.
    let ceiling = candidates
        .iter()
        .map(|candidate| sane(candidate.multiplier))
        .fold(1.0, f64::max);
    let mut ranked: Vec<(Candidate, f64)> = candidates
        .into_iter()
        .map(|candidate| {
            let sum: f64 = legs
                .iter()
                .map(|(weight, scores)| weight * scores.get(&candidate.row).copied().unwrap_or(0.0))
                .sum();
            let share = if total > 0.0 { sum / total } else { 0.0 };
            let score = (share * sane(candidate.multiplier) / ceiling).clamp(0.0, 1.0);
            (candidate, score)
        })
        .collect();
    ranked.sort_by(order);
    ranked
}

/// Best first, then newest, then by id: total, so that pages are stable.
fn order(left: &(Candidate, f64), right: &(Candidate, f64)) -> Ordering {
    right
        .1
        .total_cmp(&left.1)
        .then_with(|| right.0.created_at.cmp(&left.0.created_at))
        .then_with(|| left.0.id.cmp(&right.0.id))
}

/// Returns the scores of a leg stretched over 0 to 1. Where all are equal
/// there is nothing to stretch, and all count fully.
fn normalised(leg: &Leg) -> HashMap<i64, f64> {
    let finite = || {
        leg.scores
            .iter()
            .copied()
            .filter(|(_, score)| score.is_finite())
    };
    let highest = finite()
        .map(|(_, score)| score)
        .fold(f64::NEG_INFINITY, f64::max);
    let lowest = finite()
        .map(|(_, score)| score)
        .fold(leg.floor.unwrap_or(f64::INFINITY), f64::min);
    let width = highest - lowest;
    finite()
        .map(|(row, score)| {
            (
                row,
                if width > 0.0 {
                    (score - lowest) / width
                } else {
                    1.0
                },
            )
        })
        .collect()
}

/// Returns a weight that arithmetic cannot trip over.
fn sane(weight: f64) -> f64 {
    if weight.is_finite() {
        weight.max(0.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod checks {
    use super::*;

    fn leg(weight: f64, floor: Option<f64>, scores: &[(i64, f64)]) -> Leg {
        Leg {
            weight,
            floor,
            scores: scores.to_vec(),
        }
    }

    /// `row`, `created_at` and multiplier; the id follows the row.
    fn candidates(rows: &[(i64, i64, f64)]) -> Vec<Candidate> {
        rows.iter()
            .map(|&(row, created_at, multiplier)| Candidate {
                row,
                id: format!("mem_{row}"),
                created_at,
                multiplier,
            })
            .collect()
    }

    fn check(legs: &[Leg], rows: &[(i64, i64, f64)], expected: &[(i64, f64)]) {
        let mut reversed = candidates(rows);
        reversed.reverse();
        for pool in [candidates(rows), reversed] {
            let ranked: Vec<(i64, f64)> = fuse(legs, pool)
                .into_iter()
                .map(|(candidate, score)| (candidate.row, score))
                .collect();
            let same = ranked.len() == expected.len()
                && ranked
                    .iter()
                    .zip(expected)
                    .all(|(got, want)| got.0 == want.0 && (got.1 - want.1).abs() < 1e-9);
            assert!(same, "{ranked:?} is not {expected:?}");
        }
    }

    #[test]
    fn one_leg_is_stretched_over_its_floor() {
        check(
            &[leg(1.0, Some(0.0), &[(1, 2.0), (2, 8.0)])],
            &[(1, 0, 1.0), (2, 0, 1.0)],
            &[(2, 1.0), (1, 0.25)],
        );
        check(
            &[leg(1.0, None, &[(1, 2.0), (2, 8.0)])],
            &[(1, 0, 1.0), (2, 0, 1.0)],
            &[(2, 1.0), (1, 0.0)],
        );
        check(
            &[leg(1.0, Some(0.0), &[(1, 0.3)])],
            &[(1, 0, 1.0)],
            &[(1, 1.0)],
        );
        check(&[leg(1.0, None, &[(1, -0.3)])], &[(1, 0, 1.0)], &[(1, 1.0)]);
    }

    #[test]
    fn two_legs_are_summed_over_the_union() {
        let legs = [
            leg(1.0, Some(0.0), &[(1, 10.0), (2, 5.0)]),
            leg(1.0, None, &[(1, 0.2), (2, 0.6), (3, 0.4)]),
        ];
        check(
            &legs,
            &[(1, 0, 1.0), (2, 0, 1.0), (3, 0, 1.0)],
            &[(2, 0.75), (1, 0.5), (3, 0.25)],
        );
        let unequal = [
            leg(3.0, Some(0.0), &[(1, 1.0)]),
            leg(1.0, Some(0.0), &[(2, 1.0)]),
        ];
        check(
            &unequal,
            &[(1, 0, 1.0), (2, 0, 1.0)],
            &[(1, 0.75), (2, 0.25)],
        );
    }

    #[test]
    fn multipliers_reorder_and_never_leave_the_range() {
        let legs = [leg(1.0, Some(0.0), &[(1, 10.0), (2, 8.0), (3, 10.0)])];
        check(&legs, &[(1, 0, 0.5), (2, 0, 1.0)], &[(2, 0.8), (1, 0.5)]);
        check(&legs, &[(1, 0, 1.0), (3, 0, 2.0)], &[(3, 1.0), (1, 0.5)]);
    }

    #[test]
    fn ties_fall_to_the_newest_and_then_the_id() {
        let legs = [leg(
            1.0,
            Some(0.0),
            &[(1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0)],
        )];
        check(
            &legs,
            &[(3, 5, 1.0), (1, 5, 1.0), (2, 9, 1.0), (4, 1, 1.0)],
            &[(2, 1.0), (1, 1.0), (3, 1.0), (4, 1.0)],
        );
    }

    #[test]
    fn numbers_out_of_range_count_as_nothing() {
        let legs = [
            leg(
                1.0,
                Some(0.0),
                &[(1, f64::NAN), (2, 1.0), (3, f64::INFINITY)],
            ),
            leg(f64::NAN, None, &[(1, 1.0)]),
        ];
        check(
            &legs,
            &[(1, 2, 1.0), (2, 1, 1.0), (3, 0, f64::NAN)],
            &[(2, 1.0), (1, 0.0), (3, 0.0)],
        );
        check(&[], &[(1, 0, 1.0)], &[(1, 0.0)]);
        check(&legs, &[], &[]);
    }
}
