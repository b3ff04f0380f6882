//! `prompts.json` → prompts.

use serde_json::Value;

use super::read::{items, optional_text, text};
use crate::contract::prompts::{Argument, Completion, Default, Feed, Part, Prompt};
use crate::contract::{Toolset, find_named};

/// Returns the prompts.
pub fn prompts(value: &Value) -> Vec<Prompt> {
    items(value, "prompts")
        .map(|entry| Prompt {
            name: text(entry, "name"),
            title: text(entry, "title"),
            description: text(entry, "description"),
            since: text(entry, "since"),
            arguments: items(entry, "arguments").map(argument).collect(),
            parts: items(entry, "parts").map(part).collect(),
        })
        .collect()
}

fn argument(value: &Value) -> Argument {
    let age = value["default_age_s"].as_u64().map(Default::Age);
    Argument {
        name: text(value, "name"),
        title: text(value, "title"),
        description: text(value, "description"),
        required: value["required"].as_bool().unwrap_or_default(),
        default: age.or(optional_text(value, "default").map(Default::Text)),
        completion: value.get("complete").map(completion),
    }
}

fn completion(value: &Value) -> Completion {
    if value.get("tool").is_none() {
        return Completion::Ages(items(value, "ages_s").filter_map(Value::as_u64).collect());
    }
    Completion::Listed {
        feed: feed(value),
        list: text(value, "list"),
        field: text(value, "field"),
    }
}

fn part(value: &Value) -> Part {
    match optional_text(value, "text") {
        Some(words) => Part::Text {
            text: words,
            toolset: find_named(&Toolset::ALL, &text(value, "toolset")),
        },
        None => Part::Answer {
            feed: feed(value),
            fields: items(value, "fields")
                .filter_map(|field| field.as_str().map(str::to_owned))
                .collect(),
        },
    }
}

fn feed(value: &Value) -> Feed {
    Feed {
        tool: text(value, "tool"),
        input: value["input"].as_object().cloned().unwrap_or_default(),
    }
}
