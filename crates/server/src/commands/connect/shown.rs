//! Shows what would change, and what to paste; never a token, and of others
//! never more than the names of their keys.

use anyhow::Result;
use serde_json::json as value;

use super::clients::{self, Client, Format};
use super::entry::{self, Reach};
use super::masked::masked;
use super::plan::{Change, assert_name, data, hooks_place, place, program, reach};
use super::surroundings::Surroundings;
use super::token::{address, told_placeholder, told_token};
use super::{Arguments, Scope, hooks, json, toml};
use crate::commands::table::{harmless, harmless_json};
use crate::commands::{DONE, print, print_json};
use crate::say;

/// Returns the lines that change. What is not ours is hidden, for its values
/// may be secrets, and so is our token.
pub fn difference(change: &Change) -> String {
    let text = change.old.text.as_deref().unwrap_or_default();
    let old: Vec<&str> = text.lines().collect();
    let new: Vec<&str> = change.new.lines().collect();
    let same = |(a, b): &(&&str, &&str)| a == b;
    let before = old.iter().zip(&new).take_while(same).count();
    let after = old
        .iter()
        .skip(before)
        .rev()
        .zip(new.iter().skip(before).rev())
        .take_while(same)
        .count();
    let middle = |text: &str, n_lines: usize, sign: char| -> Vec<String> {
        let text = masked(text, change.format, &change.words);
        let text = change.old.written(&text);
        let n_changed = n_lines.saturating_sub(before + after);
        let changed = text.lines().skip(before).take(n_changed);
        changed
            .map(|line| harmless(&format!("{sign} {line}")))
            .collect()
    };
    let mut lines = middle(text, old.len(), '-');
    lines.extend(middle(&change.new, new.len(), '+'));
    lines.join("\n")
}

/// Prints what to paste for a client; a token is named, not shown.
pub fn one(client: &Client, arguments: &Arguments, at: &Surroundings) -> Result<u8> {
    assert_name(&arguments.name)?;
    let has_variable = !client.http.as_ref().is_some_and(no_variable);
    let reach = match reach_of_print(client, arguments, at)? {
        Reach::Http { url, .. } if !has_variable => Reach::Http {
            url,
            token: Some("TOKEN".to_owned()),
        },
        reach => reach,
    };
    let entry = entry::of(client, &reach)?;
    let text = match client.format {
        Format::Json => json::put("", client.servers, &arguments.name, &entry)?,
        Format::Toml => toml::put("", client.servers, &arguments.name, &entry)?,
    };
    told_place(client.title, place(client, arguments.scope, at), arguments)?;
    print(&harmless_json(text.trim_end()))?;
    if matches!(reach, Reach::Http { .. }) {
        if has_variable {
            told_token(client.title, arguments);
        } else {
            told_placeholder(
                &format!("{} reads no variable there", client.title),
                arguments,
            );
        }
    }
    if arguments.hooks {
        let program = program(arguments)?;
        let data = data(arguments, at)?;
        let text = hooks::put("", |event| {
            hooks::command(at.system, &program, event, data.as_deref())
        })?;
        let place = hooks_place(arguments.scope, at);
        told_place(&format!("the hooks of {}", client.title), place, arguments)?;
        print(&harmless_json(text.trim_end()))?;
    }
    Ok(DONE)
}

/// Says where a text goes. Without a home folder nobody knows where the settings
/// of a person lie, and what to paste is the same.
fn told_place(what: &str, place: Result<String>, arguments: &Arguments) -> Result<()> {
    match place {
        Err(_) if arguments.scope == Scope::User => say(&format!("for {what}:")),
        place => say(&format!("for {}:", place?)),
    }
    Ok(())
}

fn no_variable(http: &clients::Http) -> bool {
    http.variable == clients::Variable::None
}

fn reach_of_print(client: &Client, arguments: &Arguments, at: &Surroundings) -> Result<Reach> {
    match &arguments.url {
        None => reach(client, arguments, at),
        Some(url) => Ok(Reach::Http {
            url: address(url)?,
            token: None,
        }),
    }
}

/// Prints what to paste for any client.
pub fn any(arguments: &Arguments, at: &Surroundings) -> Result<u8> {
    assert_name(&arguments.name)?;
    let program = program(arguments)?;
    let fields = match &arguments.url {
        Some(url) => value!({
            "type": "http",
            "url": address(url)?,
            "headers": { "Authorization": "Bearer TOKEN" },
        }),
        None => {
            let mut words = vec!["stdio".to_owned()];
            if let Some(data) = data(arguments, at)? {
                words.extend(["--data".to_owned(), data]);
            }
            value!({ "command": program, "args": words })
        }
    };
    print_json(&value!({ "mcpServers": { arguments.name.as_str(): fields } }))?;
    if arguments.url.is_some() {
        told_placeholder("or a variable if your client reads one there", arguments);
    }
    say("most clients take this form; see the page on MCP of yours");
    Ok(DONE)
}
