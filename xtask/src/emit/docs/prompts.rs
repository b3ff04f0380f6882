//! The page of prompts.

use std::fmt::Write as _;

use crate::contract::Contract;
use crate::contract::prompts::{Default, Part};

/// Returns `prompts.md` below its first line.
pub fn page(contract: &Contract) -> String {
    let mut text = String::from(
        "# Prompts\n\nA person picks them in a client; all arguments are strings.\nWhat tools answer stands in the message fenced as data.\n",
    );
    for prompt in &contract.prompts {
        let _ = writeln!(
            text,
            "\n## {}\n\n{}.\n\n{}\n\nSince contract {}.",
            prompt.name, prompt.title, prompt.description, prompt.since
        );
        if !prompt.arguments.is_empty() {
            text.push_str("\n| argument | required | what | when left out |\n|---|---|---|---|\n");
        }
        for argument in &prompt.arguments {
            let default = match &argument.default {
                None => String::new(),
                Some(Default::Text(words)) => format!("\"{words}\""),
                Some(Default::Age(seconds)) => format!("{seconds} seconds ago"),
            };
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {default} |",
                argument.name,
                if argument.required { "yes" } else { "no" },
                argument.description,
            );
        }
        text.push_str("\nPut together from:\n\n");
        for part in &prompt.parts {
            let _ = match part {
                Part::Text { text: words, .. } => {
                    writeln!(text, "> {}\n", words.replace('\n', "\n> "))
                }
                Part::Answer { feed, fields } => {
                    let fields = if fields.is_empty() {
                        String::new()
                    } else {
                        format!(" ({})", fields.join(", "))
                    };
                    writeln!(
                        text,
                        "The answer of [`{tool}`](tools/{tool}.md){fields}.\n",
                        tool = feed.tool
                    )
                }
            };
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}
