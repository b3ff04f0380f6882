//! `prompts.json`: what a person picks in a client.

use serde_json::{Map, Value};

use super::Toolset;

/// A prompt: texts, and what tools answer between them.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub name: String,
    pub title: String,
    pub description: String,
    pub since: String,
    pub arguments: Vec<Argument>,
    pub parts: Vec<Part>,
}

/// An argument; all of them are strings.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: String,
    pub title: String,
    pub description: String,
    pub required: bool,
    pub default: Option<Default>,
    pub completion: Option<Completion>,
}

/// What stands for an argument that is left out.
#[derive(Clone, Debug)]
pub enum Default {
    Text(String),
    /// The moment this many seconds before the call.
    Age(u64),
}

/// Where suggestions for an argument come from.
#[derive(Clone, Debug)]
pub enum Completion {
    /// Moments this many seconds before the call.
    Ages(Vec<u64>),
    /// A string in each item of an array that a tool answers with.
    Listed {
        feed: Feed,
        list: String,
        field: String,
    },
}

/// A call of a tool; `$name` as a whole string stands for an argument, and
/// `$value` for what is being completed.
#[derive(Clone, Debug)]
pub struct Feed {
    pub tool: String,
    pub input: Map<String, Value>,
}

/// A piece of the message.
#[derive(Clone, Debug)]
pub enum Part {
    /// Words, perhaps only where this toolset is offered; `$name` stands for
    /// an argument.
    Text {
        text: String,
        toolset: Option<Toolset>,
    },
    /// What a tool answers: these fields of it, or all.
    Answer { feed: Feed, fields: Vec<String> },
}
