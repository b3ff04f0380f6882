//! Schemas use only the forms of the dialect.
//!
//! ## What it does
//!
//! Reads every input, output and shape into the closed forms of the dialect and
//! refuses every other keyword and value: `const`, `not`, `if`, `allOf`,
//! `anyOf`, tuples, maps, boolean schemas, several types, numeric enums, enum
//! members that differ only in case, patterns with look-around or `\p`, bounds
//! that no value meets. `schema/README.md` lists what each form may hold.
//!
//! ## Why
//!
//! One schema that a client cannot read empties the whole server for its user,
//! without a message. The forms of the dialect are those that every known
//! client and every generator reads the same way.
//!
//! ## How to mend
//!
//! Say it with a form of the dialect: a one-member enum for a constant, a
//! tagged `oneOf` for a union, a list of pairs for a map, an optional property
//! for null in an input.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "form_outside_dialect";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    subject.while_loading(ID)
}

/// Returns a finding; loading finds them.
pub fn problem(file: &str, pointer: &str, what: &str, fix: &str) -> Problem {
    Problem::edit(
        ID,
        file,
        pointer,
        format!("the dialect does not have {what}"),
        "one schema that a client cannot read empties the whole server for its user",
        fix,
    )
}
