//! Two types of generated code never share a name.
//!
//! ## What it does
//!
//! Derives the name of every type that the generators make, of shapes, inputs,
//! outputs and the objects, enums and unions written inside them
//! (`RememberInput` + `links` + item gives `RememberInputLinksItem`), and
//! reports a name that two places claim, or that generated code needs for
//! itself.
//!
//! ## Why
//!
//! Generators merge two types of one name into one, and which of the two
//! survives is an accident.
//!
//! ## How to mend
//!
//! Rename the shape or the property. Two inline schemas that are the same thing
//! are one shape.

use std::collections::BTreeMap;

use crate::check::Subject;
use crate::contract::{Schema, Tool};
use crate::places::named;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "type_name_collides";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    subject.while_loading(ID)
}

/// Names that generated code of some language uses for something else.
const TAKEN: [&str; 15] = [
    "Array",
    "Default",
    "Error",
    "ErrorBody",
    "ErrorCode",
    "ErrorFacts",
    "MessagePrefix",
    "Option",
    "Prefix",
    "Record",
    "Result",
    "String",
    "ToolTypes",
    "Tools",
    "Vec",
];

/// Returns the findings among these shapes and tools.
pub fn find(shapes: &BTreeMap<String, Schema>, tools: &BTreeMap<String, Tool>) -> Vec<Problem> {
    let mut first: BTreeMap<String, String> = TAKEN
        .iter()
        .map(|name| ((*name).to_owned(), "generated code itself".to_owned()))
        .collect();
    let mut found = Vec::new();
    for named in named(shapes, tools.values()) {
        let place = format!("{}#{}", named.file, named.pointer);
        if let Some(other) = first.get(&named.name) {
            found.push(Problem::edit(
                ID,
                named.file,
                named.pointer,
                format!("the type {} is already that of {other}", named.name),
                "generators merge types of one name",
                "rename one, or make both one shape",
            ));
        } else {
            first.insert(named.name, place);
        }
    }
    found
}
