//! A small exact validator: three answers, so that what is not understood
//! never decides.

use std::collections::BTreeMap;

use super::compile::of_type;
use super::json::Json;
use super::node::{Arena, Keyword, NodeId, Properties};
use super::stock;

/// Valid, invalid, or not understood.
pub type Truth = Option<bool>;

/// What a schema has looked at, of the instance it is valid for.
#[derive(Clone, Debug, Default)]
struct Looked {
    names: std::collections::BTreeSet<String>,
    items: std::collections::BTreeSet<usize>,
}

/// Joins by "and".
fn all(truths: impl IntoIterator<Item = Truth>) -> Truth {
    let mut known = Some(true);
    for truth in truths {
        match truth {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = None,
        }
    }
    known
}

/// Joins by "or".
fn any(truths: impl IntoIterator<Item = Truth>) -> Truth {
    not(all(truths.into_iter().map(not)))
}

/// Turns an answer around.
pub fn not(truth: Truth) -> Truth {
    truth.map(|truth| !truth)
}

fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

impl Arena {
    /// Says whether a value is valid under a schema.
    pub fn valid(&self, node: NodeId, value: &Json) -> Truth {
        let fuel = self.fuel.get();
        if fuel == 0 {
            return None;
        }
        self.fuel.set(fuel - 1);
        let keywords = self.keywords(node);
        let truths = (0..keywords.len()).map(|at| self.keyword_valid(node, at, value));
        all(truths)
    }

    /// Says whether a value meets one demand of a schema.
    pub fn keyword_valid(&self, node: NodeId, at: usize, value: &Json) -> Truth {
        let Some(keyword) = self.keywords(node).get(at) else {
            return Some(true);
        };
        match keyword {
            Keyword::Never => Some(false),
            Keyword::Opaque(..) => None,
            Keyword::Ref(target) => self.valid(self.target(*target), value),
            Keyword::Types(mask) => Some(of_type(value, *mask)),
            Keyword::Enum(values) => Some(values.binary_search(value).is_ok()),
            Keyword::AllOf(nodes) => all(nodes.iter().map(|node| self.valid(*node, value))),
            Keyword::AnyOf(nodes) => any(nodes.iter().map(|node| self.valid(*node, value))),
            Keyword::OneOf(nodes) => self.exactly_one(nodes, value),
            Keyword::Not(node) => not(self.valid(*node, value)),
            Keyword::If(condition, then, otherwise) => match self.valid(*condition, value) {
                Some(true) => self.valid(*then, value),
                Some(false) => self.valid(*otherwise, value),
                None => {
                    let branches = [then, otherwise].map(|node| self.valid(*node, value));
                    (branches == [Some(true); 2]).then_some(true)
                }
            },
            Keyword::Minimum(..) | Keyword::Maximum(..) | Keyword::MultipleOf(_) => {
                let Json::Number(number) = value else {
                    return Some(true);
                };
                Some(match keyword {
                    Keyword::Minimum(limit, strict) => number > limit || !strict && number == limit,
                    Keyword::Maximum(limit, strict) => number < limit || !strict && number == limit,
                    Keyword::MultipleOf(step) => number.is_multiple_of(step),
                    _ => true,
                })
            }
            Keyword::MinLength(_)
            | Keyword::MaxLength(_)
            | Keyword::Pattern(_)
            | Keyword::Format(_) => {
                let Json::String(text) = value else {
                    return Some(true);
                };
                match keyword {
                    Keyword::MinLength(min) => Some(length(text) >= *min),
                    Keyword::MaxLength(max) => Some(length(text) <= *max),
                    Keyword::Pattern(pattern) => self.matches(*pattern, text),
                    Keyword::Format(name) => stock::has_format(name, text),
                    _ => Some(true),
                }
            }
            Keyword::Items(..)
            | Keyword::Contains(..)
            | Keyword::MinItems(_)
            | Keyword::MaxItems(_)
            | Keyword::Unique
            | Keyword::UnevaluatedItems(_) => match value {
                Json::Array(items) => self.array_valid(node, keyword, value, items),
                _ => Some(true),
            },
            Keyword::Properties(_)
            | Keyword::Required(_)
            | Keyword::PropertyNames(_)
            | Keyword::MinProperties(_)
            | Keyword::MaxProperties(_)
            | Keyword::DependentRequired(_)
            | Keyword::DependentSchemas(_)
            | Keyword::UnevaluatedProperties(_) => match value {
                Json::Object(members) => self.object_valid(node, keyword, value, members),
                _ => Some(true),
            },
        }
    }

    fn exactly_one(&self, nodes: &[NodeId], value: &Json) -> Truth {
        let truths = nodes.iter().map(|node| self.valid(*node, value));
        let (mut valid, mut open) = (0, 0);
        for truth in truths {
            match truth {
                Some(true) => valid += 1,
                Some(false) => {}
                None => open += 1,
            }
        }
        match (valid, open) {
            (2.., _) => Some(false),
            (1, 0) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }

    fn array_valid(&self, node: NodeId, keyword: &Keyword, value: &Json, items: &[Json]) -> Truth {
        match keyword {
            Keyword::Items(prefix, rest) => all(items.iter().enumerate().map(|(at, item)| {
                match prefix.get(at).or(rest.as_ref()) {
                    Some(schema) => self.valid(*schema, item),
                    None => Some(true),
                }
            })),
            Keyword::Contains(schema, min, max, _) => {
                let (mut certain, mut possible) = (0, 0);
                for item in items {
                    match self.valid(*schema, item) {
                        Some(true) => {
                            certain += 1;
                            possible += 1;
                        }
                        Some(false) => {}
                        None => possible += 1,
                    }
                }
                let fits = |count: u64| count >= *min && max.is_none_or(|max| count <= max);
                if certain == possible {
                    Some(fits(certain))
                } else {
                    None
                }
            }
            Keyword::MinItems(min) => Some(items.len() as u64 >= *min),
            Keyword::MaxItems(max) => Some(items.len() as u64 <= *max),
            Keyword::Unique => {
                self.burn(items.len() as u64);
                let set: std::collections::BTreeSet<&Json> = items.iter().collect();
                Some(set.len() == items.len())
            }
            Keyword::UnevaluatedItems(schema) => {
                let looked = self.looked(node, value, true)?;
                let rest = items.iter().enumerate();
                let rest = rest.filter(|(at, _)| !looked.items.contains(at));
                all(rest.map(|(_, item)| self.valid(*schema, item)))
            }
            _ => Some(true),
        }
    }

    fn object_valid(
        &self,
        node: NodeId,
        keyword: &Keyword,
        value: &Json,
        members: &BTreeMap<String, Json>,
    ) -> Truth {
        let has = |name: &String| members.contains_key(name);
        match keyword {
            Keyword::Properties(properties) => all(members.iter().map(|(name, member)| {
                self.burn(1);
                let schemas = self.schemas_of(properties, name)?;
                all(schemas.iter().map(|schema| self.valid(*schema, member)))
            })),
            Keyword::Required(names) => {
                self.burn(names.len() as u64 / 8);
                Some(names.iter().all(has))
            }
            Keyword::PropertyNames(schema) => {
                let names = members.keys();
                all(names.map(|name| self.valid(*schema, &Json::String(name.clone()))))
            }
            Keyword::MinProperties(min) => Some(members.len() as u64 >= *min),
            Keyword::MaxProperties(max) => Some(members.len() as u64 <= *max),
            Keyword::DependentRequired(needs) => {
                self.burn(needs.len() as u64 / 4);
                let mut needs = needs.iter();
                Some(needs.all(|(name, needed)| !has(name) || needed.iter().all(has)))
            }
            Keyword::DependentSchemas(schemas) => {
                self.burn(schemas.len() as u64 / 4);
                let live = schemas.iter().filter(|(name, _)| has(name));
                all(live.map(|(_, schema)| self.valid(*schema, value)))
            }
            Keyword::UnevaluatedProperties(schema) => {
                let looked = self.looked(node, value, true)?;
                let rest = members
                    .iter()
                    .filter(|(name, _)| !looked.names.contains(*name));
                all(rest.map(|(_, member)| self.valid(*schema, member)))
            }
            _ => Some(true),
        }
    }

    /// Returns the schemas that apply to a member; `None` if a pattern is not
    /// understood.
    pub fn schemas_of(&self, properties: &Properties, name: &str) -> Option<Vec<NodeId>> {
        let mut schemas: Vec<NodeId> = properties.named.get(name).copied().into_iter().collect();
        for (pattern, schema) in &properties.patterns {
            if self.matches(*pattern, name)? {
                schemas.push(*schema);
            }
        }
        if schemas.is_empty() {
            schemas.extend(properties.rest);
        }
        Some(schemas)
    }

    /// Returns what a schema looks at; `own` leaves its own `unevaluated…`
    /// keywords out.
    fn looked(&self, node: NodeId, value: &Json, own: bool) -> Option<Looked> {
        let mut looked = Looked::default();
        for keyword in self.keywords(node) {
            match (keyword, value) {
                (Keyword::Properties(properties), Json::Object(members)) => {
                    for name in members.keys() {
                        let rest = properties.rest.is_some();
                        if rest || !self.schemas_of(properties, name)?.is_empty() {
                            looked.names.insert(name.clone());
                        }
                    }
                }
                (Keyword::UnevaluatedProperties(_), Json::Object(members)) if !own => {
                    looked.names.extend(members.keys().cloned());
                }
                (Keyword::Items(prefix, rest), Json::Array(items)) => {
                    let end = if rest.is_some() {
                        items.len()
                    } else {
                        prefix.len()
                    };
                    looked.items.extend(0..end.min(items.len()));
                }
                (Keyword::UnevaluatedItems(_), Json::Array(items)) if !own => {
                    looked.items.extend(0..items.len());
                }
                (Keyword::Contains(schema, _, _, true), Json::Array(items)) => {
                    for (at, item) in items.iter().enumerate() {
                        if self.valid(*schema, item)? {
                            looked.items.insert(at);
                        }
                    }
                }
                (Keyword::Ref(target), _) => {
                    self.look_into(self.target(*target), value, &mut looked)?;
                }
                (Keyword::AllOf(nodes) | Keyword::AnyOf(nodes) | Keyword::OneOf(nodes), _) => {
                    for node in nodes {
                        self.look_into(*node, value, &mut looked)?;
                    }
                }
                (Keyword::If(condition, then, otherwise), _) => {
                    if self.valid(*condition, value)? {
                        self.look_into(*condition, value, &mut looked)?;
                        self.look_into(*then, value, &mut looked)?;
                    } else {
                        self.look_into(*otherwise, value, &mut looked)?;
                    }
                }
                (Keyword::DependentSchemas(schemas), Json::Object(members)) => {
                    for (name, schema) in schemas {
                        if members.contains_key(name) {
                            self.look_into(*schema, value, &mut looked)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(looked)
    }

    fn look_into(&self, node: NodeId, value: &Json, looked: &mut Looked) -> Option<()> {
        if self.valid(node, value)? {
            let more = self.looked(node, value, false)?;
            looked.names.extend(more.names);
            looked.items.extend(more.items);
        }
        Some(())
    }
}
