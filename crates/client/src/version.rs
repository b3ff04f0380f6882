//! The version of the contract that a server announces, held against the one
//! that this package was made from.

use std::fmt;

use serde_json::{Map, Value};

use crate::error::ContractMismatch;
use crate::generated::additions::ADDITIONS;
use crate::generated::contract::CONTRACT_VERSION;
use crate::words::short;

/// A part of the contract that came after its first release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Addition {
    /// Version that brought it.
    pub since: &'static str,
    /// What it is.
    pub place: Place,
    /// Name of the tool, the resource or the prompt.
    pub name: &'static str,
    /// Path of the field, such as `memories[].score`; empty for the whole.
    pub field: &'static str,
    /// What is read in place of a required field that is not sent, as JSON.
    pub(crate) absent: Option<&'static str>,
}

impl fmt::Display for Addition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, field, since) = (self.name, self.field, self.since);
        match self.place {
            Place::Tool => write!(formatter, "tool {name}")?,
            Place::Resource => write!(formatter, "resource {name}")?,
            Place::Prompt => write!(formatter, "prompt {name}")?,
            Place::Input => write!(formatter, "{name} input")?,
            Place::Output => write!(formatter, "{name} output")?,
        }
        if !field.is_empty() {
            write!(formatter, " {field}")?;
        }
        write!(formatter, " (since {since})")
    }
}

/// What was added to the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// A tool.
    Tool,
    /// A resource, or a field of it.
    Resource,
    /// A prompt, or an argument of it.
    Prompt,
    /// An argument of a tool.
    Input,
    /// A field of what a tool answers.
    Output,
}

/// Something about the version of the server that a caller should know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// Which of them it is.
    pub kind: WarningKind,
    /// Version of the contract that this package was made from.
    pub client_version: &'static str,
    /// Version that the server announces; absent when it announces none.
    pub server_version: Option<String>,
    /// What the server may not know or send yet.
    pub missing: Vec<Addition>,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WarningKind {
    /// The server has an older minor version.
    OlderServer,
    /// The server has another major version or announces none, and the caller
    /// allowed it.
    OtherMajor,
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let client = self.client_version;
        match (&self.server_version, self.kind) {
            (None, _) => write!(
                formatter,
                "the server announces no contract; this client was made from {client}, and \
                 nothing is promised"
            ),
            (Some(server), WarningKind::OtherMajor) => write!(
                formatter,
                "the server has contract {} and this client {client}; calls may fail and answers \
                 may be unreadable",
                short(server)
            ),
            (Some(server), WarningKind::OlderServer) => {
                write!(
                    formatter,
                    "the server has contract {}, older than {client} of this client",
                    short(server)
                )?;
                if self.missing.is_empty() {
                    return Ok(());
                }
                let missing: Vec<String> = self.missing.iter().map(Addition::to_string).collect();
                write!(
                    formatter,
                    "; it may lack {}; update the server to have them",
                    missing.join(", ")
                )
            }
        }
    }
}

/// Returns the three numbers of a version.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let core = version.split(['-', '+']).next()?;
    let mut parts = core.split('.').map(|part| part.parse().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

/// Judges what a server announces.
///
/// The same major version is spoken with; an older minor one is warned about,
/// with everything that came since.
pub fn judge(
    announced: Option<&str>,
    allow_other_major: bool,
) -> Result<Option<Warning>, ContractMismatch> {
    judge_for(CONTRACT_VERSION, ADDITIONS, announced, allow_other_major)
}

fn judge_for(
    ours: &'static str,
    additions: &[Addition],
    announced: Option<&str>,
    allow_other_major: bool,
) -> Result<Option<Warning>, ContractMismatch> {
    let warning = |kind, missing| Warning {
        kind,
        client_version: ours,
        server_version: announced.map(str::to_owned),
        missing,
    };
    match (announced.and_then(numbers), numbers(ours)) {
        (Some([major, minor, _]), Some([our_major, our_minor, _])) if major == our_major => {
            let missing = || {
                let is_missing = |addition: &&Addition| {
                    numbers(addition.since).is_some_and(|[_, since, _]| since > minor)
                };
                additions.iter().filter(is_missing).copied().collect()
            };
            Ok((minor < our_minor).then(|| warning(WarningKind::OlderServer, missing())))
        }
        _ if allow_other_major => Ok(Some(warning(WarningKind::OtherMajor, Vec::new()))),
        _ => Err(ContractMismatch {
            client: ours,
            server: announced.map(str::to_owned),
        }),
    }
}

/// Fills in what an older server leaves out of an answer, so that its type can
/// be read.
pub fn fill(place: Place, name: &str, answer: &mut Map<String, Value>) {
    for addition in ADDITIONS {
        if addition.place == place
            && addition.name == name
            && let Some(absent) = addition.absent
            && let Ok(value) = serde_json::from_str::<Value>(absent)
        {
            put(answer, addition.field, &value);
        }
    }
}

fn put(object: &mut Map<String, Value>, path: &str, value: &Value) {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    let name = step.trim_end_matches("[]");
    if rest.is_empty() {
        object.entry(name).or_insert_with(|| value.clone());
        return;
    }
    let items = match object.get_mut(name) {
        Some(Value::Array(items)) => items.iter_mut().collect(),
        Some(item) => vec![item],
        None => Vec::new(),
    };
    for item in items {
        if let Some(object) = item.as_object_mut() {
            put(object, rest, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GROWN: &[Addition] = &[
        Addition {
            since: "2.1.0",
            place: Place::Output,
            name: "recall",
            field: "session",
            absent: None,
        },
        Addition {
            since: "2.3.0",
            place: Place::Tool,
            name: "weigh",
            field: "",
            absent: None,
        },
    ];

    fn judged(server: Option<&str>, allow: bool) -> Result<Option<Warning>, ContractMismatch> {
        judge_for("2.3.1", GROWN, server, allow)
    }

    #[test]
    fn an_older_minor_is_warned_about_with_what_came_since() {
        let warning = judged(Some("2.1.4"), false).expect("the same major");
        let warning = warning.expect("an older minor");
        assert_eq!(warning.kind, WarningKind::OlderServer);
        assert_eq!(
            warning.to_string(),
            "the server has contract 2.1.4, older than 2.3.1 of this client; it may lack tool \
             weigh (since 2.3.0); update the server to have them"
        );
        let warning = judged(Some("2.0.0"), false).expect("the same major");
        assert_eq!(warning.expect("an older minor").missing, GROWN);
    }

    #[test]
    fn the_same_and_a_newer_minor_and_any_patch_are_taken_silently() {
        for server in ["2.3.1", "2.3.0", "2.3.9", "2.4.0", "2.30.0"] {
            assert_eq!(judged(Some(server), false), Ok(None), "{server}");
        }
    }

    #[test]
    fn another_major_and_none_are_refused_unless_allowed() {
        for server in [
            Some("1.9.0"),
            Some("3.0.0"),
            Some("20.3.1"),
            Some("two"),
            None,
        ] {
            let refused = judged(server, false).expect_err("another major");
            assert_eq!(refused.server.as_deref(), server);
            let warning = judged(server, true).expect("allowed").expect("a warning");
            assert_eq!(warning.kind, WarningKind::OtherMajor, "{server:?}");
        }
    }

    #[test]
    fn what_an_older_server_leaves_out_is_filled_in_at_any_depth() {
        let mut answer = json!({ "rows": [{ "a": 1 }, { "b": 5 }], "one": {} });
        let object = answer.as_object_mut().expect("an object");
        put(object, "rows[].b", &json!(0));
        put(object, "one.c", &json!([]));
        put(object, "absent.d", &json!(1));
        put(object, "top", &json!(""));
        assert_eq!(
            answer,
            json!({ "rows": [{ "a": 1, "b": 0 }, { "b": 5 }], "one": { "c": [] }, "top": "" })
        );
    }
}
