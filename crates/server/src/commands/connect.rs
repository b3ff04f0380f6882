//! `zero-memory connect`: puts this program into the settings of a client, or
//! shows what that would be. Without `--write` nothing is changed.

use anyhow::{Context as _, Result, bail};
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::{Args, ValueEnum};
use contract::constants::SERVER_NAME;

use super::{DONE, print};
use crate::cli::Place;
use crate::say;

mod clients;
mod cut;
mod entry;
mod files;
mod halves;
mod hooks;
mod json;
mod layout;
mod listing;
mod masked;
mod neighbours;
mod plan;
mod present;
mod renewal;
mod shown;
mod surroundings;
mod switches;
mod token;
mod toml;

#[cfg(test)]
mod tests;

use clients::{CLIENTS, WITH_HOOKS};
use plan::Change;
use surroundings::Surroundings;
use token::told_token;

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
    #[arg(long, default_value = SERVER_NAME, value_parser = NonEmptyStringValueParser::new())]
    pub name: String,
    /// Program that the client starts; this one by its full path when absent.
    #[arg(long, value_name = "PROGRAM", value_parser = NonEmptyStringValueParser::new())]
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
    let changes = plan::planned(client, &arguments, &at)?;
    if changes.iter().all(Change::is_same) {
        print("nothing to do: it is so already")?;
        return Ok(DONE);
    }
    for change in changes.iter().filter(|change| !change.is_same()) {
        let path = change.old.path.display();
        if !arguments.write {
            print(&format!("would change {path}:"))?;
            print(&shown::difference(change))?;
            continue;
        }
        warn(change, arguments.scope);
        let copy = files::replace(&change.old, &change.new, change.holds_token, |text| {
            masked::replaced(text, change.format, &change.old_tokens)
        })?;
        print(&format!("changed {path}"))?;
        if let Some(copy) = copy {
            let but = match change.old_tokens.as_slice() {
                [] => "",
                [..] => ", but for the token",
            };
            print(&format!("what it was is in {}{but}", copy.display()))?;
        }
    }
    let holds_token = changes.iter().any(|change| change.holds_token);
    if arguments.url.is_some() && !arguments.remove && !holds_token {
        told_token(client.title, &arguments);
    }
    if arguments.url.is_some() && arguments.hooks && !arguments.remove {
        say(
            "hooks read the data folder of this machine, whatever server the tools call: --data names another one",
        );
    }
    if arguments.write && arguments.remove {
        say(&format!(
            "{} lets go of it when it is started again",
            client.title
        ));
    } else if arguments.write {
        say(&format!("now {}", client.after));
    } else {
        say("Nothing was changed. Pass --write to do it.");
    }
    Ok(DONE)
}

/// Says what else comes of a change, before it is made: where a token goes,
/// and what keeps the old text. No list of what git leaves out knows our copies.
fn warn(change: &Change, scope: Scope) {
    let path = &change.old.path;
    if files::has_other_names(path) {
        say(&format!(
            "{} has other names (hard links): what they lead to stays as it was",
            path.display()
        ));
    }
    if scope == Scope::Project && change.old.text.is_some() {
        say(&format!(
            "the copy beside {} lies in the folder of the project and holds what the file held: do not commit it unless the file is committed",
            path.display()
        ));
    }
    if !change.holds_token {
        return;
    }
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
