//! What connecting makes of every file, before any is written.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::clients::{self, Client, Format, WITH_HOOKS};
use super::entry::{self, Reach};
use super::files::{self, Settings};
use super::neighbours::{may_touch, tell_of_old_hooks, tell_of_other_hooks, tell_of_others};
use super::present::{self, Ours, Server};
use super::renewal::as_before;
use super::surroundings::Surroundings;
use super::token::{address, known_token, old_tokens};
use super::{Arguments, Scope, TokenIn, USUAL_URL, hooks, json, layout, switches, toml};
use crate::say;

/// Bytes of a name: clients put it before the names of tools, and refuse what
/// gets longer than 60 or 64 then.
const NAME_BYTES: usize = 32;

/// What a file becomes.
pub struct Change {
    /// What it is.
    pub old: Settings,
    /// What it becomes.
    pub new: String,
    /// Whether a token of ours stands in it then.
    pub holds_token: bool,
    /// Words of the old text with our token; the copy has others.
    pub old_tokens: Vec<(String, String)>,
    /// How it is written.
    pub format: Format,
    /// What may be shown of it.
    pub words: Vec<String>,
}

impl Change {
    /// Whether nothing changes.
    pub fn is_same(&self) -> bool {
        self.old.text.as_deref().unwrap_or_default() == self.new
    }
}

/// Returns what every file becomes; all are read before any is written.
pub fn planned(client: &Client, arguments: &Arguments, at: &Surroundings) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    let only_hooks = arguments.remove && arguments.hooks;
    if !only_hooks {
        let path = place(client, arguments.scope, at)?;
        let settings = files::read(Path::new(&path), client.format)?;
        let ours = ours(arguments, at)?;
        let here = present::servers(client, arguments.scope.into(), at)
            .with_context(|| untouched(&settings.path))?;
        let spelled = if arguments.remove {
            None
        } else {
            let reach = reach(client, arguments, at)?;
            Some(entry::of(
                client,
                &as_before(reach, arguments, &here, &ours),
            )?)
        };
        let new = if may_touch(client, arguments, &here, &ours)? {
            edited(client, &settings, &arguments.name, spelled.as_ref())
                .with_context(|| untouched(&settings.path))?
        } else {
            settings.text.clone().unwrap_or_default()
        };
        tell_of_others(client, arguments, at, &ours, &settings.path);
        // What a person added is theirs to show.
        let usual = match arguments.remove {
            false => reach(client, arguments, at)?,
            true => started(arguments, at)?,
        };
        let known = entry::of(client, &usual)?.words();
        let is_new = settings.text.as_deref().unwrap_or_default() != new;
        if is_new && arguments.scope == Scope::Project && !arguments.remove {
            tell_of_paths(&settings.path, &usual);
        }
        changes.push(Change {
            old_tokens: tokens_of_ours(client, &settings, &here, &ours),
            old: settings,
            new,
            holds_token: spelled.is_some_and(|entry| entry.holds_token),
            format: client.format,
            words: known,
        });
    }
    if client.id == WITH_HOOKS && (arguments.hooks || arguments.remove) {
        let path = hooks_place(arguments.scope, at)?;
        let settings = files::read(Path::new(&path), Format::Json)?;
        let new =
            edited_hooks(&settings, arguments, at).with_context(|| untouched(&settings.path))?;
        tell_of_other_hooks(at, &settings.path);
        let (program, data) = (program(arguments)?, data(arguments, at)?);
        changes.push(Change {
            old_tokens: Vec::new(),
            old: settings,
            new,
            holds_token: false,
            format: Format::Json,
            words: hooks::words(|event| {
                hooks::command(at.system, &program, event, data.as_deref())
            }),
        });
    }
    if client.id == WITH_HOOKS && !arguments.hooks && !arguments.remove {
        tell_of_old_hooks(client, arguments, at)?;
    }
    for change in changes.iter().filter(|change| !change.is_same()) {
        files::may_be_changed(&change.old)?;
    }
    Ok(changes)
}

/// Says which paths of this machine go into a file that people commit, and how
/// it is spelled for everybody.
fn tell_of_paths(file: &Path, reach: &Reach) {
    let Reach::Stdio { program, arguments } = reach else {
        return;
    };
    let has_folder = arguments.iter().any(|word| word == "--data");
    let (what, way_out) = match (Path::new(program).is_absolute(), has_folder) {
        (true, true) => (
            "the program and the data folder by their paths",
            "pass --command zero-memory and name no data folder",
        ),
        (true, false) => ("the program by its path", "pass --command zero-memory"),
        (false, true) => ("the data folder by its path", "name no data folder"),
        (false, false) => return,
    };
    say(&format!(
        "{} names {what} on this machine: where others use that file, {way_out}",
        file.display()
    ));
}

/// Refuses a new name that some client does not take: tools are called by it.
pub fn assert_name(name: &str) -> Result<()> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if name.len() > NAME_BYTES || !name.chars().all(is_plain) {
        bail!(
            "some clients take no server of this name: --name is made of letters, digits, - and _, of {NAME_BYTES} at most"
        );
    }
    Ok(())
}

/// Returns the words that hold a token in any entry of ours: a copy is one of
/// the whole file.
fn tokens_of_ours(
    client: &Client,
    settings: &Settings,
    here: &[Server],
    ours: &Ours,
) -> Vec<(String, String)> {
    let all = here.iter().filter(|server| server.is_called_so_by_us(ours));
    all.flat_map(|server| old_tokens(client, settings, &server.name))
        .collect()
}

/// Returns how ours is known.
pub fn ours(arguments: &Arguments, at: &Surroundings) -> Result<Ours> {
    let url = arguments.url.as_deref().unwrap_or(USUAL_URL);
    Ok(Ours {
        program: program(arguments)?,
        data: data(arguments, at)?,
        url: address(url)?,
    })
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
        let Some(text) = &settings.text else {
            return Ok(String::new());
        };
        // What is put in goes again, so it may be anything.
        let reach = Reach::Stdio {
            program: String::new(),
            arguments: Vec::new(),
        };
        let any = entry::of(client, &reach)?;
        return layout::of_before(
            client.format,
            &settings.path,
            text,
            |text| takes(client, text, name),
            |copy| put(client, copy, name, &any),
        );
    };
    put(
        client,
        settings.text.as_deref().unwrap_or_default(),
        name,
        entry,
    )
}

fn put(client: &Client, text: &str, name: &str, entry: &entry::Entry) -> Result<String> {
    match client.format {
        Format::Json => json::put(text, client.servers, name, entry),
        Format::Toml => toml::put(text, client.servers, name, entry),
    }
}

fn takes(client: &Client, text: &str, name: &str) -> Result<Vec<String>> {
    match client.format {
        Format::Json => json::takes(text, client.servers, name),
        Format::Toml => Ok(vec![toml::take(text, client.servers, name)?]),
    }
}

fn edited_hooks(settings: &Settings, arguments: &Arguments, at: &Surroundings) -> Result<String> {
    if let Some(text) = &settings.text
        && hooks::are_among(text)?
    {
        say(&format!(
            "a line of your own in {} runs zero-memory hook too, and was left alone: change it by hand if you do not want it",
            settings.path.display()
        ));
    }
    if arguments.remove {
        return match &settings.text {
            None => Ok(String::new()),
            Some(text) => {
                let any = |event| hooks::command(at.system, "zero-memory", event, None);
                let (path, format) = (&settings.path, Format::Json);
                layout::of_before(format, path, text, hooks::takes, |copy| {
                    hooks::put(copy, any)
                })
            }
        };
    }
    let program = program(arguments)?;
    let data = data(arguments, at)?;
    let text = settings.text.as_deref().unwrap_or_default();
    let wanted = |event| hooks::command(at.system, &program, event, data.as_deref());
    if let Some(folder) = hooks::folder_left(text, wanted)? {
        let now = data.as_deref().unwrap_or("the usual folder");
        say(&format!(
            "the hooks in {} led to the memory in {folder} and lead to {now} now: --data names another one",
            settings.path.display()
        ));
    }
    if let Some(path) = switches::no_hooks(at) {
        say(&format!("{path} switches every hook off (disableAllHooks)"));
    }
    hooks::put(text, wanted)
}

/// Returns where the settings lie.
pub fn place(client: &Client, scope: Scope, at: &Surroundings) -> Result<String> {
    match (scope, client.project) {
        (Scope::User, _) => {
            (client.user)(at).context("there is no home folder: set HOME to its full path")
        }
        (Scope::Project, Some(parts)) => Ok(at.in_project(parts)),
        (Scope::Project, None) => bail!(
            "{} reads no settings in a project: leave --scope away",
            client.title
        ),
    }
}

/// Returns where the hooks lie.
pub fn hooks_place(scope: Scope, at: &Surroundings) -> Result<String> {
    match scope {
        Scope::User => {
            clients::hooks_of_user(at).context("there is no home folder: set HOME to its full path")
        }
        Scope::Project => Ok(at.in_project(clients::HOOKS_OF_PROJECT)),
    }
}

/// Returns the program that a client starts.
pub fn program(arguments: &Arguments) -> Result<String> {
    if let Some(program) = &arguments.command {
        return Ok(program.clone());
    }
    let path = std::env::current_exe().context("the path of this program is unknown")?;
    let path = as_called(&path).unwrap_or(path);
    let path = path
        .into_os_string()
        .into_string()
        .ok()
        .context("the path of this program is no UTF-8: pass --command")?;
    Ok(path)
}

/// Returns the path by which this program was called, if it leads to it: a link
/// outlives an upgrade that the file behind it does not.
fn as_called(program: &Path) -> Option<PathBuf> {
    let name = PathBuf::from(std::env::args_os().next()?);
    let here = std::env::current_dir().ok()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = match name.components().count() {
        1 => std::env::split_paths(&path)
            .map(|folder| here.join(folder).join(&name))
            .collect(),
        _ => vec![here.join(&name)],
    };
    let program = std::fs::canonicalize(program).ok()?;
    let leads = |place: &PathBuf| std::fs::canonicalize(place).is_ok_and(|real| real == program);
    places.iter().map(|place| files::plain(place)).find(leads)
}

/// Returns the data folder, if it is not the usual one: the client's own
/// environment need not name it.
pub fn data(arguments: &Arguments, at: &Surroundings) -> Result<Option<String>> {
    let Some(folder) = &arguments.place.data else {
        return Ok(None);
    };
    let folder = files::plain(&Path::new(&at.project).join(folder));
    let text = folder.to_str().context("the data folder is no UTF-8")?;
    Ok(Some(text.to_owned()))
}

/// Returns how the client reaches the memory.
pub fn reach(client: &Client, arguments: &Arguments, at: &Surroundings) -> Result<Reach> {
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
        TokenIn::File => Some(known_token(arguments, &url)?),
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
