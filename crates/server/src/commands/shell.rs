//! The memory from a shell: what a person types becomes a call of the same
//! door that MCP and HTTP go through, here or at a server.
//!
//! This module alone of the server names tools. A command has a shape of its
//! own, made for people, so somewhere it has to be said which tool it stands
//! for; what the tool takes and answers are still the types of the contract,
//! and what it refuses is decided behind the door.

use std::io::{IsTerminal as _, Read as _};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use contract::ToolName;
use contract::prompts::{PROMPTS, PromptDefault};
use contract::types::{
    BuildContextInput, CloseLoopInput, ForgetInput, HistoryInput, Kind, ListScopesInput,
    RecallInput, RememberInput, RememberInputLinksItem,
};
use serde::Serialize;
use serde_json::Value;

use super::project;

mod kind;
mod refused;
mod remote;
mod show;
mod target;
mod way;
mod words;

pub use refused::way_out;
use target::Target;

/// Bytes that are read from standard input: more than any text may have, so
/// that a longer one is refused behind the door and not cut here.
const INPUT_BYTES: u64 = 1 << 20;

/// Where the memory is, and how its answer is printed.
#[derive(Args)]
pub struct Way {
    /// Which memory.
    #[command(flatten)]
    pub target: Target,
    /// Print the answer as one JSON document; so it is, too, when standard
    /// output is no terminal.
    #[arg(long, conflicts_with = "table")]
    pub json: bool,
    /// Print tables also when standard output is no terminal.
    #[arg(long)]
    pub table: bool,
}

/// Which project a command is about.
#[derive(Args)]
pub struct Where {
    /// Project: a git remote URL, a folder, or a name; the one of this folder
    /// when absent.
    #[arg(long, value_name = "HINT")]
    pub project: Option<String>,
    /// Take no project from this folder.
    #[arg(long, conflicts_with = "project")]
    pub no_project: bool,
}

/// Commands that call a tool.
#[derive(Subcommand)]
pub enum Verb {
    /// Store one statement, in the project of this folder unless told
    /// otherwise.
    Remember {
        /// The statement; - or nothing reads it from standard input.
        text: Option<String>,
        /// What sort of statement it is, such as decision, gotcha or task.
        #[arg(long, value_parser = kind::kinds())]
        kind: Option<Kind>,
        /// Where it goes: personal, core, or a full scope path.
        #[arg(long, conflicts_with = "project")]
        scope: Option<String>,
        /// Name it is about; may be given again.
        #[arg(long, value_name = "NAME")]
        about: Vec<String>,
        /// Id of a memory that this one replaces; may be given again.
        #[arg(long, value_name = "ID")]
        supersedes: Vec<String>,
        /// The phrase it rests on, as it was said.
        #[arg(long, value_name = "TEXT")]
        verbatim: Option<String>,
        /// Which project.
        #[command(flatten)]
        at: Where,
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
    /// Search the memory.
    Recall {
        /// Words to look for; - reads them from standard input.
        #[arg(required = true)]
        query: Vec<String>,
        /// How many memories to show.
        #[arg(short = 'k', long, value_name = "N")]
        limit: Option<i64>,
        /// Only this sort of statement; may be given again.
        #[arg(long, value_parser = kind::kinds())]
        kind: Vec<Kind>,
        /// Only here: personal, core, a full scope path, or * for all; may be
        /// given again.
        #[arg(long, conflicts_with = "project")]
        scope: Vec<String>,
        /// Go on where an earlier answer ended: its next_cursor.
        #[arg(long)]
        cursor: Option<String>,
        /// Which project.
        #[command(flatten)]
        at: Where,
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
    /// Show what bears on a topic: rules, unfinished work, memories, recent
    /// changes.
    Brief {
        /// What you are about to do; unfinished work when absent.
        topic: Vec<String>,
        /// Only here: personal, core, or a full scope path; may be given
        /// again.
        #[arg(long, conflicts_with = "project")]
        scope: Vec<String>,
        /// How long it may get.
        #[arg(long, value_name = "N")]
        max_tokens: Option<i64>,
        /// Which project.
        #[command(flatten)]
        at: Where,
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
    /// List unfinished tasks and open questions, the oldest first.
    Loops {
        /// Only here: personal, core, or a full scope path; may be given
        /// again.
        #[arg(long, conflicts_with = "project")]
        scope: Vec<String>,
        /// Which project.
        #[command(flatten)]
        at: Where,
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
    /// Take a memory out of every search; its history stays.
    Forget {
        /// Id of the memory.
        id: String,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
    /// Close a task or a question.
    Close {
        /// Id of the memory.
        id: String,
        /// How it ended.
        #[arg(long)]
        resolution: Option<String>,
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
    /// Show what happened to a memory, and what it was before.
    History {
        /// Id of the memory.
        id: String,
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
    /// List the scopes you can read.
    Scopes {
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
    /// List the standing rules.
    Rules {
        /// Where the memory is.
        #[command(flatten)]
        way: Way,
    },
}

/// What is asked of the memory.
enum Ask {
    /// A tool, with its arguments.
    Tool(ToolName, Value),
    /// What stands at an address.
    Resource(&'static str),
}

/// Address of the standing rules.
const RULES: &str = "zm://rules";

/// Tokens that the longest briefing may have, for a list that should be whole.
const WHOLE: i64 = 32_000;

impl Verb {
    /// Whether it names the project to read.
    fn names_project(&self) -> bool {
        match self {
            Self::Recall { at, .. } | Self::Brief { at, .. } | Self::Loops { at, .. } => {
                at.project.is_some()
            }
            _ => false,
        }
    }
}

/// Runs a command; returns the exit code.
pub fn run(verb: Verb) -> Result<u8> {
    let is_named = verb.names_project();
    let (way, ask, show) = asked(verb)?;
    let as_json = way.json || !(way.table || std::io::stdout().is_terminal());
    let answer = way::answer(&way, &ask)?;
    let is_unknown = |answer: &Value| answer.get("project_scope").is_some_and(Value::is_null);
    if is_named && answer.as_ref().is_ok_and(is_unknown) {
        crate::say(
            "note: nothing is known of a project of that name; zero-memory scopes lists what is",
        );
    }
    match answer {
        Ok(answer) if as_json => {
            super::print_json(&answer)?;
            Ok(super::DONE)
        }
        Ok(answer) => {
            super::print(&show(&answer))?;
            Ok(super::DONE)
        }
        Err(error) => {
            if as_json {
                super::print_json(&error.body())?;
            }
            let folder = match way.target.server {
                Some(_) => None,
                None => Some(crate::local::data_folder(way.target.place.data)?),
            };
            let why = refused::told(&error, folder.as_deref());
            crate::say(&format!("error: {why}"));
            Ok(super::refused(error.code))
        }
    }
}

/// How an answer is laid out for a person.
type Show = fn(&Value) -> String;

/// Returns what a command asks, and how its answer is shown.
fn asked(verb: Verb) -> Result<(Way, Ask, Show)> {
    Ok(match verb {
        Verb::Remember {
            text,
            kind,
            scope,
            about,
            supersedes,
            verbatim,
            at,
            way,
        } => {
            let links: Vec<_> = supersedes.into_iter().map(superseding).collect();
            let input = RememberInput {
                kind,
                project_hint: hint(at, scope.is_some()),
                scope,
                thread: None,
                entities: some(about),
                links: some(links),
                verbatim,
                content: typed(text)?,
            };
            (way, tool(ToolName::Remember, &input)?, show::remembered)
        }
        Verb::Recall {
            query,
            limit,
            kind,
            scope,
            cursor,
            at,
            way,
        } => {
            let input = RecallInput {
                k: limit,
                kinds: some(kind),
                project_hint: hint(at, !scope.is_empty()),
                scopes: some(scope),
                thread: None,
                include_graph: None,
                cursor,
                query: typed(Some(query.join(" ")))?,
            };
            (way, tool(ToolName::Recall, &input)?, show::recalled)
        }
        Verb::Brief {
            topic,
            scope,
            max_tokens,
            at,
            way,
        } => {
            let topic = match topic.as_slice() {
                [] => usual_topic(),
                words => typed(Some(words.join(" ")))?,
            };
            let input = briefing(topic, scope, max_tokens, at);
            (way, tool(ToolName::BuildContext, &input)?, show::briefing)
        }
        Verb::Loops { scope, at, way } => {
            let mut input = briefing(usual_topic(), scope, Some(WHOLE), at);
            input.briefing = Some(false);
            (way, tool(ToolName::BuildContext, &input)?, show::loops)
        }
        Verb::Forget { id, reason, way } => {
            let input = ForgetInput {
                memory_id: id,
                reason,
            };
            (way, tool(ToolName::Forget, &input)?, show::forgotten)
        }
        Verb::Close {
            id,
            resolution,
            way,
        } => {
            let input = CloseLoopInput {
                memory_id: id,
                resolution,
            };
            (way, tool(ToolName::CloseLoop, &input)?, show::closed)
        }
        Verb::History { id, way } => {
            let input = HistoryInput { memory_id: id };
            (way, tool(ToolName::History, &input)?, show::history)
        }
        Verb::Scopes { way } => {
            let ask = tool(ToolName::ListScopes, &ListScopesInput {})?;
            (way, ask, show::scopes)
        }
        Verb::Rules { way } => (way, Ask::Resource(RULES), show::rules),
    })
}

fn tool(tool: ToolName, input: &impl Serialize) -> Result<Ask> {
    let arguments = serde_json::to_value(input).context("the arguments cannot be written")?;
    Ok(Ask::Tool(tool, arguments))
}

fn some<T>(items: Vec<T>) -> Option<Vec<T>> {
    (!items.is_empty()).then_some(items)
}

fn superseding(target: String) -> RememberInputLinksItem {
    RememberInputLinksItem {
        type_: "supersedes".to_owned(),
        target,
    }
}

fn briefing(
    topic: String,
    scope: Vec<String>,
    max_tokens: Option<i64>,
    at: Where,
) -> BuildContextInput {
    BuildContextInput {
        project_hint: hint(at, !scope.is_empty()),
        thread: None,
        scopes: some(scope),
        max_tokens,
        briefing: None,
        conversation_id: None,
        topic,
    }
}

/// Returns the project: the one that was named, or that of this folder unless
/// a scope says where.
fn hint(at: Where, has_scope: bool) -> Option<String> {
    if has_scope || at.no_project {
        return None;
    }
    at.project.map(project::named).or_else(project::here)
}

/// Returns the topic of a briefing that nobody gave one: the prompt's.
pub fn usual_topic() -> String {
    PROMPTS
        .iter()
        .flat_map(|prompt| prompt.arguments)
        .find_map(|argument| match argument.default {
            Some(PromptDefault::Text(words)) if argument.name == "topic" => Some(words.to_owned()),
            _ => None,
        })
        .unwrap_or_else(|| "open loops".to_owned())
}

/// Returns what was typed, or what standard input holds.
fn typed(text: Option<String>) -> Result<String> {
    if let Some(text) = text.filter(|text| text != "-") {
        return Ok(text);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(INPUT_BYTES + 1)
        .read_to_end(&mut bytes)
        .context("standard input cannot be read")?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > INPUT_BYTES) {
        bail!("standard input holds more than {INPUT_BYTES} bytes: send one statement");
    }
    String::from_utf8(bytes).context("standard input is no UTF-8")
}
