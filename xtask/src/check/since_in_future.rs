//! No tool is newer than the contract.
//!
//! ## What it does
//!
//! Compares `since` of every tool, and of everything that is announced to go,
//! with `version` of `contract.json`.
//!
//! ## Why
//!
//! A client asks for the version of the contract to know what it can use. A
//! tool that claims to come later is there already, and nobody may use it.
//!
//! ## How to mend
//!
//! Raise the version of the contract, or correct `since`.

use crate::check::Subject;
use crate::places::places;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "since_in_future";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let version = &contract.settings.version;
    let mut claims: Vec<(String, String, &str)> = Vec::new();
    for (file, tool) in subject.tools() {
        claims.push((file.clone(), "/since".to_owned(), &tool.since));
        if let Some(deprecated) = &tool.deprecated {
            claims.push((file, "/deprecated/since".to_owned(), &deprecated.since));
        }
    }
    for (index, prompt) in contract.prompts.iter().enumerate() {
        claims.push((
            "schema/prompts.json".to_owned(),
            format!("/prompts/{index}/since"),
            &prompt.since,
        ));
    }
    for place in places(contract) {
        if let Some(deprecated) = &place.schema.deprecated {
            let pointer = format!("{}/x-deprecation/since", place.pointer);
            claims.push((place.file, pointer, &deprecated.since));
        }
    }
    claims
        .into_iter()
        .filter(|(_, _, since)| parts(since) > parts(version))
        .map(|(file, pointer, since)| {
            Problem::edit(
                ID,
                file,
                pointer,
                format!("it is of {since}, but the contract is {version}"),
                "clients decide by the version what they may use",
                "raise the version of the contract, or correct this",
            )
        })
        .collect()
}

/// Returns the three numbers of a version, so that 2.10.0 follows 2.9.0.
fn parts(version: &str) -> Vec<u64> {
    version
        .split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}
