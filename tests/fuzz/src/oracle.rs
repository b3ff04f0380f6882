//! What must hold whatever comes in.

use contract::{Error, ErrorCode, ToolName};

use crate::insides::slipped;

/// Panics if an error lets anything of the inside slip that the caller did not
/// say first.
pub fn says_nothing_of_the_inside(error: &Error, said: &str) {
    let said = said.to_lowercase();
    let answer = error.body().to_string();
    let found = slipped(&answer, |inside| said.contains(inside));
    assert_eq!(found, None, "in {answer:.600}");
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
