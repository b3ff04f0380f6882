//! What the `unevaluated…` keywords see: the cases in which the schemas that
//! apply in place look at different members and items.

use std::rc::Rc;

use super::goal::{Atom, Item, Lit};
use super::node::{Arena, Keyword, NodeId, Properties};
use super::search::Search;

/// Most cases of one schema.
const MAX_CASES: usize = 1_024;
/// Deepest nesting of schemas in place that is looked into.
const MAX_DEPTH: usize = 60;

/// What is looked at, when.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What has to hold for this case.
    pub when: Vec<Item>,
    /// Every member is looked at.
    pub all_names: bool,
    /// Members that these speak of are looked at.
    pub properties: Vec<Rc<Properties>>,
    /// Every item is looked at.
    pub all_items: bool,
    /// So many items are looked at.
    pub prefix: usize,
    /// Items that meet one of these are looked at.
    pub contains: Vec<NodeId>,
}

impl Case {
    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.when.extend(other.when.iter().cloned());
        both.all_names |= other.all_names;
        both.properties.extend(other.properties.iter().cloned());
        both.all_items |= other.all_items;
        both.prefix = both.prefix.max(other.prefix);
        both.contains.extend(&other.contains);
        both
    }

    fn looks(&self) -> bool {
        self.all_names
            || self.all_items
            || self.prefix > 0
            || !self.properties.is_empty()
            || !self.contains.is_empty()
    }
}

fn product(arena: &Arena, one: &[Case], other: &[Case]) -> Option<Vec<Case>> {
    let n_cases = one.len().saturating_mul(other.len());
    arena.burn(2 * n_cases.min(MAX_CASES) as u64);
    if n_cases > MAX_CASES {
        return None;
    }
    let pairs = one
        .iter()
        .flat_map(|one| other.iter().map(move |other| one.and(other)));
    Some(pairs.collect())
}

impl Search {
    /// Returns the cases of a schema; `own` leaves its own `unevaluated…`
    /// keywords out, and `None` says that there are too many.
    pub fn cases(&self, node: NodeId, own: bool) -> Option<Vec<Case>> {
        self.cases_within(node, own, 0)
    }

    fn cases_within(&self, node: NodeId, own: bool, depth: usize) -> Option<Vec<Case>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let inner = |node: NodeId| self.cases_within(node, false, depth + 1);
        let mut cases = vec![Case::default()];
        self.arena.burn(1);
        if self.is_spent() {
            return None;
        }
        for keyword in self.arena.keywords(node) {
            match keyword {
                Keyword::Properties(properties) => {
                    for case in &mut cases {
                        case.all_names |= properties.rest.is_some();
                        case.properties.push(properties.clone());
                    }
                }
                Keyword::UnevaluatedProperties(_) if !own => {
                    for case in &mut cases {
                        case.all_names = true;
                    }
                }
                Keyword::Items(prefix, rest) => {
                    for case in &mut cases {
                        case.all_items |= rest.is_some();
                        case.prefix = case.prefix.max(prefix.len());
                    }
                }
                Keyword::UnevaluatedItems(_) if !own => {
                    for case in &mut cases {
                        case.all_items = true;
                    }
                }
                Keyword::Contains(node, _, _, true) => {
                    for case in &mut cases {
                        case.contains.push(*node);
                    }
                }
                Keyword::Ref(target) => {
                    let node = self.arena.target(*target);
                    cases = product(&self.arena, &cases, &holding(node, inner(node)?))?;
                }
                Keyword::AllOf(nodes) => {
                    for node in nodes {
                        cases = product(&self.arena, &cases, &holding(*node, inner(*node)?))?;
                    }
                }
                Keyword::AnyOf(nodes) | Keyword::OneOf(nodes) => {
                    for node in nodes {
                        let mut ways = inner(*node)?;
                        if !ways.iter().any(Case::looks) {
                            continue;
                        }
                        ways = holding(*node, ways);
                        ways.push(failing(*node));
                        cases = product(&self.arena, &cases, &ways)?;
                    }
                }
                Keyword::If(condition, then, otherwise) => {
                    let yes = holding(*condition, inner(*condition)?);
                    let mut ways = product(&self.arena, &yes, &holding(*then, inner(*then)?))?;
                    let no = vec![failing(*condition)];
                    ways.extend(product(
                        &self.arena,
                        &no,
                        &holding(*otherwise, inner(*otherwise)?),
                    )?);
                    if ways.iter().any(Case::looks) {
                        cases = product(&self.arena, &cases, &ways)?;
                    }
                }
                Keyword::DependentSchemas(schemas) => {
                    for (name, node) in schemas {
                        let mut ways = holding(*node, inner(*node)?);
                        for way in &mut ways {
                            let there = Atom::Present(name.clone(), Vec::new());
                            way.when.push(Item::Atom(there));
                        }
                        ways.push(Case {
                            when: vec![Item::Atom(Atom::Absent(name.clone()))],
                            ..Case::default()
                        });
                        cases = product(&self.arena, &cases, &ways)?;
                    }
                }
                // An opaque keyword may look at anything.
                Keyword::Opaque(..) => return None,
                Keyword::Never
                | Keyword::Types(_)
                | Keyword::Enum(_)
                | Keyword::Minimum(..)
                | Keyword::Maximum(..)
                | Keyword::MultipleOf(_)
                | Keyword::MinLength(_)
                | Keyword::MaxLength(_)
                | Keyword::Pattern(_)
                | Keyword::Format(_)
                | Keyword::Contains(..)
                | Keyword::MinItems(_)
                | Keyword::MaxItems(_)
                | Keyword::Unique
                | Keyword::UnevaluatedItems(_)
                | Keyword::Required(_)
                | Keyword::PropertyNames(_)
                | Keyword::MinProperties(_)
                | Keyword::MaxProperties(_)
                | Keyword::DependentRequired(_)
                | Keyword::UnevaluatedProperties(_)
                | Keyword::Not(_) => {}
            }
        }
        Some(cases)
    }
}

/// A schema that has to hold, in each of its cases.
fn holding(node: NodeId, mut cases: Vec<Case>) -> Vec<Case> {
    for case in &mut cases {
        case.when.push(Item::Lit(Lit::yes(node)));
    }
    cases
}

/// A schema that has not to hold, and so looks at nothing.
fn failing(node: NodeId) -> Case {
    Case {
        when: vec![Item::Lit(Lit::no(node))],
        ..Case::default()
    }
}
