//! Names are snake_case and short enough.
//!
//! ## What it does
//!
//! Wants the names of tools, shapes, fields, error codes and examples to be
//! `snake_case`: lower-case words of letters and digits, joined by single
//! underscores. A tool name is at most `tool_name_max_bytes` long, no keyword of
//! Rust. No tool and no shape has the name of a device of Windows, such as `aux`.
//!
//! ## Why
//!
//! A name is spelled in every language from one rule. What does not follow it
//! collides with another name, or becomes a name that nobody wrote.
//!
//! ## How to mend
//!
//! Rename it. For a field or tool that was released this is a breaking change.

use crate::check::Subject;
use crate::contract::{Contract, Form};
use crate::dialect::escape;
use crate::places::{places, shape_file, tool_file};
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "name_malformed";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    subject.while_loading(ID)
}

/// Returns the findings in this contract.
pub fn find(contract: &Contract) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut report = |file: &str, pointer: String, what: String, fix: &str| {
        let why = "every language derives its own spelling from it";
        found.push(Problem::edit(ID, file, pointer, what, why, fix));
    };
    let mut demand = |file: &str, pointer: String, kind: &str, name: &str| {
        if !is_snake(name) {
            let what = format!("the {kind} \"{name}\" is not snake_case");
            report(
                file,
                pointer,
                what,
                "use lower-case words joined by underscores",
            );
        }
    };
    for entry in &contract.errors {
        let pointer = format!("/codes/{}", escape(&entry.code));
        demand("schema/errors.json", pointer, "code", &entry.code);
    }
    for name in contract.shapes.keys() {
        demand(&shape_file(name), String::new(), "shape", name);
    }
    for place in places(contract) {
        if let Form::Object { properties, .. } = &place.schema.form {
            for property in properties {
                let name = &property.name;
                let pointer = format!("{}/properties/{}", place.pointer, escape(name));
                demand(&place.file, pointer, "field", name);
            }
        }
    }
    for (stem, tool) in &contract.tools {
        let file = tool_file(stem);
        demand(&file, "/name".to_owned(), "tool", &tool.name);
        for (index, example) in tool.examples.iter().enumerate() {
            let pointer = format!("/examples/{index}/name");
            demand(&file, pointer, "example", &example.name);
        }
    }
    for (stem, tool) in &contract.tools {
        // What is not snake_case is told above, once for every kind of name.
        if let Some((what, fix)) = unfit(contract, &tool.name).filter(|_| is_snake(&tool.name)) {
            report(&tool_file(stem), "/name".to_owned(), what, fix);
        }
    }
    for name in contract.shapes.keys().filter(|name| is_device(name)) {
        let what = format!("Windows has no file of the name \"{name}\"");
        report(&shape_file(name), String::new(), what, "add a word");
    }
    found
}

/// Returns why no tool may have this name, and what to do.
pub fn unfit(contract: &Contract, name: &str) -> Option<(String, &'static str)> {
    let n_most = contract.settings.budget("tool_name_max_bytes");
    if !is_snake(name) {
        let what = format!("the tool name \"{name}\" is not snake_case");
        return Some((what, "use lower-case words joined by underscores"));
    }
    if name.len() > n_most {
        let what = format!("the tool name has {} bytes of {n_most}", name.len());
        return Some((what, "shorten it"));
    }
    let fix = "add a word, such as what it acts on";
    if syn::parse_str::<syn::Ident>(name).is_err() {
        return Some((
            format!("the tool name \"{name}\" is a keyword of Rust"),
            fix,
        ));
    }
    is_device(name).then(|| (format!("Windows has no file of the name \"{name}\""), fix))
}

/// Whether Windows keeps the name for a device, whatever stands behind a dot.
fn is_device(name: &str) -> bool {
    let numbered = name.strip_prefix("com").or(name.strip_prefix("lpt"));
    ["aux", "con", "nul", "prn"].contains(&name)
        || numbered.is_some_and(|digit| {
            digit.len() == 1 && digit.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn is_snake(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.split('_').all(is_word)
}
