//! A small repository in a temporary folder, changed by an overlay.
//!
//! An overlay is a folder whose files replace those of the base. A file
//! `x.patch.json` is merged into `x.json` as RFC 7396 says, and a file
//! `REMOVED` lists what is taken away. Each folder of `history/` is an overlay
//! that is laid over and released before the rest, in the order of names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Returns the folder of this package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    package().join("..")
}

/// What a run of the workshop said.
pub struct Run {
    pub text: String,
    pub errors: String,
    pub code: i32,
}

/// Runs the workshop on a repository.
pub fn run(root: &Path, arguments: &[&str]) -> Run {
    let output: Output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("--root")
        .arg(root)
        .args(arguments)
        .output()
        .expect("the workshop starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the workshop writes text");
    Run {
        text: text(output.stdout),
        errors: text(output.stderr),
        code: output.status.code().expect("the workshop is not killed"),
    }
}

/// A copy of the base.
pub struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// Returns the base as it is, with `generated/` written.
    pub fn base() -> Self {
        let fixture = Self::bare();
        fixture.codegen();
        fixture
    }

    /// Returns the base under an overlay.
    ///
    /// What the overlay says of `generated/` is done after generating, so
    /// that only this differs from what the generator writes.
    pub fn overlaid(overlay: &Path) -> Self {
        let fixture = Self::bare();
        let history = overlay.join("history");
        if history.is_dir() {
            for version in folders(&history) {
                fixture.lay_over(&history.join(version), &|_| true);
                fixture.release();
            }
        }
        let is_output = |name: &str| name.starts_with("generated/") || name == "DEPRECATIONS.md";
        fixture.lay_over(overlay, &|name| {
            !is_output(name) && !name.starts_with("history/")
        });
        fixture.codegen();
        fixture.lay_over(overlay, &is_output);
        fixture
    }

    fn bare() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let fixture = Self { folder };
        copy(&package().join("tests/rules/base"), fixture.root());
        copy(
            &repository().join("schema/meta"),
            &fixture.root().join("schema/meta"),
        );
        fixture
    }

    /// Returns the root of the copy.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the workshop on the copy.
    pub fn run(&self, arguments: &[&str]) -> Run {
        run(self.root(), arguments)
    }

    /// Generates; a contract that cannot be read leaves nothing generated.
    fn codegen(&self) {
        let run = self.run(&["codegen"]);
        assert!([0, 100].contains(&run.code), "{}{}", run.text, run.errors);
    }

    /// Commits everything and releases it.
    pub fn release(&self) {
        self.codegen();
        self.commit();
        let run = self.run(&["release"]);
        assert_eq!(run.code, 0, "{}{}", run.text, run.errors);
    }

    /// Commits everything that is there.
    pub fn commit(&self) {
        for arguments in [
            &["init", "--quiet"][..],
            &["add", "--all"],
            &["commit", "--quiet", "--allow-empty", "--message", "All."],
        ] {
            let status = Command::new("git")
                .arg("-C")
                .arg(self.root())
                .args(["-c", "user.name=A", "-c", "user.email=a@example.invalid"])
                .args(["-c", "commit.gpgsign=false"])
                .args(arguments)
                .status()
                .expect("git starts");
            assert!(status.success(), "{arguments:?}");
        }
    }

    /// Writes a file of the copy.
    pub fn write(&self, name: &str, content: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a new folder");
        fs::write(path, content).expect("a new file");
    }

    fn lay_over(&self, overlay: &Path, concerns: &dyn Fn(&str) -> bool) {
        for name in files(overlay) {
            let content = fs::read_to_string(overlay.join(&name)).expect("a fixture is text");
            if name == "REMOVED" {
                for line in content.lines().filter(|line| concerns(line)) {
                    fs::remove_file(self.root().join(line)).expect("what is removed was there");
                }
            } else if !concerns(&name) {
                continue;
            } else if let Some(stem) = name.strip_suffix(".patch.json") {
                self.patch(&format!("{stem}.json"), &content);
            } else {
                self.write(&name, &content);
            }
        }
    }

    fn patch(&self, name: &str, patch: &str) {
        let path = self.root().join(name);
        let text = fs::read_to_string(&path).expect("what is patched is there");
        let mut value: Value = serde_json::from_str(&text).expect("what is patched is JSON");
        merge(
            &mut value,
            serde_json::from_str(patch).expect("a patch is JSON"),
        );
        self.write(name, &serde_json::to_string_pretty(&value).expect("JSON"));
    }
}

/// Merges as RFC 7396 says: null removes, objects merge, the rest replaces.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let map = target.as_object_mut().expect("it was made one");
    for (key, value) in patch {
        if value.is_null() {
            // The order of the other keys is part of the contract.
            map.shift_remove(&key);
        } else {
            merge(map.entry(key).or_insert(Value::Null), value);
        }
    }
}

/// Returns the files below a folder by their path in it, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_dir() {
            names.extend(files(&path).iter().map(|inner| format!("{name}/{inner}")));
        } else {
            names.push(name.into_owned());
        }
    }
    names.sort();
    names
}

/// Returns the names of the folders in a folder, sorted.
pub fn folders(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.is_dir())
        .map(|path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

/// Copies a folder over another.
pub fn copy(from: &Path, to: &Path) {
    for name in files(from) {
        let target = to.join(&name);
        fs::create_dir_all(target.parent().expect("a file has a folder")).expect("a new folder");
        fs::copy(from.join(&name), target).expect("a copied file");
    }
}
