//! What it means for an instance of one type that a demand is met.

use std::rc::Rc;

use super::expand::{atom, is, kind_mask, lit, some};
use super::goal::{Atom, Item, Kind, Lit};
use super::node::{Keyword, NodeId, types};
use super::search::Search;

impl Search {
    /// Returns the choices that a demand leaves when it is met.
    pub fn meets(&mut self, node: NodeId, at: usize, kind: Kind) -> Vec<Vec<Vec<Item>>> {
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
            Keyword::Opaque(why, _) => one(vec![Item::Unclear(why)]),
            Keyword::Ref(target) => one(lit(Lit::yes(self.arena.target(target)))),
            Keyword::Types(mask) => match kind_mask(kind) & mask {
                0 => one(atom(Atom::Never)),
                types::INTEGER => one(atom(Atom::Multiple(1.into(), true))),
                _ => Vec::new(),
            },
            Keyword::Enum(values) => {
                let values = values.iter().filter(|value| is(value, kind)).cloned();
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
}
