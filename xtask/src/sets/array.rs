//! Arrays: a length, a goal for each position, items that have to be there
//! or must not be too many, and items that differ or repeat.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::decimal::Decimal;
use super::goal::{Arrays, Lit};
use super::json::Json;
use super::object::word;
use super::search::{Found, Gather, Outcome, Search};

/// Longest array that is built.
const MAX_LENGTH: u64 = 15_000;
/// From so many distinct values on, plain ones are tried first.
const MANY: usize = 9;

/// One way to fill the positions of an array.
struct Filling<'a> {
    arrays: &'a Arrays,
    /// First position from which on all positions are alike.
    alike: usize,
    length: usize,
    /// Positions that have to hold the same value.
    tie: Option<(usize, usize)>,
    /// Goals chosen so far.
    goals: Vec<Vec<Lit>>,
    /// What failed before: position, what is still needed and allowed, and
    /// the choice before.
    failed: HashSet<(usize, Vec<u64>, Vec<u64>, u64)>,
    /// Choices that no item makes, nor any that asks for more, by what the
    /// item has to meet anyway.
    clashes: HashMap<Vec<Lit>, Vec<u64>>,
    gather: Gather,
}

impl Search {
    /// Looks for an array.
    pub fn array(&mut self, arrays: &Arrays) -> Found {
        if arrays.max.is_some_and(|max| max < arrays.min) || (arrays.unique && arrays.repeated) {
            return Found::free(Outcome::Empty);
        }
        let prefixes = arrays.items.iter().map(|(prefix, _)| prefix.len());
        let tails = arrays.tails.iter().map(|(from, _)| *from);
        let places = arrays.some.iter().map(|some| some.to.unwrap_or(some.from));
        let alike = prefixes.chain(tails).chain(places).max().unwrap_or(0);
        let needed: u64 = arrays
            .some
            .iter()
            .map(|some| some.count)
            .fold(0, u64::saturating_add);
        let needed = needed.saturating_add(2 * u64::from(arrays.repeated));
        // An item beyond these could be left out again.
        let most = (alike as u64).saturating_add(needed).max(arrays.min);
        let most = arrays.max.map_or(most, |max| most.min(max));
        let mut gather = Gather::new();
        let reach = most.min(MAX_LENGTH);
        for length in arrays.min..=reach {
            let length = usize::try_from(length).unwrap_or(0);
            for tie in ties(arrays, alike, length) {
                if !self.spend(1) {
                    return self.spent();
                }
                let mut filling = Filling {
                    arrays,
                    alike,
                    length,
                    tie,
                    goals: Vec::new(),
                    failed: HashSet::new(),
                    clashes: HashMap::new(),
                    gather: Gather::new(),
                };
                let needs = arrays.some.iter().map(|some| some.count).collect();
                let room = arrays.at_most.iter().map(|(_, count)| *count).collect();
                let array = self.fill(&mut filling, needs, room, 0);
                gather.low = gather.low.min(filling.gather.low);
                if let Some(array) = array {
                    return gather.with(array);
                }
                let found = filling.gather.end();
                // No tie and no counts: if a position has no value, no longer
                // array has one there.
                let plain = tie.is_none() && arrays.some.is_empty() && arrays.at_most.is_empty();
                let empty = found.outcome == Outcome::Empty;
                gather.take(found);
                if plain && empty {
                    return gather.end();
                }
            }
        }
        if most > reach {
            // Before giving up: perhaps no item fits at all.
            let tail = self.solve(position(arrays, alike));
            let empty = tail.outcome == Outcome::Empty && arrays.min > alike as u64;
            gather.low = gather.low.min(tail.low);
            if !empty {
                gather.doubt("an array would have to be too long");
            }
        }
        gather.end()
    }

    /// Fills the positions from here on.
    fn fill(
        &mut self,
        filling: &mut Filling<'_>,
        needs: Vec<u64>,
        room: Vec<u64>,
        before: u64,
    ) -> Option<Json> {
        let at = filling.goals.len();
        if !self.spend(1) {
            let found = self.spent();
            filling.gather.take(found);
            return None;
        }
        if at == filling.length {
            if needs.iter().any(|need| *need > 0) {
                return None;
            }
            return self.values(filling);
        }
        let arrays = filling.arrays;
        let left = (filling.length - at) as u64;
        if needs.iter().any(|need| *need > left) {
            return None;
        }
        // Choices after this position do not depend on those before, unless
        // values are compared with each other.
        let tied = filling.tie.map_or(0, |(_, other)| other + 1);
        let apart = !arrays.unique && at >= tied;
        let key = (at, needs.clone(), room.clone(), before);
        if apart && filling.failed.contains(&key) {
            return None;
        }
        let n_somes = arrays.some.len();
        let n_choices = n_somes + arrays.at_most.len();
        if n_choices > 16 {
            filling.gather.doubt("an array has too many counts");
            return None;
        }
        let base = position(arrays, at);
        // Positions that are alike are filled in the order of their choices.
        let sorted = at > filling.alike.max(tied);
        let mut next = if sorted { before } else { 0 };
        while next < 1 << n_choices {
            let choice = next;
            next += 1;
            let n_known = filling.clashes.get(&base).map_or(0, Vec::len);
            self.arena.burn(1 + n_known as u64 / 64);
            if self.is_spent() {
                let found = self.spent();
                filling.gather.take(found);
                return None;
            }
            // Which counts may grow is in the high bits; whoever asks for more
            // items asks for more bits below.
            let known = filling.clashes.get(&base).map_or(&[][..], Vec::as_slice);
            let clashes = known
                .iter()
                .filter(|mask| choice >> n_somes == **mask >> n_somes && choice & **mask == **mask);
            let lowest = |mask: &u64| 1 << mask.trailing_zeros().min(n_somes as u32);
            if let Some(low) = clashes.map(lowest).max() {
                let low: u64 = low;
                next = (choice | (low - 1)) + 1;
                continue;
            }
            self.arena.burn(2);
            let mut goal = base.clone();
            let mut needs = needs.clone();
            let mut room = room.clone();
            let mut fits = true;
            for (place, (some, need)) in arrays.some.iter().zip(&mut needs).enumerate() {
                let here = at >= some.from && some.to.is_none_or(|to| at < to);
                if choice >> place & 1 == 1 {
                    fits &= here && *need > 0;
                    *need = need.saturating_sub(1);
                    goal.extend(&some.goal);
                }
            }
            for (place, ((lit, _), room)) in arrays.at_most.iter().zip(&mut room).enumerate() {
                if choice >> (place + n_somes) & 1 == 1 {
                    fits &= *room > 0;
                    *room = room.saturating_sub(1);
                    goal.push(*lit);
                } else {
                    goal.push(!*lit);
                }
            }
            if !fits {
                continue;
            }
            let found = self.solve(goal.iter().copied());
            if found.outcome == Outcome::Empty {
                filling
                    .clashes
                    .entry(base.clone())
                    .or_default()
                    .push(choice);
            }
            if filling.gather.take(found).is_none() {
                continue;
            }
            // Two that are to be equal meet what either has to.
            if let Some((one, other)) = filling.tie
                && at == other
            {
                goal.extend(filling.goals.get(one).into_iter().flatten());
                let found = self.solve(goal.iter().copied());
                if filling.gather.take(found).is_none() {
                    continue;
                }
            }
            filling.goals.push(goal);
            let array = self.fill(filling, needs, room, choice);
            filling.goals.pop();
            if array.is_some() {
                return array;
            }
            if self.is_spent() {
                return None;
            }
        }
        if apart {
            filling.failed.insert(key);
        }
        None
    }

    /// Finds values for the goals of all positions.
    fn values(&mut self, filling: &mut Filling<'_>) -> Option<Json> {
        let mut goals = filling.goals.clone();
        if let Some((one, other)) = filling.tie {
            let both = goals.get(other)?.clone();
            *goals.get_mut(one)? = both;
        }
        if !filling.arrays.unique {
            let mut items = Vec::new();
            for goal in goals {
                let found = self.solve(goal);
                items.push(filling.gather.take(found)?);
            }
            return Some(Json::Array(items));
        }
        let count = goals.len();
        // As many values as there are positions are enough for any of them.
        let mut choices: Vec<Rc<[Json]>> = Vec::new();
        let mut known: HashMap<Vec<Lit>, Rc<[Json]>> = HashMap::new();
        for goal in goals {
            let values = match known.get(&goal) {
                Some(values) => values.clone(),
                None => self.distinct(&goal, count, filling)?,
            };
            choices.push(values.clone());
            known.insert(goal, values);
        }
        match <[_; 1]>::try_from(known.into_values().collect::<Vec<_>>()) {
            // Where all positions are alike, no two compete.
            Ok([values]) => (values.len() >= count).then(|| Json::Array(values.to_vec())),
            Err(_) => {
                let n_choices = choices.iter().map(|values| values.len() as u64).sum();
                self.arena.burn(n_choices);
                if self.is_spent() {
                    let found = self.spent();
                    filling.gather.take(found);
                    return None;
                }
                matching(&choices).map(Json::Array)
            }
        }
    }

    /// Looks for so many values that meet a goal, or all if they are fewer;
    /// `None` if the budget is spent before.
    fn distinct(
        &mut self,
        goal: &[Lit],
        count: usize,
        filling: &mut Filling<'_>,
    ) -> Option<Rc<[Json]>> {
        let mut values = self.plain(goal, count);
        while values.len() < count {
            // Each look leaves out, and so copies, all that were found.
            self.arena.burn(2 * values.len() as u64);
            if self.is_spent() {
                let found = self.spent();
                filling.gather.take(found);
                return None;
            }
            let other = self.other_than(values.clone());
            let apart = (!values.is_empty()).then_some(other);
            let found = self.solve(goal.iter().copied().chain(apart));
            match filling.gather.take(found) {
                Some(value) => values.push(value),
                None => break,
            }
        }
        Some(values.into())
    }

    /// Returns numbers or words that meet a goal, if those near zero do: where
    /// many values are wanted, to look for each apart from all others would
    /// take long.
    fn plain(&self, goal: &[Lit], count: usize) -> Vec<Json> {
        type Make = fn(usize) -> Json;
        let number: Make = |at| Json::Number(Decimal::from_int(at));
        let word: Make = |at| Json::String(word(at as u64));
        let sorts = if count < MANY {
            &[][..]
        } else {
            &[number, word]
        };
        for make in sorts {
            let mut values: Vec<Json> = Vec::new();
            for at in 0..2 * count {
                let value = make(at);
                if self.meets_goal(goal, &value) == Some(true) {
                    values.push(value);
                }
                if values.len() == count || at > MANY && values.is_empty() {
                    break;
                }
            }
            if !values.is_empty() {
                return values;
            }
        }
        Vec::new()
    }
}

/// Returns what the item at a position has to meet.
fn position(arrays: &Arrays, at: usize) -> Vec<Lit> {
    let items = arrays.items.iter().filter_map(|(prefix, rest)| {
        let node = prefix.get(at).copied().or(*rest)?;
        Some(Lit::yes(node))
    });
    let tails = arrays.tails.iter().filter(|(from, _)| at >= *from);
    items.chain(tails.map(|(_, lit)| *lit)).collect()
}

/// Returns the pairs of positions that may hold the same value, where two
/// have to.
fn ties(
    arrays: &Arrays,
    alike: usize,
    length: usize,
) -> impl Iterator<Item = Option<(usize, usize)>> + use<> {
    // Of the positions that are alike, the first two stand for all.
    let last = if arrays.repeated {
        length.min(alike + 2)
    } else {
        0
    };
    let pairs = (0..last).flat_map(move |one| (one + 1..last).map(move |other| Some((one, other))));
    (!arrays.repeated).then_some(None).into_iter().chain(pairs)
}

/// Gives each position a value of its own.
fn matching(choices: &[Rc<[Json]>]) -> Option<Vec<Json>> {
    let mut owner: HashMap<&Json, usize> = Default::default();
    for start in 0..choices.len() {
        // Breadth first: positions that would have to move, and for which
        // value of whom.
        let mut came: HashMap<&Json, usize> = Default::default();
        let mut open = std::collections::VecDeque::from([start]);
        let mut free = None;
        'search: while let Some(place) = open.pop_front() {
            for value in choices.get(place)?.iter() {
                if came.contains_key(value) {
                    continue;
                }
                came.insert(value, place);
                match owner.get(value) {
                    Some(other) => open.push_back(*other),
                    None => {
                        free = Some(value);
                        break 'search;
                    }
                }
            }
        }
        let mut value = free?;
        loop {
            let place = *came.get(value)?;
            let old = owner.iter().find(|(_, owner)| **owner == place);
            let old = old.map(|(old, _)| *old);
            owner.insert(value, place);
            match old {
                Some(old) if place != start => value = old,
                _ => break,
            }
        }
    }
    let mut items = vec![Json::Null; choices.len()];
    for (value, place) in owner {
        *items.get_mut(place)? = value.clone();
    }
    Some(items)
}
