//! The search for a text that some patterns match and others do not, of a
//! length between two bounds: the patterns run side by side.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::automaton::{MATCH, Nfa, Set};
use super::regex::{ALL, Class};

/// Most states of several patterns run side by side.
const MAX_PRODUCT: usize = 5_000;
/// Most cells of the table of lengths by states.
const MAX_TABLE: usize = 5_000_000;
/// From so many characters on, a text is not built one by one.
const LONG: u64 = 500;
/// Most characters of a text that is built.
const MAX_TEXT: u64 = 2 << 20;

/// What a search for a text found.
#[derive(Debug)]
pub enum Text {
    /// A text.
    Found(String),
    /// There is none.
    None,
    /// The bounds of the search were reached.
    Unknown(String),
}

/// What a text has to be.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// Patterns, and whether each has to match.
    pub patterns: Vec<(&'a Nfa, bool)>,
    /// Fewest code points.
    pub min: u64,
    /// Most code points.
    pub max: Option<u64>,
    /// Texts that it must not be.
    pub excluded: Vec<&'a str>,
}

/// A deterministic automaton of several patterns side by side.
struct Product {
    accepting: Vec<bool>,
    steps: Vec<Vec<usize>>,
    /// The ranges of each class of code points that no pattern tells apart.
    classes: Vec<Class>,
}

impl Product {
    /// Returns the classes along a shortest way to such a state, of at least
    /// one step.
    fn path(&self, start: usize, wanted: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
        let mut came: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut open = VecDeque::from([start]);
        while let Some(state) = open.pop_front() {
            for (class, target) in self.steps.get(state)?.iter().enumerate() {
                if came.contains_key(target) {
                    continue;
                }
                came.insert(*target, (state, class));
                if wanted(*target) {
                    let mut classes = Vec::new();
                    let mut at = *target;
                    loop {
                        let (before, class) = *came.get(&at)?;
                        classes.push(class);
                        at = before;
                        if at == start {
                            classes.reverse();
                            return Some(classes);
                        }
                    }
                }
                open.push_back(*target);
            }
        }
        None
    }
}

impl Wanted<'_> {
    /// Looks for such a text; `spend` says whether so many steps are left.
    pub fn find(&self, spend: &mut dyn FnMut(u64) -> bool) -> Text {
        if self.max.is_some_and(|max| max < self.min) {
            return Text::None;
        }
        let product = match self.product(spend) {
            Ok(product) => product,
            Err(why) => return Text::Unknown(why),
        };
        let n_states = product.accepting.len();
        // If the set is infinite, each stretch of `n_states` lengths has a
        // text; if it is finite, none is longer than `n_states`.
        let stretch = n_states.saturating_mul(self.excluded.len() + 1);
        let cap = usize::try_from(self.min).unwrap_or(usize::MAX);
        let cap = cap.saturating_add(stretch);
        let cap = self.max.map_or(cap, |max| {
            cap.min(usize::try_from(max).unwrap_or(usize::MAX))
        });
        if self.min >= LONG && self.min >= n_states as u64 {
            match self.circling(&product, spend) {
                Text::Found(text) if !self.excluded.contains(&text.as_str()) => {
                    return Text::Found(text);
                }
                Text::None => return Text::None,
                Text::Found(_) | Text::Unknown(_) => {}
            }
        }
        // A text is usually found at once, the shorter the sooner.
        match self.first(&product, cap, spend) {
            Text::Found(text) if self.excluded.contains(&text.as_str()) => {}
            found => return found,
        }
        let cells = cap.saturating_add(1).saturating_mul(n_states);
        let n_looks = cells.saturating_mul(product.classes.len());
        if cells > MAX_TABLE || !spend(n_looks as u64 / 256) {
            return Text::Unknown("a text would have to be too long".to_owned());
        }
        let alive = self.alive(&product, cap);
        self.walk(&product, &alive, cap)
    }

    /// Looks for a text of more characters than there are states, which has
    /// to come by some state twice: it goes round there often enough.
    fn circling(&self, product: &Product, spend: &mut dyn FnMut(u64) -> bool) -> Text {
        let unknown = || Text::Unknown("a text would have to be too long".to_owned());
        let n_edges: usize = product.steps.iter().map(Vec::len).sum();
        let mut is_final = true;
        for state in 0..product.accepting.len() {
            if !spend(1 + n_edges as u64 / 32) {
                return unknown();
            }
            let to = product.path(0, |target| target == state);
            let round = product.path(state, |target| target == state);
            let from = product.path(state, |target| product.accepting.get(target) == Some(&true));
            let (Some(to), Some(round), Some(from)) = (to, round, from) else {
                continue;
            };
            is_final = false;
            let around = self.min.saturating_sub((to.len() + from.len()) as u64);
            let around = around.div_ceil(round.len() as u64);
            let length = around.saturating_mul(round.len() as u64);
            let length = length.saturating_add((to.len() + from.len()) as u64);
            if length > MAX_TEXT || self.max.is_some_and(|max| length > max) {
                continue;
            }
            let round = round.repeat(usize::try_from(around).unwrap_or(0));
            let letter = |class: usize| product.classes.get(class).and_then(|c| letters(c).next());
            let known: Vec<Option<char>> = (0..product.classes.len()).map(letter).collect();
            let classes = to.iter().chain(&round).chain(&from);
            return classes
                .map(|class| known.get(*class).copied().flatten())
                .collect::<Option<String>>()
                .map_or_else(unknown, Text::Found);
        }
        if is_final { Text::None } else { unknown() }
    }

    /// Looks for the shortest text that is long enough, length by length.
    fn first(&self, product: &Product, cap: usize, spend: &mut dyn FnMut(u64) -> bool) -> Text {
        let mut layers = vec![BTreeMap::from([(0usize, (0usize, 0usize))])];
        loop {
            let length = layers.len() - 1;
            let Some(layer) = layers.last() else {
                return Text::None;
            };
            let accepts = |state: &&usize| product.accepting.get(**state) == Some(&true);
            if length as u64 >= self.min
                && let Some(state) = layer.keys().find(accepts)
            {
                let (mut state, mut text) = (*state, Vec::new());
                for layer in layers.iter().skip(1).rev() {
                    let (before, class) = layer.get(&state).copied().unwrap_or_default();
                    text.extend(
                        product
                            .classes
                            .get(class)
                            .and_then(|class| letters(class).next()),
                    );
                    state = before;
                }
                return Text::Found(text.into_iter().rev().collect());
            }
            if length >= cap || layer.is_empty() {
                return Text::None;
            }
            let n_edges = layer.len() * product.classes.len();
            if !spend(1 + n_edges as u64 / 32) {
                return Text::Unknown("a text would have to be too long".to_owned());
            }
            let mut next = BTreeMap::new();
            for state in layer.keys() {
                let steps = product.steps.get(*state).map_or(&[][..], Vec::as_slice);
                for (class, target) in steps.iter().enumerate() {
                    next.entry(*target).or_insert((*state, class));
                }
            }
            layers.push(next);
        }
    }

    /// Says whether this is such a text.
    pub fn accepts(&self, text: &str) -> bool {
        let length = text.chars().count() as u64;
        length >= self.min
            && self.max.is_none_or(|max| length <= max)
            && !self.excluded.contains(&text)
            && self
                .patterns
                .iter()
                .all(|(nfa, wanted)| nfa.matches(text, &mut |_| true) == Some(*wanted))
    }

    /// Returns by length so far and state whether a wanted text may follow.
    fn alive(&self, product: &Product, cap: usize) -> Vec<Vec<bool>> {
        let mut rows: Vec<Vec<bool>> = Vec::new();
        for length in (0..=cap).rev() {
            let after = rows.last();
            let row = product.accepting.iter().zip(&product.steps);
            let row = row.map(|(accepting, steps)| {
                (*accepting && length as u64 >= self.min)
                    || after.is_some_and(|after| {
                        steps.iter().any(|next| after.get(*next) == Some(&true))
                    })
            });
            let row = row.collect();
            rows.push(row);
        }
        rows.reverse();
        rows
    }

    /// Goes through the wanted texts until one is not excluded.
    fn walk(&self, product: &Product, alive: &[Vec<bool>], cap: usize) -> Text {
        let is_alive = |length: usize, state: usize| {
            alive.get(length).and_then(|row| row.get(state)) == Some(&true)
        };
        let n_wanted = self.excluded.len() + 2;
        // Enough letters of each class to get past all that is excluded.
        let letters: Vec<Vec<char>> = product
            .classes
            .iter()
            .map(|class| letters(class).take(n_wanted).collect())
            .collect();
        if !is_alive(0, 0) {
            return Text::None;
        }
        let mut text: Vec<char> = Vec::new();
        // State, next class, next letter, and whether its end was tried.
        let mut path = vec![(0usize, 0usize, 0usize, false)];
        while let Some((state, class, letter, ended)) = path.last_mut() {
            if !*ended {
                *ended = true;
                let accepting = product.accepting.get(*state) == Some(&true);
                if accepting && text.len() as u64 >= self.min {
                    let found: String = text.iter().collect();
                    if !self.excluded.contains(&found.as_str()) {
                        return Text::Found(found);
                    }
                }
            }
            let steps = product.steps.get(*state).map_or(&[][..], Vec::as_slice);
            let next = steps.get(*class).copied();
            let c = letters.get(*class).and_then(|class| class.get(*letter));
            match (next, c) {
                (Some(next), Some(c)) if text.len() < cap && is_alive(text.len() + 1, next) => {
                    *letter += 1;
                    text.push(*c);
                    path.push((next, 0, 0, false));
                }
                (Some(_), _) => {
                    *class += 1;
                    *letter = 0;
                }
                (None, _) => {
                    path.pop();
                    text.pop();
                }
            }
        }
        Text::None
    }

    fn product(&self, spend: &mut dyn FnMut(u64) -> bool) -> Result<Product, String> {
        let classes = self.classes();
        let holds: Vec<Vec<Vec<bool>>> = classes
            .iter()
            .map(|class| {
                let code = class.first().map_or(0, |range| range.0);
                let of = |nfa: &Nfa| {
                    (0..nfa.classes.len())
                        .map(|at| nfa.holds(at, code))
                        .collect()
                };
                self.patterns.iter().map(|(nfa, _)| of(nfa)).collect()
            })
            .collect();
        let first: Vec<Set> = self.patterns.iter().map(|(nfa, _)| nfa.first()).collect();
        // The first state is apart: only there does `^` hold.
        let mut known: HashMap<Vec<Set>, usize> = HashMap::new();
        let mut sets = vec![first];
        let mut product = Product {
            accepting: Vec::new(),
            steps: Vec::new(),
            classes,
        };
        let mut at = 0;
        while let Some(parts) = sets.get(at).cloned() {
            let mut pairs = self.patterns.iter().zip(&parts);
            let accepting = pairs.all(|((nfa, wanted), set)| nfa.accepts(set, at == 0) == *wanted);
            let mut steps = Vec::with_capacity(holds.len());
            // What has matched for good and must not, leads nowhere.
            let mut pairs = self.patterns.iter().zip(&parts);
            let lost = pairs.any(|((_, wanted), set)| !*wanted && set.first() == Some(&MATCH));
            let classes = if lost { &[][..] } else { &holds[..] };
            for class in classes {
                let size: usize = parts.iter().map(|set| set.len()).sum();
                if !spend(1 + size as u64 / 4) {
                    return Err("the step budget ran out in a pattern".to_owned());
                }
                let rows = self.patterns.iter().zip(&parts).zip(class);
                let next: Vec<Set> = rows
                    .map(|(((nfa, _), set), row)| {
                        nfa.step(set, |class| row.get(class) == Some(&true))
                    })
                    .collect();
                let id = known.get(&next).copied().unwrap_or_else(|| {
                    sets.push(next.clone());
                    known.insert(next, sets.len() - 1);
                    sets.len() - 1
                });
                steps.push(id);
            }
            if sets.len() > MAX_PRODUCT {
                return Err("patterns need too many states together".to_owned());
            }
            product.accepting.push(accepting);
            product.steps.push(steps);
            at += 1;
        }
        Ok(product)
    }

    /// Splits the code points into classes that no pattern tells apart.
    fn classes(&self) -> Vec<Class> {
        let sets = || {
            let patterns = self.patterns.iter();
            patterns.flat_map(|(nfa, _)| (0..nfa.classes.len()).map(move |at| (nfa, at)))
        };
        let mut cuts: Vec<u32> = ALL.iter().map(|(low, _)| *low).collect();
        for (nfa, at) in sets() {
            for (low, high) in nfa.classes.get(at).map_or(&[][..], Vec::as_slice) {
                cuts.extend([*low, high + 1]);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut by_kind: BTreeMap<Vec<bool>, Class> = BTreeMap::new();
        for (at, low) in cuts.iter().enumerate() {
            let next = cuts.get(at + 1).copied().unwrap_or(0x11_0000);
            let high = if *low < 0xD800 {
                next.min(0xD800)
            } else {
                next
            } - 1;
            let valid = ALL.iter().any(|(from, to)| from <= low && low <= to);
            if valid {
                let kind = sets().map(|(nfa, at)| nfa.holds(at, *low)).collect();
                by_kind.entry(kind).or_default().push((*low, high));
            }
        }
        let mut classes: Vec<Class> = by_kind.into_values().collect();
        // Readable letters first.
        classes.sort_by_key(|class| {
            letters(class)
                .next()
                .map(|c| (!c.is_ascii_alphanumeric(), c))
        });
        classes
    }
}

/// Goes through the characters of a class, readable ones first.
fn letters(class: &Class) -> impl Iterator<Item = char> + '_ {
    let holds = |c: &char| {
        let code = u32::from(*c);
        class
            .iter()
            .any(|(low, high)| *low <= code && code <= *high)
    };
    let readable = || ('a'..='z').chain('A'..='Z').chain('0'..='9');
    let rest = class.iter().flat_map(|(low, high)| *low..=*high);
    let rest = rest.filter_map(char::from_u32);
    readable()
        .filter(holds)
        .chain(rest.filter(|c| !c.is_ascii_alphanumeric()))
}
