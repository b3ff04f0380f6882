//! Dumps: any lines are taken or named, and what was taken comes out again to
//! the byte, also after another way through an empty folder.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use contract::{ToolName, dispatch};
use memory::import::{Options, Report};
use memory::{Memory, seams};
use serde_json::json;

use crate::world;

/// What dumps are made of.
pub const WORDS: &[&str] = &[
    "\"content\":",
    "\"scope\":",
    "\"visibility\":\"shared\"",
    "\"visibility\":\"private\"",
    "\"kind\":\"fact\"",
    "\"created_at\":",
    "user.me",
    "proj.me.",
    "mem_",
    "ent_",
    "usr_",
];

/// The moment of every import.
const NOW: i64 = 1_796_115_600_000;

/// Stands in a seed for the dump of a folder that holds rows of every sort.
const WHOLE: &[u8] = b"@DUMP@";

static DUMP: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = world::folder();
    let memory = world::memory(&folder.path().join("data"));
    let call = |tool, input| dispatch(&memory, &world::call(), tool, input).expect("a call");
    let project = "https://git.example/acme/api";
    let first = call(
        ToolName::Remember,
        json!({ "project_hint": project, "kind": "gotcha", "content": "The heron cache is cold.", "entities": ["heron", "cache"] }),
    );
    let second = call(
        ToolName::Remember,
        json!({ "project_hint": project, "content": "The heron cache is warm.", "links": [{ "target": first.get("memory_id"), "type": "supersedes" }] }),
    );
    let third = call(
        ToolName::Remember,
        json!({ "scope": "core", "content": "Always count herons twice." }),
    );
    call(
        ToolName::PromoteRule,
        json!({ "memory_id": third.get("memory_id") }),
    );
    call(
        ToolName::Challenge,
        json!({ "memory_id": second.get("memory_id"), "reason": "It may be cold." }),
    );
    let gone = call(
        ToolName::Remember,
        json!({ "scope": "personal", "content": "I count herons." }),
    );
    call(
        ToolName::Forget,
        json!({ "memory_id": gone.get("memory_id"), "reason": "No more." }),
    );
    let dump = dumped(&memory).expect("a dump");
    memory.close();
    dump
});

/// Imports the lines of an input, exports, and goes the same way once more.
pub fn run(input: &[u8]) {
    let lines = match input.strip_prefix(WHOLE) {
        // Changes to a whole dump: three bytes of place and one of value each.
        Some(changes) => changed(changes),
        None => input.to_vec(),
    };
    for line in lines.split(|byte| *byte == b'\n') {
        seams::dump_line(line, NOW);
    }
    let folder = world::folder();
    let file = folder.path().join("in.jsonl");
    fs::write(&file, &lines).expect("a file can be written");
    let first = world::memory(&folder.path().join("first"));
    if imported(&first, &file).is_none() {
        first.close();
        return;
    }
    let Some(once) = dumped(&first) else {
        first.close();
        return;
    };
    first.close();
    let file = folder.path().join("once.jsonl");
    fs::write(&file, &once).expect("a file can be written");
    let second = world::memory(&folder.path().join("second"));
    let report = imported(&second, &file).expect("our own dump is taken");
    assert_eq!(report.n_rejected, 0, "{:?}", report.rejected);
    let twice = dumped(&second).expect("it is exported again");
    second.close();
    assert_eq!(
        String::from_utf8_lossy(&twice),
        String::from_utf8_lossy(&once)
    );
}

fn imported(memory: &Memory, file: &Path) -> Option<Report> {
    let options = Options {
        write: true,
        with_rules: true,
        ..Options::default()
    };
    memory.import(file, &options, &mut |_, _| {}).ok()
}

fn dumped(memory: &Memory) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    memory.export_dump(None, &mut out, &mut |_, _| {}).ok()?;
    Some(out)
}

fn changed(changes: &[u8]) -> Vec<u8> {
    let mut dump = DUMP.clone();
    for change in changes.chunks_exact(4) {
        let [high, middle, low, value] = change else {
            continue;
        };
        let place = usize::from(*high) << 16 | usize::from(*middle) << 8 | usize::from(*low);
        let place = place % dump.len();
        if let Some(byte) = dump.get_mut(place) {
            *byte = *value;
        }
    }
    dump
}
