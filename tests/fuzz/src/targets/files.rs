//! Memory files that somebody damaged, cut or made: never a panic or a hang,
//! and a file that is refused stays as it is, byte for byte.
//!
//! An input is a whole file, or a list of changes to one of ours: three bytes
//! of place and one of value each.

use std::fs;
use std::sync::LazyLock;

use contract::{ToolName, dispatch};
use serde_json::json;

use crate::{oracle, world};

/// What such files are made of.
pub const WORDS: &[&str] = &[
    "SQLite format 3\0",
    "zmem",
    "CREATE TABLE memory",
    "\0\0\0\0",
];

/// The first byte of an input that is a list of changes.
const CHANGES: u8 = b'~';

/// The first byte of an input that cuts one of our files.
const CUT: u8 = b'<';

/// A file of ours with a row of most sorts in it.
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = world::folder();
    let data = folder.path().join("data");
    let memory = world::memory(&data);
    for number in 0..8 {
        let input = json!({
            "project_hint": "https://git.example/acme/api",
            "kind": "gotcha",
            "content": format!("Heron {number} nests in the reeds of the northern lake."),
            "entities": ["Heron", format!("lake {number}")],
        });
        dispatch(&memory, &world::call(), ToolName::Remember, input).expect("a write");
    }
    memory.close();
    fs::read(data.join("memory.db")).expect("the file is there")
});

/// Opens a folder with a memory file of these bytes and makes some calls.
pub fn run(input: &[u8]) {
    let bytes = file_of(input);
    let folder = world::folder();
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("a folder can be made");
    let path = data.join("memory.db");
    fs::write(&path, &bytes).expect("a file can be written");
    // Whoever looks at a folder changes nothing in it.
    drop(memory::upkeep::examine(&data));
    assert!(
        fs::read(&path).expect("the file is there") == bytes,
        "a look changed the file"
    );
    let memory = world::memory(&data);
    let opened = memory.open();
    if let Err(error) = &opened {
        oracle::says_nothing_of_the_inside(error, "");
        memory.close();
        let left = fs::read(&path).expect("the file is there");
        assert!(
            left == bytes || has_mark(&bytes),
            "a refused file was changed"
        );
        return;
    }
    assert!(
        has_mark(&bytes) || !has_tables(&bytes),
        "a file of another program was taken over"
    );
    for (tool, arguments) in [
        (ToolName::Recall, json!({ "query": "heron lake", "k": 50 })),
        (ToolName::Entities, json!({ "limit": 100 })),
        (ToolName::BuildContext, json!({ "topic": "herons" })),
        (ToolName::ExportMemories, json!({ "limit": 200 })),
        (
            ToolName::Remember,
            json!({ "scope": "core", "content": "Another heron came." }),
        ),
        (ToolName::ScanHygiene, json!({})),
    ] {
        // A damaged row may be any error; it may not say how.
        if let Err(error) = dispatch(&memory, &world::call(), tool, arguments) {
            oracle::says_nothing_of_the_inside(&error, "");
        }
    }
    memory.close();
}

/// Whether a file says that it is ours: such a one may fail later, in the
/// middle of what is done to it.
fn has_mark(bytes: &[u8]) -> bool {
    bytes.get(68..72) == Some(b"zmem".as_slice())
}

/// Whether somebody keeps tables in a file.
fn has_tables(bytes: &[u8]) -> bool {
    let table = b"CREATE TABLE";
    bytes.windows(table.len()).any(|window| window == table)
}

pub(super) fn file_of(input: &[u8]) -> Vec<u8> {
    let whole = &*WHOLE;
    match input.split_first() {
        Some((&CHANGES, changes)) => {
            let mut bytes = whole.clone();
            for change in changes.chunks_exact(4) {
                let [high, middle, low, value] = change else {
                    continue;
                };
                let place =
                    usize::from(*high) << 16 | usize::from(*middle) << 8 | usize::from(*low);
                let place = place % bytes.len();
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = *value;
                }
            }
            bytes
        }
        Some((&CUT, place)) => {
            let place = place
                .iter()
                .take(3)
                .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            whole
                .get(..place % whole.len())
                .unwrap_or_default()
                .to_vec()
        }
        _ => input.to_vec(),
    }
}
