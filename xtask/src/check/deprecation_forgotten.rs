//! What was announced stays in the ledger when it is gone.
//!
//! ## What it does
//!
//! Takes every entry in the ledger of the last release whose `surface` is no longer
//! in `schema/`, and looks for it in the ledger of today.
//!
//! ## Why
//!
//! Whoever upgrades across several versions reads the page of the newest one, and
//! finds there what went and what to use instead.
//!
//! ## How to mend
//!
//! Put the entry back into `deprecations.json`.

use crate::check::Subject;
use crate::deprecations;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "deprecation_forgotten";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let (Some(contract), Some(since)) = (&subject.contract, &subject.history.since) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (surface, _) in deprecations::announced(&since.last.files) {
        let (file, pointer) = deprecations::place(&surface);
        let sources = &subject.sources;
        // An announcement may be taken back as long as its surface is there.
        let is_there = sources
            .get(&file)
            .is_some_and(|value| value.pointer(&pointer).is_some());
        let mut entries = contract.ledger.entries.iter();
        if is_there || entries.any(|entry| entry.surface == surface) {
            continue;
        }
        found.push(Problem::edit(
            ID,
            "schema/deprecations.json",
            "/entries",
            format!(
                "{surface} is gone, and so is the entry by which {} announced it",
                since.last.version
            ),
            "who upgrades later finds no word of what went and what to use instead",
            "put the entry back as it was",
        ));
    }
    found
}
