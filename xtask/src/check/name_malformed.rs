//! Names are snake_case and short enough.
//!
//! ## What it does
//!
//! Wants the names of tools, shapes, fields, error codes and examples to be
//! `snake_case`: lower-case words of letters and digits, joined by single
//! underscores. A tool name is at most `tool_name_max_bytes` long. It is no
//! keyword of Rust or Python, and nothing that the class of a generated client
//! has by itself, such as `call`; nor is the name of a resource, which is no
//! tool's either. No tool and no shape has the name of a device of Windows, such
//! as `aux`.
//!
//! ## Why
//!
//! A name is spelled in every language from one rule. What does not follow it
//! collides with another name, or becomes a name that nobody wrote. Every tool
//! and every resource is a method of each generated client.
//!
//! ## How to mend
//!
//! Rename it. For a field or tool that was released this is a breaking change.

use crate::check::Subject;
use crate::contract::{Address, Contract, Form};
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
    let (mut n_resources, mut n_templates) = (0, 0);
    for resource in &contract.resources {
        let (kind, n_before) = match &resource.address {
            Address::Uri(_) => ("resources", &mut n_resources),
            Address::Template(_) => ("templates", &mut n_templates),
        };
        let (name, pointer) = (&resource.name, format!("/{kind}/{n_before}/name"));
        *n_before += 1;
        let is_tool = contract.tools.values().any(|tool| tool.name == *name);
        let other = is_tool.then(|| "the name of a tool too".to_owned());
        if let Some(what) = other.or_else(|| no_method(name)) {
            let what = format!("the resource name \"{name}\" is {what}");
            report(
                "schema/resources.json",
                pointer,
                what,
                "add a word, such as what it holds",
            );
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
    if let Some(what) = no_method(name) {
        return Some((format!("the tool name \"{name}\" is {what}"), fix));
    }
    is_device(name).then(|| (format!("Windows has no file of the name \"{name}\""), fix))
}

/// Words of Python that no method can be called.
const PYTHON: [&str; 20] = [
    "and", "assert", "class", "def", "del", "elif", "except", "finally", "from", "global",
    "import", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "with", "yield",
];

/// What the class of each generated client has by itself; a method of a tool
/// would replace it, or not compile. A `then` makes a promise of an object in
/// TypeScript, and `clone` and `fmt` are of traits in Rust.
pub const OWN: [(&str, &[&str]); 3] = [
    (
        "Rust",
        &[
            "ask",
            "call",
            "call_typed",
            "clone",
            "contract_version",
            "fmt",
            "http",
            "http_with",
            "open",
            "opened",
            "over",
            "peer",
            "read_typed",
            "repeated",
            "stdio",
            "stdio_with",
        ],
    ),
    (
        "TypeScript",
        &[
            "call",
            "client",
            "close",
            "constructor",
            "http",
            "over",
            "prompt",
            "read",
            "stdio",
            "then",
            "warning",
        ],
    ),
    (
        "Python",
        &[
            "call",
            "client",
            "contract_version",
            "http",
            "over",
            "stdio",
            "warning",
        ],
    ),
];

/// Returns why the generated clients can have no method of this name.
fn no_method(name: &str) -> Option<String> {
    if PYTHON.contains(&name) {
        return Some("a keyword of Python".to_owned());
    }
    if name.starts_with("prompt_") {
        return Some("taken by the prompts of every generated client".to_owned());
    }
    let (language, _) = OWN.iter().find(|(_, own)| own.contains(&name))?;
    Some(format!("taken by the client in {language} itself"))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the word after each of these beginnings of a line.
    fn after<'a>(source: &'a str, beginnings: &[&str]) -> Vec<&'a str> {
        let words = source.lines().filter_map(|line| {
            let rest = beginnings
                .iter()
                .find_map(|begin| line.strip_prefix(begin))?;
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            rest.get(..end?)
        });
        words.collect()
    }

    #[test]
    fn what_the_clients_have_by_themselves_is_listed() {
        // What stands in a class is four spaces in, or two in TypeScript.
        let rust = [
            include_str!("../../../crates/client/src/call.rs"),
            include_str!("../../../crates/client/src/client.rs"),
            include_str!("../../../crates/client/src/open.rs"),
        ];
        let starts = [
            "    pub async fn ",
            "    pub(crate) async fn ",
            "    async fn ",
        ];
        let rust: Vec<&str> = rust.iter().flat_map(|text| after(text, &starts)).collect();
        let typescript = after(
            include_str!("../emit/typescript/runtime.ts"),
            &[
                "  async ",
                "  static async ",
                "  static ",
                "  protected async ",
                "  readonly ",
            ],
        );
        let python = after(
            include_str!("../emit/python/runtime.py"),
            &["    def ", "    async def "],
        );
        for (own, (language, listed)) in [rust, typescript, python].iter().zip(OWN) {
            assert!(own.len() > 3, "{language}: {own:?}");
            for name in own.iter().filter(|name| is_snake(name)) {
                assert!(
                    listed.contains(name),
                    "{name} of the client in {language} is not listed"
                );
            }
        }
    }
}
