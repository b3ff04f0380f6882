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
    let answer = error.body().to_string().to_lowercase();
    let said = said.to_lowercase();
    for inside in INSIDES {
        assert!(
            !answer.contains(inside) || said.contains(inside),
            "{inside} in {answer:.600}"
        );
    }
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
