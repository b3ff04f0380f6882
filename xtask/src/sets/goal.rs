//! What an instance is asked to be: goals, the constraints that they expand
//! to, and the choices that remain.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use super::decimal::Decimal;
use super::json::Json;
use super::node::{NodeId, PatternId, Properties};

/// A schema that has to hold, or has not to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit {
    /// The schema.
    pub node: NodeId,
    /// Whether it has to hold.
    pub holds: bool,
}

impl Lit {
    /// The schema has to hold.
    pub fn yes(node: NodeId) -> Self {
        Self { node, holds: true }
    }

    /// The schema has not to hold.
    pub fn no(node: NodeId) -> Self {
        Self { node, holds: false }
    }
}

impl std::ops::Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self {
            node: self.node,
            holds: !self.holds,
        }
    }
}

/// The types of JSON, where integers are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `boolean`.
    Bool,
    /// `number`.
    Number,
    /// `string`.
    String,
    /// `array`.
    Array,
    /// `object`.
    Object,
}

impl Kind {
    /// All of them, the cheapest first.
    pub const ALL: [Self; 6] = [
        Self::Null,
        Self::Bool,
        Self::String,
        Self::Number,
        Self::Array,
        Self::Object,
    ];

    /// Returns the type of a value.
    pub fn of(value: &Json) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::Bool(_) => Self::Bool,
            Json::Number(_) => Self::Number,
            Json::String(_) => Self::String,
            Json::Array(_) => Self::Array,
            Json::Object(_) => Self::Object,
        }
    }
}

/// A demand on an instance whose type is known.
#[derive(Clone, Debug)]
pub enum Atom {
    /// Cannot be met.
    Never,
    /// One of these values, which are in order.
    OneOf(Vec<Json>),
    /// Not this value.
    Differs(Json),
    /// At least, and whether the bound itself is excluded.
    Minimum(Decimal, bool),
    /// At most, and whether the bound itself is excluded.
    Maximum(Decimal, bool),
    /// A multiple, or none.
    Multiple(Decimal, bool),
    /// At least so many code points.
    MinLength(u64),
    /// At most so many code points.
    MaxLength(u64),
    /// Matches, or does not.
    Pattern(PatternId, bool),
    /// Has the format, or has it not.
    Format(String, bool),
    /// Items from this position on meet this; before it, by position.
    Items(Rc<[NodeId]>, Option<NodeId>),
    /// Every item from a position on.
    Tail(usize, Lit),
    /// At least so many items.
    MinItems(u64),
    /// At most so many items.
    MaxItems(u64),
    /// No two items are equal, or two are.
    Unique(bool),
    /// So many items between two positions.
    Some(SomeItems),
    /// At most so many items.
    AtMost(Lit, u64),
    /// What a schema says of members.
    Properties(Rc<Properties>),
    /// Every member that none of these looks at.
    Unless(Rc<[Rc<Properties>]>, Lit),
    /// Every name.
    Names(Lit),
    /// A member is there, and meets these.
    Present(String, Vec<Lit>),
    /// A member is not there.
    Absent(String),
    /// Some member.
    Exists(Exists),
    /// At least so many members.
    MinProperties(u64),
    /// At most so many members.
    MaxProperties(u64),
}

/// A number of items that have to meet a goal.
#[derive(Clone, Debug)]
pub struct SomeItems {
    /// First position.
    pub from: usize,
    /// Position after the last.
    pub to: Option<usize>,
    /// What they meet.
    pub goal: Vec<Lit>,
    /// How many.
    pub count: u64,
}

/// A member that has to be there, known by a class of names.
#[derive(Clone, Debug, Default)]
pub struct Exists {
    /// Patterns that the name matches.
    pub with: Vec<PatternId>,
    /// Patterns that it does not match.
    pub without: Vec<PatternId>,
    /// Names that it is not.
    pub not: BTreeSet<String>,
    /// Schemas of the name.
    pub names: Vec<Lit>,
    /// What the value meets.
    pub goal: Vec<Lit>,
}

/// One part of a choice.
#[derive(Clone, Debug)]
pub enum Item {
    /// A schema.
    Lit(Lit),
    /// A demand.
    Atom(Atom),
    /// Of these schemas only the one at this place.
    Only(Rc<[NodeId]>, usize),
    /// Something that is not understood.
    Unclear(String),
}

/// Where a choice comes from, so that a candidate can be held against it.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A schema.
    Lit(Lit),
    /// One demand of a schema.
    Keyword(NodeId, usize),
    /// A value that is excluded.
    Differs(Json),
}

/// A choice: one of the alternatives holds.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Where it comes from.
    pub origin: Origin,
    /// The alternatives.
    pub alternatives: Rc<[Vec<Item>]>,
}

/// Demands on a number.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Lower bound, and whether it is excluded.
    pub min: Option<(Decimal, bool)>,
    /// Upper bound, and whether it is excluded.
    pub max: Option<(Decimal, bool)>,
    /// What it is a multiple of.
    pub steps: Vec<Decimal>,
    /// What it is no multiple of.
    pub not_steps: Vec<Decimal>,
}

/// Demands on a string.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// Fewest code points.
    pub min: u64,
    /// Most code points.
    pub max: Option<u64>,
    /// Patterns, and whether each matches.
    pub patterns: Vec<(PatternId, bool)>,
    /// Formats, and whether it has each.
    pub formats: Vec<(String, bool)>,
}

/// Demands on an array.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    /// Schemas by position, and of the rest.
    pub items: Vec<(Rc<[NodeId]>, Option<NodeId>)>,
    /// Demands on all items from a position on.
    pub tails: Vec<(usize, Lit)>,
    /// Items that have to be there.
    pub some: Vec<SomeItems>,
    /// Items of which there are not too many.
    pub at_most: Vec<(Lit, u64)>,
    /// Fewest items.
    pub min: u64,
    /// Most items.
    pub max: Option<u64>,
    /// No two are equal.
    pub unique: bool,
    /// Two are equal.
    pub repeated: bool,
}

/// Demands on an object.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// What schemas say of members.
    pub properties: Vec<Rc<Properties>>,
    /// Demands on members that some schemas do not look at.
    pub unless: Vec<(Rc<[Rc<Properties>]>, Lit)>,
    /// Demands on names.
    pub names: Vec<Lit>,
    /// Members that are there.
    pub present: BTreeMap<String, Vec<Lit>>,
    /// Members that are not there.
    pub absent: BTreeSet<String>,
    /// Members known by a class of names.
    pub exists: Vec<Exists>,
    /// Fewest members.
    pub min: u64,
    /// Most members.
    pub max: Option<u64>,
}

/// All that one branch of the search demands of an instance of one type.
#[derive(Clone, Debug)]
pub struct State {
    /// The type.
    pub kind: Kind,
    /// Schemas that are expanded already.
    pub seen: HashSet<Lit>,
    /// The only values that are left, if they can be listed.
    pub finite: Option<Vec<Json>>,
    /// Values that it is not.
    pub excluded: Vec<Json>,
    /// Choices that are open.
    pub clauses: Vec<Clause>,
    /// Something that is not understood.
    pub unclear: Option<String>,
    /// Demands on a number.
    pub numbers: Numbers,
    /// Demands on a string.
    pub texts: Texts,
    /// Demands on an array.
    pub arrays: Arrays,
    /// Demands on an object.
    pub objects: Objects,
}

impl State {
    /// Demands nothing but the type.
    pub fn new(kind: Kind) -> Self {
        let finite = match kind {
            Kind::Null => Some(vec![Json::Null]),
            Kind::Bool => Some(vec![Json::Bool(false), Json::Bool(true)]),
            Kind::Number | Kind::String | Kind::Array | Kind::Object => None,
        };
        Self {
            kind,
            seen: HashSet::new(),
            finite,
            excluded: Vec::new(),
            clauses: Vec::new(),
            unclear: None,
            numbers: Numbers::default(),
            texts: Texts::default(),
            arrays: Arrays::default(),
            objects: Objects::default(),
        }
    }

    /// Returns how much there is to copy.
    pub fn size(&self) -> usize {
        let (objects, arrays) = (&self.objects, &self.arrays);
        let values = self.finite.as_ref().map_or(0, Vec::len) + self.excluded.len();
        let members = objects.present.len() + objects.absent.len() + objects.exists.len();
        let items = arrays.tails.len() + arrays.some.len() + arrays.at_most.len();
        let rest = objects.properties.len() + arrays.items.len() + self.texts.patterns.len();
        self.clauses.len() + self.seen.len() + values + members + items + rest
    }

    /// Adds a demand; `false` if it contradicts what is there.
    pub fn apply(&mut self, atom: Atom) -> bool {
        match atom {
            Atom::Never => return false,
            Atom::OneOf(values) => {
                let left: Vec<Json> = match &self.finite {
                    None => values,
                    Some(known) => {
                        let both = known
                            .iter()
                            .filter(|value| values.binary_search(value).is_ok());
                        both.cloned().collect()
                    }
                };
                let empty = left.is_empty();
                self.finite = Some(left);
                return !empty;
            }
            Atom::Differs(value) => self.excluded.push(value),
            Atom::Minimum(limit, strict) => {
                let new = (limit, strict);
                let numbers = &mut self.numbers;
                numbers.min = Some(numbers.min.take().map_or(new.clone(), |old| old.max(new)));
            }
            Atom::Maximum(limit, strict) => {
                // Of equal limits the excluded one is the lower.
                let key = |bound: &(Decimal, bool)| (bound.0.clone(), !bound.1);
                let new = (limit, strict);
                let numbers = &mut self.numbers;
                numbers.max = Some(match numbers.max.take() {
                    Some(old) if key(&old) <= key(&new) => old,
                    _ => new,
                });
            }
            Atom::Multiple(step, true) => self.numbers.steps.push(step),
            Atom::Multiple(step, false) => self.numbers.not_steps.push(step),
            Atom::MinLength(min) => self.texts.min = self.texts.min.max(min),
            Atom::MaxLength(max) => lower(&mut self.texts.max, max),
            Atom::Pattern(pattern, wanted) => {
                let patterns = &mut self.texts.patterns;
                if patterns.contains(&(pattern, !wanted)) {
                    return false;
                }
                if !patterns.contains(&(pattern, wanted)) {
                    patterns.push((pattern, wanted));
                }
            }
            Atom::Format(name, wanted) => {
                let formats = &mut self.texts.formats;
                if formats.contains(&(name.clone(), !wanted)) {
                    return false;
                }
                formats.push((name, wanted));
            }
            Atom::Items(prefix, rest) => self.arrays.items.push((prefix, rest)),
            Atom::Tail(from, lit) => self.arrays.tails.push((from, lit)),
            Atom::MinItems(min) => self.arrays.min = self.arrays.min.max(min),
            Atom::MaxItems(max) => lower(&mut self.arrays.max, max),
            Atom::Unique(true) => self.arrays.unique = true,
            Atom::Unique(false) => self.arrays.repeated = true,
            Atom::Some(some) => self.arrays.some.push(some),
            Atom::AtMost(lit, count) => self.arrays.at_most.push((lit, count)),
            Atom::Properties(properties) => self.objects.properties.push(properties),
            Atom::Unless(looked, lit) => self.objects.unless.push((looked, lit)),
            Atom::Names(lit) => self.objects.names.push(lit),
            Atom::Present(name, goal) => {
                if self.objects.absent.contains(&name) {
                    return false;
                }
                self.objects.present.entry(name).or_default().extend(goal);
            }
            Atom::Absent(name) => {
                if self.objects.present.contains_key(&name) {
                    return false;
                }
                self.objects.absent.insert(name);
            }
            Atom::Exists(exists) => self.objects.exists.push(exists),
            Atom::MinProperties(min) => self.objects.min = self.objects.min.max(min),
            Atom::MaxProperties(max) => lower(&mut self.objects.max, max),
        }
        true
    }
}

fn lower(limit: &mut Option<u64>, new: u64) {
    *limit = Some(limit.map_or(new, |old| old.min(new)));
}
