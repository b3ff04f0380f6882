//! A default is a value that its own schema accepts.
//!
//! ## What it does
//!
//! Validates every `default` of every input against the schema it stands in.
//!
//! ## Why
//!
//! Clients send the default as a value. One that the schema refuses turns every
//! call that leaves the argument alone into an error.
//!
//! ## How to mend
//!
//! Change the default, or the bound that it breaks.

use crate::check::Subject;
use crate::lower::lower;
use crate::places::places;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "default_rejected";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for place in places(contract) {
        let Some(default) = &place.schema.default else {
            continue;
        };
        let schema = lower(contract, place.schema);
        if !jsonschema::draft202012::is_valid(&schema, default) {
            found.push(Problem::edit(
                ID,
                &place.file,
                format!("{}/default", place.pointer),
                format!("the schema refuses its own default {default}"),
                "clients send the default as a value",
                "change the default or the bound",
            ));
        }
    }
    found
}
