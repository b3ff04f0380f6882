//! Everything that is marked to go stands in the ledger, in the same words.
//!
//! ## What it does
//!
//! Compares every `deprecated` of a tool and every `x-deprecation` of a schema with
//! the entry of `deprecations.json` for the same place.
//!
//! ## Why
//!
//! People read the ledger to learn what will go. A mark that only the schema has is
//! found by those who already use what goes.
//!
//! ## How to mend
//!
//! Write the entry, or bring mark and entry to say the same.

use crate::check::Subject;
use crate::deprecations;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "deprecation_unlisted";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let marks = deprecations::marks(contract);
    let unlisted = marks.into_iter().filter(|(surface, mark)| {
        let mut entries = contract.ledger.entries.iter();
        !entries.any(|entry| entry.surface == *surface && entry.deprecation == *mark)
    });
    unlisted
        .map(|(surface, _)| {
            let (file, pointer) = deprecations::place(&surface);
            Problem::edit(
                ID,
                file,
                pointer,
                format!("no entry of schema/deprecations.json says the same of {surface}"),
                "people read the ledger to learn what will go",
                "write the entry, or bring the two to say the same",
            )
        })
        .collect()
}
