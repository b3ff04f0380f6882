//! No shape contains itself.
//!
//! ## What it does
//!
//! Follows the references between shapes and reports every shape that leads
//! back to itself, directly or through others.
//!
//! ## Why
//!
//! References are inlined before a client sees them, and a shape inside itself
//! has no end. Generators that keep references disagree on recursion too.
//!
//! ## How to mend
//!
//! Refer by id in place of by value, as `dispute_with` does, or write a list of
//! flat items.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::Subject;
use crate::contract::Schema;
use crate::places::{references, shape_file};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "shape_recursive";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    subject.while_loading(ID)
}

/// Returns the findings among these shapes.
pub fn find(shapes: &BTreeMap<String, Schema>) -> Vec<Problem> {
    let mut found = Vec::new();
    for (name, schema) in shapes {
        for (pointer, target) in references(schema, "") {
            if let Some(path) = path_back(shapes, target, name) {
                found.push(Problem::edit(
                    ID,
                    shape_file(name),
                    format!("{pointer}/$ref"),
                    format!("{name} contains itself: {name} → {}", path.join(" → ")),
                    "references are inlined for clients, and this one has no end",
                    "refer by id in place of by value",
                ));
            }
        }
    }
    found
}

/// Returns the shapes on a way from one shape to another.
fn path_back<'a>(
    shapes: &'a BTreeMap<String, Schema>,
    from: &'a str,
    goal: &str,
) -> Option<Vec<&'a str>> {
    let mut seen = BTreeSet::new();
    let mut ways = vec![vec![from]];
    while let Some(way) = ways.pop() {
        let last = *way.last()?;
        if last == goal {
            return Some(way);
        }
        if let Some(schema) = shapes.get(last)
            && seen.insert(last)
        {
            for (_, next) in references(schema, "") {
                let mut longer = way.clone();
                longer.push(next);
                ways.push(longer);
            }
        }
    }
    None
}
