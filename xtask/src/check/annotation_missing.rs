//! Every tool states its title and all four hints.
//!
//! ## What it does
//!
//! Reads `annotations` of every tool file and wants `title`, `readOnlyHint`,
//! `destructiveHint`, `idempotentHint` and `openWorldHint`, each written down.
//!
//! ## Why
//!
//! An absent hint is not neutral: MCP gives it the most alarming default, so
//! clients ask the user before a harmless read. Some clients show only the
//! title inside the annotations, others only the one beside the name.
//!
//! ## How to mend
//!
//! Add the missing line to `annotations`. The `access` of the tool decides what
//! it says; see `annotation_contradicts_access`.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "annotation_missing";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    for (file, tool) in subject.tools() {
        let stated = &tool.annotations;
        let all = [
            ("title", stated.title.is_some()),
            ("readOnlyHint", stated.read_only.is_some()),
            ("destructiveHint", stated.destructive.is_some()),
            ("idempotentHint", stated.idempotent.is_some()),
            ("openWorldHint", stated.open_world.is_some()),
        ];
        for (name, _) in all.iter().filter(|(_, is_stated)| !is_stated) {
            found.push(Problem::edit(
                ID,
                &file,
                "/annotations",
                format!("{name} is not stated"),
                "a client takes the most alarming value for what is absent",
                format!("add {name}"),
            ));
        }
    }
    found
}
