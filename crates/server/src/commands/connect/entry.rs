//! How a server is spelled in the settings of a client.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::clients::{Client, Variable};

/// The variable that holds a token where a file must not.
pub const TOKEN: &str = "ZERO_MEMORY_TOKEN";

/// Keys that say how a program is started. Some clients refuse all of a file
/// in which one of them stands beside an address, and others start what was
/// named before.
const OF_STDIO: &[&str] = &["command", "args"];

/// Keys that say in which surroundings.
pub const OF_START: &[&str] = &["env", "env_vars", "envFile", "env_file", "cwd"];

/// Keys that say where a server is, and how to get in, in any client.
const OF_HTTP: &[&str] = &[
    "url",
    "httpUrl",
    "serverUrl",
    "headers",
    "http_headers",
    BEARER_TOKEN,
    "bearer_token_env_var",
];

/// Key of a token alone, in an older form.
pub const BEARER_TOKEN: &str = "bearer_token";

/// Keys that a person may set beside an address.
pub const BESIDE_HTTP: &[&str] = &["env_http_headers", "oauth", "oauth_resource", "auth"];

/// Keys that name the way itself, or a way that we never take.
const OF_ANY: &[&str] = &["type", "transport", "transportType", "tcp", "source"];

/// How the server is reached.
#[derive(Clone, Debug)]
pub enum Reach {
    /// The client starts the program.
    Stdio {
        /// The program.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// The client calls a server that runs.
    Http {
        /// Where.
        url: String,
        /// Its token, or nothing to name the variable in its place.
        token: Option<String>,
    },
}

/// What stands under the name of the server.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Keys and values, in the order in which they are written.
    pub fields: Map<String, Value>,
    /// Keys of the other way to reach it, which must not stay beside these.
    pub foreign: Vec<&'static str>,
    /// Key of the headers, of which a person may have more: of theirs none but
    /// a second token goes.
    pub headers: Option<&'static str>,
    /// Whether a token stands in it.
    pub holds_token: bool,
}

/// Whether a header is the one of the token; names of headers have no case.
pub fn is_of_token(header: &str) -> bool {
    header.eq_ignore_ascii_case("Authorization")
}

impl Entry {
    /// Whether a header of an old entry must not stay: it would be a second
    /// token.
    pub fn is_stale(&self, header: &str) -> bool {
        let ours = self.headers.and_then(|key| self.fields.get(key));
        is_of_token(header) && ours.is_none_or(|ours| ours.get(header).is_none())
    }

    /// Returns the words in it that may be shown: all but a token.
    pub fn words(&self) -> Vec<String> {
        let shown = self.fields.values().filter(|value| {
            // Headers alone hold one.
            !(self.holds_token && value.is_object())
        });
        let mut words = Vec::new();
        for value in shown {
            let texts: Vec<&Value> = match value {
                Value::Array(items) => items.iter().collect(),
                Value::Object(fields) => fields.values().collect(),
                other => vec![other],
            };
            let texts = texts.into_iter().filter_map(Value::as_str);
            words.extend(texts.map(str::to_owned));
        }
        words
    }
}

/// Returns how a client spells a server.
pub fn of(client: &Client, reach: &Reach) -> Result<Entry> {
    let mut fields = Map::new();
    let mut holds_token = false;
    match reach {
        Reach::Stdio { program, arguments } => {
            if let Some(kind) = client.stdio {
                fields.insert("type".to_owned(), json!(kind));
            }
            fields.insert("command".to_owned(), json!(program));
            fields.insert("args".to_owned(), json!(arguments));
        }
        Reach::Http { url, token } => {
            let Some(http) = &client.http else {
                bail!(
                    "the settings of {} take no server over HTTP: leave --url away, and it starts one itself",
                    client.title
                );
            };
            if let Some(kind) = http.kind {
                fields.insert("type".to_owned(), json!(kind));
            }
            fields.insert(http.url.to_owned(), json!(url));
            let bearer = match (token, http.variable) {
                (Some(token), _) => {
                    holds_token = true;
                    Some(format!("Bearer {token}"))
                }
                (None, Variable::Within(open, close)) => {
                    Some(format!("Bearer {open}{TOKEN}{close}"))
                }
                (None, Variable::Key(key)) => {
                    fields.insert(key.to_owned(), json!(TOKEN));
                    None
                }
                (None, Variable::None) => bail!(
                    "{} reads no variable in a header, so the token would have to stand in this file: pass --token-in file if nobody else reads it, or leave --url away",
                    client.title
                ),
            };
            if let Some(bearer) = bearer {
                let headers = json!({ "Authorization": bearer });
                fields.insert(http.headers.to_owned(), headers);
            }
        }
    }
    // A second address or a second token must not stay, either.
    let others = match reach {
        Reach::Stdio { .. } => vec![OF_HTTP, BESIDE_HTTP, OF_ANY],
        Reach::Http { .. } => vec![OF_STDIO, OF_START, OF_HTTP, OF_ANY],
    };
    let headers = match reach {
        Reach::Stdio { .. } => None,
        Reach::Http { .. } => client.http.as_ref().map(|http| http.headers),
    };
    let mut foreign = others.concat();
    foreign.retain(|key| !fields.contains_key(*key) && Some(*key) != headers);
    Ok(Entry {
        fields,
        foreign,
        headers,
        holds_token,
    })
}
