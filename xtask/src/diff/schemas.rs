//! Two schemas in one position → changes with their verdicts.
//!
//! Invariant: what the sets say of the two whole schemas is a lower bound of
//! the verdicts listed, so that no break is missed; and where the whole is
//! proven to go on, no part of it is called a break by the sets.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::diff::alarm;
use crate::diff::bump::Bump;
use crate::diff::graft::Scion;
use crate::diff::kinds::{Judge, Rule};
use crate::diff::surface::{Document, Place};
use crate::diff::unseen::{named_besides, unseen};
use crate::diff::view::Source;
use crate::diff::walk::{Local, Side, walk};
use crate::diff::{Change, Position, Proof};
use crate::sets::{self, Answer, Leads};

/// Differences of one pair of schemas that are judged one by one; beyond, the
/// verdict of the whole stands for the rest.
const MAX_JUDGED: usize = 64;
/// Steps that these take together, in budgets of one comparison.
const MAX_BUDGETS: u64 = 3;

/// Compares two schemas; `through` names what leads to them.
pub fn compare(
    old: &Document,
    new: &Document,
    position: Position,
    enforces_formats: bool,
    through: &str,
) -> Vec<Change> {
    if old.root == new.root {
        return Vec::new();
    }
    let [old_set, new_set] = [old, new].map(|side| sets::Document::new(&side.root));
    // What is too deep to be read is unknown to the sets as well.
    let places = [&old_set, &new_set].map(sets::places);
    let pair = Pair {
        old,
        new,
        places,
        position,
        enforces_formats,
        through,
        old_set,
        new_set,
        scion: OnceCell::new(),
        left: Cell::new(MAX_BUDGETS * sets::Options::default().max_steps),
        promised: match position {
            Position::Output if has_open(&old.root) => Cow::Owned(opened(&old.root)),
            Position::Output | Position::Input | Position::Surface => Cow::Borrowed(&old.root),
        },
    };
    pair.compare()
}

struct Pair<'a> {
    old: &'a Document,
    new: &'a Document,
    /// The schemas of both.
    places: [BTreeMap<String, Leads>; 2],
    position: Position,
    enforces_formats: bool,
    through: &'a str,
    old_set: sets::Document,
    new_set: sets::Document,
    scion: OnceCell<Scion>,
    /// Steps that are left for judging differences one by one.
    left: Cell<u64>,
    /// The old schema as its readers were told to read it.
    promised: Cow<'a, Value>,
}

/// A schema that single differences are brought into.
struct Base<'a> {
    root: &'a Value,
    set: sets::Document,
}

impl Pair<'_> {
    fn compare(&self) -> Vec<Change> {
        let (old, new) = self.sources();
        let (locals, old_seen, new_seen) = walk((old, &self.old_set), (new, &self.new_set));
        let named = named_besides(old);
        // By convention a caller sends only what is declared, so that a new
        // optional argument takes nothing away even where the object is open.
        let is_given = |local: &&Local| {
            self.position == Position::Input
                && local.rule == Rule::FieldAddedOptional
                && local.is_open
                && !named.contains(local.place.1.rsplit('/').next().unwrap_or_default())
        };
        let base = if locals.iter().any(|local| is_given(&local)) {
            let given = locals.iter().filter(is_given);
            Cow::Owned(self.scion().graft(&self.promised, given))
        } else {
            Cow::Borrowed(&*self.promised)
        };
        let base = Base {
            root: &base,
            set: self.set(&base),
        };
        let whole = self.goes_on(&base.set, &self.new_set);
        let by_sets = |local: &Local| self.judge(local) == Judge::Sets;
        // A field that came or went is no respelling, and then the other way
        // round need not be asked.
        let is_equal = whole == Answer::Proven
            && locals.iter().any(by_sets)
            && !locals
                .iter()
                .any(|local| is_addition(local.rule) || local.rule == Rule::FieldRemoved)
            && self.goes_back() == Answer::Proven
            && (matches!(self.promised, Cow::Borrowed(_))
                || contained(&self.new_set, &self.old_set) == Answer::Proven);
        let mut changes = Vec::new();
        let mut respelled = Vec::new();
        let mut is_explained = false;
        let mut n_judged = 0;
        for local in &locals {
            let judge = self.judge(local);
            let mut change = self.change(local);
            match judge {
                Judge::Fixed(bump) => {
                    change.verdict = bump;
                    // A policy and the sets may agree; then there is a proof.
                    if whole != Answer::Proven && local.rule == Rule::FieldRemoved {
                        let answer = self.alone(&base, local);
                        is_explained |= answer != Answer::Proven;
                        self.prove(&mut change, answer, &whole);
                        change.verdict = bump;
                    }
                }
                Judge::Never(_) => change.verdict = Bump::Major,
                Judge::Sets if is_given(&local) => {
                    let alone = self.scion().graft(&self.old.root, std::iter::once(local));
                    let answer = contained(&self.old_set, &sets::Document::new(&alone));
                    self.prove(&mut change, answer, &Answer::Proven);
                    change.verdict = Bump::Minor;
                    if change.proof == Proof::Refuted {
                        "by convention a caller sends only what is declared; the counterexample already sent it undeclared"
                            .clone_into(&mut change.reason);
                    }
                }
                Judge::Sets if is_equal && !is_addition(local.rule) => {
                    respelled.push(change);
                    continue;
                }
                Judge::Sets if whole == Answer::Proven => {
                    change.verdict = Bump::Minor;
                    change.proof = Proof::Proven;
                    self.compatible(&mut change);
                }
                Judge::Sets if n_judged >= MAX_JUDGED || self.left.get() == 0 => {
                    is_explained |= matches!(whole, Answer::Refuted { .. });
                    self.prove(&mut change, whole.clone(), &whole);
                }
                Judge::Sets => {
                    n_judged += 1;
                    let answer = self.alone(&base, local);
                    is_explained |= answer != Answer::Proven;
                    self.prove(&mut change, answer, &whole);
                }
            }
            changes.push(change);
        }
        if !respelled.is_empty() {
            let place = nearest(respelled.iter().map(|change| &change.place));
            let place = place.unwrap_or_else(|| self.new.place(""));
            let mut change = self.blank(Rule::SchemaRespelled, place);
            change.sdk = respelled
                .iter()
                .map(|change| change.sdk)
                .max()
                .unwrap_or_default();
            changes.push(change);
        }
        if let Some((rule, side, at)) = unseen((old, &old_seen), (new, &new_seen), &locals) {
            let place = match side {
                Side::Old => self.old.place(&at),
                Side::New => self.new.place(&at),
            };
            let mut change = self.blank(rule, place);
            if rule == Rule::SchemaUndecided {
                change.proof = Proof::Unknown;
            }
            changes.push(change);
        }
        if whole != Answer::Proven && !is_explained {
            changes.push(self.catch_all(&locals, whole));
        }
        changes
    }

    fn scion(&self) -> &Scion {
        self.scion.get_or_init(|| Scion::new(self.sources().1))
    }

    fn sources(&self) -> (Source<'_>, Source<'_>) {
        let [old, new] = &self.places;
        let old_source = Source {
            root: &self.old.root,
            places: old,
        };
        let new_source = Source {
            root: &self.new.root,
            places: new,
        };
        (old_source, new_source)
    }

    fn set(&self, schema: &Value) -> sets::Document {
        if std::ptr::eq(schema, &raw const self.old.root) {
            self.old_set.clone()
        } else {
            sets::Document::new(schema)
        }
    }

    /// Says whether who was built for the first goes on with the second.
    fn goes_on(&self, old: &sets::Document, new: &sets::Document) -> Answer {
        match self.position {
            Position::Input | Position::Surface => contained(old, new),
            Position::Output => contained(new, old),
        }
    }

    /// Says whether who was built for the second would go on with the first.
    fn goes_back(&self) -> Answer {
        self.goes_on(&self.new_set, &self.old_set)
    }

    /// Judges one difference as if it were the only one.
    fn alone(&self, base: &Base, local: &Local) -> Answer {
        let alone = self.scion().graft(base.root, std::iter::once(local));
        let alone = sets::Document::new(&alone);
        let verdict = match self.position {
            Position::Input | Position::Surface => judged(&base.set, &alone),
            Position::Output => judged(&alone, &base.set),
        };
        // What was gone through to read both counts as well.
        let cost = verdict.steps + (base.set.size() + alone.size()) / 16;
        self.left.set(self.left.get().saturating_sub(cost));
        verdict.answer
    }

    fn judge(&self, local: &Local) -> Judge {
        let is_format = matches!(
            local.rule,
            Rule::FormatAdded | Rule::FormatChanged | Rule::FormatRemoved
        );
        if is_format && !self.enforces_formats {
            return Judge::Fixed(Bump::Patch);
        }
        let kind = local.rule.kind();
        match self.position {
            Position::Input => kind.input,
            Position::Output => kind.output,
            Position::Surface => kind.surface,
        }
    }

    /// Writes what the sets said into a change.
    fn prove(&self, change: &mut Change, answer: Answer, whole: &Answer) {
        match answer {
            Answer::Proven => {
                change.proof = Proof::Proven;
                change.verdict = Bump::Minor;
                self.compatible(change);
            }
            Answer::Refuted { counterexample } => {
                let confirmed = self.separates(&counterexample);
                let of_whole = match whole {
                    Answer::Refuted { counterexample } => Some(counterexample.clone()),
                    Answer::Proven | Answer::Unknown { .. } => None,
                };
                change.counterexample = confirmed.then_some(counterexample).or(of_whole);
                change.verdict = Bump::Major;
                change.proof = if change.counterexample.is_some() {
                    Proof::Refuted
                } else {
                    Proof::Unknown
                };
            }
            Answer::Unknown { why } => {
                change.proof = Proof::Unknown;
                change.verdict = Bump::Major;
                change.reason = format!("not proven to be harmless: {why}");
            }
        }
    }

    /// Whether the instance fits one of the two schemas and not the other, the
    /// way round that breaks somebody.
    fn separates(&self, instance: &Value) -> bool {
        // The sets themselves bound what a stock validator is asked to follow.
        let only = sets::Document::new(&serde_json::json!({ "enum": [instance] }));
        let fits = |schema: &sets::Document| match contained(&only, schema) {
            Answer::Proven => Some(true),
            Answer::Refuted { .. } => Some(false),
            Answer::Unknown { .. } => None,
        };
        let (old, new) = (fits(&self.old_set), fits(&self.new_set));
        match self.position {
            Position::Input | Position::Surface => old == Some(true) && new == Some(false),
            Position::Output => old == Some(false) && new == Some(true),
        }
    }

    fn compatible(&self, change: &mut Change) {
        change.reason = match self.position {
            Position::Input | Position::Surface => "everything that was accepted still is",
            Position::Output => "nothing comes that was not promised before",
        }
        .to_owned();
    }

    fn catch_all(&self, locals: &[Local], whole: Answer) -> Change {
        let back = self.goes_back();
        let rule = match (&whole, back, self.position) {
            (Answer::Unknown { .. }, _, _) => Rule::SchemaUndecided,
            (_, Answer::Proven, Position::Output) => Rule::SchemaWidened,
            (_, Answer::Proven, Position::Input | Position::Surface) => Rule::SchemaNarrowed,
            (_, Answer::Refuted { .. } | Answer::Unknown { .. }, _) => Rule::SchemaIncomparable,
        };
        let places: Vec<Place> = locals
            .iter()
            .filter(|local| self.judge(local) == Judge::Sets)
            .map(|local| self.place(local))
            .collect();
        let place = nearest(places.iter()).unwrap_or_else(|| self.new.place(""));
        let mut change = self.blank(rule, place);
        self.prove(&mut change, whole.clone(), &whole);
        change
    }

    fn place(&self, local: &Local) -> Place {
        match &local.place {
            (Side::Old, pointer) => self.old.place(pointer),
            (Side::New, pointer) => self.new.place(pointer),
        }
    }

    fn change(&self, local: &Local) -> Change {
        let mut change = self.blank(local.rule, self.place(local));
        change.old.clone_from(&local.old);
        change.new.clone_from(&local.new);
        if matches!(local.rule, Rule::DescriptionChanged | Rule::TitleChanged) {
            let text = |value: &Option<Value>| {
                let text = value.as_ref().and_then(Value::as_str);
                text.unwrap_or_default().to_owned()
            };
            change.alarm = alarm::alarm(&text(&local.old), &text(&local.new));
        }
        let is_format = matches!(
            local.rule,
            Rule::FormatAdded | Rule::FormatChanged | Rule::FormatRemoved
        );
        if is_format && !self.enforces_formats {
            "a format is an annotation unless the server enforces it"
                .clone_into(&mut change.reason);
        }
        change
    }

    fn blank(&self, rule: Rule, place: Place) -> Change {
        let mut change = Change::new(rule, self.position, place);
        change.through.insert(self.through.to_owned());
        change
    }
}

/// A field that was added is an addition even if any value fits it.
fn is_addition(rule: Rule) -> bool {
    matches!(rule, Rule::FieldAddedOptional | Rule::FieldAddedRequired)
}

/// Says whether every instance of the first schema is one of the second.
fn contained(a: &sets::Document, b: &sets::Document) -> Answer {
    judged(a, b).answer
}

fn judged(a: &sets::Document, b: &sets::Document) -> sets::Verdict {
    sets::contained(a, b, &sets::Options::default())
}

/// Returns the innermost place that holds all of these.
fn nearest<'a>(mut places: impl Iterator<Item = &'a Place>) -> Option<Place> {
    let mut nearest = places.next()?.clone();
    for place in places {
        if place.file != nearest.file {
            return None;
        }
        let both = nearest.pointer.split('/').zip(place.pointer.split('/'));
        let shared: Vec<&str> = both.take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
        nearest.pointer = shared.join("/");
    }
    Some(nearest)
}

fn has_open(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key("x-open-enum") || map.values().any(has_open),
        Value::Array(items) => items.iter().any(has_open),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Returns the schema with every enum that may grow read as any text, which is
/// what clients were told.
fn opened(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let mut inner: Map<String, Value> = map
                .iter()
                .map(|(key, value)| (key.clone(), opened(value)))
                .collect();
            if let (Some(Value::Bool(true)), Some(Value::Array(values))) =
                (map.get("x-open-enum"), map.get("enum"))
            {
                inner.shift_remove("enum");
                let others: Vec<&Value> = values.iter().filter(|v| !v.is_string()).collect();
                let any = json!({ "anyOf": [{ "type": "string" }, { "enum": others }] });
                match inner.get_mut("allOf").and_then(Value::as_array_mut) {
                    Some(parts) => parts.push(any),
                    None => {
                        inner.insert("allOf".to_owned(), json!([any]));
                    }
                }
            }
            Value::Object(inner)
        }
        Value::Array(items) => Value::Array(items.iter().map(opened).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}
