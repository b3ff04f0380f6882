//! What is committed is what the generator writes.

use std::fs;

use tempfile::TempDir;

use crate::fixture::{files, repository, run};

#[test]
fn the_committed_output_is_what_the_schema_generates() {
    let folder = TempDir::new().expect("a temporary folder");
    let schema = repository().join("schema");
    for name in files(&schema) {
        let target = folder.path().join("schema").join(&name);
        fs::create_dir_all(target.parent().expect("a file has a folder")).expect("a new folder");
        fs::copy(schema.join(&name), target).expect("a copied file");
    }
    let run = run(folder.path(), &["codegen"]);
    assert_eq!(run.code, 0, "{}{}", run.text, run.errors);
    for home in ["generated", "crates/client/src/generated"] {
        let committed = repository().join(home);
        let generated = folder.path().join(home);
        assert_eq!(files(&committed), files(&generated), "{home}");
        for name in files(&committed) {
            let content = |folder: &std::path::Path| fs::read(folder.join(&name)).expect("a file");
            assert!(
                content(&committed) == content(&generated),
                "{home}/{name} is stale; run cargo xtask codegen"
            );
        }
    }
}
