//! The version of the contract is three numbers.
//!
//! ## What it does
//!
//! Refuses a suffix such as `-rc.1` in `version` of `contract.json`.
//!
//! ## Why
//!
//! A contract is either released or it is not: until it is, the tree may change
//! under any number. Clients compare three numbers and nothing else.
//!
//! ## How to mend
//!
//! Leave the suffix away.

use crate::check::Subject;
use crate::diff::bump::{NoVersion, Version};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "version_prerelease";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let version = &contract.settings.version;
    if Version::parse(version) != Err(NoVersion::Suffixed) {
        return Vec::new();
    }
    vec![Problem::edit(
        ID,
        "schema/contract.json",
        "/version",
        format!("{version} has a suffix"),
        "clients compare three numbers and nothing else",
        "leave the suffix away",
    )]
}
