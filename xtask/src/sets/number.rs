//! Numbers between two bounds, on one lattice and off others.

use std::collections::HashSet;

use num_bigint::{BigInt, Sign};

use super::decimal::Decimal;
use super::goal::{Numbers, State};
use super::json::Json;
use super::search::{Outcome, Search};

/// Points of a lattice that are looked at before the answer is unknown.
const MAX_POINTS: usize = 5_000;
/// Coarsest lattice that is tried: so many powers of ten.
const MAX_COARSER: i64 = 400;
/// Largest least common multiple of steps.
const MAX_BITS: u64 = 40_000;
/// Digits that a double always holds.
const DOUBLE_DIGITS: i64 = 15;
/// Finest lattice of nice numbers: so many places after the point.
const NICE_PLACES: i64 = 20;

impl Search {
    /// Looks for a number.
    pub fn number(&mut self, state: &State) -> Outcome {
        let numbers = &state.numbers;
        if !self.spend(1) {
            return self.spent().outcome;
        }
        let excluded: HashSet<&Decimal> = state
            .excluded
            .iter()
            .filter_map(|value| match value {
                Json::Number(number) => Some(number),
                _ => None,
            })
            .collect();
        let fits = |number: &Decimal| {
            // Long numbers take their time.
            let n_digits = numbers.not_steps.iter().map(Decimal::n_words).sum::<u64>();
            self.arena.burn(1 + n_digits);
            let mut steps = numbers.not_steps.iter();
            !steps.any(|step| number.is_multiple_of(step)) && !excluded.contains(number)
        };
        if let (Some((low, low_strict)), Some((high, high_strict))) = (&numbers.min, &numbers.max) {
            if low > high || low == high && (*low_strict || *high_strict) {
                return Outcome::Empty;
            }
            if low == high {
                let on = numbers.steps.iter().all(|step| low.is_multiple_of(step));
                return if on && fits(low) {
                    Outcome::Witness(Json::Number(low.clone()))
                } else {
                    Outcome::Empty
                };
            }
        }
        if !numbers.steps.is_empty() {
            let Some(step) = common_multiple(&numbers.steps) else {
                return Outcome::Unknown("steps lie too far apart".to_owned());
            };
            // No multiple of a step is off a divisor of that step.
            if numbers.not_steps.iter().any(|not| step.is_multiple_of(not)) {
                return Outcome::Empty;
            }
            // A number that every reader holds exactly is worth a few more
            // looks: a coarser lattice within this one, then near the bound.
            let handy = |number: &Decimal| number.is_handy() && fits(number);
            for step in coarser(numbers, &step) {
                if let Scan::Found(number) = scan(numbers, &step, 32, &handy) {
                    return Outcome::Witness(Json::Number(number));
                }
            }
            return match scan(numbers, &step, MAX_POINTS + state.excluded.len(), &fits) {
                Scan::Found(number) => Outcome::Witness(Json::Number(number)),
                Scan::None => Outcome::Empty,
                Scan::Unknown => Outcome::Unknown("a step leaves too many numbers".to_owned()),
            };
        }
        // Without a lattice there are numbers between any two bounds that are
        // on no other lattice: those with one more place.
        let bounds = numbers.min.iter().chain(&numbers.max).map(|bound| &bound.0);
        let all: Vec<&Decimal> = bounds.chain(&numbers.not_steps).collect();
        let low = Decimal::aligned(&all).map(|(_, low)| low);
        let one = Decimal::from(1);
        let handy = |number: &Decimal| number.is_handy() && fits(number);
        for step in coarser(numbers, &one) {
            if let Scan::Found(number) = scan(numbers, &step, 32, &handy) {
                return Outcome::Witness(Json::Number(number));
            }
        }
        let nice = (0..=NICE_PLACES).map(|places| -places);
        let fine = low.iter().flat_map(|low| [low - 1, low - 2]);
        for exponent in nice.chain(fine) {
            let step = Decimal::scaled(BigInt::from(1), exponent);
            if let Scan::Found(number) = scan(numbers, &step, 64 + state.excluded.len(), &fits) {
                return Outcome::Witness(Json::Number(number));
            }
        }
        Outcome::Unknown("numbers lie too far apart".to_owned())
    }
}

/// Returns lattices within this one, the coarsest first, and itself.
fn coarser(numbers: &Numbers, step: &Decimal) -> Vec<Decimal> {
    let bounds = numbers.min.iter().chain(&numbers.max);
    let high = bounds.map(|bound| bound.0.magnitude()).max().unwrap_or(0);
    let far = (high - step.magnitude()).clamp(0, MAX_COARSER);
    // Below that, doubles hold every point.
    let far = if far > DOUBLE_DIGITS { far } else { 0 };
    let near = (far - DOUBLE_DIGITS).max(1)..=far;
    let shifts = near.rev().chain([0]);
    shifts.map(|shift| step.shifted(shift)).collect()
}

enum Scan {
    Found(Decimal),
    None,
    Unknown,
}

/// Goes along a lattice, from the point nearest to zero.
fn scan(
    numbers: &Numbers,
    step: &Decimal,
    n_points: usize,
    fits: &dyn Fn(&Decimal) -> bool,
) -> Scan {
    let zero = Decimal::from(0);
    let above = |bound: &(Decimal, bool), number: &Decimal| {
        number > &bound.0 || number == &bound.0 && !bound.1
    };
    let below = |bound: &(Decimal, bool), number: &Decimal| {
        number < &bound.0 || number == &bound.0 && !bound.1
    };
    let inside = |number: &Decimal| {
        numbers.min.as_ref().is_none_or(|min| above(min, number))
            && numbers.max.as_ref().is_none_or(|max| below(max, number))
    };
    let upward = numbers.min.as_ref().filter(|min| min.0 > zero);
    let downward = numbers.max.as_ref().filter(|max| max.0 < zero);
    let Some((scale, origin, exponent)) = (match upward.or(downward) {
        None => Decimal::aligned(&[step]).and_then(|(scaled, exponent)| match &scaled[..] {
            [step] => Some((step.clone(), BigInt::from(0), exponent)),
            _ => None,
        }),
        Some((bound, _)) => {
            Decimal::aligned(&[step, bound]).and_then(|(scaled, exponent)| match &scaled[..] {
                [step, bound] => Some((step.clone(), bound / step, exponent)),
                _ => None,
            })
        }
    }) else {
        return Scan::Unknown;
    };
    let point = |k: BigInt| Decimal::scaled(k * &scale, exponent);
    let (mut up, mut down) = (downward.is_none(), upward.is_none());
    for at in 0..n_points {
        for (live, sign) in [(&mut up, 1), (&mut down, -1)] {
            if !*live || (at == 0 && sign < 0 && downward.is_none()) {
                continue;
            }
            let number = point(&origin + BigInt::from(at) * sign);
            if inside(&number) {
                if fits(&number) {
                    return Scan::Found(number);
                }
            } else if at > 1 {
                // The first points may lie before the bound; later ones past.
                *live = false;
            }
        }
        if !up && !down {
            return Scan::None;
        }
    }
    Scan::Unknown
}

/// Returns the least number that is a multiple of all.
fn common_multiple(steps: &[Decimal]) -> Option<Decimal> {
    let all: Vec<&Decimal> = steps.iter().collect();
    let (scaled, exponent) = Decimal::aligned(&all)?;
    let least = scaled.into_iter().try_fold(BigInt::from(1), |one, other| {
        if one.bits() > MAX_BITS {
            return None;
        }
        let (mut a, mut b) = (one.clone(), other.clone());
        while b.sign() != Sign::NoSign {
            (a, b) = (b.clone(), a % b);
        }
        Some(one / a * other)
    })?;
    Some(Decimal::scaled(least, exponent))
}
