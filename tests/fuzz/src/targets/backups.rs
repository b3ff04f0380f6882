//! Backups that somebody damaged, cut or made, and ledgers of erasures beside
//! them: each comes back sound or is refused, and a refused one leaves the
//! folder empty.
//!
//! An input is a ledger, a line that says so, and a file as the target `files`
//! reads it; without that line it is the file alone.

use std::fs;

use contract::{ToolName, dispatch};
use memory::upkeep;
use serde_json::json;

use super::files::file_of;
use crate::{oracle, world};

/// Stands between the ledger and the file.
const BORDER: &[u8] = b"\n@FILE@\n";

/// Restores a backup into an empty folder and looks at what came back.
pub fn run(input: &[u8]) {
    let border = input
        .windows(BORDER.len())
        .position(|window| window == BORDER);
    let (ledger, file) = match border {
        Some(at) => (input.get(..at), input.get(at + BORDER.len()..)),
        None => (None, Some(input)),
    };
    let folder = world::folder();
    let backup = folder.path().join("backup.db");
    let bytes = file_of(file.unwrap_or_default());
    fs::write(&backup, &bytes).expect("a file can be written");
    let beside = folder.path().join("told.jsonl");
    if let Some(ledger) = ledger {
        fs::write(&beside, ledger).expect("a file can be written");
    }
    let data = folder.path().join("data");
    let restored = upkeep::restore(&backup, &data, ledger.map(|_| beside.as_path()));
    assert_eq!(
        fs::read(&backup).expect("the backup is there"),
        bytes,
        "the backup was changed"
    );
    let Ok(restored) = restored else {
        assert!(!data.join("memory.db").exists(), "half a folder is left");
        return;
    };
    assert!(restored.memories <= restored.memories_in_backup);
    let report = upkeep::examine(&data);
    let memory = world::memory(&data);
    // What came back was verified, so nothing in it may be a surprise.
    for (tool, arguments) in [
        (ToolName::Recall, json!({ "query": "heron lake", "k": 50 })),
        (ToolName::BuildContext, json!({ "topic": "herons" })),
        (ToolName::ExportMemories, json!({ "limit": 200 })),
        (
            ToolName::Remember,
            json!({ "scope": "core", "content": "Another heron came." }),
        ),
    ] {
        if let Err(error) = dispatch(&memory, &world::call(), tool, arguments) {
            oracle::says_nothing_of_the_inside(&error, "");
        }
    }
    memory.close();
    drop(report);
}
