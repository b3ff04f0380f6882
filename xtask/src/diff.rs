//! `diff(old, new)` → changes, each with its rule, place, verdict on both axes
//! and proof. Pure: reading either side is `diff/source.rs`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub mod alarm;
pub mod bump;
pub mod clients;
mod facts;
mod graft;
pub mod kinds;
pub mod report;
mod schemas;
pub mod server;
pub mod source;
pub mod surface;
mod tools;
mod unseen;
mod view;
mod walk;

use bump::Bump;
use kinds::{Judge, Rule};
use surface::{Place, Surface};

use crate::sets;

/// Which way a value travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    /// From a client to the server.
    Input,
    /// From the server to a client.
    Output,
    /// Beside both.
    Surface,
}

impl Position {
    /// Returns the name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Surface => "none",
        }
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// The policy says it of every change of this kind, or the sets agree.
    Proven,
    /// An instance shows the break.
    Refuted,
    /// Nothing was decided, which counts as breaking.
    Unknown,
}

impl Proof {
    /// Returns the name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
        }
    }
}

/// One difference and what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub rule: Rule,
    pub position: Position,
    pub place: Place,
    /// Tools and resources that lead to the place.
    pub through: BTreeSet<String>,
    pub old: Option<Value>,
    pub new: Option<Value>,
    /// For who speaks to the server.
    pub verdict: Bump,
    /// For who compiles against the generated source.
    pub sdk: Bump,
    pub proof: Proof,
    pub reason: String,
    /// Valid on one side and not on the other; an instance of the schema of
    /// the first name in `through`.
    pub counterexample: Option<Value>,
    /// What of changed words deserves a look.
    pub alarm: Option<String>,
}

impl Change {
    /// Returns a change with the verdict of its row.
    fn new(rule: Rule, position: Position, place: Place) -> Self {
        let kind = rule.kind();
        let judge = match position {
            Position::Input => kind.input,
            Position::Output => kind.output,
            Position::Surface => kind.surface,
        };
        Self {
            rule,
            position,
            place,
            through: BTreeSet::new(),
            old: None,
            new: None,
            verdict: match judge {
                Judge::Fixed(bump) => bump,
                Judge::Sets | Judge::Never(_) => Bump::Major,
            },
            sdk: kind.sdk,
            proof: Proof::Proven,
            reason: kind.because.to_owned(),
            counterexample: None,
            alarm: None,
        }
    }
}

/// Lists every change, the gravest first.
pub fn diff(old: &Surface, new: &Surface) -> Vec<Change> {
    // Without a thread to share, every comparison says so by itself.
    sets::on_large_stack(|| listed(old, new)).unwrap_or_else(|_| listed(old, new))
}

fn listed(old: &Surface, new: &Surface) -> Vec<Change> {
    let mut changes = tools::compare(old, new);
    changes.extend(facts::compare(old, new));
    for (key, before) in &old.bodies {
        let (name, is_sent) = key;
        let position = if *is_sent {
            Position::Input
        } else {
            Position::Output
        };
        if let Some(after) = new.bodies.get(key) {
            changes.extend(schemas::compare(
                before,
                after,
                position,
                new.enforces_formats,
                name,
            ));
        }
    }
    merged(changes)
}

/// Returns the smallest legal bump of the wire version.
pub fn wire_bump(changes: &[Change]) -> Bump {
    let verdicts = changes.iter().map(|change| change.verdict);
    verdicts.max().unwrap_or_default()
}

/// Returns the smallest legal bump of the packages.
pub fn sdk_bump(changes: &[Change]) -> Bump {
    let verdicts = changes.iter().map(|change| change.sdk);
    verdicts.max().unwrap_or_default()
}

/// One place that several tools lead to is one change.
fn merged(changes: Vec<Change>) -> Vec<Change> {
    let mut by_place: BTreeMap<_, Change> = BTreeMap::new();
    for change in changes {
        let key = (
            std::cmp::Reverse(change.verdict),
            change.place.clone(),
            change.position,
            change.rule,
            change.proof,
        );
        match by_place.get_mut(&key) {
            Some(present) => present.through.extend(change.through),
            None => {
                by_place.insert(key, change);
            }
        }
    }
    by_place.into_values().collect()
}
