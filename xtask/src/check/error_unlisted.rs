//! Codes and prefixes are those of the vocabulary, and belong together.
//!
//! ## What it does
//!
//! Looks up every code that a tool or a route lists in `errors.json` and every prefix in
//! `message_prefixes` of `contract.json`, and refuses a prefix beside another
//! code than its own. The codes of `message_prefixes` are looked up as well.
//!
//! ## Why
//!
//! Callers branch on seven codes and a few prefixes. One that is spelled
//! otherwise, or moved to another code, is handled by nobody.
//!
//! ## How to mend
//!
//! Use a code of `errors.json`. Which argument and which limit belong into
//! `details`, never into a new code.

use crate::check::Subject;
use crate::contract::Contract;
use crate::dialect::escape;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "error_unlisted";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut report = |file: &str, pointer: String, what: String, fix: &str| {
        let why = "callers branch on a closed vocabulary";
        found.push(Problem::edit(ID, file, pointer, what, why, fix));
    };
    for prefix in &contract.settings.prefixes {
        if !is_code(contract, &prefix.code) {
            report(
                "schema/contract.json",
                format!("/message_prefixes/{}/code", escape(&prefix.text)),
                format!("\"{}\" is no code of errors.json", prefix.code),
                "use a code of errors.json",
            );
        }
    }
    for (place, route) in contract.routes.iter().enumerate() {
        for (index, error) in route.errors.iter().enumerate() {
            if !is_code(contract, &error.code) {
                report(
                    "schema/routes.json",
                    format!("/routes/{place}/errors/{index}/code"),
                    format!("\"{}\" is no code of errors.json", error.code),
                    "use a code of errors.json",
                );
            }
        }
    }
    for (file, tool) in subject.tools() {
        for (index, error) in tool.errors.iter().enumerate() {
            if !is_code(contract, &error.code) {
                report(
                    &file,
                    format!("/errors/{index}/code"),
                    format!("\"{}\" is no code of errors.json", error.code),
                    "use a code of errors.json",
                );
            }
            let Some(text) = &error.prefix else {
                continue;
            };
            let mut prefixes = contract.settings.prefixes.iter();
            let known = prefixes.find(|prefix| prefix.text == *text);
            match known {
                None => report(
                    &file,
                    format!("/errors/{index}/prefix"),
                    format!("\"{text}\" is no prefix of contract.json"),
                    "use a prefix of message_prefixes, or add it there",
                ),
                Some(prefix) if prefix.code != error.code => report(
                    &file,
                    format!("/errors/{index}/prefix"),
                    format!(
                        "\"{text}\" belongs to {}, not to {}",
                        prefix.code, error.code
                    ),
                    "write the code that the prefix belongs to",
                ),
                Some(_) => {}
            }
        }
    }
    found
}

fn is_code(contract: &Contract, code: &str) -> bool {
    contract.errors.iter().any(|entry| entry.code == code)
}
