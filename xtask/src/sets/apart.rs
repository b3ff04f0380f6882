//! Schemas that plainly have nothing in common: other types, other listed
//! values, or a member that both require and that tells them apart. Tagged
//! unions are told apart here, without a search.

use std::collections::HashSet;
use std::rc::Rc;

use super::compile::of_type;
use super::node::{FALSE, Keyword, NodeId, types};
use super::search::Search;

/// Deepest member that is looked at.
const MAX_DEPTH: usize = 3;

/// The places of two branches of a `oneOf` that may overlap.
pub type Pairs = Rc<[(usize, usize)]>;

impl Search {
    /// Returns the pairs of branches that are not plainly apart.
    pub fn overlaps(&mut self, nodes: &[NodeId]) -> Pairs {
        if let Some(pairs) = self.pairs.get(nodes) {
            return pairs.clone();
        }
        let mut pairs = Vec::new();
        let untold = if self.are_tagged(nodes) { &[] } else { nodes };
        for (at, one) in untold.iter().enumerate() {
            for (other_at, other) in untold.iter().enumerate().skip(at + 1) {
                if !self.apart(*one, *other) {
                    pairs.push((at, other_at));
                }
            }
        }
        let pairs: Pairs = pairs.into();
        self.pairs.insert(nodes.to_vec(), pairs.clone());
        pairs
    }

    /// Says whether all are objects, with a member that each requires and
    /// whose values are listed without repetition.
    pub fn are_tagged(&self, nodes: &[NodeId]) -> bool {
        let Some((first, rest)) = nodes.split_first() else {
            return true;
        };
        let tag = |node: NodeId, name: &String| {
            let said = self.said(node);
            let is_told =
                mask_of(&said) == types::OBJECT && required(&said).any(|needed| needed == name);
            let members = members(&said, name).filter(|_| is_told);
            let mut lists = members.flat_map(|member| self.arena.keywords(member));
            lists.find_map(|keyword| match keyword {
                Keyword::Enum(values) => Some(values),
                _ => None,
            })
        };
        required(&self.said(*first)).any(|name| {
            let mut seen = HashSet::new();
            std::iter::once(first).chain(rest).all(|node| {
                tag(*node, name).is_some_and(|values| values.iter().all(|value| seen.insert(value)))
            })
        })
    }

    /// Returns what a schema demands, with what the parts demand that it is
    /// put together from.
    fn said(&self, node: NodeId) -> Vec<&Keyword> {
        let mut said = Vec::new();
        let mut open = vec![(node, 0)];
        while let Some((node, depth)) = open.pop() {
            self.arena.burn(1);
            for keyword in self.arena.keywords(node) {
                match keyword {
                    Keyword::AllOf(nodes) if depth < MAX_DEPTH => {
                        open.extend(nodes.iter().map(|node| (*node, depth + 1)));
                    }
                    Keyword::Enum(values) => self.arena.burn(values.len() as u64 / 2),
                    _ => {}
                }
                said.push(keyword);
            }
        }
        said
    }

    /// Says whether two schemas plainly have no instance in common.
    pub fn apart(&self, one: NodeId, other: NodeId) -> bool {
        self.apart_within(one, other, 0)
    }

    fn apart_within(&self, one: NodeId, other: NodeId, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let (one, other) = (self.said(one), self.said(other));
        let (mask, other_mask) = (mask_of(&one), mask_of(&other));
        if mask & other_mask == 0 {
            return true;
        }
        for keyword in &one {
            for other in &other {
                if let (Keyword::Enum(values), Keyword::Enum(others)) = (keyword, other) {
                    let mut values = values.iter();
                    if values.all(|value| others.binary_search(value).is_err()) {
                        return true;
                    }
                }
            }
        }
        if mask & other_mask != types::OBJECT {
            return false;
        }
        // Of objects, a member that one requires and the other has no room for,
        // or that both require.
        if required(&one).any(|name| refuses(&other, name))
            || required(&other).any(|name| refuses(&one, name))
        {
            return true;
        }
        required(&one).any(|name| {
            required(&other).any(|other| other == name)
                && members(&one, name).any(|schema| {
                    members(&other, name).any(|other| self.apart_within(schema, other, depth + 1))
                })
        })
    }
}

/// Returns the types that a schema allows.
fn mask_of(keywords: &[&Keyword]) -> u8 {
    let mut mask = u8::MAX;
    for keyword in keywords {
        match keyword {
            Keyword::Never => mask = 0,
            Keyword::Types(allowed) => mask &= allowed,
            Keyword::Enum(values) => {
                let bits = (0..8).map(|bit| 1 << bit);
                let held = bits.filter(|bit| values.iter().any(|value| of_type(value, *bit)));
                mask &= held.fold(0, |mask, bit| mask | bit);
            }
            _ => {}
        }
    }
    mask
}

/// Says whether an object with this member is plainly refused.
fn refuses(keywords: &[&Keyword], name: &String) -> bool {
    keywords.iter().any(|keyword| match keyword {
        Keyword::Properties(properties) => match properties.named.get(name) {
            Some(schema) => *schema == FALSE,
            None => properties.rest == Some(FALSE) && properties.patterns.is_empty(),
        },
        _ => false,
    })
}

fn required<'a>(keywords: &[&'a Keyword]) -> impl Iterator<Item = &'a String> {
    let lists = keywords.iter().filter_map(|keyword| match keyword {
        Keyword::Required(names) => Some(names),
        _ => None,
    });
    lists.flatten()
}

fn members(keywords: &[&Keyword], name: &String) -> impl Iterator<Item = NodeId> {
    keywords.iter().filter_map(move |keyword| match keyword {
        Keyword::Properties(properties) => properties.named.get(name).copied(),
        _ => None,
    })
}
