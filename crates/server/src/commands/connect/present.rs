//! What settings say of us already: under which name, how it is reached, and
//! whether it is switched off; and which entries of our name are another
//! program's.

use std::path::Path;

use anyhow::Result;
use contract::constants::{SERVER_NAME, TOKEN_ID_PREFIX};
use serde_json::Value;

use super::clients::{Client, Format, WITH_HOOKS};
use super::surroundings::Surroundings;
use super::{Scope, USUAL_URL, entry, files, json, switches, token, toml};
use crate::commands::address;

/// Whose settings an entry stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Those of a person.
    User,
    /// Those that lie in the project.
    Project,
    /// Those of a person for one project: Claude Code keeps them in the file
    /// of the person, and `claude mcp add` writes there.
    Local,
}

impl From<Scope> for Place {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::User => Self::User,
            Scope::Project => Self::Project,
        }
    }
}

impl Place {
    const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];
}

/// A server in settings.
#[derive(Clone, Debug)]
pub struct Server {
    /// Where.
    pub place: Place,
    /// In which file.
    pub path: String,
    /// What it is called there.
    pub name: String,
    /// What is said of it.
    pub entry: Value,
    /// Whether it is switched off elsewhere than in its entry.
    pub is_off_elsewhere: bool,
}

/// How ours would be spelled, so that it is known.
#[derive(Clone, Debug)]
pub struct Ours {
    /// The program.
    pub program: String,
    /// Its data folder, unless that is the usual one.
    pub data: Option<String>,
    /// The address of the server.
    pub url: String,
}

impl Server {
    /// Returns how it is reached.
    pub fn way(&self) -> &'static str {
        if self.address().is_some() {
            "http"
        } else {
            "stdio"
        }
    }

    /// Whether it has the form of what calls a server or starts a program.
    pub fn is_well_formed(&self) -> bool {
        let is_text = |value: &Value| value.is_string();
        let arguments = self.entry.get("args");
        let are_words = arguments.is_none_or(|value| {
            let words = value.as_array();
            words.is_some_and(|words| words.iter().all(is_text))
        });
        let starts = self.entry.get("command").is_some_and(is_text) && are_words;
        self.address().is_some() || starts
    }

    /// Whether the program that it starts is not there any more.
    pub fn is_gone(&self) -> bool {
        let program = self.entry.get("command").and_then(Value::as_str);
        let path = program.filter(|_| self.address().is_none()).map(Path::new);
        path.is_some_and(files::is_gone)
    }

    /// Whether it is switched off there: clients have one word or the other.
    pub fn is_off(&self) -> bool {
        self.is_off_elsewhere
            || self.entry.get("disabled") == Some(&Value::Bool(true))
            || self.entry.get("enabled") == Some(&Value::Bool(false))
    }

    /// Whether it is ours, whatever it is called.
    pub fn is(&self, ours: &Ours) -> bool {
        match self.address() {
            Some(url) => [ours.url.as_str(), USUAL_URL]
                .iter()
                .any(|known| plain(known) == plain(url)),
            None => self.turns(ours).is_some(),
        }
    }

    /// Whether an entry of a name that we were given is ours, too: it is
    /// spelled as only we do. Under our usual name that takes less.
    pub fn is_called_so_by_us(&self, ours: &Ours) -> bool {
        if self.is(ours) {
            return true;
        }
        let is_usual = self.name == SERVER_NAME;
        if let Some(url) = self.address() {
            let text = self.entry.to_string();
            let has_token =
                text.contains(entry::TOKEN) || text.contains(&format!("Bearer {TOKEN_ID_PREFIX}"));
            // A port of one's own is not told apart; another path is no endpoint of ours.
            let is_local = || {
                address::parsed(url)
                    .is_some_and(|uri| address::is_local(&uri) && uri.path() == token::PATH)
            };
            return has_token || (is_usual && is_local());
        }
        let words = self.words();
        let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        match arguments[..] {
            ["stdio", "--data", _] => true,
            ["stdio", word] if word.starts_with("--data=") => true,
            ["stdio"] => is_usual && self.entry.get("env").is_none(),
            _ => false,
        }
    }

    /// Whether another program starts ours: what a person built so is theirs.
    pub fn is_wrapped(&self, ours: &Ours) -> bool {
        self.address().is_none() && self.place_in(ours).is_some_and(|place| place > 0)
    }

    /// Whether it would answer with the same memory as ours.
    pub fn is_twin(&self, ours: &Ours) -> bool {
        if self.address().is_some() {
            return self.is(ours);
        }
        let Some(turns) = self.turns(ours).filter(|_| !self.is_wrapped(ours)) else {
            return false;
        };
        let told = folder_in(&turns);
        told.or_else(|| self.folder_set()) == ours.data.as_deref()
    }

    /// Whether it leads where another one of ours does.
    pub fn is_like(&self, other: &Self, ours: &Ours) -> bool {
        match (self.address(), other.address()) {
            (Some(one), Some(two)) => plain(one) == plain(two) && self.is(ours),
            (None, None) => {
                let are_ours = self.turns(ours).is_some() && other.turns(ours).is_some();
                are_ours && self.folder(ours) == other.folder(ours)
            }
            (Some(_) | None, _) => false,
        }
    }

    /// Returns the data folder that it is started on, unless that is the usual
    /// one.
    pub fn folder(&self, ours: &Ours) -> Option<String> {
        let turns = self.turns(ours)?;
        folder_in(&turns)
            .or_else(|| self.folder_set())
            .map(str::to_owned)
    }

    /// Returns the data folder that it leads to and no longer would, if it is
    /// renewed; nothing where it stays or was the usual one.
    pub fn folder_left(&self, ours: &Ours) -> Option<String> {
        let turns = self.turns(ours)?;
        let before = folder_in(&turns).or_else(|| self.folder_set())?;
        let after = ours.data.as_deref().or_else(|| self.folder_set());
        (after != Some(before)).then(|| before.to_owned())
    }

    /// Returns the data folder that its variables name.
    fn folder_set(&self) -> Option<&str> {
        self.entry.pointer("/env/ZERO_MEMORY_DATA")?.as_str()
    }

    /// Returns what a person added to it that goes when it is reached another
    /// way, in words; nothing if that is not so.
    pub fn goes(&self, ours: &Ours, to_http: bool) -> Option<&'static str> {
        match (self.address(), to_http) {
            (None, true) => self
                .has_own_words(ours)
                .then_some("the variables and arguments"),
            (Some(url), false) if !self.is(ours) && url != USUAL_URL => {
                Some("the address of another server and what else was said of it")
            }
            (Some(_), false) => self.has_own_headers().then_some("the headers and log-ins"),
            (None, false) | (Some(_), true) => None,
        }
    }

    /// Whether it is started in surroundings of its own, or with more words
    /// than ours.
    fn has_own_words(&self, ours: &Ours) -> bool {
        let turns = self.turns(ours).unwrap_or_default();
        let known = ["stdio", "--data"];
        let is_folder =
            |at: usize| at > 0 && turns.get(at - 1).is_some_and(|word| word == "--data");
        let is_ours = |word: &str| known.contains(&word) || word.starts_with("--data=");
        let is_own = |(at, word): (usize, &String)| !is_ours(word) && !is_folder(at);
        entry::OF_START.iter().any(|key| self.says(key)) || turns.iter().enumerate().any(is_own)
    }

    fn has_own_headers(&self) -> bool {
        let headers = ["headers", "http_headers"].iter();
        let mut headers = headers.filter_map(|key| self.entry.get(*key)?.as_object());
        let has_more = headers.any(|headers| headers.keys().any(|key| !entry::is_of_token(key)));
        has_more || entry::BESIDE_HTTP.iter().any(|key| self.says(key))
    }

    /// Whether something stands under a key.
    fn says(&self, key: &str) -> bool {
        match self.entry.get(key) {
            None | Some(Value::Null) => false,
            Some(Value::Object(fields)) => !fields.is_empty(),
            Some(Value::Array(items)) => !items.is_empty(),
            Some(_) => true,
        }
    }

    fn address(&self) -> Option<&str> {
        ["url", "httpUrl", "serverUrl"]
            .iter()
            .find_map(|key| self.entry.get(*key)?.as_str())
    }

    /// Returns the command and its arguments; nothing where they are no words.
    fn words(&self) -> Vec<String> {
        if !self.is_well_formed() {
            return Vec::new();
        }
        let command = self.entry.get("command").into_iter();
        let arguments = self.entry.get("args").and_then(Value::as_array);
        command
            .chain(arguments.into_iter().flatten())
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    /// Returns what follows the program if that is ours; another program may
    /// start it.
    pub fn turns(&self, ours: &Ours) -> Option<Vec<String>> {
        let turns = self.words().split_off(self.place_in(ours)? + 1);
        turns.contains(&"stdio".to_owned()).then_some(turns)
    }

    /// Returns which of its words is our program.
    fn place_in(&self, ours: &Ours) -> Option<usize> {
        let is_program = |word: &String| *word == ours.program || is_of_our_name(word);
        self.words().iter().position(is_program)
    }
}

/// Returns the data folder that arguments name, in one word or in two.
fn folder_in(arguments: &[String]) -> Option<&str> {
    let at = arguments
        .iter()
        .position(|word| word.starts_with("--data"))?;
    match arguments.get(at)?.strip_prefix("--data=") {
        Some(folder) => Some(folder),
        None => arguments.get(at + 1).map(String::as_str),
    }
}

/// Whether a path leads to a program of our name.
pub fn is_of_our_name(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name) == SERVER_NAME
}

/// Returns an address as it is compared.
fn plain(url: &str) -> String {
    let url = url.trim_end_matches('/').to_ascii_lowercase();
    url.replace("://localhost", "://127.0.0.1")
        .replace("://[::1]", "://127.0.0.1")
}

/// Returns every server in the settings of a client at one place.
pub fn servers(client: &Client, place: Place, at: &Surroundings) -> Result<Vec<Server>> {
    let Some((path, lists)) = lists(client, place, at) else {
        return Ok(Vec::new());
    };
    let Some(text) = files::read(Path::new(&path), client.format)?.text else {
        return Ok(Vec::new());
    };
    let switches = switches::of(client, place, at);
    let mut found = Vec::new();
    for keys in lists {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let servers = match client.format {
            Format::Json => json::object(&text, &keys)?,
            Format::Toml => toml::object(&text, &keys)?,
        };
        found.extend(servers.into_iter().map(|(name, entry)| Server {
            place,
            path: path.clone(),
            is_off_elsewhere: switches.are_off(&name),
            name,
            entry,
        }));
    }
    Ok(found)
}

/// Returns the file of a place, and the keys of every list in it that counts
/// here.
fn lists(client: &Client, place: Place, at: &Surroundings) -> Option<(String, Vec<Vec<String>>)> {
    let servers = || client.servers.to_owned();
    match place {
        Place::User => Some(((client.user)(at)?, vec![vec![servers()]])),
        Place::Project => Some((at.in_project(client.project?), vec![vec![servers()]])),
        Place::Local if client.id == WITH_HOOKS => {
            // It is kept by the folder that a session is started in, and no
            // folder inherits from the one above; later versions take the root
            // of the checkout.
            let here = Path::new(&at.project);
            let root = here.ancestors().find(|folder| folder.join(".git").exists());
            let root = root.filter(|root| *root != here);
            let folders = [Some(here), root].into_iter().flatten();
            let lists = folders.filter_map(|folder| {
                let folder = folder.to_str()?.to_owned();
                Some(vec!["projects".to_owned(), folder, servers()])
            });
            Some(((client.user)(at)?, lists.collect()))
        }
        Place::Local => None,
    }
}

/// Returns every server of ours that a client knows here. What cannot be read
/// is passed over.
pub fn standing(client: &Client, at: &Surroundings, ours: &Ours) -> Vec<Server> {
    let mut found: Vec<Server> = Vec::new();
    for place in Place::ALL {
        let servers = servers(client, place, at).unwrap_or_default();
        for server in servers {
            let is_ours =
                server.is(ours) || (server.name == SERVER_NAME && server.is_called_so_by_us(ours));
            // In the home folder two places may be one file.
            let is_known = |known: &Server| {
                known.path == server.path && known.name == server.name && place != Place::Local
            };
            if is_ours && !found.iter().any(is_known) {
                found.push(server);
            }
        }
    }
    found
}
