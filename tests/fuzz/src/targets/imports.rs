//! Files that are imported, of any format: no importer fails on any bytes, a
//! trial says what a run does and leaves no trace, what was imported once is
//! known the next time, and nothing becomes a rule.
//!
//! The first line of an input is the name of its file.

use std::fs;

use contract::{ToolName, dispatch};
use memory::import::{Options, Report};
use memory::{Memory, seams};
use serde_json::json;

use crate::world;

/// What such files are made of.
pub const WORDS: &[&str] = &[
    "CLAUDE.md\n",
    "MEMORY.md\n",
    "AGENTS.md\n",
    "memory.jsonl\n",
    "rule.mdc\n",
    "note.md\n",
    "export.json\n",
    "---\n",
    "alwaysApply: true\n",
    "permalink: a/b\n",
    "- [idea] ",
    "- relates_to [[",
    "]]",
    "#tag",
    "{\"type\":\"entity\",\"name\":",
    "{\"type\":\"relation\",\"from\":",
    "\"observations\":[",
    "\"entities\":[",
    "\"relations\":[",
    "\"results\":[",
    "\"memory\":",
    "\"memories\":[",
    "\"created_at\":",
    "\"tags\":",
    "\"content_hash\":",
    "```\n",
    "<!-- ",
    " -->",
];

/// The moment of every import.
const NOW: i64 = 1_796_115_600_000;

/// Reads an input with each importer, then imports it.
pub fn run(input: &[u8]) {
    let end = input.iter().position(|byte| *byte == b'\n');
    let (name, bytes) = match end {
        Some(end) => (input.get(..end), input.get(end + 1..)),
        None => (None, Some(input)),
    };
    let name = name_of(name.unwrap_or_default());
    let bytes = bytes.unwrap_or_default();
    for brought in seams::import(&name, bytes, NOW) {
        for place in brought.places.iter().flatten() {
            let (first, end) = *place;
            assert!(first <= end && end <= bytes.len(), "{brought:?}");
        }
    }
    let folder = world::folder();
    let file = folder.path().join(&name);
    fs::write(&file, bytes).expect("a file can be written");
    let memory = world::memory(&folder.path().join("data"));
    let import = |memory: &Memory, write: bool| -> Option<Report> {
        let options = Options {
            write,
            project: Some("https://git.example/acme/api".to_owned()),
            ..Options::default()
        };
        memory.import(&file, &options, &mut |_, _| {}).ok()
    };
    let trial = import(&memory, false);
    assert!(
        !folder.path().join("data").exists(),
        "a trial left something behind"
    );
    let run = import(&memory, true);
    let told = |report: &Option<Report>| {
        report
            .as_ref()
            .map(|report| (report.imported, report.n_rejected, report.rows.clone()))
    };
    assert_eq!(told(&trial), told(&run), "a trial tells something else");
    let again = import(&memory, true);
    assert_eq!(
        again.as_ref().map_or(0, |report| report.imported),
        0,
        "the same file is imported twice: {again:?}"
    );
    assert_eq!(
        fs::read(&file).ok().as_deref(),
        Some(bytes),
        "the file was changed"
    );
    if run.is_some() {
        let briefing = dispatch(
            &memory,
            &world::call(),
            ToolName::BuildContext,
            json!({ "topic": "anything", "project_hint": "https://git.example/acme/api" }),
        );
        let briefing = briefing.expect("a briefing is answered");
        assert_eq!(
            briefing.get("rules"),
            Some(&json!([])),
            "an import made a rule"
        );
    }
    memory.close();
}

/// Returns a name that a file may have in its folder.
fn name_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = text.chars().filter(is_plain).take(32).collect();
    match name.trim_start_matches('.') {
        "" | "data" => "file".to_owned(),
        name => name.to_owned(),
    }
}
