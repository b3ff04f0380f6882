//! Every argument has an upper bound.
//!
//! ## What it does
//!
//! Wants an upper bound on every value of an input, at any depth: `maxLength`,
//! a `pattern`, an `enum` or a `format` on strings, `maxItems` on arrays,
//! `minimum` and `maximum` on numbers.
//!
//! ## Why
//!
//! What is not bounded is bounded by memory, and by whoever fills it first. A
//! bound that is written down is checked at the door and known to the caller.
//!
//! ## How to mend
//!
//! Add the bound that the handler can stand. `x-max-bytes` alone does not do:
//! clients do not know it.

use crate::check::Subject;
use crate::contract::Form;
use crate::places::{Position, places};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "input_unbounded";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for place in places(contract) {
        if place.position != Position::Input {
            continue;
        }
        let (what, fix) = match &place.schema.form {
            Form::String {
                max_length: None,
                pattern: None,
                format: None,
                ..
            } => ("a string of any length", "add maxLength"),
            Form::Array {
                max_items: None, ..
            } => ("an array of any length", "add maxItems"),
            Form::Integer {
                minimum, maximum, ..
            } if minimum.is_none() || maximum.is_none() => {
                ("an integer of any size", "add minimum and maximum")
            }
            Form::Number {
                minimum, maximum, ..
            } if minimum.is_none() || maximum.is_none() => {
                ("a number of any size", "add minimum and maximum")
            }
            _ => continue,
        };
        found.push(Problem::edit(
            ID,
            &place.file,
            &place.pointer,
            format!("the input takes {what}"),
            "what is not bounded is bounded by memory",
            fix,
        ));
    }
    found
}
