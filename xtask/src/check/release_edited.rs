//! A released file never changes.
//!
//! ## What it does
//!
//! Reads every file of `schema/releases/`: it must be JSON in its one spelling, of
//! the version that its name says, with the hash that is written in it. Each must
//! name the hash of the one before, and `baseline` of `contract.json` that of the
//! last.
//!
//! ## Why
//!
//! Everything that is said about compatibility is said against these files. A file
//! that was edited, or half merged, makes every later verdict wrong.
//!
//! ## How to mend
//!
//! Restore the file from git. To change the contract, change `schema/` and release
//! a new version.

use crate::check::Subject;
use crate::problem::Problem;
use crate::release;

/// Id of the rule.
pub const ID: &str = "release_edited";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut add = |file: String, what: String| {
        let why = "every verdict about compatibility is reached against it";
        let fix = format!("restore it: git checkout -- {file}");
        found.push(Problem::edit(ID, file, "", what, why, fix));
    };
    for (file, release) in &subject.history.releases {
        if let Err(fault) = release {
            add(file.clone(), fault.what.clone());
        }
    }
    let sound = release::sound(&subject.history.releases);
    for couple in sound.windows(2) {
        let [before, after] = couple else {
            continue;
        };
        let named = after.previous.as_ref();
        let is_next = named.is_some_and(|(version, _)| *version == before.version.to_string());
        if is_next && named.is_some_and(|(_, hash)| *hash != before.hash) {
            add(
                release::file(before.version),
                format!("{} was made after another content of it", after.version),
            );
        }
    }
    let baseline = subject
        .contract
        .as_ref()
        .and_then(|contract| contract.settings.baseline.as_ref());
    if let (Some((version, hash)), Some(last)) = (baseline, sound.last())
        && last.version.to_string() == *version
        && last.hash != *hash
    {
        add(
            release::file(last.version),
            "contract.json names another hash of it".to_owned(),
        );
    }
    found
}
