//! Lists every client: whether it is there, and whether it is connected.

use std::path::{Path, PathBuf};

use anyhow::Result;
use contract::constants::SERVER_NAME;
use serde_json::{Value, json as value};

use super::clients::{self, CLIENTS, Client, Format, WITH_HOOKS};
use super::surroundings::{Surroundings, System};
use super::{files, hooks, json, toml};
use crate::commands::table::{Table, columns};
use crate::commands::{DONE, print, print_json};
use crate::say;

/// What is known of a client here.
struct Found {
    client: &'static Client,
    is_installed: bool,
    user: (Option<String>, &'static str),
    project: Option<(String, &'static str)>,
    hooks: Option<bool>,
}

/// Lists every client: whether it is there, and whether it is connected.
pub fn list(at: &Surroundings, as_json: bool) -> Result<u8> {
    let found: Vec<Found> = CLIENTS.iter().map(|client| looked_at(client, at)).collect();
    if as_json {
        let clients: Vec<Value> = found
            .iter()
            .map(|found| {
                value!({
                    "client": found.client.id,
                    "title": found.client.title,
                    "installed": found.is_installed,
                    "user": { "path": found.user.0, "state": found.user.1 },
                    "project": found.project.as_ref().map(|(path, state)| value!({ "path": path, "state": state })),
                    "hooks": found.hooks,
                })
            })
            .collect();
        print_json(&value!({ "clients": clients }))?;
        return Ok(DONE);
    }
    let heads = [
        "CLIENT",
        "INSTALLED",
        "CONNECTED",
        "PROJECT",
        "HOOKS",
        "SETTINGS",
    ];
    let mut table = Table::new(&heads, 4);
    for found in &found {
        let yes = |is: bool| if is { "yes" } else { "no" };
        let project = found.project.as_ref().map_or("-", |(_, state)| *state);
        let path = found.user.0.as_deref().unwrap_or_default();
        table.add(&[
            found.client.id,
            yes(found.is_installed),
            found.user.1,
            project,
            found.hooks.map_or("-", yes),
            path,
        ]);
    }
    print(&table.render(columns()))?;
    say("connect one with: zero-memory connect CLIENT --write");
    Ok(DONE)
}

fn looked_at(client: &'static Client, at: &Surroundings) -> Found {
    let user = (client.user)(at);
    let user_state = user.as_deref().map_or("no", |path| state(client, path));
    let project = client.project.map(|parts| {
        let path = at.in_project(parts);
        let state = state(client, &path);
        (path, state)
    });
    let hooks = (client.id == WITH_HOOKS).then(|| {
        let path = clients::hooks_of_user(at).map(PathBuf::from);
        let text = path
            .and_then(|path| files::read(&path).ok())
            .and_then(|settings| settings.text);
        text.is_some_and(|text| hooks::are_there(&text).unwrap_or(false))
    });
    let is_installed = user.as_deref().is_some_and(|path| has_traces(path, at))
        || client.programs.iter().any(|program| on_path(program, at));
    Found {
        client,
        is_installed,
        user: (user, user_state),
        project,
        hooks,
    }
}

/// Whether a client has written anything: its file, or the folder of it that
/// no other program shares.
fn has_traces(path: &str, at: &Surroundings) -> bool {
    let path = Path::new(path);
    let home = at.home(&[]).map(PathBuf::from);
    path.exists()
        || path
            .parent()
            .is_some_and(|folder| Some(folder) != home.as_deref() && folder.is_dir())
}

fn on_path(program: &str, at: &Surroundings) -> bool {
    let Some(path) = at.variable("PATH") else {
        return false;
    };
    let endings: &[&str] = match at.system {
        System::Windows => &[".exe", ".cmd", ".bat"],
        System::Linux | System::Mac => &[""],
    };
    std::env::split_paths(path).any(|folder| {
        endings
            .iter()
            .any(|ending| folder.join(format!("{program}{ending}")).is_file())
    })
}

/// Says how a file has us.
fn state(client: &Client, path: &str) -> &'static str {
    let Ok(settings) = files::read(Path::new(path)) else {
        return "unreadable";
    };
    let Some(text) = settings.text else {
        return "no";
    };
    let keys = match client.format {
        Format::Json => json::keys(&text, client.servers, SERVER_NAME),
        Format::Toml => toml::keys(&text, client.servers, SERVER_NAME),
    };
    match keys {
        Err(_) => "unreadable",
        Ok(None) => "no",
        Ok(Some(keys)) if keys.iter().any(|key| key == "command") => "stdio",
        Ok(Some(_)) => "http",
    }
}
