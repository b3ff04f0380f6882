//! Objects: members by name, members by classes of names, and their number.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::goal::{Exists, Lit, Objects};
use super::json::Json;
use super::node::{Keyword, PatternId, Properties, types};
use super::search::{Found, Gather, Outcome, Search};

/// Most names that a class is spelled out to.
const MAX_NAMES: usize = 9;
/// Most members of an object that is built.
const MAX_MEMBERS: u64 = 5_000;

/// What an object is made of.
#[derive(Clone)]
struct Plan {
    /// Names that schemas mention; all others are fresh.
    mentioned: BTreeSet<String>,
    /// Members that are there.
    present: BTreeMap<String, Vec<Lit>>,
    /// Members with fresh names.
    slots: Vec<Exists>,
}

impl Search {
    /// Looks for an object.
    pub fn object(&mut self, objects: &Objects) -> Found {
        if objects.max.is_some_and(|max| max < objects.min) {
            return Found::free(Outcome::Empty);
        }
        let mut gather = Gather::new();
        for (name, goal) in &objects.present {
            let found = self.member(objects, name, goal);
            if found.outcome == Outcome::Empty {
                return found;
            }
            gather.low = gather.low.min(found.low);
        }
        let mut mentioned: BTreeSet<String> = objects.absent.clone();
        mentioned.extend(objects.present.keys().cloned());
        let lists = objects.unless.iter().flat_map(|(looked, _)| looked.iter());
        for properties in objects.properties.iter().chain(lists) {
            mentioned.extend(properties.named.keys().cloned());
        }
        for exists in &objects.exists {
            mentioned.extend(exists.not.iter().cloned());
        }
        for lit in &objects.names {
            self.listed_names(*lit, &mut mentioned);
        }
        for lit in objects.exists.iter().flat_map(|exists| &exists.names) {
            self.listed_names(*lit, &mut mentioned);
        }
        self.arena.burn(mentioned.len() as u64 / 2);
        let mut plan = Plan {
            mentioned,
            present: objects.present.clone(),
            slots: Vec::new(),
        };
        let mut short = false;
        if let Some(object) = self.place(objects, &mut plan, 0, &mut gather, &mut short) {
            return gather.with(object);
        }
        if short {
            // Some class ran out of names: spell the small classes out.
            let mut again = Gather::new();
            let classes = patterns(objects).into_iter().map(Some);
            for pattern in classes.chain([None]) {
                self.spell(objects, pattern, &mut plan.mentioned, &mut again);
            }
            let mut still = false;
            if let Some(object) = self.place(objects, &mut plan, 0, &mut again, &mut still) {
                return again.with(object);
            }
            if still {
                again.doubt("a class of names is too small to tell");
            }
            again.low = again.low.min(gather.low);
            return again.end();
        }
        gather.end()
    }

    /// Adds the names that a schema of names lists.
    fn listed_names(&self, lit: Lit, mentioned: &mut BTreeSet<String>) {
        for keyword in self.arena.keywords(lit.node) {
            if let Keyword::Enum(values) = keyword {
                let names = values.iter().filter_map(Json::as_str);
                mentioned.extend(names.map(str::to_owned));
            }
        }
    }

    /// Adds the names of a class that has only a few; of all, without one.
    fn spell(
        &mut self,
        objects: &Objects,
        pattern: Option<PatternId>,
        mentioned: &mut BTreeSet<String>,
        gather: &mut Gather,
    ) {
        let class = Exists {
            with: pattern.into_iter().collect(),
            ..Exists::default()
        };
        let mut names = BTreeSet::new();
        while names.len() < MAX_NAMES {
            let goal = self.name_goal(objects, &class, &names);
            let found = self.solve(goal);
            match gather.take(found) {
                Some(Json::String(name)) => names.insert(name),
                _ => {
                    mentioned.extend(names);
                    return;
                }
            };
        }
    }

    /// Decides who meets each of the demands for some member.
    fn place(
        &mut self,
        objects: &Objects,
        plan: &mut Plan,
        at: usize,
        gather: &mut Gather,
        short: &mut bool,
    ) -> Option<Json> {
        if !self.spend(1) {
            let found = self.spent();
            gather.take(found);
            return None;
        }
        self.arena.burn(plan.mentioned.len() as u64);
        let count = (plan.present.len() + plan.slots.len()) as u64;
        if objects.max.is_some_and(|max| count > max) {
            return None;
        }
        let Some(exists) = objects.exists.get(at) else {
            return self.build(objects, plan, gather, short);
        };
        for name in plan.mentioned.clone() {
            if objects.absent.contains(&name) {
                continue;
            }
            match self.in_class(exists, &name) {
                Some(true) => {}
                Some(false) => continue,
                None => {
                    gather.doubt("a pattern of names is not understood");
                    continue;
                }
            }
            let before = plan.present.get(&name).cloned();
            let mut goal = before.clone().unwrap_or_default();
            goal.extend(&exists.goal);
            let found = self.member(objects, &name, &goal);
            if found.outcome == Outcome::Empty {
                gather.low = gather.low.min(found.low);
                continue;
            }
            plan.present.insert(name.clone(), goal);
            let object = self.place(objects, plan, at + 1, gather, short);
            match before {
                Some(before) => plan.present.insert(name, before),
                None => plan.present.remove(&name),
            };
            if object.is_some() {
                return object;
            }
        }
        for place in 0..plan.slots.len() {
            let before = plan.slots.get(place)?.clone();
            let slot = plan.slots.get_mut(place)?;
            slot.with.extend(&exists.with);
            slot.without.extend(&exists.without);
            slot.not.extend(exists.not.iter().cloned());
            slot.names.extend(&exists.names);
            slot.goal.extend(&exists.goal);
            let object = self.place(objects, plan, at + 1, gather, short);
            *plan.slots.get_mut(place)? = before;
            if object.is_some() {
                return object;
            }
        }
        plan.slots.push(exists.clone());
        let object = self.place(objects, plan, at + 1, gather, short);
        plan.slots.pop();
        object
    }

    /// Builds the object of a plan, with as many more members as it needs.
    fn build(
        &mut self,
        objects: &Objects,
        plan: &Plan,
        gather: &mut Gather,
        short: &mut bool,
    ) -> Option<Json> {
        let mut members = BTreeMap::new();
        for (name, goal) in &plan.present {
            let found = self.member(objects, name, goal);
            members.insert(name.clone(), gather.take(found)?);
        }
        let mut taken = BTreeSet::new();
        for slot in &plan.slots {
            let (name, value) = self.fresh(objects, plan, slot, &taken, gather, short)?;
            taken.insert(name.clone());
            members.insert(name, value);
        }
        if objects.min > MAX_MEMBERS {
            gather.doubt("an object would need too many members");
            return None;
        }
        for name in &plan.mentioned {
            if members.len() as u64 >= objects.min {
                break;
            }
            if members.contains_key(name) || objects.absent.contains(name) {
                continue;
            }
            let found = self.member(objects, name, &[]);
            if let Some(value) = gather.take(found) {
                members.insert(name.clone(), value);
            }
        }
        self.stuff(objects, plan, &mut members, &mut taken, gather);
        while (members.len() as u64) < objects.min {
            let any = Exists::default();
            let (name, value) = self.fresh(objects, plan, &any, &taken, gather, short)?;
            taken.insert(name.clone());
            members.insert(name, value);
        }
        Some(Json::Object(members))
    }

    /// Adds members with names made up, where many are missing: to look for
    /// each name apart from all others would take long.
    fn stuff(
        &mut self,
        objects: &Objects,
        plan: &Plan,
        members: &mut BTreeMap<String, Json>,
        taken: &mut BTreeSet<String>,
        gather: &mut Gather,
    ) {
        let missing = objects.min.saturating_sub(members.len() as u64);
        if missing < MAX_NAMES as u64 {
            return;
        }
        for at in 0..missing {
            let name = word(at);
            if plan.mentioned.contains(&name) || members.contains_key(&name) {
                continue;
            }
            let found = self.member(objects, &name, &[]);
            let Some(value) = gather.take(found) else {
                return;
            };
            taken.insert(name.clone());
            members.insert(name, value);
        }
    }

    /// Looks for the value of a member whose name is known.
    fn member(&mut self, objects: &Objects, name: &str, goal: &[Lit]) -> Found {
        let text = Json::String(name.to_owned());
        match self.meets_goal(&objects.names, &text) {
            Some(true) => {}
            Some(false) => return Found::free(Outcome::Empty),
            None => return unclear_names(),
        }
        match self.demands(objects, name) {
            Some(mut lits) => {
                lits.extend(goal);
                self.solve(lits)
            }
            None => unclear_names(),
        }
    }

    /// Returns what the value under a name has to meet.
    fn demands(&self, objects: &Objects, name: &str) -> Option<Vec<Lit>> {
        let mut lits = Vec::new();
        for properties in &objects.properties {
            let schemas = self.arena.schemas_of(properties, name)?;
            lits.extend(schemas.into_iter().map(Lit::yes));
        }
        for (looked, lit) in &objects.unless {
            if !self.looks_at(looked, name)? {
                lits.push(*lit);
            }
        }
        Some(lits)
    }

    fn looks_at(&self, looked: &[Rc<Properties>], name: &str) -> Option<bool> {
        for properties in looked {
            if !self.arena.schemas_of(properties, name)?.is_empty() {
                return Some(true);
            }
        }
        Some(false)
    }

    fn in_class(&self, exists: &Exists, name: &str) -> Option<bool> {
        if exists.not.contains(name) {
            return Some(false);
        }
        for (patterns, wanted) in [(&exists.with, true), (&exists.without, false)] {
            for pattern in patterns {
                if self.arena.matches(*pattern, name)? != wanted {
                    return Some(false);
                }
            }
        }
        self.meets_goal(&exists.names, &Json::String(name.to_owned()))
    }

    /// Returns what a fresh name of a class has to meet.
    fn name_goal(&mut self, objects: &Objects, class: &Exists, not: &BTreeSet<String>) -> Vec<Lit> {
        let string = self.arena.add(vec![Keyword::Types(types::STRING)]);
        let mut goal = vec![Lit::yes(string)];
        goal.extend(&objects.names);
        goal.extend(&class.names);
        for pattern in &class.with {
            goal.push(self.pattern(*pattern, true));
        }
        for pattern in &class.without {
            goal.push(self.pattern(*pattern, false));
        }
        let names = not.union(&class.not).cloned().map(Json::String);
        let names: Vec<Json> = names.collect();
        self.arena.burn(names.len() as u64);
        if !names.is_empty() {
            goal.push(self.other_than(names));
        }
        goal
    }

    fn pattern(&mut self, pattern: PatternId, holds: bool) -> Lit {
        let node = self.arena.add(vec![Keyword::Pattern(pattern)]);
        Lit { node, holds }
    }

    /// Looks for a member with a name that no schema mentions.
    fn fresh(
        &mut self,
        objects: &Objects,
        plan: &Plan,
        class: &Exists,
        taken: &BTreeSet<String>,
        gather: &mut Gather,
        short: &mut bool,
    ) -> Option<(String, Json)> {
        let not: BTreeSet<String> = plan.mentioned.union(taken).cloned().collect();
        let goal = self.name_goal(objects, class, &not);
        let split = patterns(objects);
        let with = class.with.clone();
        let member = self.split(objects, class, &split, (goal, with), gather);
        if member.is_none() && !taken.is_empty() {
            // Without the names that are taken there might have been one.
            *short = true;
        }
        member
    }

    /// Splits a class of names by patterns until its values are known.
    fn split(
        &mut self,
        objects: &Objects,
        class: &Exists,
        patterns: &[PatternId],
        (goal, with): (Vec<Lit>, Vec<PatternId>),
        gather: &mut Gather,
    ) -> Option<(String, Json)> {
        // What the patterns that match ask for may be too much for all.
        let listed = objects.properties.iter().flat_map(|all| &all.patterns);
        let certain = listed.filter(|(pattern, _)| with.contains(pattern));
        let certain = certain.map(|(_, schema)| Lit::yes(*schema));
        let certain: Vec<Lit> = certain.chain(class.goal.iter().copied()).collect();
        let found = self.solve(certain);
        if found.outcome == Outcome::Empty {
            gather.take(found);
            return None;
        }
        let found = self.solve(goal.iter().copied());
        let Json::String(name) = gather.take(found)? else {
            return None;
        };
        let found = match self.demands(objects, &name) {
            Some(mut lits) => {
                lits.extend(&class.goal);
                self.solve(lits)
            }
            None => unclear_names(),
        };
        if let Some(value) = gather.take(found) {
            return Some((name, value));
        }
        // Names that all patterns treat alike have values alike.
        let (pattern, rest) = patterns.split_first()?;
        for holds in [true, false] {
            let (mut goal, mut with) = (goal.clone(), with.clone());
            goal.push(self.pattern(*pattern, holds));
            with.extend(holds.then_some(*pattern));
            let member = self.split(objects, class, rest, (goal, with), gather);
            if member.is_some() {
                return member;
            }
        }
        None
    }
}

/// Returns a word for a number: letters alone, as few patterns ask for more.
pub fn word(number: u64) -> String {
    let digits = number.to_string();
    let letters = digits.bytes();
    let letters = letters.map(|digit| char::from(digit + (b'a' - b'0')));
    letters.collect()
}

fn unclear_names() -> Found {
    let why = "a pattern of names is not understood".to_owned();
    Found::free(Outcome::Unknown(why))
}

/// Returns the patterns by which names are told apart.
fn patterns(objects: &Objects) -> Vec<PatternId> {
    let looked = objects.unless.iter().flat_map(|(looked, _)| looked.iter());
    let all = objects.properties.iter().chain(looked);
    let mut patterns: Vec<PatternId> = all
        .flat_map(|properties| properties.patterns.iter().map(|(pattern, _)| *pattern))
        .chain(
            objects
                .exists
                .iter()
                .flat_map(|exists| exists.with.iter().copied()),
        )
        .collect();
    patterns.sort_unstable();
    patterns.dedup();
    patterns
}
