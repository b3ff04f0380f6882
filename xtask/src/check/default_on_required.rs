//! A required argument has no default.
//!
//! ## What it does
//!
//! Looks at every property of every input and refuses a `default` on one that
//! `required` names, also when the default stands in the shape it refers to.
//!
//! ## Why
//!
//! Clients that fill in defaults make the argument look optional, and clients
//! that do not show it as required. A model that lost the end of its arguments
//! would be answered as if it had asked for the default.
//!
//! ## How to mend
//!
//! Take the property out of `required`, or remove the default.

use crate::check::Subject;
use crate::contract::Form;
use crate::dialect::escape;
use crate::places::{Position, places};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "default_on_required";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for place in places(contract) {
        let (Position::Input, Form::Object { properties, .. }) =
            (place.position, &place.schema.form)
        else {
            continue;
        };
        for property in properties.iter().filter(|property| property.required) {
            let own = property.schema.default.is_some();
            if own || contract.resolve(&property.schema).default.is_some() {
                found.push(Problem::edit(
                    ID,
                    &place.file,
                    format!("{}/properties/{}", place.pointer, escape(&property.name)),
                    format!("\"{}\" is required and has a default", property.name),
                    "clients disagree on whether it may be left out",
                    "take it out of required, or remove the default",
                ));
            }
        }
    }
    found
}
