//! Every entry of the ledger names something that is marked, or that was.
//!
//! ## What it does
//!
//! Looks each `surface` of `deprecations.json` up in `schema/`. If it is there, a
//! tool or schema must carry the mark; if it is gone, a release must have had it.
//!
//! ## Why
//!
//! An entry that names nothing warns nobody, and the thing that it meant goes
//! without a word.
//!
//! ## How to mend
//!
//! Correct `surface`, mark what it names, or remove the entry.

use crate::check::Subject;
use crate::deprecations;
use crate::problem::Problem;
use crate::release;

/// Id of the rule.
pub const ID: &str = "deprecation_dangling";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let marks = deprecations::marks(contract);
    let released = release::sound(&subject.history.releases);
    let mut found = Vec::new();
    for (index, entry) in contract.ledger.entries.iter().enumerate() {
        let (file, pointer) = deprecations::place(&entry.surface);
        let is_there = subject
            .sources
            .get(&file)
            .is_some_and(|value| value.pointer(&pointer).is_some());
        let was_there = released.iter().any(|release| {
            let name = file.trim_start_matches("schema/");
            let value = release.files.get(name);
            value.is_some_and(|value| value.pointer(&pointer).is_some())
        });
        let carries_marks = file.starts_with("schema/tools/") || file.starts_with("schema/shapes/");
        let is_marked = marks.iter().any(|(surface, _)| *surface == entry.surface);
        let what = match (is_there, carries_marks) {
            (true, true) if !is_marked => "is there without a mark",
            (true, _) => continue,
            (false, _) if was_there => continue,
            (false, _) => "is nowhere, and was in no release",
        };
        found.push(Problem::edit(
            ID,
            "schema/deprecations.json",
            format!("/entries/{index}/surface"),
            format!("{} {what}", entry.surface),
            "an entry that names nothing warns nobody",
            "correct it, mark what it names, or remove the entry",
        ));
    }
    found
}
