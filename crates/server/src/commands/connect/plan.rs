//! What connecting makes of every file, before any is written.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::clients::{self, Client, Format, WITH_HOOKS};
use super::entry::{self, Reach};
use super::files::{self, Settings};
use super::present::{self, Ours, Place, Server};
use super::renewal::as_before;
use super::surroundings::Surroundings;
use super::token::{address, known_token, old_tokens};
use super::{Arguments, Scope, TokenIn, USUAL_URL, hooks, json, layout, listing, switches, toml};
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
        let settings = files::read(Path::new(&place(client, arguments.scope, at)?))?;
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
        let settings = files::read(Path::new(&hooks_place(arguments.scope, at)?))?;
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
        tell_of_old_hooks(arguments, at)?;
    }
    for change in changes.iter().filter(|change| !change.is_same()) {
        files::may_be_changed(&change.old)?;
    }
    Ok(changes)
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

/// Says which hooks would be other ones if they were set now, such as those of
/// a program that was moved since.
fn tell_of_old_hooks(arguments: &Arguments, at: &Surroundings) -> Result<()> {
    let (program, data) = (program(arguments)?, data(arguments, at)?);
    for path in listing::files_with_hooks(at) {
        let text = files::read(Path::new(&path))?.text.unwrap_or_default();
        let renewed = hooks::put(&text, |event| {
            hooks::command(at.system, &program, event, data.as_deref())
        });
        if renewed.is_ok_and(|renewed| renewed != text) {
            say(&format!(
                "the hooks in {path} run another program, or lead to another folder: --hooks renews them"
            ));
        }
    }
    Ok(())
}

/// Says which other files have our hooks: a session runs those of all.
fn tell_of_other_hooks(at: &Surroundings, path: &Path) {
    let files = listing::files_with_hooks(at).into_iter();
    for other in files.filter(|other| Path::new(other) != path) {
        say(&format!("{other} has hooks of ours, too"));
    }
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

/// Whether the entry of our name may be changed. Another program's is not ours
/// to replace, and a second one of ours would answer everything twice.
fn may_touch(client: &Client, arguments: &Arguments, here: &[Server], ours: &Ours) -> Result<bool> {
    let name = &arguments.name;
    let named = here.iter().find(|server| server.name == *name);
    let twin = here
        .iter()
        .find(|server| server.name != *name && server.is_twin(ours));
    let left = named.and_then(|named| named.folder_left(ours));
    if let Some(folder) = left.filter(|_| !arguments.remove && arguments.url.is_none()) {
        let now = ours.data.as_deref().unwrap_or("the usual folder");
        say(&format!(
            "{name} led to the memory in {folder} and leads to {now} now: --data names another one"
        ));
    }
    let is_renewed = |named: &&Server| {
        !arguments.remove && named.is_called_so_by_us(ours) && !named.is_wrapped(ours)
    };
    let goes = named
        .filter(is_renewed)
        .and_then(|named| Some((named.goes(ours, arguments.url.is_some())?, named)));
    if let Some((goes, named)) = goes {
        say(&format!(
            "{goes} of {name} in {} go with the way it was reached; the copy keeps them",
            named.path
        ));
    }
    match (named, twin) {
        (Some(named), _) if !named.is_called_so_by_us(ours) || named.is_wrapped(ours) => {
            let what = match named.way() {
                _ if named.is_wrapped(ours) => "is started by another program",
                "http" => "calls another server",
                _ => "runs another program",
            };
            let path = &named.path;
            if arguments.remove {
                say(&format!(
                    "{name} in {path} {what} and was left alone: take it out by hand if you do not want it"
                ));
                return Ok(false);
            }
            bail!(
                "{name} in {path} {what}, so nothing was changed: give ours another name with --name, or take that one out by hand"
            );
        }
        (Some(named), _) if named.is_off() && !arguments.remove => {
            let place = if named.is_off_elsewhere {
                "its settings".to_owned()
            } else {
                named.path.clone()
            };
            say(&format!(
                "{name} is switched off in {place} and stays so: switch it on in {}",
                client.title
            ));
        }
        (None, Some(twin)) if arguments.remove => {
            say(&format!(
                "it stands in {} as {}: pass --name {}",
                twin.path, twin.name, twin.name
            ));
        }
        (None, Some(twin)) => bail!(
            "{} has it already, as {}: pass --name {} to renew that one, and add --remove to take it away",
            twin.path,
            twin.name,
            twin.name
        ),
        (None, None) if !arguments.remove => assert_name(name)?,
        (Some(_) | None, _) => {}
    }
    Ok(true)
}

/// Says where else the client finds it.
fn tell_of_others(
    client: &Client,
    arguments: &Arguments,
    at: &Surroundings,
    ours: &Ours,
    path: &Path,
) {
    let scope = arguments.scope.into();
    let standing = present::standing(client, at, ours).into_iter();
    // One that leads to another folder stays beside ours; who takes ours away
    // is told of a twin alone, elsewhere. In the home folder the file of a
    // person may be that of the project, too.
    let is_other = |server: &Server| {
        let is_here =
            server.place == scope || (server.place != Place::Local && is_file(server, path));
        !is_here || (!arguments.remove && server.name != arguments.name)
    };
    for other in standing.filter(is_other) {
        let (name, path, way) = (&other.name, &other.path, other.way());
        match other.place {
            Place::Local => say(&format!(
                "{path} has it for this folder alone too, as {name} ({way}), and here that one counts: claude mcp remove {name} --scope local takes it away"
            )),
            Place::User | Place::Project => {
                say(&format!("{path} has it too, as {name} ({way})"));
            }
        }
    }
}

fn is_file(server: &Server, path: &Path) -> bool {
    files::read(Path::new(&server.path)).is_ok_and(|settings| settings.path == path)
}

/// Returns how ours is known.
fn ours(arguments: &Arguments, at: &Surroundings) -> Result<Ours> {
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
        let texts = takes(client, text, name)?;
        if texts.contains(text) {
            return Ok(text.clone());
        }
        return Ok(layout::of_before(
            client.format,
            &settings.path,
            text,
            texts,
            |copy| {
                // What is put in goes again, so it may be anything.
                let reach = Reach::Stdio {
                    program: String::new(),
                    arguments: Vec::new(),
                };
                let any = entry::of(client, &reach)?;
                takes(client, &put(client, copy, name, &any)?, name)
            },
        ));
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
        Format::Toml => toml::takes(text, client.servers, name),
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
                let texts = hooks::takes(text)?;
                if texts.contains(text) {
                    return Ok(text.clone());
                }
                let again = |copy: &str| {
                    let any = |event| hooks::command(at.system, "zero-memory", event, None);
                    hooks::takes(&hooks::put(copy, any)?)
                };
                let (path, format) = (&settings.path, Format::Json);
                Ok(layout::of_before(format, path, text, texts, again))
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
