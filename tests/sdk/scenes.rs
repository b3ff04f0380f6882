//! The scenes of vectors that no call brings about, set in the data folder by
//! the program that the players of the other languages use too.

use std::path::Path;

use serde_json::Value;

use crate::harness::{every_vector, python, repository};

/// The project that the scenes share.
pub const HANDBOOK: &str = "proj.me.handbook";

/// What cannot be played from outside: the account that a server serves is
/// never erased, so that only the memory crate can call on behalf of one.
pub const UNSET: [&str; 1] = ["delete_account/refuses_an_account_that_was_erased.invalid.json"];

/// Returns the program that sets scenes.
pub fn program() -> std::path::PathBuf {
    repository().join("tests/sdk/python/scenes.py")
}

/// Sets a scene in a folder that nothing has open.
pub fn set(data: &Path, what: &str) {
    let output = python()
        .arg("-B")
        .arg(program())
        .arg(data)
        .arg(what)
        .output()
        .expect("Python runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// Returns every vector that can be played, by its name.
pub fn playable() -> Vec<(String, Value)> {
    let mut all = every_vector();
    let n_all = all.len();
    all.retain(|(name, _)| !UNSET.contains(&name.as_str()));
    assert_eq!(
        all.len() + UNSET.len(),
        n_all,
        "each that is left out is one"
    );
    all
}
