//! Nothing goes that an earlier release did not announce.
//!
//! ## What it does
//!
//! Takes every removal since the last release and looks for an entry in the ledger
//! of that release that names it, or something that holds it, and whose `removal`
//! is reached.
//!
//! ## Why
//!
//! Whoever uses the thing had no warning and no time.
//!
//! ## How to mend
//!
//! Put it back, mark it and list it in `deprecations.json`, release that, and remove
//! it in the major version that the entry names.

use crate::check::Subject;
use crate::deprecations;
use crate::diff::bump::Version;
use crate::diff::kinds::Rule;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "removal_unannounced";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(since) = &subject.history.since else {
        return Vec::new();
    };
    let announced = deprecations::announced(&since.last.files);
    let claimed = Version::parse(&since.claimed);
    let gone = since
        .changes
        .iter()
        .filter(|change| is_removal(change.rule));
    let mut found = Vec::new();
    for change in gone {
        let file = change.place.file.trim_start_matches("schema/");
        let surface = format!("{file}#{}", change.place.pointer);
        let entry = announced.iter().find(|(known, _)| {
            let rest = surface.strip_prefix(known.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let what = match entry.map(|(_, removal)| (removal, Version::parse(removal))) {
            None => format!("it is gone, and {} did not announce it", since.last.version),
            Some((removal, Ok(earliest))) if claimed.is_ok_and(|claimed| claimed < earliest) => {
                format!("it is gone, and was announced to stay until {removal}")
            }
            Some(_) => continue,
        };
        found.push(Problem::edit(
            ID,
            change.place.file.clone(),
            change.place.pointer.clone(),
            format!("{what} ({})", change.rule.kind().id),
            "whoever uses it had no time to turn to something else",
            "put it back, announce it in schema/deprecations.json, and remove it in a later major",
        ));
    }
    found
}

/// Whether something that a client named is no longer there.
fn is_removal(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::FieldRemoved
            | Rule::ToolRemoved
            | Rule::ResourceRemoved
            | Rule::PromptRemoved
            | Rule::PromptArgumentRemoved
            | Rule::RouteRemoved
            | Rule::PrefixRemoved
            | Rule::ErrorCodeRemoved
            | Rule::ConstantRemoved
            | Rule::OutputSchemaRemoved
    )
}
