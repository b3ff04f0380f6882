//! Inputs are closed and of one type; outputs are open.
//!
//! ## What it does
//!
//! Looks at every schema in the position it is used in, through references.
//!
//! - In inputs: every object says `additionalProperties: false`; there is no `null`, no `oneOf` and no `x-open-enum`.
//! - In outputs: no object is closed; there is no `default` and no
//!   `x-max-bytes`; a property that may be null is always there.
//!
//! ## Why
//!
//! A closed input turns a misspelled argument into an error in place of
//! silence. A union or a null in an input makes some clients drop every tool. A
//! closed output would make every new field a breaking change.
//!
//! ## How to mend
//!
//! For an optional argument leave it out of `required`; an explicit null is
//! taken as absent anyway. A shape that is needed on both sides becomes two
//! shapes.

use crate::check::Subject;
use crate::contract::{Form, Schema};
use crate::dialect::escape;
use crate::places::{Place, Position, places};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "form_misplaced";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for place in places(contract) {
        let faults = match place.position {
            Position::Input => in_input(place.schema),
            Position::Output => in_output(place.schema),
        };
        for (what, why, fix) in faults {
            found.push(Problem::edit(
                ID,
                &place.file,
                &place.pointer,
                what,
                why,
                fix,
            ));
        }
        if place.position == Position::Output {
            found.extend(twice_absent(&place));
        }
    }
    found
}

/// Returns the properties that can be absent in two ways.
fn twice_absent(place: &Place<'_>) -> Vec<Problem> {
    let Form::Object { properties, .. } = &place.schema.form else {
        return Vec::new();
    };
    properties
        .iter()
        .filter(|property| property.schema.nullable && !property.required)
        .map(|property| {
            Problem::edit(
                ID,
                &place.file,
                format!("{}/properties/{}", place.pointer, escape(&property.name)),
                format!("\"{}\" may be null and may be absent", property.name),
                "the types of most languages cannot tell the two apart",
                "add it to required, or drop the null",
            )
        })
        .collect()
}

type Fault = (&'static str, &'static str, &'static str);

fn in_input(schema: &Schema) -> Vec<Fault> {
    let mut faults = Vec::new();
    if schema.nullable {
        faults.push((
            "an input has two types",
            "some clients drop every tool of a server for it",
            "write one type; an optional argument is left out of required",
        ));
    }
    match &schema.form {
        Form::Object { closed: false, .. } => faults.push((
            "an input object is open",
            "a misspelled argument would be ignored without a word",
            "add \"additionalProperties\": false",
        )),
        Form::Tagged { .. } => faults.push((
            "an input is a union",
            "some clients drop every tool of a server for it",
            "write one object with optional properties",
        )),
        Form::Enum { open: true, .. } => faults.push((
            "an input enum is open",
            "an input accepts exactly what it lists",
            "remove x-open-enum; adding a member to an input is minor anyway",
        )),
        _ => {}
    }
    faults
}

fn in_output(schema: &Schema) -> Vec<Fault> {
    let mut faults = Vec::new();
    if schema.default.is_some() {
        faults.push((
            "an output has a default",
            "an answer says what is so; nothing is filled in",
            "remove the default",
        ));
    }
    match &schema.form {
        Form::Object { closed: true, .. } => faults.push((
            "an output object is closed",
            "every new field would break strict clients",
            "remove additionalProperties",
        )),
        Form::String {
            max_bytes: Some(_), ..
        } => faults.push((
            "an output is bounded in bytes",
            "only the door counts bytes, and it stands before inputs",
            "remove x-max-bytes",
        )),
        _ => {}
    }
    faults
}
