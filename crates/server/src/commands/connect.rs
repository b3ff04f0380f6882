//! `zero-memory connect`: puts this program into the settings of a client, or
//! shows what that would be. Without `--write` nothing is changed.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use contract::constants::SERVER_NAME;

use super::{DONE, print};
use crate::cli::Place;
use crate::say;

mod clients;
mod entry;
mod files;
mod hooks;
mod json;
mod listing;
mod masked;
mod shown;
mod surroundings;
mod token;
mod toml;

#[cfg(test)]
mod tests;

use clients::{CLIENTS, Client, Format, WITH_HOOKS};
use entry::Reach;
use files::Settings;
use surroundings::Surroundings;
use token::{address, known_token, old_token, told_token};

/// Where a server listens unless told otherwise.
const USUAL_URL: &str = "http://127.0.0.1:8787/mcp";

/// What the command takes.
#[derive(Args)]
pub struct Arguments {
    /// Client to connect; without one, all are listed.
    #[arg(value_parser = PossibleValuesParser::new(CLIENTS.iter().map(|client| client.id)))]
    pub client: Option<String>,
    /// Do it; without this nothing is changed.
    #[arg(long, requires = "client", conflicts_with = "print")]
    pub write: bool,
    /// Take away what was put there, and nothing else.
    #[arg(long, requires = "client", conflicts_with = "print")]
    pub remove: bool,
    /// Print what to paste into the settings of any client.
    #[arg(long)]
    pub print: bool,
    /// Also set Claude Code's hooks, which brief every session; with --remove,
    /// take only them away.
    #[arg(long, requires = "client")]
    pub hooks: bool,
    /// Settings of yours, or those of the project in this folder.
    #[arg(long, value_enum, default_value = "user")]
    pub scope: Scope,
    /// Have the client call a server that runs, in place of starting one.
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = USUAL_URL)]
    pub url: Option<String>,
    /// Where the token goes, with --url: into the file, or into the variable
    /// ZERO_MEMORY_TOKEN that the file names; file for settings of yours and
    /// env for a project when absent.
    #[arg(long, value_enum, requires = "url")]
    pub token_in: Option<TokenIn>,
    /// Name of the server in the settings.
    #[arg(long, default_value = SERVER_NAME)]
    pub name: String,
    /// Program that the client starts; this one by its full path when absent.
    #[arg(long, value_name = "PROGRAM")]
    pub command: Option<String>,
    /// Which folder.
    #[command(flatten)]
    pub place: Place,
    /// Print one JSON document; of the list only.
    #[arg(long, conflicts_with_all = ["client", "print"])]
    pub json: bool,
}

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// Those of a person, for every project.
    User,
    /// Those of the project in this folder.
    Project,
}

/// Where the token goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TokenIn {
    /// Into the settings; nobody else may read them then.
    File,
    /// Into a variable of the environment that the client is started with.
    Env,
}

/// What a file becomes.
struct Change {
    old: Settings,
    new: String,
    holds_token: bool,
    /// Our token in the old text; the copy of it does without.
    old_token: Option<String>,
    format: Format,
    /// What may be shown of it.
    words: Vec<String>,
}

/// Connects, or shows what that would be; returns the exit code.
pub fn run(arguments: Arguments) -> Result<u8> {
    let folder = std::env::current_dir().context("this folder cannot be read")?;
    let project = folder
        .to_str()
        .context("the name of this folder is no UTF-8")?;
    let at = Surroundings::here(project.to_owned());
    let client = arguments
        .client
        .as_deref()
        .and_then(|id| CLIENTS.iter().find(|client| client.id == id));
    let Some(client) = client else {
        if arguments.print {
            return shown::any(&arguments, &at);
        }
        return listing::list(&at, arguments.json);
    };
    if arguments.hooks && client.id != WITH_HOOKS {
        bail!("{} has no hooks of ours: leave --hooks away", client.title);
    }
    if arguments.print {
        return shown::one(client, &arguments, &at);
    }
    let changes = planned(client, &arguments, &at)?;
    if changes.iter().all(is_same) {
        print("nothing to do: it is so already")?;
        return Ok(DONE);
    }
    for change in changes.iter().filter(|change| !is_same(change)) {
        let path = change.old.path.display();
        if !arguments.write {
            print(&format!("would change {path}:"))?;
            print(&shown::difference(change))?;
            continue;
        }
        warn(change, arguments.scope);
        let old_token = change.old_token.as_deref();
        let copy = files::replace(&change.old, &change.new, change.holds_token, old_token)?;
        print(&format!("changed {path}"))?;
        if let Some(copy) = copy {
            let but = old_token.map_or("", |_| ", but for the token");
            print(&format!("what it was is in {}{but}", copy.display()))?;
        }
    }
    let holds_token = changes.iter().any(|change| change.holds_token);
    if arguments.url.is_some() && !arguments.remove && !holds_token {
        told_token(client.title, &arguments)?;
    }
    if arguments.write {
        say(&format!("now {}", client.after));
    } else {
        say("Nothing was changed. Pass --write to do it.");
    }
    Ok(DONE)
}

/// Says where a token goes before it does.
fn warn(change: &Change, scope: Scope) {
    if !change.holds_token {
        return;
    }
    let path = &change.old.path;
    let rights = if files::is_open_to_others(path) {
        "others could read the file; now only you can"
    } else {
        "only you can read the file"
    };
    say(&format!(
        "the token of the server goes into {}: {rights}",
        path.display()
    ));
    if scope == Scope::Project {
        say("it is a file of the project: do not commit it");
    }
}

fn is_same(change: &Change) -> bool {
    match &change.old.text {
        Some(text) => *text == change.new,
        None => change.new.is_empty(),
    }
}

/// Returns what every file becomes; all are read before any is written.
fn planned(client: &Client, arguments: &Arguments, at: &Surroundings) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    let only_hooks = arguments.remove && arguments.hooks;
    if !only_hooks {
        let settings = files::read(Path::new(&place(client, arguments.scope, at)?))?;
        let spelled = if arguments.remove {
            None
        } else {
            Some(entry::of(client, &reach(client, arguments, at)?)?)
        };
        let new = edited(client, &settings, &arguments.name, spelled.as_ref())
            .with_context(|| untouched(&settings.path))?;
        let known = match &spelled {
            Some(entry) => entry.words(),
            None => entry::of(client, &started(arguments, at)?)?.words(),
        };
        changes.push(Change {
            old_token: old_token(client, &settings, &arguments.name),
            old: settings,
            new,
            holds_token: spelled.is_some_and(|entry| entry.holds_token),
            format: client.format,
            words: known,
        });
    }
    if client.id == WITH_HOOKS && (arguments.hooks || arguments.remove) {
        let settings = files::read(Path::new(&hooks_place(arguments.scope, at)?))?;
        let new =
            edited_hooks(&settings, arguments, at).with_context(|| untouched(&settings.path))?;
        let (program, data) = (program(arguments)?, data(arguments, at)?);
        changes.push(Change {
            old_token: None,
            old: settings,
            new,
            holds_token: false,
            format: Format::Json,
            words: hooks::words(|event| {
                hooks::command(at.system, &program, event, data.as_deref())
            }),
        });
    }
    Ok(changes)
}

fn untouched(path: &Path) -> String {
    format!(
        "{} was left as it is: mend it by hand, or paste what --print shows",
        path.display()
    )
}

fn edited(
    client: &Client,
    settings: &Settings,
    name: &str,
    entry: Option<&entry::Entry>,
) -> Result<String> {
    let Some(entry) = entry else {
        return match (&settings.text, client.format) {
            (None, _) => Ok(String::new()),
            (Some(text), Format::Json) => json::take(text, client.servers, name),
            (Some(text), Format::Toml) => toml::take(text, client.servers, name),
        };
    };
    let text = settings.text.as_deref().unwrap_or_default();
    match client.format {
        Format::Json => json::put(text, client.servers, name, entry),
        Format::Toml => toml::put(text, client.servers, name, entry),
    }
}

fn edited_hooks(settings: &Settings, arguments: &Arguments, at: &Surroundings) -> Result<String> {
    if arguments.remove {
        return match &settings.text {
            None => Ok(String::new()),
            Some(text) => hooks::take(text),
        };
    }
    let program = program(arguments)?;
    let data = data(arguments, at)?;
    let text = settings.text.as_deref().unwrap_or_default();
    hooks::put(text, |event| {
        hooks::command(at.system, &program, event, data.as_deref())
    })
}

/// Returns where the settings lie.
fn place(client: &Client, scope: Scope, at: &Surroundings) -> Result<String> {
    match (scope, client.project) {
        (Scope::User, _) => (client.user)(at).context("there is no home folder: set HOME"),
        (Scope::Project, Some(parts)) => Ok(at.in_project(parts)),
        (Scope::Project, None) => bail!(
            "{} reads no settings in a project: leave --scope away",
            client.title
        ),
    }
}

fn hooks_place(scope: Scope, at: &Surroundings) -> Result<String> {
    match scope {
        Scope::User => clients::hooks_of_user(at).context("there is no home folder: set HOME"),
        Scope::Project => Ok(at.in_project(clients::HOOKS_OF_PROJECT)),
    }
}

/// Returns the program that a client starts.
fn program(arguments: &Arguments) -> Result<String> {
    if let Some(program) = &arguments.command {
        return Ok(program.clone());
    }
    let path = std::env::current_exe().context("the path of this program is unknown")?;
    let path = path
        .into_os_string()
        .into_string()
        .ok()
        .context("the path of this program is no UTF-8: pass --command")?;
    Ok(path)
}

/// Returns the data folder, if it is not the usual one: the client's own
/// environment need not name it.
fn data(arguments: &Arguments, at: &Surroundings) -> Result<Option<String>> {
    let Some(folder) = &arguments.place.data else {
        return Ok(None);
    };
    let folder = if folder.is_absolute() {
        folder.clone()
    } else {
        Path::new(&at.project).join(folder)
    };
    let text = folder.to_str().context("the data folder is no UTF-8")?;
    Ok(Some(text.to_owned()))
}

/// Returns how the client reaches the memory.
fn reach(client: &Client, arguments: &Arguments, at: &Surroundings) -> Result<Reach> {
    let Some(url) = &arguments.url else {
        return started(arguments, at);
    };
    let url = address(url)?;
    let token_in = arguments.token_in.unwrap_or(match arguments.scope {
        Scope::User => TokenIn::File,
        Scope::Project => TokenIn::Env,
    });
    let token = match token_in {
        TokenIn::Env => None,
        // Whoever takes no server over HTTP is refused before any token is
        // looked for.
        TokenIn::File if client.http.is_none() => None,
        TokenIn::File => Some(known_token(arguments)?),
    };
    Ok(Reach::Http { url, token })
}

/// Returns how a client starts the program.
fn started(arguments: &Arguments, at: &Surroundings) -> Result<Reach> {
    let mut words = vec!["stdio".to_owned()];
    if let Some(data) = data(arguments, at)? {
        words.extend(["--data".to_owned(), data]);
    }
    Ok(Reach::Stdio {
        program: program(arguments)?,
        arguments: words,
    })
}
