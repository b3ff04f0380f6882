//! The repository itself keeps its promises.

use crate::fixture::{repository, run};

#[test]
fn the_repository_breaks_no_rule() {
    let run = run(&repository(), &["check"]);
    assert_eq!(run.text, "The contract holds.\n", "{}", run.errors);
    assert_eq!(run.code, 0);
}
