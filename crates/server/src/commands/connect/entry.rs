//! How a server is spelled in the settings of a client.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::clients::{Client, Variable};

/// The variable that holds a token where a file must not.
pub const TOKEN: &str = "ZERO_MEMORY_TOKEN";

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
    /// Whether a token stands in it.
    pub holds_token: bool,
}

/// Returns how a client spells a server.
pub fn of(client: &Client, reach: &Reach) -> Result<Entry> {
    let mut fields = Map::new();
    let mut foreign = Vec::new();
    let mut holds_token = false;
    match reach {
        Reach::Stdio { program, arguments } => {
            if let Some(kind) = client.stdio {
                fields.insert("type".to_owned(), json!(kind));
            }
            fields.insert("command".to_owned(), json!(program));
            fields.insert("args".to_owned(), json!(arguments));
            if let Some(http) = &client.http {
                foreign.extend([http.url, http.headers]);
                if http.kind.is_some() && client.stdio.is_none() {
                    foreign.push("type");
                }
                if let Variable::Key(key) = http.variable {
                    foreign.push(key);
                }
            }
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
            foreign.extend(["command", "args"]);
            let bearer = match (token, http.variable) {
                (Some(token), variable) => {
                    holds_token = true;
                    if let Variable::Key(key) = variable {
                        foreign.push(key);
                    }
                    Some(format!("Bearer {token}"))
                }
                (None, Variable::Within(open, close)) => {
                    Some(format!("Bearer {open}{TOKEN}{close}"))
                }
                (None, Variable::Key(key)) => {
                    fields.insert(key.to_owned(), json!(TOKEN));
                    foreign.push(http.headers);
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
    Ok(Entry {
        fields,
        foreign,
        holds_token,
    })
}
