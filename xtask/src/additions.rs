//! What a client may miss at a server of an older minor version: every part of
//! the contract that came after its first release, with the version that
//! brought it. Every SDK carries this list. Pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Contract, Form, Method, Schema, name_of};
use crate::load;

/// A part of the contract that is younger than its first release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Addition {
    /// Version that brought it.
    pub since: String,
    pub place: Place,
    /// Name of the tool, the resource or the prompt.
    pub name: String,
    /// Path of the field, such as `memories[].score`; empty for the whole.
    pub field: String,
}

/// What was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Tool,
    Resource,
    Prompt,
    Input,
    Output,
}

impl Place {
    /// Every place with its name in the SDKs.
    pub const ALL: [(&'static str, Self); 5] = [
        ("tool", Self::Tool),
        ("resource", Self::Resource),
        ("prompt", Self::Prompt),
        ("input", Self::Input),
        ("output", Self::Output),
    ];

    /// Returns the name in the SDKs.
    pub fn as_str(self) -> &'static str {
        name_of(&Self::ALL, &self)
    }
}

/// Lists the plain routes that are younger than the first release, each with
/// the version that brought it. No SDK misses one: SDKs call tools.
pub fn added_routes(contract: &Contract) -> Vec<(String, String)> {
    let routes = |contract: &Contract| -> Vec<String> {
        let routes = contract.routes.iter();
        routes
            .map(|route| format!("{} {}", name_of(&Method::ALL, &route.method), route.path))
            .collect()
    };
    let mut since: BTreeMap<String, String> = BTreeMap::new();
    let mut first = None;
    for release in &contract.releases {
        let Some(released) = load::of_release(&release.files) else {
            continue;
        };
        first.get_or_insert_with(|| release.version.to_string());
        for route in routes(&released) {
            let version = || release.version.to_string();
            since.entry(route).or_insert_with(version);
        }
    }
    let present = &contract.settings.version;
    let brought = routes(contract).into_iter().map(|route| {
        let version = since.get(&route).unwrap_or(present);
        (version.clone(), route)
    });
    brought
        .filter(|(version, _)| first.as_ref().unwrap_or(present) != version)
        .collect()
}

type Part = (Place, String, String);

/// Lists every addition, the oldest first.
pub fn additions(contract: &Contract) -> Vec<Addition> {
    let mut known: BTreeMap<Part, String> = BTreeMap::new();
    let mut first: Option<BTreeSet<Part>> = None;
    for release in &contract.releases {
        let Some(released) = load::of_release(&release.files) else {
            continue;
        };
        let parts = parts(&released);
        for part in &parts {
            let since = || release.version.to_string();
            known.entry(part.clone()).or_insert_with(since);
        }
        first.get_or_insert(parts);
    }
    let present = parts(contract);
    let first = first.as_ref().unwrap_or(&present);
    let is_new = |part: &Part| present.contains(part) && !first.contains(part);
    let mut additions: Vec<Addition> = present
        .iter()
        // What came with its tool or its object is said by that one.
        .filter(|part| is_new(part) && !around(part).iter().any(is_new))
        .map(|part| Addition {
            since: known
                .get(part)
                .unwrap_or(&contract.settings.version)
                .clone(),
            place: part.0,
            name: part.1.clone(),
            field: part.2.clone(),
        })
        .collect();
    additions.sort_by_key(|addition| {
        let mut numbers = addition
            .since
            .split('.')
            .map(|part| part.parse::<u64>().ok());
        let version = [numbers.next(), numbers.next(), numbers.next()];
        (version, addition.clone())
    });
    additions
}

fn parts(contract: &Contract) -> BTreeSet<Part> {
    let mut parts = BTreeSet::new();
    for tool in contract.tools.values() {
        parts.insert((Place::Tool, tool.name.clone(), String::new()));
        for (place, schema) in [(Place::Input, &tool.input), (Place::Output, &tool.output)] {
            let mut add = |field: String| {
                parts.insert((place, tool.name.clone(), field));
            };
            fields(contract, schema, "", &mut add);
        }
    }
    for resource in &contract.resources {
        let name = &resource.name;
        parts.insert((Place::Resource, name.clone(), String::new()));
        if let Some(shape) = contract.shapes.get(&resource.shape) {
            fields(contract, shape, "", &mut |field| {
                parts.insert((Place::Resource, name.clone(), field));
            });
        }
    }
    for prompt in &contract.prompts {
        parts.insert((Place::Prompt, prompt.name.clone(), String::new()));
        for argument in &prompt.arguments {
            parts.insert((Place::Prompt, prompt.name.clone(), argument.name.clone()));
        }
    }
    parts
}

fn fields(contract: &Contract, schema: &Schema, above: &str, add: &mut dyn FnMut(String)) {
    match &contract.resolve(schema).form {
        Form::Object { properties, .. } => {
            for property in properties {
                let dot = if above.is_empty() { "" } else { "." };
                let path = format!("{above}{dot}{}", property.name);
                add(path.clone());
                fields(contract, &property.schema, &path, add);
            }
        }
        Form::Array { items, .. } => fields(contract, items, &format!("{above}[]"), add),
        Form::Tagged { variants, .. } => {
            for variant in variants {
                fields(contract, variant, above, add);
            }
        }
        Form::String { .. }
        | Form::Enum { .. }
        | Form::Integer { .. }
        | Form::Number { .. }
        | Form::Boolean
        | Form::Shape(_) => {}
    }
}

/// Returns every part that this one stands in.
fn around((place, name, field): &Part) -> Vec<Part> {
    let mut around = Vec::new();
    match place {
        Place::Input | Place::Output => {
            around.push((Place::Tool, name.clone(), String::new()));
        }
        Place::Resource | Place::Prompt if !field.is_empty() => {
            around.push((*place, name.clone(), String::new()));
        }
        Place::Tool | Place::Resource | Place::Prompt => {}
    }
    let mut rest = field.as_str();
    while let Some((before, _)) = rest.rsplit_once('.') {
        around.push((
            *place,
            name.clone(),
            before.trim_end_matches("[]").to_owned(),
        ));
        rest = before;
    }
    around
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn repository() -> Contract {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package
            .parent()
            .expect("the package lies in the repository");
        let loaded = load::load(root).expect("the schema is there");
        loaded.contract.expect("the contract is whole")
    }

    #[test]
    fn every_release_can_still_be_read() {
        let contract = repository();
        assert!(contract.releases.len() >= 2);
        for release in &contract.releases {
            let read = load::of_release(&release.files);
            let version = read.map(|contract| contract.settings.version);
            assert_eq!(version, Some(release.version.to_string()));
        }
    }

    #[test]
    fn the_session_came_with_the_first_minor() {
        let found = additions(&repository());
        let of_minor: Vec<(&str, &str, &str)> = found
            .iter()
            .filter(|addition| addition.since == "2.1.0" && addition.place == Place::Output)
            .map(|addition| {
                let place = addition.place.as_str();
                (place, addition.name.as_str(), addition.field.as_str())
            })
            .collect();
        let session =
            ["build_context", "recall", "remember"].map(|tool| ("output", tool, "session"));
        assert_eq!(of_minor, session);
    }

    #[test]
    fn the_route_that_erases_came_with_the_second_minor() {
        let erase = ("2.2.0".to_owned(), "POST /api/memories/erase".to_owned());
        assert_eq!(added_routes(&repository()).first(), Some(&erase));
    }

    #[test]
    fn nothing_is_said_twice() {
        let found = additions(&repository());
        for addition in &found {
            let part = (
                addition.place,
                addition.name.clone(),
                addition.field.clone(),
            );
            for outer in around(&part) {
                let says = |other: &Addition| {
                    (other.place, other.name.clone(), other.field.clone()) == outer
                };
                assert!(!found.iter().any(says), "{addition:?} stands in {outer:?}");
            }
        }
        assert!(found.iter().all(|addition| addition.since != "2.0.0"));
    }
}
