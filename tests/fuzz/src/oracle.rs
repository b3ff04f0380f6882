//! What must hold whatever comes in.

use contract::{Error, ErrorCode, ToolName};

/// What no answer may let slip: the engine, places in the source, folders.
const INSIDES: &[&str] = &[
    "sqlite",
    "fts5",
    "select ",
    "insert into",
    "syntax error",
    "no such table",
    "constraint",
    "memory.db",
    "bookkeeping.db",
    "panicked",
    ".rs:",
    "/tmp/",
    "/dev/shm",
    "backtrace",
    "unwrap",
    "serde_json",
];

/// Panics if an error lets anything of the inside slip that the caller did not
/// say first.
pub fn says_nothing_of_the_inside(error: &Error, said: &str) {
    let answer = without_ids(&error.body().to_string().to_lowercase());
    let said = said.to_lowercase();
    for inside in INSIDES {
        assert!(
            !answer.contains(inside) || said.contains(inside),
            "{inside} in {answer:.600}"
        );
    }
}

/// Returns a text without the words that may be ids, whose letters may spell
/// anything.
fn without_ids(text: &str) -> String {
    let is_id = |word: &&str| word.len() >= 30 && word.get(3..4) == Some("_");
    let words = text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
    let mut without = text.to_owned();
    for id in words.filter(is_id) {
        without = without.replace(id, "");
    }
    without
}

/// Panics unless a tool may answer this error, and it hides nothing.
pub fn is_legal(tool: ToolName, error: &Error, said: &str) {
    assert!(
        tool.may_answer(error),
        "{} does not list {error}",
        tool.as_str()
    );
    assert_ne!(error.code, ErrorCode::Internal, "{} {error}", tool.as_str());
    says_nothing_of_the_inside(error, said);
}
