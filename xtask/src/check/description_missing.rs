//! Every property of an input or output says what it is.
//!
//! ## What it does
//!
//! Wants a `description` on every property of every input and output at any
//! depth, of its own or by the shape it refers to.
//!
//! ## Why
//!
//! The descriptions are all that a model knows of an argument. One without is
//! guessed by its name, and answers are misread the same way.
//!
//! ## How to mend
//!
//! Write a short sentence: what to pass or what it means, with unit and range
//! if they are not plain.

use crate::check::Subject;
use crate::contract::Form;
use crate::dialect::escape;
use crate::places::places;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "description_missing";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for place in places(contract) {
        let Form::Object { properties, .. } = &place.schema.form else {
            continue;
        };
        for property in properties {
            let own = property.schema.description.is_some();
            if !own && contract.resolve(&property.schema).description.is_none() {
                found.push(Problem::edit(
                    ID,
                    &place.file,
                    format!("{}/properties/{}", place.pointer, escape(&property.name)),
                    format!("\"{}\" has no description", property.name),
                    "a model knows of it only what the description says",
                    "describe it in a short sentence",
                ));
            }
        }
    }
    found
}
