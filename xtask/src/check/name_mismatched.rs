//! A tool has the name of its file.
//!
//! ## What it does
//!
//! Compares `name` of every tool file with the name of the file.
//!
//! ## Why
//!
//! One thing has one name everywhere: file, wire, handler, vectors and
//! documentation. Who looks for a tool looks for its file.
//!
//! ## How to mend
//!
//! Rename the file or the tool.

use crate::check::Subject;
use crate::places::tool_file;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "name_mismatched";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    subject
        .tools()
        .filter(|(file, tool)| *file != tool_file(&tool.name))
        .map(|(file, tool)| {
            Problem::edit(
                ID,
                file,
                "/name",
                format!("the tool is named \"{}\", unlike its file", tool.name),
                "who looks for a tool looks for its file",
                "rename the file or the tool",
            )
        })
        .collect()
}
