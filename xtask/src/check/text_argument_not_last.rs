//! Long texts stand behind every other argument.
//!
//! ## What it does
//!
//! Looks at the order of `properties` of every input object: behind a string
//! that may hold 2,048 characters or more there is no shorter argument.
//!
//! ## Why
//!
//! Models write arguments in the order of the schema, and a call that is cut
//! off loses its end. When the long text stands last, the cut falls into it and
//! the call fails; when it stands first, the short arguments behind it are lost
//! and defaults take their place without a word.
//!
//! ## How to mend
//!
//! Move the long text to the end of `properties`.

use crate::check::Subject;
use crate::contract::Form;
use crate::dialect::escape;
use crate::places::{Position, places};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "text_argument_not_last";

/// Characters from which on a text is long; a path or a URL stays below.
const LONG: u64 = 2048;

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
        let is_long = |form: &Form| matches!(form, Form::String { max_length: Some(length), .. } if *length >= LONG);
        let mut long: Option<&str> = None;
        for property in properties {
            if is_long(&contract.resolve(&property.schema).form) {
                long = Some(&property.name);
            } else if let Some(long) = long {
                found.push(Problem::edit(
                    ID,
                    &place.file,
                    format!("{}/properties/{}", place.pointer, escape(&property.name)),
                    format!(
                        "\"{}\" stands behind the long text \"{long}\"",
                        property.name
                    ),
                    "a call that is cut off would lose it and be answered all the same",
                    format!("move \"{long}\" to the end"),
                ));
            }
        }
    }
    found
}
