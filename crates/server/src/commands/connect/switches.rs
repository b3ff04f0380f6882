//! Where a client keeps what is switched off, besides the entry itself.

use std::path::Path;

use serde_json::Value;

use super::clients::{self, Client, Format};
use super::present::Place;
use super::surroundings::Surroundings;
use super::{files, json};

/// Returns the names that are switched off for a place, and those that alone
/// are on, where somebody said so.
pub fn of(client: &Client, place: Place, at: &Surroundings) -> Switches {
    let mut found = Switches::default();
    match client.id {
        // https://code.claude.com/docs/en/settings: disabledMcpjsonServers for
        // those of .mcp.json. What /mcp switches off lies in the file of the
        // person, by folder.
        clients::WITH_HOOKS => {
            let own = (client.user)(at);
            let here = ["projects", at.project.as_str()];
            found
                .off
                .extend(names(own.as_deref(), &here, "disabledMcpServers"));
            if place == Place::Project {
                found.off.extend(names(own.as_deref(), &here, OF_PROJECT));
                for path in clients::all_hooks(at) {
                    found.off.extend(names(Some(&path), &[], OF_PROJECT));
                }
            }
        }
        // docs/tools/mcp-server.md of google-gemini/gemini-cli.
        "gemini-cli" => {
            let path = match (place, client.project) {
                (Place::Project, Some(parts)) => Some(at.in_project(parts)),
                (Place::User | Place::Project | Place::Local, _) => (client.user)(at),
            };
            found
                .off
                .extend(names(path.as_deref(), &["mcp"], "excluded"));
            let only = names(path.as_deref(), &["mcp"], "allowed");
            found.only = (!only.is_empty()).then_some(only);
        }
        _ => {}
    }
    found
}

const OF_PROJECT: &str = "disabledMcpjsonServers";

/// What is switched off at a place.
#[derive(Default)]
pub struct Switches {
    off: Vec<String>,
    only: Option<Vec<String>>,
}

impl Switches {
    /// Whether a server of this name is off.
    pub fn are_off(&self, name: &str) -> bool {
        let name = name.to_owned();
        self.off.contains(&name) || self.only.as_ref().is_some_and(|only| !only.contains(&name))
    }
}

/// Returns the file in which all hooks are switched off, if there is one.
pub fn no_hooks(at: &Surroundings) -> Option<String> {
    let mut files = clients::all_hooks(at).into_iter();
    files.find(|path| field(Some(path), &[], "disableAllHooks") == Some(Value::Bool(true)))
}

fn names(path: Option<&str>, keys: &[&str], name: &str) -> Vec<String> {
    let list = field(path, keys, name);
    let items = list.as_ref().and_then(Value::as_array);
    let texts = items.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// Returns a field; nothing where it cannot be read.
fn field(path: Option<&str>, keys: &[&str], name: &str) -> Option<Value> {
    let text = files::read(Path::new(path?), Format::Json).ok()?.text?;
    let fields = json::object(&text, keys).ok()?.into_iter();
    let mut found = fields.filter(|(key, _)| key == name);
    found.next().map(|(_, value)| value)
}
