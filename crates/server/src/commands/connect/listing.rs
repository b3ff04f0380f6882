//! Lists every client: whether it is there, and whether it is connected.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use contract::constants::SERVER_NAME;
use serde_json::{Value, json as value};

use super::clients::{self, CLIENTS, Client, Format, WITH_HOOKS};
use super::present::{self, Ours, Place, Server};
use super::surroundings::{Surroundings, System};
use super::{USUAL_URL, files, hooks, json, switches, toml};
use crate::commands::table::{Table, columns};
use crate::commands::{DONE, print, print_json};
use crate::say;

/// What is known of a client here.
struct Found {
    client: &'static Client,
    is_installed: bool,
    user: Look,
    project: Option<Look>,
    /// Settings of the person for this project, where a client has such.
    local: Option<Look>,
    /// Files in which our hooks are; nothing where there are no hooks.
    hooks: Option<Vec<String>>,
    /// Those of them whose program is not there any more.
    hooks_gone: Vec<String>,
    /// What else of ours stands where one does already.
    more: Vec<Server>,
}

impl Found {
    fn tell_of_gone(&self) {
        let renews = |more: &str, look: &Look| {
            let other = look.name.as_deref().filter(|name| *name != SERVER_NAME);
            let name = other.map_or(String::new(), |name| format!(" --name {name}"));
            let id = self.client.id;
            format!("zero-memory connect {id}{more}{name} --write has this one started")
        };
        self.user.tell_of_gone(&renews("", &self.user));
        if let Some(look) = &self.project {
            look.tell_of_gone(&renews(" --scope project", look));
        }
        if let Some(look) = &self.local {
            let name = look.name.as_deref().unwrap_or_default();
            look.tell_of_gone(&format!(
                "claude mcp remove {name} --scope local takes it away"
            ));
        }
    }

    fn tell_of_gone_hooks(&self, at: &Surroundings) {
        for path in &self.hooks_gone {
            // Connecting writes the entry of the server as well, so the words
            // that it was written with are for the person to say.
            let renews = |scope: &str| {
                let id = self.client.id;
                format!(
                    "zero-memory connect {id} --hooks{scope} --write renews them, with the --url, --data, --name and --token-in that you connected with"
                )
            };
            let is_of_user = Some(path) == clients::hooks_of_user(at).as_ref();
            let way_out = if is_of_user {
                renews("")
            } else if *path == at.in_project(clients::HOOKS_OF_PROJECT) {
                renews(" --scope project")
            } else {
                "take them out by hand".to_owned()
            };
            say(&format!(
                "hooks in {path} start a program that is not there any more: {way_out}"
            ));
        }
    }
}

/// What stands at one place.
struct Look {
    path: Option<String>,
    /// `stdio` or `http` if we are there, `foreign` if another program has our
    /// name, `unreadable`, or `no`.
    state: &'static str,
    /// What we are called there.
    name: Option<String>,
    is_off: bool,
    /// Whether the program that would be started is not there any more.
    is_gone: bool,
}

impl Look {
    fn json(&self) -> Value {
        value!({ "path": self.path, "state": self.state, "name": self.name, "off": self.is_off, "gone": self.is_gone })
    }

    /// Returns it for a person.
    fn told(&self) -> String {
        let mut text = self.state.to_owned();
        if let Some(name) = self.name.as_deref().filter(|name| *name != SERVER_NAME) {
            text.push_str(&format!(" as {name}"));
        }
        if self.is_off {
            text.push_str(", off");
        }
        if self.is_gone {
            text.push_str(", gone");
        }
        text
    }

    /// Says that its program is not there any more, and the way out.
    fn tell_of_gone(&self, way_out: &str) {
        if self.is_gone {
            let path = self.path.as_deref().unwrap_or_default();
            let name = self.name.as_deref().unwrap_or_default();
            say(&format!(
                "{name} in {path} starts a program that is not there any more: {way_out}"
            ));
        }
    }
}

/// Lists every client: whether it is there, and whether it is connected.
pub fn list(at: &Surroundings, as_json: bool) -> Result<u8> {
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let ours = Ours {
        program: program.to_string_lossy().into_owned(),
        data: None,
        url: USUAL_URL.to_owned(),
    };
    let found: Vec<Found> = CLIENTS
        .iter()
        .map(|client| looked_at(client, at, &ours))
        .collect();
    if as_json {
        let clients: Vec<Value> = found
            .iter()
            .map(|found| {
                value!({
                    "client": found.client.id,
                    "title": found.client.title,
                    "installed": found.is_installed,
                    "user": found.user.json(),
                    "project": found.project.as_ref().map(Look::json),
                    "local": found.local.as_ref().map(Look::json),
                    "hooks": found.hooks.as_ref().map(|files| !files.is_empty()),
                    "hooks_in": found.hooks,
                    "hooks_gone": found.hooks.as_ref().map(|_| &found.hooks_gone),
                    "more": found.more.iter().map(named).collect::<Vec<Value>>(),
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
    let mut table = Table::whole(&heads);
    for found in &found {
        let yes = |is: bool| if is { "yes" } else { "no" };
        // What is for this folder alone counts before what the project says.
        let local = found.local.as_ref().filter(|look| look.state != "no");
        let project = match (local, &found.project) {
            (Some(local), _) => format!("{}, local", local.told()),
            (None, Some(project)) => project.told(),
            (None, None) => "-".to_owned(),
        };
        let hooks = match &found.hooks {
            None => "-",
            Some(_) if !found.hooks_gone.is_empty() => "yes, gone",
            Some(files) => yes(!files.is_empty()),
        };
        let path = found.user.path.as_deref().unwrap_or_default();
        table.add(&[
            found.client.id,
            yes(found.is_installed),
            &found.user.told(),
            &project,
            hooks,
            path,
        ]);
    }
    print(&table.render(columns()))?;
    for found in &found {
        found.tell_of_gone();
        found.tell_of_gone_hooks(at);
        for more in &found.more {
            say(&format!(
                "{} has it too, as {} ({})",
                more.path,
                more.name,
                more.way()
            ));
        }
        for path in found.hooks.iter().flatten() {
            say(&format!("hooks of {} are in {path}", found.client.title));
        }
    }
    if let Some(path) = switches::no_hooks(at) {
        say(&format!("{path} switches every hook off (disableAllHooks)"));
    }
    say("connect one with: zero-memory connect CLIENT --write");
    Ok(DONE)
}

fn named(server: &Server) -> Value {
    value!({ "path": server.path, "state": server.way(), "name": server.name, "off": server.is_off(), "gone": server.is_gone() })
}

fn looked_at(client: &'static Client, at: &Surroundings, ours: &Ours) -> Found {
    let user = look(client, Place::User, at, ours);
    let is_installed =
        has_traces(client, &user, at) || client.programs.iter().any(|program| on_path(program, at));
    let has_hooks = client.id == WITH_HOOKS;
    let project = client
        .project
        .map(|_| look(client, Place::Project, at, ours));
    let local = has_hooks.then(|| look(client, Place::Local, at, ours));
    let is_shown = |server: &Server| {
        let look = match server.place {
            Place::User => Some(&user),
            Place::Project => project.as_ref(),
            Place::Local => local.as_ref(),
        };
        look.is_some_and(|look| look.name.as_ref() == Some(&server.name))
    };
    let mut more = present::standing(client, at, ours);
    more.retain(|server| !is_shown(server));
    let hooks = has_hooks.then(|| files_with_hooks(at));
    let of_gone = |path: &&String| hooks_of(path).is_some_and(|text| hooks::are_gone(&text));
    Found {
        client,
        is_installed,
        user,
        project,
        local,
        more,
        hooks_gone: hooks.iter().flatten().filter(of_gone).cloned().collect(),
        hooks,
    }
}

/// Returns the files that have our hooks.
pub fn files_with_hooks(at: &Surroundings) -> Vec<String> {
    let files = clients::all_hooks(at).into_iter();
    files
        .filter(|path| {
            let text = hooks_of(path);
            text.is_some_and(|text| hooks::are_there(&text).unwrap_or(false))
        })
        .collect()
}

/// Returns what a file of hooks says, as far as it can be read.
fn hooks_of(path: &str) -> Option<String> {
    files::read(Path::new(path), Format::Json).ok()?.text
}

/// Looks for us at one place.
fn look(client: &Client, place: Place, at: &Surroundings, ours: &Ours) -> Look {
    let path = match (place, client.project) {
        (Place::Project, Some(parts)) => Some(at.in_project(parts)),
        (Place::Project, None) => None,
        (Place::User | Place::Local, _) => (client.user)(at),
    };
    let Ok(servers) = present::servers(client, place, at) else {
        return Look {
            path,
            state: "unreadable",
            name: None,
            is_off: false,
            is_gone: false,
        };
    };
    let is_named = |server: &&Server| server.name == SERVER_NAME;
    let named = servers.iter().find(is_named);
    let known = named.filter(|server| server.is_called_so_by_us(ours));
    let known = known.or_else(|| servers.iter().find(|server| server.is(ours)));
    Look {
        path,
        state: match (known, named) {
            (Some(known), _) => known.way(),
            (None, Some(_)) => "foreign",
            (None, None) => "no",
        },
        name: known.map(|server| server.name.clone()),
        is_off: known.is_some_and(Server::is_off),
        is_gone: known.is_some_and(Server::is_gone),
    }
}

/// Whether a client has written anything: its file, or into the folder of it
/// that no other program shares. What connecting alone has made is no trace.
fn has_traces(client: &Client, user: &Look, at: &Surroundings) -> bool {
    let Some(path) = user.path.as_deref().map(Path::new) else {
        return false;
    };
    if path.exists() && !is_ours_alone(client, path, user.name.as_deref()) {
        return true;
    }
    let home = at.home(&[]).map(PathBuf::from);
    let folder = path
        .parent()
        .filter(|folder| Some(*folder) != home.as_deref());
    let Some(entries) = folder.and_then(|folder| folder.read_dir().ok()) else {
        return false;
    };
    let ours = path.file_name().unwrap_or_default().to_string_lossy();
    let names = entries.flatten().map(|entry| entry.file_name());
    let names: Vec<_> = names.collect();
    // A folder that we had made would have our file in it.
    let is_copy = |name: &str| name.starts_with(&*ours);
    names.is_empty() || !names.iter().all(|name| is_copy(&name.to_string_lossy()))
}

/// Whether a file holds our entry and nothing besides.
fn is_ours_alone(client: &Client, path: &Path, name: Option<&str>) -> bool {
    let text = files::read(path, client.format)
        .ok()
        .and_then(|settings| settings.text);
    let left = text.and_then(|text| {
        let name = name.unwrap_or(SERVER_NAME);
        match client.format {
            Format::Json => json::takes(&text, client.servers, name).ok(),
            Format::Toml => toml::take(&text, client.servers, name)
                .ok()
                .map(|left| vec![left]),
        }
    });
    let left = left.and_then(|mut texts| texts.pop());
    left.is_some_and(|left| {
        let letters: String = left.split_whitespace().collect();
        ["", "{}"].contains(&letters.as_str())
    })
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
