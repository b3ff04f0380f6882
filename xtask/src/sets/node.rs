//! Schemas as the search sees them: references resolved, annotations gone,
//! and equal schemas stored once, under one number.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::automaton::Nfa;
use super::decimal::Decimal;
use super::json::Json;
use super::regex;
use super::scope::Dialect;

/// Number of a schema.
pub type NodeId = u32;
/// Number of a pattern.
pub type PatternId = u32;
/// Number of a reference that closes a cycle.
pub type RefId = u32;

/// The schema that accepts everything.
pub const TRUE: NodeId = 0;
/// The schema that accepts nothing.
pub const FALSE: NodeId = 1;

/// The types of JSON, as bits; `NUMBER` comes with `INTEGER`.
pub mod types {
    /// `null`.
    pub const NULL: u8 = 1;
    /// `boolean`.
    pub const BOOL: u8 = 2;
    /// `integer`.
    pub const INTEGER: u8 = 4;
    /// `number`, without the bit of integers.
    pub const NUMBER: u8 = 8;
    /// `string`.
    pub const STRING: u8 = 16;
    /// `array`.
    pub const ARRAY: u8 = 32;
    /// `object`.
    pub const OBJECT: u8 = 64;
}

/// One demand of a schema; those of one schema hold together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Keyword {
    /// Nothing is valid.
    Never,
    /// Something that is not understood; the text says what.
    Opaque(String, Mark),
    /// A reference to a schema that contains this one.
    Ref(RefId),
    /// `type`, as bits.
    Types(u8),
    /// `enum` and `const`, in order and without repetition.
    Enum(Rc<[Json]>),
    /// `minimum`, and whether the bound itself is excluded.
    Minimum(Decimal, bool),
    /// `maximum`, and whether the bound itself is excluded.
    Maximum(Decimal, bool),
    /// `multipleOf`.
    MultipleOf(Decimal),
    /// `minLength`.
    MinLength(u64),
    /// `maxLength`.
    MaxLength(u64),
    /// `pattern`.
    Pattern(PatternId),
    /// `format`, where it is enforced.
    Format(String),
    /// `prefixItems` and `items`.
    Items(Vec<NodeId>, Option<NodeId>),
    /// `contains` with its bounds, and whether it evaluates what it matches.
    Contains(NodeId, u64, Option<u64>, bool),
    /// `minItems`.
    MinItems(u64),
    /// `maxItems`.
    MaxItems(u64),
    /// `uniqueItems`.
    Unique,
    /// `unevaluatedItems`.
    UnevaluatedItems(NodeId),
    /// `properties`, `patternProperties` and `additionalProperties`.
    Properties(Rc<Properties>),
    /// `required`.
    Required(Vec<String>),
    /// `propertyNames`.
    PropertyNames(NodeId),
    /// `minProperties`.
    MinProperties(u64),
    /// `maxProperties`.
    MaxProperties(u64),
    /// `dependentRequired`.
    DependentRequired(BTreeMap<String, Vec<String>>),
    /// `dependentSchemas`.
    DependentSchemas(BTreeMap<String, NodeId>),
    /// `unevaluatedProperties`.
    UnevaluatedProperties(NodeId),
    /// `allOf`.
    AllOf(Vec<NodeId>),
    /// `anyOf`.
    AnyOf(Vec<NodeId>),
    /// `oneOf`.
    OneOf(Vec<NodeId>),
    /// `not`.
    Not(NodeId),
    /// `if`, `then` and `else`.
    If(NodeId, NodeId, NodeId),
}

/// What an opaque schema stands for: two are one only if these are equal, for
/// the reason why nothing is known of them does not say what they mean.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// The schema around it; no schema that is stored has it.
    Here,
    /// This JSON, which refers to nothing, as this edition reads it.
    Same(Dialect, Rc<Json>),
    /// A place in one document, by number and address.
    Place(usize, usize),
    /// Something else each time, however it was reached.
    Context,
}

/// What a schema says about the members of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Properties {
    /// `properties`.
    pub named: BTreeMap<String, NodeId>,
    /// `patternProperties`.
    pub patterns: Vec<(PatternId, NodeId)>,
    /// `additionalProperties`.
    pub rest: Option<NodeId>,
}

/// A pattern, as an automaton if it is one.
#[derive(Debug)]
pub struct Pattern {
    /// The automaton, or why there is none.
    pub nfa: Result<Nfa, String>,
}

/// All schemas of one comparison.
#[derive(Debug)]
pub struct Arena {
    nodes: Vec<Vec<Keyword>>,
    known: HashMap<Vec<Keyword>, NodeId>,
    patterns: Vec<Pattern>,
    known_patterns: HashMap<String, PatternId>,
    refs: Vec<NodeId>,
    /// Documents that were compiled.
    pub n_documents: usize,
    /// Some schema means something else each time.
    pub has_contexts: bool,
    /// Schemas that the validator may still look at.
    pub fuel: Cell<u64>,
}

impl Arena {
    /// Returns an arena with the two trivial schemas.
    pub fn new() -> Self {
        let mut arena = Self {
            nodes: Vec::new(),
            known: HashMap::new(),
            patterns: Vec::new(),
            known_patterns: HashMap::new(),
            refs: Vec::new(),
            n_documents: 0,
            has_contexts: false,
            fuel: Cell::new(u64::MAX),
        };
        arena.add(Vec::new());
        arena.add(vec![Keyword::Never]);
        arena
    }

    /// Returns the number of a schema.
    pub fn add(&mut self, mut keywords: Vec<Keyword>) -> NodeId {
        if keywords.len() > 1 && keywords.contains(&Keyword::Never) {
            keywords = vec![Keyword::Never];
        }
        if let Some(id) = self.known.get(&keywords) {
            return *id;
        }
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        self.nodes.push(keywords.clone());
        self.known.insert(keywords, id);
        id
    }

    /// Returns the demands of a schema.
    pub fn keywords(&self, id: NodeId) -> &[Keyword] {
        self.nodes.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns how many things the demands of a schema list.
    pub fn breadth(&self, id: NodeId) -> u64 {
        let breadth = |keyword: &Keyword| match keyword {
            Keyword::Enum(values) => values.len() / 4,
            Keyword::Items(prefix, _) => prefix.len(),
            Keyword::Properties(properties) => {
                (properties.named.len() + properties.patterns.len()) / 2
            }
            Keyword::Required(names) => names.len(),
            Keyword::DependentRequired(needs) => needs.len(),
            Keyword::DependentSchemas(schemas) => schemas.len(),
            Keyword::AllOf(nodes) | Keyword::AnyOf(nodes) | Keyword::OneOf(nodes) => nodes.len(),
            Keyword::Never
            | Keyword::Opaque(..)
            | Keyword::Ref(_)
            | Keyword::Types(_)
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
            | Keyword::PropertyNames(_)
            | Keyword::MinProperties(_)
            | Keyword::MaxProperties(_)
            | Keyword::UnevaluatedProperties(_)
            | Keyword::Not(_)
            | Keyword::If(..) => 0,
        };
        let all = self.keywords(id).iter().map(breadth).sum::<usize>();
        1 + all as u64
    }

    /// Returns the number of a pattern.
    pub fn add_pattern(&mut self, source: &str) -> PatternId {
        if let Some(id) = self.known_patterns.get(source) {
            return *id;
        }
        let nfa = regex::parse(source).and_then(|tree| Nfa::build(&tree));
        let id = PatternId::try_from(self.patterns.len()).unwrap_or(PatternId::MAX);
        self.patterns.push(Pattern { nfa });
        self.known_patterns.insert(source.to_owned(), id);
        id
    }

    /// Returns the automaton of a pattern, or why there is none.
    pub fn nfa(&self, id: PatternId) -> Result<&Nfa, &str> {
        match self.patterns.get(id as usize).map(|pattern| &pattern.nfa) {
            Some(Ok(nfa)) => Ok(nfa),
            Some(Err(why)) => Err(why),
            None => Err("a pattern is unknown"),
        }
    }

    /// Takes what lies within a step: looks at schemas, copies, comparisons.
    pub fn burn(&self, units: u64) {
        self.fuel.set(self.fuel.get().saturating_sub(units));
    }

    /// Says whether a pattern matches; `None` if it is not understood.
    pub fn matches(&self, id: PatternId, text: &str) -> Option<bool> {
        self.burn(1);
        let mut spend = |units: u64| {
            self.burn(units);
            self.fuel.get() > 0
        };
        self.nfa(id).ok()?.matches(text, &mut spend)
    }

    /// Makes room for a reference whose target is not known yet.
    pub fn open_ref(&mut self) -> RefId {
        self.refs.push(TRUE);
        RefId::try_from(self.refs.len() - 1).unwrap_or(RefId::MAX)
    }

    /// Says what a reference leads to.
    pub fn close_ref(&mut self, id: RefId, target: NodeId) {
        if let Some(slot) = self.refs.get_mut(id as usize) {
            *slot = target;
        }
    }

    /// Returns what a reference leads to.
    pub fn target(&self, id: RefId) -> NodeId {
        self.refs.get(id as usize).copied().unwrap_or(FALSE)
    }

    /// Replaces the schemas that reach themselves without entering an
    /// instance: what they mean is not defined.
    pub fn mark_loops(&mut self) {
        // 0 unseen, 1 on the path, 2 done.
        let mut marks = vec![0u8; self.nodes.len()];
        let mut broken = Vec::new();
        for start in 0..self.nodes.len() {
            let mut path: Vec<(usize, Vec<NodeId>)> = Vec::new();
            let mut enter = Some(start);
            loop {
                if let Some(node) = enter.take() {
                    match marks.get_mut(node) {
                        Some(mark @ 0) => {
                            *mark = 1;
                            let id = NodeId::try_from(node).unwrap_or(FALSE);
                            path.push((node, self.in_place(id)));
                        }
                        Some(1) => broken.push(node),
                        Some(_) | None => {}
                    }
                }
                let Some((node, steps)) = path.last_mut() else {
                    break;
                };
                match steps.pop() {
                    Some(step) => enter = Some(step as usize),
                    None => {
                        if let Some(mark) = marks.get_mut(*node) {
                            *mark = 2;
                        }
                        path.pop();
                    }
                }
            }
        }
        for node in broken {
            if let Some(slot) = self.nodes.get_mut(node) {
                let why = "a reference leads back to itself".to_owned();
                // The number of the schema already tells it from all others.
                *slot = vec![Keyword::Opaque(why, Mark::Place(0, node))];
            }
        }
    }

    /// Says whether a schema means the same wherever it stands, so that it
    /// contradicts its own negation.
    pub fn is_fixed(&self, id: NodeId) -> bool {
        !self.has_contexts
            || self.keywords(id).iter().all(|keyword| match keyword {
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
                | Keyword::MinItems(_)
                | Keyword::MaxItems(_)
                | Keyword::Unique
                | Keyword::Required(_)
                | Keyword::MinProperties(_)
                | Keyword::MaxProperties(_)
                | Keyword::DependentRequired(_) => true,
                Keyword::Opaque(_, mark) => *mark != Mark::Context,
                // Deciding these by their parts costs steps, no more.
                Keyword::Ref(_)
                | Keyword::Items(..)
                | Keyword::Contains(..)
                | Keyword::UnevaluatedItems(_)
                | Keyword::Properties(_)
                | Keyword::PropertyNames(_)
                | Keyword::DependentSchemas(_)
                | Keyword::UnevaluatedProperties(_)
                | Keyword::AllOf(_)
                | Keyword::AnyOf(_)
                | Keyword::OneOf(_)
                | Keyword::Not(_)
                | Keyword::If(..) => false,
            })
    }

    /// Returns the schemas that apply to the same instance.
    pub fn in_place(&self, id: NodeId) -> Vec<NodeId> {
        let mut steps = Vec::new();
        for keyword in self.keywords(id) {
            match keyword {
                Keyword::Ref(target) => steps.push(self.target(*target)),
                Keyword::AllOf(nodes) | Keyword::AnyOf(nodes) | Keyword::OneOf(nodes) => {
                    steps.extend(nodes);
                }
                Keyword::Not(node) => steps.push(*node),
                Keyword::If(condition, then, otherwise) => {
                    steps.extend([condition, then, otherwise]);
                }
                Keyword::DependentSchemas(nodes) => steps.extend(nodes.values()),
                Keyword::Never
                | Keyword::Opaque(..)
                | Keyword::Types(_)
                | Keyword::Enum(_)
                | Keyword::Minimum(..)
                | Keyword::Maximum(..)
                | Keyword::MultipleOf(_)
                | Keyword::MinLength(_)
                | Keyword::MaxLength(_)
                | Keyword::Pattern(_)
                | Keyword::Format(_)
                | Keyword::Items(..)
                | Keyword::Contains(..)
                | Keyword::MinItems(_)
                | Keyword::MaxItems(_)
                | Keyword::Unique
                | Keyword::UnevaluatedItems(_)
                | Keyword::Properties(_)
                | Keyword::Required(_)
                | Keyword::PropertyNames(_)
                | Keyword::MinProperties(_)
                | Keyword::MaxProperties(_)
                | Keyword::DependentRequired(_)
                | Keyword::UnevaluatedProperties(_) => {}
            }
        }
        steps
    }
}
