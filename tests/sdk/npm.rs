//! Builds the npm package and installs it into a project that holds nothing
//! else; registries are not asked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::harness::{repository, target};
use crate::official_clients::assert_fetched;

/// Official clients by the series that a project can have installed.
pub const PEERS: [(&str, &str); 2] = [("1.x", "sdk"), ("2.x", "client")];

/// Returns the folder of what `cargo xtask test` fetched for these tests.
pub fn fetched() -> PathBuf {
    let folder = repository().join("tests/sdk/typescript");
    let modules = folder.join("node_modules");
    assert_fetched(&folder.join("package-lock.json"), &modules);
    modules
}

/// Returns the file that `npm pack` makes, built once.
pub fn package() -> &'static Path {
    static PACKAGE: OnceLock<PathBuf> = OnceLock::new();
    PACKAGE.get_or_init(|| {
        let folder = empty(&target().join("tmp/sdk-npm"));
        let source = folder.join("source");
        copy(&repository().join("generated/typescript"), &source);
        link(&fetched(), &source.join("node_modules"));
        run(npm(&source).args(["pack", "--pack-destination", ".."]));
        let version = env!("CARGO_PKG_VERSION");
        folder.join(format!("zero-memory-client-{version}.tgz"))
    })
}

/// Makes an empty project in the folder, installs the package there, and lays
/// beside it the official clients of these series.
pub fn project(folder: &Path, series: &[&str]) {
    let manifest = "{ \"private\": true, \"type\": \"module\" }";
    std::fs::write(folder.join("package.json"), manifest).expect("a manifest");
    run(npm(folder).args(["install", "--offline"]).arg(package()));
    let modules = folder.join("node_modules");
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let place = modules.join("zero-memory-client").join(licence);
        assert!(place.exists(), "{}", place.display());
    }
    let ours = modules.join("@modelcontextprotocol");
    std::fs::create_dir_all(&ours).expect("a folder");
    for (_, name) in PEERS.iter().filter(|(known, _)| series.contains(known)) {
        let official = fetched().join("@modelcontextprotocol").join(name);
        link(&official, &ours.join(name));
    }
    link(&fetched().join("@types"), &modules.join("@types"));
}

/// Returns a project with both official clients and the scripts of these
/// tests, made once.
pub fn workbench() -> &'static Path {
    static WORKBENCH: OnceLock<PathBuf> = OnceLock::new();
    WORKBENCH.get_or_init(|| {
        let folder = empty(&target().join("tmp/sdk-workbench"));
        project(&folder, &["1.x", "2.x"]);
        for scripts in ["tests/typescript", "tests/sdk/typescript"] {
            copy(&repository().join(scripts), &folder);
        }
        folder
    })
}

/// Runs a command; a failure shows all that it said.
pub fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}\n{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    said
}

fn npm(folder: &Path) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(folder);
    let quiet = ["--no-audit", "--no-fund", "--loglevel", "error"];
    command.args(quiet);
    command
}

/// Empties a folder, or makes it.
pub fn empty(folder: &Path) -> PathBuf {
    if folder.exists() {
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }
    std::fs::create_dir_all(folder).expect("a folder");
    folder.to_owned()
}

/// Copies the files of a folder, and of those in it but what was fetched.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, name) = (entry.path(), entry.file_name());
        let is_manifest = name.to_string_lossy().starts_with("package");
        if path.is_dir() {
            if name != "node_modules" {
                copy(&path, &to.join(&name));
            }
        } else if !(is_manifest && to.join(&name).exists()) {
            std::fs::copy(&path, to.join(&name)).expect("it can be copied");
        }
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).expect("a link");
}

#[cfg(windows)]
fn link(from: &Path, to: &Path) {
    std::os::windows::fs::symlink_dir(from, to).expect("a link");
}
