//! Every release that is spoken of is there.
//!
//! ## What it does
//!
//! Wants the file of the release that `baseline` of `contract.json` names, the file
//! of every release that a later one follows, and a `baseline` as soon as there is
//! a release.
//!
//! ## Why
//!
//! Without its baseline nothing can be called compatible, and nothing would say
//! so: a check that finds nothing to compare with must not pass.
//!
//! ## How to mend
//!
//! Restore the file from git. In a shallow clone, fetch the rest of it.

use crate::check::Subject;
use crate::problem::Problem;
use crate::release;

/// Id of the rule.
pub const ID: &str = "release_missing";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let releases = &subject.history.releases;
    let why = "without it nothing can be called compatible";
    let mut found = Vec::new();
    let sound = release::sound(releases);
    let baseline = contract.settings.baseline.as_ref();
    let named = baseline.map(|(version, _)| ("schema/contract.json".to_owned(), version));
    let followed = sound.iter().filter_map(|release| {
        let (version, _) = release.previous.as_ref()?;
        Some((release::file(release.version), version))
    });
    for (speaker, version) in named.into_iter().chain(followed) {
        let file = format!("{}/{version}.json", release::FOLDER);
        if !releases.contains_key(&file) {
            let what = format!("{speaker} names it, and it is not there");
            let fix = format!("restore it: git checkout -- {file}");
            found.push(Problem::edit(ID, file, "", what, why, fix));
        }
    }
    let newest = sound.last().map(|last| last.version.to_string());
    // One that is there and not sound is the finding of another rule.
    let is_unsound = |version: &String| {
        let file = format!("{}/{version}.json", release::FOLDER);
        releases.get(&file).is_some_and(Result::is_err)
    };
    if let Some(newest) = newest
        && baseline.is_none_or(|(version, _)| *version != newest && !is_unsound(version))
    {
        found.push(Problem::edit(
            ID,
            "schema/contract.json",
            "/baseline",
            format!("it does not name the last release {newest}"),
            why,
            "restore what cargo xtask release wrote",
        ));
    }
    found
}
