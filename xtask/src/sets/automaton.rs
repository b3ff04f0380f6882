//! Patterns as automata over code points.

use std::rc::Rc;

use super::regex::{Class, Tree};

/// Most states of one pattern.
const MAX_STATES: usize = 20_000;

pub type StateId = u32;
/// The states that a pattern is in at once; `[MATCH]` once it has matched.
pub type Set = Rc<[StateId]>;

/// The state in which a pattern has matched.
pub const MATCH: StateId = 0;

#[derive(Clone, Debug)]
enum State {
    Match,
    Chars(usize, StateId),
    Split(Vec<StateId>),
    Start(StateId),
    End(StateId),
}

/// A pattern as a nondeterministic automaton, searched for anywhere.
#[derive(Clone, Debug)]
pub struct Nfa {
    states: Vec<State>,
    /// Its classes of characters, by number.
    pub classes: Vec<Class>,
    start: StateId,
}

impl Nfa {
    /// Builds the automaton; fails where it would be too large.
    pub fn build(tree: &Tree) -> Result<Self, String> {
        let mut nfa = Self {
            states: vec![State::Match],
            classes: Vec::new(),
            start: MATCH,
        };
        nfa.start = nfa.add(tree, MATCH)?;
        Ok(nfa)
    }

    fn push(&mut self, state: State) -> Result<StateId, String> {
        if self.states.len() >= MAX_STATES {
            return Err("a pattern needs too many states".to_owned());
        }
        self.states.push(state);
        StateId::try_from(self.states.len() - 1).map_err(|error| error.to_string())
    }

    /// Adds a part that goes on at `next`, and returns where it begins.
    fn add(&mut self, tree: &Tree, next: StateId) -> Result<StateId, String> {
        Ok(match tree {
            Tree::Empty => next,
            Tree::Class(class) => {
                let known = self.classes.iter().position(|known| known == class);
                let class = known.unwrap_or_else(|| {
                    self.classes.push(class.clone());
                    self.classes.len() - 1
                });
                self.push(State::Chars(class, next))?
            }
            Tree::Cat(parts) => {
                let mut parts = parts.iter().rev();
                parts.try_fold(next, |next, part| self.add(part, next))?
            }
            Tree::Alt(branches) => {
                let starts = branches.iter().map(|branch| self.add(branch, next));
                let starts = starts.collect::<Result<_, _>>()?;
                self.push(State::Split(starts))?
            }
            Tree::Repeat(tree, low, high) => {
                let mut start = next;
                match high {
                    None => {
                        start = self.push(State::Split(Vec::new()))?;
                        let body = self.add(tree, start)?;
                        if let Some(state) = self.states.get_mut(start as usize) {
                            *state = State::Split(vec![body, next]);
                        }
                    }
                    Some(high) => {
                        for _ in *low..*high {
                            let body = self.add(tree, start)?;
                            start = self.push(State::Split(vec![body, next]))?;
                        }
                    }
                }
                for _ in 0..*low {
                    // Each round needs room, so that counts of nothing end.
                    start = self.add(tree, start)?;
                    start = self.push(State::Split(vec![start]))?;
                }
                start
            }
            Tree::Start => self.push(State::Start(next))?,
            Tree::End => self.push(State::End(next))?,
        })
    }

    /// Follows all steps that read nothing.
    fn closure(&self, from: impl IntoIterator<Item = StateId>, first: bool, last: bool) -> Set {
        let mut open: Vec<StateId> = from.into_iter().collect();
        let mut seen = std::collections::HashSet::new();
        let mut kept = Vec::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.states.get(id as usize) {
                Some(State::Match) => return Rc::new([MATCH]),
                Some(State::Chars(..)) => kept.push(id),
                Some(State::Split(targets)) => open.extend(targets),
                Some(State::Start(next)) if first => open.push(*next),
                Some(State::End(next)) => {
                    if last {
                        open.push(*next);
                    }
                    // A later look may be the last one.
                    kept.push(id);
                }
                Some(State::Start(_)) | None => {}
            }
        }
        kept.sort_unstable();
        kept.into()
    }

    pub fn first(&self) -> Set {
        self.closure([self.start], true, false)
    }

    pub fn step(&self, set: &Set, class_holds: impl Fn(usize) -> bool) -> Set {
        if set.first() == Some(&MATCH) {
            return set.clone();
        }
        let next = set
            .iter()
            .filter_map(|id| match self.states.get(*id as usize) {
                Some(State::Chars(class, next)) if class_holds(*class) => Some(*next),
                _ => None,
            });
        // The search may also begin here.
        self.closure(next.chain([self.start]), false, false)
    }

    /// Says whether a text that ends in these states matches.
    pub fn accepts(&self, set: &Set, first: bool) -> bool {
        if set.first() == Some(&MATCH) {
            return true;
        }
        let start = first.then_some(self.start);
        let ends = self.closure(set.iter().copied().chain(start), first, true);
        ends.first() == Some(&MATCH)
    }

    /// Says whether the pattern is found in a text; `None` if `spend` says that
    /// the next character may not be read.
    pub fn matches(&self, text: &str, spend: &mut dyn FnMut(u64) -> bool) -> Option<bool> {
        let mut set = self.first();
        let mut first = true;
        for c in text.chars() {
            if !spend(2 + set.len() as u64 / 2) {
                return None;
            }
            set = self.step(&set, |class| self.holds(class, c.into()));
            first = false;
            if set.first() == Some(&MATCH) {
                return Some(true);
            }
        }
        Some(self.accepts(&set, first))
    }

    pub fn holds(&self, class: usize, code: u32) -> bool {
        let Some(class) = self.classes.get(class) else {
            return false;
        };
        let after = class.partition_point(|(low, _)| *low <= code);
        let range = after.checked_sub(1).and_then(|at| class.get(at));
        range.is_some_and(|(_, high)| code <= *high)
    }
}
