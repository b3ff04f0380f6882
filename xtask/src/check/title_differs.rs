//! A tool has one title.
//!
//! ## What it does
//!
//! Compares `title` of a tool with `annotations.title`.
//!
//! ## Why
//!
//! MCP has two places for the same thing. Which one a client shows depends on
//! its age, and a person must recognise the tool in both.
//!
//! ## How to mend
//!
//! Write the same words in both places.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "title_differs";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    subject
        .tools()
        .filter_map(|(file, tool)| {
            let other = tool.annotations.title.as_ref()?;
            (*other != tool.title).then(|| {
                Problem::edit(
                    ID,
                    file,
                    "/annotations/title",
                    format!(
                        "it is \"{other}\", but the tool is titled \"{}\"",
                        tool.title
                    ),
                    "old clients show one of them, new clients the other",
                    "write the same title in both places",
                )
            })
        })
        .collect()
}
