//! The ledger of what will go: its entries, the marks in the schemas that it
//! must agree with, and the page that people read.

use std::fmt::Write as _;

use crate::contract::{Contract, Deprecation};
use crate::diff::surface::contract::Sources;
use crate::places::places;

/// The page, at the root of the repository.
pub const PAGE: &str = "DEPRECATIONS.md";

/// The policy in words.
const POLICY: &str = "\
# Deprecations

This page is written by `cargo xtask codegen` from `schema/deprecations.json`.

Removals are announced, not discovered.

- What will go is announced in a minor version, with what to use instead, and works unchanged until it goes.
- It goes in a later major version at the earliest, never before the one that its entry names.
- It is marked in the served schemas, in the generated types of every language, and here.
- A server counts how often what will go is still used, and logs each such thing once.
- Nothing is removed that an earlier release did not announce; `cargo xtask check` refuses it.
- Removing what was announced is a break all the same, and moves the major version.
";

/// Returns everything that is marked to go, by its surface.
pub fn marks(contract: &Contract) -> Vec<(String, Deprecation)> {
    let mut marks = Vec::new();
    for (stem, tool) in &contract.tools {
        if let Some(mark) = &tool.deprecated {
            marks.push((format!("tools/{stem}.json#"), mark.clone()));
        }
    }
    for found in places(contract) {
        if let Some(mark) = &found.schema.deprecated {
            let file = found.file.trim_start_matches("schema/");
            marks.push((format!("{file}#{}", found.pointer), mark.clone()));
        }
    }
    // A shape that is sent and answered is walked twice.
    marks.sort_by(|left, right| left.0.cmp(&right.0));
    marks.dedup();
    marks
}

/// Returns file and pointer of a surface.
pub fn place(surface: &str) -> (String, String) {
    let (file, pointer) = surface.split_once('#').unwrap_or((surface, ""));
    (format!("schema/{file}"), pointer.to_owned())
}

/// Returns what the ledger of a release announced: surface and removal.
pub fn announced(files: &Sources) -> Vec<(String, String)> {
    let ledger = files.get("deprecations.json");
    let entries = ledger.and_then(|ledger| ledger["entries"].as_array());
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    entries
        .into_iter()
        .flatten()
        .map(|entry| (text(&entry["surface"]), text(&entry["removal"])))
        .collect()
}

/// Renders the page.
pub fn page(contract: &Contract) -> String {
    let ledger = &contract.ledger;
    let mut text = POLICY.to_owned();
    text.push_str("\n## What will go\n\n");
    if ledger.entries.is_empty() {
        text.push_str("Nothing is deprecated.\n");
    } else {
        text.push_str("| surface | since | use instead | gone no earlier than | why |\n|---|---|---|---|---|\n");
        for entry in &ledger.entries {
            let Deprecation {
                since,
                replacement,
                removal,
                reason,
            } = &entry.deprecation;
            let _ = writeln!(
                text,
                "| `{}` | {since} | {} | {removal} | {} |",
                entry.surface,
                cell(replacement),
                cell(reason)
            );
        }
    }
    for (heading, none, column, rows) in [
        (
            "Breaking changes",
            "No release broke anything yet.",
            "what a client must do",
            &ledger.breaking,
        ),
        (
            "Changes of behaviour that move no shape",
            "There is none yet.",
            "what a client may notice",
            &ledger.behaviour,
        ),
    ] {
        let _ = write!(text, "\n## {heading}\n\n");
        if rows.is_empty() {
            let _ = writeln!(text, "{none}");
            continue;
        }
        let _ = writeln!(text, "| version | change | {column} |\n|---|---|---|");
        for row in rows {
            let _ = writeln!(
                text,
                "| {} | {} | {} |",
                row.version,
                cell(&row.change),
                cell(&row.client)
            );
        }
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
