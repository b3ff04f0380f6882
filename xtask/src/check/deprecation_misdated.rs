//! What is announced says truly since when, and goes in a later major.
//!
//! ## What it does
//!
//! Wants `removal` of every entry to be of a later major version than `since`,
//! `since` to be no later than the contract, and an entry that the last release did
//! not have to begin after it.
//!
//! ## Why
//!
//! People plan by these two numbers. A removal in the same major breaks them, and a
//! date in the past makes the notice shorter than it looks.
//!
//! ## How to mend
//!
//! Correct the number that the finding names.

use crate::check::Subject;
use crate::contract::Deprecation;
use crate::deprecations;
use crate::diff::bump::Version;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "deprecation_misdated";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let last = subject.history.since.as_ref().map(|since| &since.last);
    let announced = last.map(|release| deprecations::announced(&release.files));
    let mut found = Vec::new();
    for (index, entry) in contract.ledger.entries.iter().enumerate() {
        let Deprecation { since, removal, .. } = &entry.deprecation;
        let (Ok(begins), Ok(ends)) = (Version::parse(since), Version::parse(removal)) else {
            continue;
        };
        let mut add = |key: &str, what: String| {
            found.push(Problem::edit(
                ID,
                "schema/deprecations.json",
                format!("/entries/{index}/{key}"),
                what,
                "people plan by these numbers",
                "correct it",
            ));
        };
        if ends.major() <= begins.major() {
            add(
                "removal",
                format!("{removal} is no later major than {since}"),
            );
        }
        if Version::parse(&contract.settings.version).is_ok_and(|version| begins > version) {
            let version = &contract.settings.version;
            add(
                "since",
                format!("it is of {since}, but the contract is {version}"),
            );
        }
        let is_new = announced
            .as_ref()
            .is_some_and(|known| !known.iter().any(|(surface, _)| *surface == entry.surface));
        if let Some(last) = last.filter(|last| is_new && begins <= last.version) {
            add("since", format!("{} did not announce it yet", last.version));
        }
    }
    found
}
