//! Prompts can be put together from what they name.
//!
//! ## What it does
//!
//! Looks up every tool that a prompt of `prompts.json` calls for its parts or
//! for suggestions: it exists, its access is `read`, it knows each argument of
//! the input and gets what it requires, and it answers with the fields that are
//! picked. The input with a sample in place of every `$name` has to satisfy the
//! tool's schema. Every `$name` has to be an argument of the prompt, and every
//! argument has to be used. A word in backquotes has to be a tool that is
//! offered wherever the text is shown. Names are there once.
//!
//! ## Why
//!
//! A prompt is composed when a person picks it. What it cannot find then is an
//! error in front of that person, and a text that names a tool which is not
//! offered sends the model looking for it.
//!
//! ## How to mend
//!
//! Write the names as the tool's file has them, use an argument or remove it,
//! and show a text that names a tool of the set `full` with `"toolset": "full"`
//! only.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::check::Subject;
use crate::contract::prompts::{Argument, Completion, Feed, Part, Prompt};
use crate::contract::{Access, Contract, Form, Schema, Tool, Toolset};
use crate::problem::Problem;
use crate::verdicts;

/// Id of the rule.
pub const ID: &str = "prompt_unsound";

const FILE: &str = "schema/prompts.json";

/// A string that stands for what a person may type or a default may give.
const SAMPLE: &str = "2026-01-01T00:00:00.000Z";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let Some(contract) = &subject.contract else {
        return Vec::new();
    };
    let mut look = Look {
        subject,
        contract,
        found: Vec::new(),
    };
    let mut names = BTreeSet::new();
    for (index, prompt) in contract.prompts.iter().enumerate() {
        let place = format!("/prompts/{index}");
        if !names.insert(&prompt.name) {
            look.report(
                format!("{place}/name"),
                format!("the prompt {} is there twice", prompt.name),
                "rename one of them",
            );
        }
        look.prompt(&place, prompt);
    }
    look.found
}

struct Look<'a> {
    subject: &'a Subject,
    contract: &'a Contract,
    found: Vec<Problem>,
}

impl<'a> Look<'a> {
    fn report(&mut self, pointer: String, what: String, fix: &str) {
        let why = "what a prompt cannot find fails in front of a person";
        self.found
            .push(Problem::edit(ID, FILE, pointer, what, why, fix));
    }

    fn prompt(&mut self, place: &str, prompt: &Prompt) {
        let mut used = BTreeSet::new();
        for (index, part) in prompt.parts.iter().enumerate() {
            let pointer = format!("{place}/parts/{index}");
            let arguments = &prompt.arguments;
            match part {
                Part::Text { text, toolset } => {
                    let pointer = format!("{pointer}/text");
                    for name in named(text) {
                        self.argument_exists(&pointer, arguments, &name);
                        used.insert(name);
                    }
                    self.tools_in(&pointer, text, *toolset);
                }
                Part::Answer { feed, fields } => {
                    used.extend(references(feed).map(|(_, name)| name.to_owned()));
                    for (key, name) in references(feed) {
                        let pointer = format!("{pointer}/input/{key}");
                        self.argument_exists(&pointer, arguments, name);
                    }
                    let given = |name: &str| {
                        let found = arguments.iter().find(|argument| argument.name == name);
                        found
                            .is_some_and(|argument| argument.required || argument.default.is_some())
                    };
                    let Some(tool) = self.feed(&pointer, feed, &given) else {
                        continue;
                    };
                    for (position, field) in fields.iter().enumerate() {
                        if property(&tool.output, field).is_none() {
                            self.report(
                                format!("{pointer}/fields/{position}"),
                                format!("{} does not answer with \"{field}\"", tool.name),
                                "name a field of its outputSchema",
                            );
                        }
                    }
                }
            }
        }
        let mut names = BTreeSet::new();
        for (index, argument) in prompt.arguments.iter().enumerate() {
            let pointer = format!("{place}/arguments/{index}");
            if !names.insert(&argument.name) {
                let what = format!("the argument {} is there twice", argument.name);
                self.report(format!("{pointer}/name"), what, "rename one of them");
            }
            if !used.contains(&argument.name) {
                let what = format!("no part uses the argument {}", argument.name);
                self.report(pointer.clone(), what, "use it in a part, or remove it");
            }
            if argument.required && argument.default.is_some() {
                let what = format!(
                    "the argument {} is required and has a default",
                    argument.name
                );
                self.report(pointer.clone(), what, "keep one of them");
            }
            if let Some(completion) = &argument.completion {
                self.completion(&format!("{pointer}/complete"), completion);
            }
        }
    }

    fn argument_exists(&mut self, pointer: &str, arguments: &[Argument], name: &str) {
        if !arguments.iter().any(|argument| argument.name == name) {
            self.report(
                pointer.to_owned(),
                format!("\"${name}\" names no argument of the prompt"),
                "declare the argument, or correct the name",
            );
        }
    }

    /// Looks for tools in backquotes that are not offered where the text is.
    fn tools_in(&mut self, pointer: &str, text: &str, toolset: Option<Toolset>) {
        for word in text.split('`').skip(1).step_by(2) {
            let shown_with = toolset.unwrap_or(Toolset::Core);
            let is_offered = self
                .contract
                .tools
                .get(word)
                .is_some_and(|tool| tool.toolset <= shown_with);
            if !is_offered {
                self.report(
                    pointer.to_owned(),
                    format!("`{word}` is no tool that is offered wherever the text is shown"),
                    "correct the name, or show the text with \"toolset\": \"full\" only",
                );
            }
        }
    }

    fn completion(&mut self, pointer: &str, completion: &Completion) {
        let Completion::Listed { feed, list, field } = completion else {
            return;
        };
        for (key, name) in references(feed) {
            if name != "value" {
                let what = format!("\"${name}\" means nothing here");
                self.report(format!("{pointer}/input/{key}"), what, "write \"$value\"");
            }
        }
        // Nothing has been typed at first.
        let Some(tool) = self.feed(pointer, feed, &|_| false) else {
            return;
        };
        let items = property(&tool.output, list).map(|schema| self.contract.resolve(schema));
        let item = match items.map(|schema| &schema.form) {
            Some(Form::Array { items, .. }) => Some(self.contract.resolve(items)),
            _ => None,
        };
        let value = item.and_then(|item| property(item, field));
        let is_text = value.is_some_and(|schema| {
            matches!(self.contract.resolve(schema).form, Form::String { .. })
        });
        if !is_text {
            self.report(
                format!("{pointer}/list"),
                format!(
                    "{} does not answer with an array \"{list}\" of objects with a string \"{field}\"",
                    tool.name
                ),
                "name an array of its outputSchema, and a string in its items",
            );
        }
    }

    /// Returns the tool of a feed, if it may be called like that.
    fn feed(
        &mut self,
        pointer: &str,
        feed: &Feed,
        is_given: &dyn Fn(&str) -> bool,
    ) -> Option<&'a Tool> {
        let Some(tool) = self.contract.tools.get(&feed.tool) else {
            let what = format!("\"{}\" names no tool", feed.tool);
            self.report(format!("{pointer}/tool"), what, "name a tool");
            return None;
        };
        if tool.access != Access::Read {
            let what = format!("{} does more than read", tool.name);
            self.report(
                format!("{pointer}/tool"),
                what,
                "name a tool that only reads",
            );
        }
        // With everything that may be there, and with what is always there.
        let full = feed.input.iter().map(|(key, value)| {
            let sample = match argument_of(value) {
                Some(_) => Value::from(SAMPLE),
                None => value.clone(),
            };
            (key.clone(), sample)
        });
        let full = Value::Object(full.collect());
        let mut least = full.clone();
        if let Some(fields) = least.as_object_mut() {
            fields.retain(|key, _| {
                let value = feed.input.get(key);
                value.and_then(argument_of).is_none_or(is_given)
            });
        }
        let validators = self.subject.validators.get(&tool.name)?;
        for input in [full, least] {
            if !verdicts::accepts(&validators.input, &input) {
                self.report(
                    format!("{pointer}/input"),
                    format!("{} does not accept {input}", tool.name),
                    "write the arguments as its inputSchema has them",
                );
                break;
            }
        }
        Some(tool)
    }
}

/// Returns the arguments that an input names, with their keys.
fn references(feed: &Feed) -> impl Iterator<Item = (&str, &str)> {
    feed.input
        .iter()
        .filter_map(|(key, value)| Some((key.as_str(), argument_of(value)?)))
}

fn argument_of(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix('$')
}

/// Returns the arguments that a text names.
fn named(text: &str) -> Vec<String> {
    text.split('$')
        .skip(1)
        .map(|piece| {
            piece
                .chars()
                .take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
                .collect()
        })
        .collect()
}

fn property<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    match &schema.form {
        Form::Object { properties, .. } => properties
            .iter()
            .find(|property| property.name == name)
            .map(|property| &property.schema),
        _ => None,
    }
}
