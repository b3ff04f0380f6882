//! Prompts as data for the server.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::contract::prompts::{Argument, Completion, Default, Feed, Part};
use crate::contract::{Contract, Toolset, name_of, type_name};

/// Returns the source of `prompts.rs`.
pub fn source(contract: &Contract) -> String {
    let mut text = String::from(TYPES);
    text.push_str("/// Every prompt.\npub const PROMPTS: &[PromptSpec] = &[");
    for prompt in &contract.prompts {
        let arguments: String = prompt.arguments.iter().map(argument).collect();
        let parts: String = prompt.parts.iter().map(part).collect();
        let _ = write!(
            text,
            "PromptSpec {{ name: {:?}, title: {:?}, description: {:?}, arguments: &[{arguments}], parts: &[{parts}] }},",
            prompt.name, prompt.title, prompt.description
        );
    }
    text.push_str("];");
    text
}

const TYPES: &str = "//! What a person picks in a client.
use crate::tools::ToolName;
/// A prompt: texts, and what tools answer between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptSpec {
    /// Programmatic name.
    pub name: &'static str,
    /// Name for a person.
    pub title: &'static str,
    /// What it does.
    pub description: &'static str,
    /// What may be passed.
    pub arguments: &'static [PromptArgumentSpec],
    /// What the message is put together from.
    pub parts: &'static [PromptPart],
}
/// An argument; all of them are strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptArgumentSpec {
    /// Programmatic name.
    pub name: &'static str,
    /// Name for a person.
    pub title: &'static str,
    /// What it means.
    pub description: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// What stands for it when it is left out.
    pub default: Option<PromptDefault>,
    /// Where suggestions come from.
    pub completion: Option<PromptCompletion>,
}
/// What stands for an argument that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptDefault {
    /// This text.
    Text(&'static str),
    /// The moment this many seconds before the call.
    Age(u32),
}
/// Where suggestions for an argument come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptCompletion {
    /// Moments this many seconds before the call.
    Ages(&'static [u32]),
    /// A string in each item of an array that a tool answers with.
    Listed {
        /// The call; `$value` stands for what was typed.
        feed: PromptFeed,
        /// The array.
        list: &'static str,
        /// The string.
        field: &'static str,
    },
}
/// A call of a tool that only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptFeed {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments as JSON; `$name` as a whole string stands for an argument.
    pub input: &'static str,
}
/// A piece of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPart {
    /// Words; `$name` stands for an argument.
    Text {
        /// The words.
        text: &'static str,
        /// The toolset with which they are shown; any when absent.
        toolset: Option<&'static str>,
    },
    /// What a tool answers.
    Answer {
        /// The call.
        feed: PromptFeed,
        /// The fields that are shown; all when there are none.
        fields: &'static [&'static str],
    },
}
";

fn argument(argument: &Argument) -> String {
    let default = match &argument.default {
        None => "None".to_owned(),
        Some(Default::Text(words)) => format!("Some(PromptDefault::Text({words:?}))"),
        Some(Default::Age(seconds)) => format!("Some(PromptDefault::Age({seconds}))"),
    };
    let completion = match &argument.completion {
        None => "None".to_owned(),
        Some(Completion::Ages(ages)) => format!("Some(PromptCompletion::Ages(&{ages:?}))"),
        Some(Completion::Listed {
            feed: call,
            list,
            field,
        }) => format!(
            "Some(PromptCompletion::Listed {{ feed: {}, list: {list:?}, field: {field:?} }})",
            feed(call)
        ),
    };
    format!(
        "PromptArgumentSpec {{ name: {:?}, title: {:?}, description: {:?}, required: {}, default: {default}, completion: {completion} }},",
        argument.name, argument.title, argument.description, argument.required
    )
}

fn part(part: &Part) -> String {
    match part {
        Part::Text { text, toolset } => {
            let toolset = toolset.map(|toolset| name_of(&Toolset::ALL, &toolset));
            format!("PromptPart::Text {{ text: {text:?}, toolset: {toolset:?} }},")
        }
        Part::Answer { feed: call, fields } => format!(
            "PromptPart::Answer {{ feed: {}, fields: &{fields:?} }},",
            feed(call)
        ),
    }
}

fn feed(feed: &Feed) -> String {
    format!(
        "PromptFeed {{ tool: ToolName::{}, input: {:?} }}",
        type_name(&feed.tool),
        json(&feed.input)
    )
}

fn json(input: &Map<String, Value>) -> String {
    Value::Object(input.clone()).to_string()
}
