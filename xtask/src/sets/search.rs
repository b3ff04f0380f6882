//! The search for an instance of a goal: type by type, branch by branch.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::apart::Pairs;
use super::evaluate::{Truth, not};
use super::goal::{Atom, Clause, Item, Kind, Lit, Origin, State};
use super::json::Json;
use super::node::{Arena, FALSE, Keyword, NodeId, TRUE};

/// Deepest nesting of goals within goals.
const MAX_DEPTH: usize = 600;
/// Schemas that the validator may look at, per step of the search.
const FUEL_PER_STEP: u64 = 20;
/// No goal above is relied upon.
const FREE: usize = usize::MAX;

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// An instance.
    Witness(Json),
    /// There is none.
    Empty,
    /// Nothing was decided, and why.
    Unknown(String),
}

/// An outcome, and the outermost open goal whose emptiness it assumes.
#[derive(Clone, Debug)]
pub struct Found {
    /// The outcome.
    pub outcome: Outcome,
    /// Position of that goal on the stack.
    pub low: usize,
}

impl Found {
    /// An outcome that assumes nothing.
    pub fn free(outcome: Outcome) -> Self {
        Self { outcome, low: FREE }
    }
}

/// Gathers the outcomes of branches: one witness is enough, and emptiness
/// needs them all.
#[derive(Debug)]
pub struct Gather {
    unknown: Option<String>,
    /// The outermost goal that any branch relied on.
    pub low: usize,
}

impl Gather {
    /// Nothing gathered.
    pub fn new() -> Self {
        Self {
            unknown: None,
            low: FREE,
        }
    }

    /// Takes an outcome, and hands a witness back.
    pub fn take(&mut self, found: Found) -> Option<Json> {
        self.low = self.low.min(found.low);
        match found.outcome {
            Outcome::Witness(witness) => return Some(witness),
            Outcome::Empty => {}
            Outcome::Unknown(why) => self.doubt(why),
        }
        None
    }

    /// Notes that emptiness will not be certain.
    pub fn doubt(&mut self, why: impl Into<String>) {
        self.unknown.get_or_insert(why.into());
    }

    /// Notes the same; the reason is looked for if it is the first.
    pub fn doubt_once(&mut self, why: impl FnOnce() -> String) {
        self.unknown.get_or_insert_with(why);
    }

    /// Returns what holds when no branch had a witness.
    pub fn end(self) -> Found {
        Found {
            outcome: self.unknown.map_or(Outcome::Empty, Outcome::Unknown),
            low: self.low,
        }
    }

    /// Returns a witness with what was relied upon.
    pub fn with(self, witness: Json) -> Found {
        Found {
            outcome: Outcome::Witness(witness),
            low: self.low,
        }
    }
}

type Goal = Rc<[Lit]>;

/// The state of one comparison.
pub struct Search {
    /// The schemas.
    pub arena: Arena,
    /// Steps taken.
    pub steps: u64,
    /// Steps after which nothing is certain.
    pub max_steps: u64,
    memo: HashMap<Goal, Outcome>,
    open: HashMap<Goal, usize>,
    /// Branches of a `oneOf` that may overlap.
    pub pairs: HashMap<Vec<NodeId>, Pairs>,
}

impl Search {
    /// Returns a search that gives up after so many steps.
    pub fn new(arena: Arena, max_steps: u64) -> Self {
        arena.fuel.set(max_steps.saturating_mul(FUEL_PER_STEP));
        Self {
            arena,
            steps: 0,
            max_steps,
            memo: HashMap::new(),
            open: HashMap::new(),
            pairs: HashMap::new(),
        }
    }

    /// Returns the steps taken, or what lay within them where that was more.
    pub fn cost(&self) -> u64 {
        let all = self.max_steps.saturating_mul(FUEL_PER_STEP);
        let burnt = all.saturating_sub(self.arena.fuel.get()) / FUEL_PER_STEP;
        self.steps.max(burnt)
    }

    /// Takes steps; `false` when the budget is spent.
    pub fn spend(&mut self, steps: u64) -> bool {
        self.steps = self.steps.saturating_add(steps);
        !self.is_spent()
    }

    /// Says whether the budget is spent.
    pub fn is_spent(&self) -> bool {
        self.steps > self.max_steps || self.arena.fuel.get() == 0
    }

    /// The answer when the budget is spent.
    pub fn spent(&self) -> Found {
        let why = format!("the budget of {} steps ran out", self.max_steps);
        Found::free(Outcome::Unknown(why))
    }

    /// Looks for a value that meets all of these.
    pub fn solve(&mut self, lits: impl IntoIterator<Item = Lit>) -> Found {
        // A goal is known by what it refers to, however it got there.
        let named = lits
            .into_iter()
            .map(|lit| match self.arena.keywords(lit.node) {
                [Keyword::Ref(target)] => Lit {
                    node: self.arena.target(*target),
                    ..lit
                },
                _ => lit,
            });
        let mut goal: Vec<Lit> = named.collect();
        self.arena.burn(1 + goal.len() as u64);
        goal.sort_unstable();
        goal.dedup();
        let contradicts = goal.windows(2).any(|pair| match pair {
            [one, other] => one.node == other.node && self.arena.is_fixed(one.node),
            _ => false,
        });
        let never = |lit: &Lit| *lit == Lit::yes(FALSE) || *lit == Lit::no(TRUE);
        if contradicts || goal.iter().any(never) {
            return Found::free(Outcome::Empty);
        }
        goal.retain(|lit| *lit != Lit::yes(TRUE) && *lit != Lit::no(FALSE));
        let goal: Goal = goal.into();
        if let Some(outcome) = self.memo.get(&goal) {
            return Found::free(outcome.clone());
        }
        // An instance is finite: if this goal has one, it has one that does
        // not contain another.
        if let Some(place) = self.open.get(&goal) {
            return Found {
                outcome: Outcome::Empty,
                low: *place,
            };
        }
        if !self.spend(1) {
            return self.spent();
        }
        let place = self.open.len();
        if place >= MAX_DEPTH {
            let why = "the schemas nest too deep to search".to_owned();
            return Found::free(Outcome::Unknown(why));
        }
        self.open.insert(goal.clone(), place);
        let mut found = self.decide(&goal);
        self.open.remove(&goal);
        if found.low >= place {
            found.low = FREE;
        }
        // A witness stands by itself; anything else may lean on a goal that
        // is still open, and is forgotten then.
        if matches!(found.outcome, Outcome::Witness(_)) {
            found.low = FREE;
        }
        if found.low == FREE {
            self.memo.insert(goal, found.outcome.clone());
        }
        found
    }

    fn decide(&mut self, goal: &Goal) -> Found {
        let mut gather = Gather::new();
        // Values that are listed are tried one by one, whatever their type.
        if let Some(values) = self.listed(goal) {
            for value in values.iter() {
                self.arena.burn(1);
                if self.is_spent() {
                    return self.spent();
                }
                match self.meets_goal(goal, value) {
                    Some(true) => return gather.with(value.clone()),
                    Some(false) => {}
                    None => gather.doubt_once(|| self.unclear(goal)),
                }
            }
            return gather.end();
        }
        let Some(items) = self.items(goal) else {
            return Found::free(Outcome::Empty);
        };
        for kind in Kind::ALL {
            let mut state = State::new(kind);
            if !self.expand(&mut state, items.clone()) {
                continue;
            }
            let found = self.branch(goal, state);
            if let Some(witness) = gather.take(found) {
                return gather.with(witness);
            }
        }
        gather.end()
    }

    /// Returns a goal as demands, those last that are to be met first; `None`
    /// if it asks for one of several schemas that it excludes, all of them.
    fn items(&self, goal: &Goal) -> Option<Vec<Item>> {
        let mut excluded: HashSet<NodeId> = HashSet::new();
        let (held, failed): (Vec<Lit>, Vec<Lit>) = goal.iter().partition(|lit| lit.holds);
        for lit in &failed {
            excluded.insert(lit.node);
            self.arena.burn(self.arena.breadth(lit.node) / 4);
            match self.arena.keywords(lit.node) {
                [Keyword::AnyOf(nodes)] => excluded.extend(nodes),
                [Keyword::OneOf(nodes)] if self.are_tagged(nodes) => excluded.extend(nodes),
                _ => {}
            }
        }
        let mut items: Vec<Item> = failed.into_iter().map(Item::Lit).collect();
        for lit in held {
            items.push(Item::Lit(lit));
            if let [Keyword::AnyOf(nodes) | Keyword::OneOf(nodes)] = self.arena.keywords(lit.node) {
                let is_left =
                    |node: &&NodeId| !(excluded.contains(*node) && self.arena.is_fixed(**node));
                let mut left = nodes.iter().filter(is_left);
                let first = left.next()?;
                if left.next().is_none() {
                    items.push(Item::Lit(Lit::yes(*first)));
                }
            }
        }
        Some(items)
    }

    /// Returns the shortest list of values that the goal is confined to.
    fn listed(&self, goal: &Goal) -> Option<Rc<[Json]>> {
        let lists = goal.iter().filter(|lit| lit.holds).filter_map(|lit| {
            let keywords = self.arena.keywords(lit.node).iter();
            let mut lists = keywords.filter_map(|keyword| match keyword {
                Keyword::Enum(values) => Some(values),
                _ => None,
            });
            lists.next()
        });
        lists.min_by_key(|values| values.len()).cloned()
    }

    /// Says what in a goal is not understood.
    fn unclear(&self, goal: &Goal) -> String {
        if self.arena.fuel.get() == 0 {
            return format!("the budget of {} steps ran out", self.max_steps);
        }
        let mut seen = HashSet::new();
        let mut open: Vec<NodeId> = goal.iter().map(|lit| lit.node).collect();
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            for keyword in self.arena.keywords(node) {
                match keyword {
                    Keyword::Opaque(why, _) => return why.clone(),
                    Keyword::Pattern(pattern) => {
                        if let Err(why) = self.arena.nfa(*pattern) {
                            return why.to_owned();
                        }
                    }
                    Keyword::Properties(properties) => {
                        for (pattern, _) in &properties.patterns {
                            if let Err(why) = self.arena.nfa(*pattern) {
                                return why.to_owned();
                            }
                        }
                    }
                    _ => {}
                }
            }
            open.extend(self.arena.in_place(node));
        }
        "something in a schema is not understood".to_owned()
    }

    /// Says whether a value meets a goal.
    pub fn meets_goal(&self, goal: &[Lit], value: &Json) -> Truth {
        let mut known = Some(true);
        for lit in goal {
            match self.meets_lit(*lit, value) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => known = None,
            }
        }
        known
    }

    fn meets_lit(&self, lit: Lit, value: &Json) -> Truth {
        let truth = self.arena.valid(lit.node, value);
        if lit.holds { truth } else { not(truth) }
    }

    fn meets_origin(&self, origin: &Origin, value: &Json) -> Truth {
        match origin {
            Origin::Lit(lit) => self.meets_lit(*lit, value),
            Origin::Keyword(node, at) => self.arena.keyword_valid(*node, *at, value),
            Origin::Differs(other) => Some(other != value),
        }
    }

    /// Decides one branch: first without the open choices, and then along
    /// the first choice that the candidate did not happen to make.
    fn branch(&mut self, goal: &Goal, mut state: State) -> Found {
        // A branch costs as much as there is to copy.
        if !self.spend(1 + state.size() as u64 / 32) {
            return self.spent();
        }
        if !self.narrow(&mut state) {
            return Found::free(Outcome::Empty);
        }
        let relaxed = self.relaxed(goal, &state);
        let mut gather = Gather::new();
        let place = match relaxed.outcome {
            Outcome::Empty => return relaxed,
            Outcome::Witness(witness) => {
                if self.meets_goal(goal, &witness) == Some(true) {
                    return Found {
                        outcome: Outcome::Witness(witness),
                        low: relaxed.low,
                    };
                }
                let open = |clause: &Clause| self.meets_origin(&clause.origin, &witness);
                state
                    .clauses
                    .iter()
                    .position(|clause| open(clause) != Some(true))
            }
            Outcome::Unknown(why) => {
                gather.doubt(why);
                let sizes = state.clauses.iter().enumerate();
                let small = sizes.min_by_key(|(_, clause)| clause.alternatives.len());
                small.map(|(place, _)| place)
            }
        };
        let Some(place) = place else {
            let why = state.unclear.unwrap_or_else(|| self.unclear(goal));
            gather.doubt(why);
            return gather.end();
        };
        // What could not be decided with all choices open may well be with
        // one of them made.
        let mut gather = Gather::new();
        let clause = state.clauses.remove(place);
        for alternative in clause.alternatives.iter() {
            let mut next = state.clone();
            if !self.expand(&mut next, alternative.clone()) {
                continue;
            }
            let found = self.branch(goal, next);
            if let Some(witness) = gather.take(found) {
                return gather.with(witness);
            }
            if self.is_spent() {
                return self.spent();
            }
        }
        gather.end()
    }

    /// Drops the alternatives that contradict at once, before anything is
    /// copied for them, until none is left that does; `false` if some choice
    /// has none left.
    fn narrow(&mut self, state: &mut State) -> bool {
        loop {
            let mut made = Vec::new();
            for mut clause in std::mem::take(&mut state.clauses) {
                self.arena.burn(1 + clause.alternatives.len() as u64 / 2);
                let fails =
                    |items: &Vec<Item>| items.iter().any(|item| self.fails_at_once(state, item));
                let n_failing = clause
                    .alternatives
                    .iter()
                    .filter(|items| fails(items))
                    .count();
                if n_failing > 0 {
                    let left = clause.alternatives.iter().filter(|items| !fails(items));
                    clause.alternatives = left.cloned().collect();
                }
                match &*clause.alternatives {
                    [] => return false,
                    [only] => made.extend(only.iter().cloned()),
                    _ => state.clauses.push(clause),
                }
            }
            if made.is_empty() || self.is_spent() {
                return true;
            }
            // What has to be may contradict what could still be chosen.
            if !self.expand(state, made) {
                return false;
            }
        }
    }

    /// Says whether an alternative is out of the question already.
    fn fails_at_once(&self, state: &State, item: &Item) -> bool {
        match item {
            Item::Lit(lit) => self.contradicts(state, *lit),
            Item::Only(nodes, place) => {
                let chosen = nodes.get(*place);
                chosen.is_some_and(|node| self.contradicts(state, Lit::yes(*node)))
            }
            Item::Atom(Atom::Present(name, _)) => state.objects.absent.contains(name),
            Item::Atom(Atom::Absent(name)) => state.objects.present.contains_key(name),
            Item::Atom(_) | Item::Unclear(_) => false,
        }
    }

    /// Looks for a value that meets all demands but the open choices.
    fn relaxed(&mut self, goal: &Goal, state: &State) -> Found {
        if let Some(values) = &state.finite {
            let mut gather = Gather::new();
            for value in values {
                if !self.spend(1) {
                    return self.spent();
                }
                match self.meets_goal(goal, value) {
                    Some(true) => return gather.with(value.clone()),
                    Some(false) => {}
                    None => gather.doubt_once(|| self.unclear(goal)),
                }
            }
            return gather.end();
        }
        match state.kind {
            Kind::Null | Kind::Bool => Found::free(Outcome::Empty),
            Kind::Number => Found::free(self.number(state)),
            Kind::String => Found::free(self.text(state)),
            Kind::Array => self.array(&state.arrays),
            Kind::Object => self.object(&state.objects),
        }
    }
}
