//! Tells a person why a call was refused and what to do. The remedies of the
//! contract speak to programs, of tools and of details; here they speak of
//! commands.

use std::path::Path;

use contract::{Error, ErrorCode, Prefix};
use serde_json::Value;

use super::words::{argument, reworded};
use crate::commands::table::harmless;

/// What a server says of a tool that it does not offer.
const UNKNOWN_TOOL: &str = "unknown tool";

/// How a message begins that is for the person at the terminal anyway.
const TO_THE_PERSON: &str = "tell the person who runs this server: ";

/// Where a message goes on with what an agent should do.
const ADVICE: [&str; 2] = [". Pass ", ". Remove "];

/// Returns what a person can do about a refusal with this code.
pub const fn way_out(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ValidationFailed => "mend what is named and try again",
        ErrorCode::Unauthorized => "set ZERO_MEMORY_TOKEN to the token of the server",
        ErrorCode::Forbidden => "ask the owner of the memory or an admin of its scope",
        ErrorCode::NotFound => {
            "zero-memory recall finds ids, and zero-memory scopes lists what you can read"
        }
        ErrorCode::Conflict => "zero-memory history ID shows what became of a memory",
        ErrorCode::RateLimited => "wait a moment and try again",
        ErrorCode::Internal => "run zero-memory doctor",
    }
}

const fn way_out_of(prefix: Prefix) -> &'static str {
    match prefix {
        Prefix::ScopeTargetRequired => {
            "name the place with --project (a git remote URL, a folder or a name) or --scope (personal, core or a full path), or run it inside a checkout"
        }
        Prefix::ProjectHintUnresolvable => {
            "pass --project as a git remote URL or a folder, or --scope with a path that zero-memory scopes lists"
        }
        Prefix::SecretContentRejected => {
            "take the credential out, and say where it is kept instead"
        }
    }
}

/// Returns why something was refused and what to do; `folder` is where the
/// memory is, unless a server has it.
pub fn told(error: &Error, folder: Option<&Path>) -> String {
    let doctor = match folder {
        Some(folder) => format!("run zero-memory doctor --data {}", folder.display()),
        None => "run zero-memory doctor where the server is".to_owned(),
    };
    if let Some(said) = error.message.strip_prefix(TO_THE_PERSON) {
        // It is in plain words, and its cause is in those of SQLite.
        return harmless(&format!("{said}\nhint: {doctor}"));
    }
    let cause = error
        .cause()
        .map(|cause| format!(" ({cause})"))
        .unwrap_or_default();
    let hint = hint(error, doctor);
    harmless(&format!(
        "{}{cause}\nhint: {hint}",
        reasons(error).join("\n")
    ))
}

fn hint(error: &Error, doctor: String) -> String {
    if let Some(prefix) = prefix(error) {
        return way_out_of(prefix).to_owned();
    }
    let has = |rule: &str| {
        let mut rules = violations(error).iter().filter_map(|one| one.get("rule"));
        rules.any(|name| name == rule)
    };
    let seconds = error
        .details
        .as_ref()
        .and_then(|details| details.get("retry_after_s").and_then(Value::as_i64));
    let hint = match error.code {
        ErrorCode::Internal => return doctor,
        ErrorCode::NotFound if error.message.starts_with(UNKNOWN_TOOL) => {
            "that server offers fewer tools than this command needs: start it with zero-memory serve --toolset full"
        }
        ErrorCode::ValidationFailed if has("pattern") => {
            "mend what is named and try again; ids are those that zero-memory recall prints"
        }
        ErrorCode::ValidationFailed if has("admits") => {
            "leave --scope away, so that it goes to the project, or pass another --kind"
        }
        ErrorCode::RateLimited => match seconds {
            Some(1) => "wait a second and try again",
            Some(seconds) => return format!("wait {seconds} seconds and try again"),
            None => way_out(error.code),
        },
        code => way_out(code),
    };
    hint.to_owned()
}

fn prefix(error: &Error) -> Option<Prefix> {
    Prefix::ALL
        .into_iter()
        .find(|prefix| error.message.starts_with(prefix.as_str()))
}

/// Returns what is wrong, each on a line.
fn reasons(error: &Error) -> Vec<String> {
    let found: Vec<String> = violations(error).iter().filter_map(of_violation).collect();
    if !found.is_empty() && prefix(error).is_none() {
        return found;
    }
    let Some(prefix) = prefix(error) else {
        return vec![reworded(unadvised(&error.message))];
    };
    let said = error.message.strip_prefix(prefix.as_str());
    let said = unadvised(said.unwrap_or_default().trim_start());
    // A credential is told by the argument that holds it.
    let named = said.split_once(' ').and_then(|(name, rest)| {
        let word = argument(&format!("/{name}"))?;
        Some(format!("{word} {rest}"))
    });
    let said = named.unwrap_or_else(|| reworded(said));
    vec![format!("{} {said}", prefix.as_str())]
}

fn of_violation(violation: &Value) -> Option<String> {
    let field = |name: &str| violation.get(name).and_then(Value::as_str);
    let said = match field("rule") {
        Some("pattern") => "is not of the form that it should have".to_owned(),
        _ => reworded(unadvised(field("message")?)),
    };
    Some(match field("pointer") {
        None | Some("") => said,
        Some(pointer) => format!("{}: {said}", argument(pointer).unwrap_or(pointer)),
    })
}

/// Returns a message without what an agent should do: the hint says what a
/// person should.
fn unadvised(message: &str) -> &str {
    let ends = ADVICE.iter().filter_map(|advice| message.find(advice));
    ends.min()
        .and_then(|end| message.get(..end))
        .unwrap_or(message)
}

fn violations(error: &Error) -> &[Value] {
    let found = error
        .details
        .as_ref()
        .and_then(|details| details.get("violations").and_then(Value::as_array));
    found.map_or(&[], Vec::as_slice)
}
