//! What a schema means for an instance of one type, and what its failure
//! means: demands that hold together, or a choice between several.

use super::evaluated::Case;
use super::goal::{Atom, Clause, Exists, Item, Kind, Lit, Origin, SomeItems, State};
use super::json::Json;
use super::node::{FALSE, Keyword, TRUE, types};
use super::search::Search;

/// One demand.
pub fn atom(atom: Atom) -> Vec<Item> {
    vec![Item::Atom(atom)]
}

/// One schema.
pub fn lit(lit: Lit) -> Vec<Item> {
    vec![Item::Lit(lit)]
}

/// Says whether a value has a type.
pub fn is(value: &Json, kind: Kind) -> bool {
    Kind::of(value) == kind
}

impl Search {
    /// Adds demands with all that they mean; `false` on a contradiction.
    pub fn expand(&mut self, state: &mut State, items: Vec<Item>) -> bool {
        let mut open = items;
        while let Some(item) = open.pop() {
            self.steps += 1;
            if self.is_spent() {
                // What is left out only demands more; the caller gives up.
                return true;
            }
            match item {
                Item::Lit(lit) if lit.holds => {
                    if lit.node == FALSE || self.contradicts(state, lit) {
                        return false;
                    }
                    if !state.seen.insert(lit) {
                        continue;
                    }
                    self.arena.burn(self.arena.breadth(lit.node));
                    for at in 0..self.arena.keywords(lit.node).len() {
                        let origin = Origin::Keyword(lit.node, at);
                        let choices = self.meets(lit.node, at, state.kind);
                        for alternatives in choices {
                            if !choose(state, &mut open, origin.clone(), alternatives) {
                                return false;
                            }
                        }
                    }
                }
                Item::Lit(lit) => {
                    if lit.node == TRUE || self.contradicts(state, lit) {
                        return false;
                    }
                    if !state.seen.insert(lit) {
                        continue;
                    }
                    self.arena.burn(self.arena.breadth(lit.node));
                    let mut alternatives = Vec::new();
                    for at in 0..self.arena.keywords(lit.node).len() {
                        alternatives.extend(self.fails(lit.node, at, state.kind));
                    }
                    if !choose(state, &mut open, Origin::Lit(lit), alternatives) {
                        return false;
                    }
                }
                Item::Atom(Atom::Differs(value)) => match value {
                    Json::Array(_) | Json::Object(_) => {
                        let alternatives = self.differs(&value);
                        let origin = Origin::Differs(value);
                        if !choose(state, &mut open, origin, alternatives) {
                            return false;
                        }
                    }
                    value => {
                        state.apply(Atom::Differs(value));
                    }
                },
                Item::Atom(atom) => {
                    if !state.apply(atom) {
                        return false;
                    }
                }
                Item::Only(nodes, place) => {
                    let Some(chosen) = nodes.get(place).copied() else {
                        return false;
                    };
                    open.push(Item::Lit(Lit::yes(chosen)));
                    for (at, node) in nodes.iter().enumerate() {
                        if at != place && !self.apart(chosen, *node) {
                            open.push(Item::Lit(Lit::no(*node)));
                        }
                    }
                    self.steps += nodes.len() as u64 / 16;
                }
                Item::Unclear(why) => {
                    state.unclear.get_or_insert(why);
                }
            }
        }
        true
    }

    /// Says whether a schema is known to hold the other way round.
    pub fn contradicts(&self, state: &State, lit: Lit) -> bool {
        state.seen.contains(&!lit) && self.arena.is_fixed(lit.node)
    }

    /// Returns how another value can differ from this array or object.
    fn differs(&mut self, value: &Json) -> Vec<Vec<Item>> {
        let mut alternatives = Vec::new();
        match value {
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
            Json::Array(items) => {
                let count = items.len() as u64;
                alternatives.push(atom(Atom::MinItems(count + 1)));
                if let Some(fewer) = count.checked_sub(1) {
                    alternatives.push(atom(Atom::MaxItems(fewer)));
                }
                for (at, item) in items.iter().enumerate() {
                    let goal = vec![self.other_than(vec![item.clone()])];
                    alternatives.push(atom(Atom::Some(SomeItems {
                        from: at,
                        to: Some(at + 1),
                        goal,
                        count: 1,
                    })));
                }
            }
            Json::Object(members) => {
                alternatives.push(atom(Atom::Exists(Exists {
                    not: members.keys().cloned().collect(),
                    ..Exists::default()
                })));
                for (name, member) in members {
                    alternatives.push(atom(Atom::Absent(name.clone())));
                    let goal = vec![self.other_than(vec![member.clone()])];
                    alternatives.push(atom(Atom::Present(name.clone(), goal)));
                }
            }
        }
        alternatives
    }

    /// Excludes values.
    pub fn other_than(&mut self, mut values: Vec<Json>) -> Lit {
        values.sort();
        values.dedup();
        Lit::no(self.arena.add(vec![Keyword::Enum(values.into())]))
    }

    /// Turns cases of what was looked at into alternatives.
    pub fn by_case(
        &mut self,
        cases: Option<Vec<Case>>,
        last: impl Fn(&mut Self, &Case) -> Vec<Item>,
    ) -> Vec<Vec<Item>> {
        let Some(cases) = cases else {
            let why = "an unevaluated keyword has too many cases".to_owned();
            return vec![vec![Item::Unclear(why)]];
        };
        cases
            .into_iter()
            .map(|case| {
                let mut items = last(self, &case);
                items.extend(case.when);
                items
            })
            .collect()
    }
}

/// A number of items between two positions.
pub fn some(from: usize, to: Option<usize>, goal: Vec<Lit>, count: u64) -> Atom {
    Atom::Some(SomeItems {
        from,
        to,
        goal,
        count,
    })
}

/// Returns the bits of a type.
pub fn kind_mask(kind: Kind) -> u8 {
    match kind {
        Kind::Null => types::NULL,
        Kind::Bool => types::BOOL,
        Kind::Number => types::INTEGER | types::NUMBER,
        Kind::String => types::STRING,
        Kind::Array => types::ARRAY,
        Kind::Object => types::OBJECT,
    }
}

/// Takes the only alternative, or keeps the choice; `false` if there is none.
fn choose(
    state: &mut State,
    open: &mut Vec<Item>,
    origin: Origin,
    mut alternatives: Vec<Vec<Item>>,
) -> bool {
    if alternatives.len() > 1 {
        // A choice with an empty alternative is no choice.
        if alternatives.iter().any(Vec::is_empty) {
            return true;
        }
        state.clauses.push(Clause {
            origin,
            alternatives: alternatives.into(),
        });
        return true;
    }
    match alternatives.pop() {
        Some(items) => {
            open.extend(items);
            true
        }
        None => false,
    }
}
