//! What it means for an instance of one type that a demand fails.

use super::expand::{atom, is, kind_mask, lit, some};
use super::goal::{Atom, Exists, Item, Kind, Lit};
use super::node::{Keyword, NodeId, TRUE, types};
use super::search::Search;

/// Longest `oneOf` whose failure is spelled out pair by pair.
const MAX_PAIRS: usize = 300;

impl Search {
    /// Returns the ways in which a demand can fail.
    pub fn fails(&mut self, node: NodeId, at: usize, kind: Kind) -> Vec<Vec<Item>> {
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
            Keyword::Opaque(why, _) => vec![vec![Item::Unclear(why)]],
            Keyword::Ref(target) => vec![lit(Lit::no(self.arena.target(target)))],
            Keyword::Types(mask) => match kind_mask(kind) & mask {
                0 => vec![Vec::new()],
                types::INTEGER => vec![atom(Atom::Multiple(1.into(), false))],
                _ => Vec::new(),
            },
            Keyword::Enum(values) => {
                let values = values.iter().filter(|value| is(value, kind)).cloned();
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
                if nodes.len() > MAX_PAIRS && !self.are_tagged(&nodes) {
                    ways.push(vec![Item::Unclear("a oneOf is too long".to_owned())]);
                    return ways;
                }
                let both = |pair: &(usize, usize)| {
                    let pair = [nodes.get(pair.0)?, nodes.get(pair.1)?];
                    Some(pair.map(|node| Item::Lit(Lit::yes(*node))).to_vec())
                };
                ways.extend(self.overlaps(&nodes).iter().filter_map(both));
                ways
            }
            Keyword::Not(node) => vec![lit(Lit::yes(node))],
            Keyword::If(condition, then, otherwise) => vec![
                vec![Item::Lit(Lit::yes(condition)), Item::Lit(Lit::no(then))],
                vec![Item::Lit(Lit::no(condition)), Item::Lit(Lit::no(otherwise))],
            ],
        }
    }
}
