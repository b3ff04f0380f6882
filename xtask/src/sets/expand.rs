//! What a schema means for an instance of one type, and what its failure
//! means: demands that hold together, or a choice between several.

use std::rc::Rc;

use super::evaluated::Case;
use super::goal::{Atom, Clause, Exists, Item, Kind, Lit, Origin, SomeItems, State};
use super::json::Json;
use super::node::{FALSE, Keyword, NodeId, TRUE, types};
use super::search::Search;

/// Longest `oneOf` whose failure is spelled out pair by pair.
const MAX_PAIRS: usize = 300;

fn atom(atom: Atom) -> Vec<Item> {
    vec![Item::Atom(atom)]
}

fn lit(lit: Lit) -> Vec<Item> {
    vec![Item::Lit(lit)]
}

fn is(value: &Json, kind: Kind) -> bool {
    Kind::of(value) == kind
}

impl Search {
    /// Adds demands with all that they mean; `false` on a contradiction.
    pub fn expand(&mut self, state: &mut State, items: Vec<Item>) -> bool {
        let mut open = items;
        while let Some(item) = open.pop() {
            self.steps += 1;
            if self.steps > self.max_steps {
                // What is left out only demands more; the caller gives up.
                return true;
            }
            match item {
                Item::Lit(lit) if lit.holds => {
                    if lit.node == FALSE || state.seen.contains(&!lit) {
                        return false;
                    }
                    if !state.seen.insert(lit) {
                        continue;
                    }
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
                    if lit.node == TRUE || state.seen.contains(&!lit) {
                        return false;
                    }
                    if !state.seen.insert(lit) {
                        continue;
                    }
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
                    for (at, node) in nodes.iter().enumerate() {
                        open.push(Item::Lit(if at == place {
                            Lit::yes(*node)
                        } else {
                            Lit::no(*node)
                        }));
                    }
                }
                Item::Unclear(why) => {
                    state.unclear.get_or_insert(why);
                }
            }
        }
        true
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
        Lit::no(self.arena.add(vec![Keyword::Enum(values)]))
    }

    /// Returns the choices that a demand leaves when it is met.
    fn meets(&mut self, node: NodeId, at: usize, kind: Kind) -> Vec<Vec<Vec<Item>>> {
        let Some(keyword) = self.arena.keywords(node).get(at).cloned() else {
            return Vec::new();
        };
        let one = |items: Vec<Item>| vec![vec![items]];
        let when = |wanted: Kind, item: Atom| {
            if kind == wanted {
                vec![vec![atom(item)]]
            } else {
                Vec::new()
            }
        };
        match keyword {
            Keyword::Never => one(atom(Atom::Never)),
            Keyword::Opaque(why) => one(vec![Item::Unclear(why)]),
            Keyword::Ref(target) => one(lit(Lit::yes(self.arena.target(target)))),
            Keyword::Types(mask) => match kind_mask(kind) & mask {
                0 => one(atom(Atom::Never)),
                types::INTEGER => one(atom(Atom::Multiple(1.into(), true))),
                _ => Vec::new(),
            },
            Keyword::Enum(values) => {
                let values = values.into_iter().filter(|value| is(value, kind));
                one(atom(Atom::OneOf(values.collect())))
            }
            Keyword::Minimum(limit, strict) => when(Kind::Number, Atom::Minimum(limit, strict)),
            Keyword::Maximum(limit, strict) => when(Kind::Number, Atom::Maximum(limit, strict)),
            Keyword::MultipleOf(step) => when(Kind::Number, Atom::Multiple(step, true)),
            Keyword::MinLength(min) => when(Kind::String, Atom::MinLength(min)),
            Keyword::MaxLength(max) => when(Kind::String, Atom::MaxLength(max)),
            Keyword::Pattern(pattern) => when(Kind::String, Atom::Pattern(pattern, true)),
            Keyword::Format(name) => when(Kind::String, Atom::Format(name, true)),
            Keyword::Items(prefix, rest) => when(Kind::Array, Atom::Items(prefix.into(), rest)),
            Keyword::Contains(inner, min, max, _) => {
                let mut choices = Vec::new();
                if min > 0 {
                    choices.extend(when(Kind::Array, some(0, None, vec![Lit::yes(inner)], min)));
                }
                if let Some(max) = max {
                    choices.extend(when(Kind::Array, Atom::AtMost(Lit::yes(inner), max)));
                }
                choices
            }
            Keyword::MinItems(min) => when(Kind::Array, Atom::MinItems(min)),
            Keyword::MaxItems(max) => when(Kind::Array, Atom::MaxItems(max)),
            Keyword::Unique => when(Kind::Array, Atom::Unique(true)),
            Keyword::UnevaluatedItems(rest) if kind == Kind::Array => {
                let cases = self.cases(node, true);
                vec![self.by_case(cases, |search, case| {
                    if case.all_items {
                        return Vec::new();
                    }
                    // An item is either looked at by a `contains`, or it
                    // meets the rest.
                    let mut nodes = case.contains.clone();
                    nodes.push(rest);
                    let either = search.arena.add(vec![Keyword::AnyOf(nodes)]);
                    atom(Atom::Tail(case.prefix, Lit::yes(either)))
                })]
            }
            Keyword::Properties(properties) => when(Kind::Object, Atom::Properties(properties)),
            Keyword::Required(names) if kind == Kind::Object => names
                .into_iter()
                .map(|name| vec![atom(Atom::Present(name, Vec::new()))])
                .collect(),
            Keyword::PropertyNames(names) => when(Kind::Object, Atom::Names(Lit::yes(names))),
            Keyword::MinProperties(min) => when(Kind::Object, Atom::MinProperties(min)),
            Keyword::MaxProperties(max) => when(Kind::Object, Atom::MaxProperties(max)),
            Keyword::DependentRequired(needs) if kind == Kind::Object => needs
                .into_iter()
                .filter(|(_, needed)| !needed.is_empty())
                .map(|(name, needed)| {
                    let there = |name| Item::Atom(Atom::Present(name, Vec::new()));
                    vec![
                        atom(Atom::Absent(name)),
                        needed.into_iter().map(there).collect(),
                    ]
                })
                .collect(),
            Keyword::DependentSchemas(schemas) if kind == Kind::Object => schemas
                .into_iter()
                .map(|(name, schema)| vec![atom(Atom::Absent(name)), lit(Lit::yes(schema))])
                .collect(),
            Keyword::UnevaluatedProperties(rest) if kind == Kind::Object => {
                let cases = self.cases(node, true);
                vec![self.by_case(cases, |_, case| {
                    if case.all_names {
                        return Vec::new();
                    }
                    let looked = case.properties.clone().into();
                    atom(Atom::Unless(looked, Lit::yes(rest)))
                })]
            }
            Keyword::UnevaluatedItems(_)
            | Keyword::Required(_)
            | Keyword::DependentRequired(_)
            | Keyword::DependentSchemas(_)
            | Keyword::UnevaluatedProperties(_) => Vec::new(),
            Keyword::AllOf(nodes) => {
                let all = nodes.into_iter().map(|node| Item::Lit(Lit::yes(node)));
                one(all.collect())
            }
            Keyword::AnyOf(nodes) => {
                let any = nodes.into_iter().map(|node| lit(Lit::yes(node)));
                vec![any.collect()]
            }
            Keyword::OneOf(nodes) => {
                let nodes: Rc<[NodeId]> = nodes.into();
                let only = |at| vec![Item::Only(nodes.clone(), at)];
                vec![(0..nodes.len()).map(only).collect()]
            }
            Keyword::Not(node) => one(lit(Lit::no(node))),
            Keyword::If(condition, then, otherwise) => vec![vec![
                vec![Item::Lit(Lit::yes(condition)), Item::Lit(Lit::yes(then))],
                vec![
                    Item::Lit(Lit::no(condition)),
                    Item::Lit(Lit::yes(otherwise)),
                ],
            ]],
        }
    }

    /// Returns the ways in which a demand can fail.
    fn fails(&mut self, node: NodeId, at: usize, kind: Kind) -> Vec<Vec<Item>> {
        let Some(keyword) = self.arena.keywords(node).get(at).cloned() else {
            return Vec::new();
        };
        let when = |wanted: Kind, item: Atom| {
            if kind == wanted {
                vec![atom(item)]
            } else {
                Vec::new()
            }
        };
        match keyword {
            Keyword::Never => vec![Vec::new()],
            Keyword::Opaque(why) => vec![vec![Item::Unclear(why)]],
            Keyword::Ref(target) => vec![lit(Lit::no(self.arena.target(target)))],
            Keyword::Types(mask) => match kind_mask(kind) & mask {
                0 => vec![Vec::new()],
                types::INTEGER => vec![atom(Atom::Multiple(1.into(), false))],
                _ => Vec::new(),
            },
            Keyword::Enum(values) => {
                let values = values.into_iter().filter(|value| is(value, kind));
                let each = values.map(|value| Item::Atom(Atom::Differs(value)));
                vec![each.collect()]
            }
            Keyword::Minimum(limit, strict) => when(Kind::Number, Atom::Maximum(limit, !strict)),
            Keyword::Maximum(limit, strict) => when(Kind::Number, Atom::Minimum(limit, !strict)),
            Keyword::MultipleOf(step) => when(Kind::Number, Atom::Multiple(step, false)),
            Keyword::MinLength(min) => when(
                Kind::String,
                min.checked_sub(1).map_or(Atom::Never, Atom::MaxLength),
            ),
            Keyword::MaxLength(max) => when(
                Kind::String,
                max.checked_add(1).map_or(Atom::Never, Atom::MinLength),
            ),
            Keyword::Pattern(pattern) => when(Kind::String, Atom::Pattern(pattern, false)),
            Keyword::Format(name) => when(Kind::String, Atom::Format(name, false)),
            Keyword::Items(prefix, rest) if kind == Kind::Array => {
                let mut ways = Vec::new();
                for (at, schema) in prefix.iter().enumerate().filter(|(_, node)| **node != TRUE) {
                    ways.push(atom(some(at, Some(at + 1), vec![Lit::no(*schema)], 1)));
                }
                if let Some(rest) = rest.filter(|rest| *rest != TRUE) {
                    ways.push(atom(some(prefix.len(), None, vec![Lit::no(rest)], 1)));
                }
                ways
            }
            Keyword::Contains(inner, min, max, _) => {
                let mut ways = Vec::new();
                if let Some(fewer) = min.checked_sub(1) {
                    ways.extend(when(Kind::Array, Atom::AtMost(Lit::yes(inner), fewer)));
                }
                if let Some(more) = max.and_then(|max| max.checked_add(1)) {
                    let goal = vec![Lit::yes(inner)];
                    ways.extend(when(Kind::Array, some(0, None, goal, more)));
                }
                ways
            }
            Keyword::MinItems(min) => when(
                Kind::Array,
                min.checked_sub(1).map_or(Atom::Never, Atom::MaxItems),
            ),
            Keyword::MaxItems(max) => when(
                Kind::Array,
                max.checked_add(1).map_or(Atom::Never, Atom::MinItems),
            ),
            Keyword::Unique => when(Kind::Array, Atom::Unique(false)),
            Keyword::UnevaluatedItems(rest) if kind == Kind::Array => {
                let cases = self.cases(node, true);
                self.by_case(cases, |_, case| {
                    if case.all_items {
                        return atom(Atom::Never);
                    }
                    let mut goal: Vec<Lit> = case.contains.iter().copied().map(Lit::no).collect();
                    goal.push(Lit::no(rest));
                    atom(some(case.prefix, None, goal, 1))
                })
            }
            Keyword::Properties(properties) if kind == Kind::Object => {
                let mut ways = Vec::new();
                for (name, schema) in properties.named.iter().filter(|(_, node)| **node != TRUE) {
                    let goal = vec![Lit::no(*schema)];
                    ways.push(atom(Atom::Present(name.clone(), goal)));
                }
                for (pattern, schema) in &properties.patterns {
                    ways.push(atom(Atom::Exists(Exists {
                        with: vec![*pattern],
                        goal: vec![Lit::no(*schema)],
                        ..Exists::default()
                    })));
                }
                if let Some(rest) = properties.rest.filter(|rest| *rest != TRUE) {
                    let patterns = properties.patterns.iter().map(|(pattern, _)| *pattern);
                    ways.push(atom(Atom::Exists(Exists {
                        without: patterns.collect(),
                        not: properties.named.keys().cloned().collect(),
                        goal: vec![Lit::no(rest)],
                        ..Exists::default()
                    })));
                }
                ways
            }
            Keyword::Required(names) if kind == Kind::Object => {
                let absent = names.into_iter().map(Atom::Absent);
                absent.map(atom).collect()
            }
            Keyword::PropertyNames(names) => {
                let exists = Exists {
                    names: vec![Lit::no(names)],
                    ..Exists::default()
                };
                when(Kind::Object, Atom::Exists(exists))
            }
            Keyword::MinProperties(min) => when(
                Kind::Object,
                min.checked_sub(1).map_or(Atom::Never, Atom::MaxProperties),
            ),
            Keyword::MaxProperties(max) => when(
                Kind::Object,
                max.checked_add(1).map_or(Atom::Never, Atom::MinProperties),
            ),
            Keyword::DependentRequired(needs) if kind == Kind::Object => {
                let pairs = needs
                    .into_iter()
                    .flat_map(|(name, needed)| needed.into_iter().map(move |n| (name.clone(), n)));
                pairs
                    .map(|(name, needed)| {
                        vec![
                            Item::Atom(Atom::Present(name, Vec::new())),
                            Item::Atom(Atom::Absent(needed)),
                        ]
                    })
                    .collect()
            }
            Keyword::DependentSchemas(schemas) if kind == Kind::Object => schemas
                .into_iter()
                .map(|(name, schema)| {
                    vec![
                        Item::Atom(Atom::Present(name, Vec::new())),
                        Item::Lit(Lit::no(schema)),
                    ]
                })
                .collect(),
            Keyword::UnevaluatedProperties(rest) if kind == Kind::Object => {
                let cases = self.cases(node, true);
                self.by_case(cases, |_, case| {
                    if case.all_names {
                        return atom(Atom::Never);
                    }
                    let looked = &case.properties;
                    let patterns = looked.iter().flat_map(|looked| &looked.patterns);
                    atom(Atom::Exists(Exists {
                        without: patterns.map(|(pattern, _)| *pattern).collect(),
                        not: looked
                            .iter()
                            .flat_map(|looked| looked.named.keys().cloned())
                            .collect(),
                        goal: vec![Lit::no(rest)],
                        ..Exists::default()
                    }))
                })
            }
            Keyword::Items(..)
            | Keyword::UnevaluatedItems(_)
            | Keyword::Properties(_)
            | Keyword::Required(_)
            | Keyword::DependentRequired(_)
            | Keyword::DependentSchemas(_)
            | Keyword::UnevaluatedProperties(_) => Vec::new(),
            Keyword::AllOf(nodes) => {
                let each = nodes.into_iter().map(|node| lit(Lit::no(node)));
                each.collect()
            }
            Keyword::AnyOf(nodes) => {
                let all = nodes.into_iter().map(|node| Item::Lit(Lit::no(node)));
                vec![all.collect()]
            }
            Keyword::OneOf(nodes) => {
                let none = nodes.iter().map(|node| Item::Lit(Lit::no(*node)));
                let mut ways = vec![none.collect::<Vec<_>>()];
                if nodes.len() > MAX_PAIRS {
                    ways.push(vec![Item::Unclear("a oneOf is too long".to_owned())]);
                    return ways;
                }
                for (at, one) in nodes.iter().enumerate() {
                    for other in nodes.iter().skip(at + 1) {
                        ways.push(vec![Item::Lit(Lit::yes(*one)), Item::Lit(Lit::yes(*other))]);
                    }
                }
                ways
            }
            Keyword::Not(node) => vec![lit(Lit::yes(node))],
            Keyword::If(condition, then, otherwise) => vec![
                vec![Item::Lit(Lit::yes(condition)), Item::Lit(Lit::no(then))],
                vec![Item::Lit(Lit::no(condition)), Item::Lit(Lit::no(otherwise))],
            ],
        }
    }

    /// Turns cases of what was looked at into alternatives.
    fn by_case(
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

fn some(from: usize, to: Option<usize>, goal: Vec<Lit>, count: u64) -> Atom {
    Atom::Some(SomeItems {
        from,
        to,
        goal,
        count,
    })
}

fn kind_mask(kind: Kind) -> u8 {
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
