//! The verdict on the Rust client, confirmed by a program that knows nothing of
//! the contract: cargo-semver-checks compares the public items of the packages
//! that two real releases generate, as rustdoc describes them.
//!
//! By its own levels an addition asks for nothing, and these can be changed only
//! when it builds the packages itself, which takes the network. So a minor is
//! what may follow without a major, while the way back may not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::fixture::{copy, repository, run};

const OLD: &str = "2.0.0";
const NEW: &str = "2.1.0";

/// What cargo-semver-checks exits with when a lint is violated; neither this nor
/// 0 means that it failed itself, which is no verdict.
const REFUSED: i32 = 100;

/// A folder with what rustdoc says of the packages of both releases.
static DESCRIBED: LazyLock<PathBuf> = LazyLock::new(|| {
    // It is always the same, so that nothing piles up.
    let folder = scratch().join("semver");
    let _ = fs::remove_dir_all(&folder);
    for version in [OLD, NEW] {
        let root = folder.join(version);
        write(&root, version);
        describe(&root, &described(&folder, version));
    }
    folder
});

/// The way back, asked for as a minor: two tests need it.
static BACK: LazyLock<Verdict> = LazyLock::new(|| check(NEW, OLD, "minor"));

fn described(folder: &Path, version: &str) -> PathBuf {
    folder.join(format!("{version}.json"))
}

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Returns cargo-semver-checks, which "cargo xtask test" has installed.
fn program() -> PathBuf {
    let name = format!("cargo-semver-checks{}", std::env::consts::EXE_SUFFIX);
    let program = std::env::var_os("ZERO_MEMORY_SEMVER_CHECKS").map_or_else(
        || scratch().with_file_name("tools").join("bin").join(name),
        PathBuf::from,
    );
    assert!(
        program.exists(),
        "cargo-semver-checks is missing; run \"cargo xtask test\" once"
    );
    program
}

/// What cargo-semver-checks says of a step.
struct Verdict {
    is_refused: bool,
    text: String,
}

impl Verdict {
    /// Returns the items it names, as the workshop calls them.
    fn items(&self) -> BTreeSet<String> {
        let lines = self.text.lines();
        lines
            .filter_map(|line| line.strip_prefix("  ")?.split_once(", previously in file"))
            .map(|(item, _)| {
                let words: Vec<&str> = item.split(' ').collect();
                match words[..] {
                    ["field", field, "of", "struct", owner] => format!("{owner}::{field}"),
                    [_, path] => path.rsplit("::").next().unwrap_or(path).to_owned(),
                    _ => item.to_owned(),
                }
            })
            .collect()
    }
}

/// Asks whether this step may be released as one of this kind.
fn check(from: &str, to: &str, kind: &str) -> Verdict {
    let folder = &*DESCRIBED;
    let output = Command::new(program())
        .args(["semver-checks", "check-release", "--color", "never"])
        .args(["--release-type", kind, "--baseline-rustdoc"])
        .arg(described(folder, from))
        .arg("--current-rustdoc")
        .arg(described(folder, to))
        .output()
        .expect("cargo-semver-checks starts");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let code = output.status.code();
    assert!(
        [Some(0), Some(REFUSED)].contains(&code),
        "cargo-semver-checks gives no verdict; when it cannot read what rustdoc of this \
         toolchain writes, its version in xtask/src/fetch.rs has to move: {text}"
    );
    Verdict {
        is_refused: code == Some(REFUSED),
        text,
    }
}

/// Lets rustdoc write down what a package shows.
fn describe(root: &Path, file: &Path) {
    // Both sides share it, and later runs, so what they are built on is checked
    // once; other builds do not, because they lack the variable below.
    let target = scratch().join("semver-built");
    let written = target.join("doc/zero_memory_client.json");
    let _ = fs::remove_file(&written);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["rustdoc", "--quiet", "--offline", "--lib"])
        // What is generated is the same whatever carries it.
        .args(["--package", "zero-memory-client", "--no-default-features"])
        .arg("--")
        .args(["-Zunstable-options", "--output-format=json"])
        .args(["--document-private-items", "--document-hidden-items"])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", &target)
        // What rustdoc says in JSON is not stable; cargo-semver-checks reads
        // that of this toolchain.
        .env("RUSTC_BOOTSTRAP", "zero_memory_client")
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTDOCFLAGS")
        .output()
        .expect("cargo starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    fs::rename(written, file).expect("rustdoc has written its file");
}

/// Writes the Rust client that a release generates as a package of its version.
fn write(root: &Path, version: &str) {
    let file = format!("schema/releases/{version}.json");
    let text = fs::read_to_string(repository().join(file)).expect("a release");
    let release: Value = serde_json::from_str(&text).expect("JSON");
    for (name, source) in release["files"].as_object().expect("files by name") {
        let path = root.join("schema").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        fs::write(path, source.to_string()).expect("a new file");
    }
    copy(&repository().join("schema/meta"), &root.join("schema/meta"));
    // The hand-written part is that of today on both sides: it is no part of a
    // release. What is generated of today is written over.
    copy(
        &repository().join("crates/client"),
        &root.join("crates/client"),
    );
    let run = run(root, &["codegen"]);
    assert_eq!(run.code, 0, "{}{}", run.text, run.errors);
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("a manifest");
    let line = |line: &str| {
        if line.starts_with("members = ") {
            "members = [\"crates/client\"]\n".to_owned()
        } else if line.starts_with("version = ") {
            format!("version = \"{version}\"\n")
        } else {
            format!("{line}\n")
        }
    };
    // Nothing of it runs, so nothing is optimised.
    let (manifest, _profiles) = manifest.split_once("\n[profile.").expect("profiles");
    let manifest: String = manifest.lines().map(line).collect();
    fs::write(root.join("Cargo.toml"), manifest).expect("a new file");
    fs::copy(repository().join("Cargo.lock"), root.join("Cargo.lock")).expect("a copy");
}

/// What the workshop says of the Rust client.
struct Prediction {
    bump: String,
    /// What came or went, apart from what came or went with its owner.
    items: BTreeSet<String>,
}

fn predicted(from: &str, to: &str) -> Prediction {
    let arguments = ["diff", "--from", from, "--to", to, "--format", "json"];
    let run = run(&repository(), &arguments);
    assert_eq!((run.code, run.errors.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&run.text).expect("a report is JSON");
    let verdict = &report["clients"]["rust"];
    let lines = verdict["why"].as_array().expect("reasons").iter();
    let all: BTreeSet<String> = lines
        .map(|line| line.as_str().expect("a sentence"))
        .map(|line| {
            line.trim_end_matches(" is new")
                .trim_end_matches(" is gone")
        })
        .map(|item| item.trim_end_matches("()").to_owned())
        .collect();
    let is_alone = |item: &&String| {
        let owner = item.rsplit_once("::").map(|(owner, _)| owner);
        owner.is_none_or(|owner| !all.contains(owner))
    };
    Prediction {
        bump: verdict["bump"].as_str().expect("a kind").to_owned(),
        items: all.iter().filter(is_alone).cloned().collect(),
    }
}

#[test]
fn additions_of_a_release_are_a_minor_of_the_rust_client() {
    let predicted = predicted(OLD, NEW);
    assert_eq!(predicted.bump, "minor");
    let step = check(OLD, NEW, "minor");
    assert!(!step.is_refused, "{}", step.text);
    // That it is no less than a minor: all of this came.
    assert_eq!(BACK.items(), predicted.items, "{}", BACK.text);
}

#[test]
fn the_way_back_from_a_release_is_a_major_of_the_rust_client() {
    let predicted = predicted(NEW, OLD);
    assert_eq!(predicted.bump, "major");
    assert!(BACK.is_refused, "{}", BACK.text);
    assert_eq!(BACK.items(), predicted.items, "{}", BACK.text);
}

#[test]
fn a_release_beside_itself_is_no_step_of_the_rust_client() {
    let predicted = predicted(NEW, NEW);
    assert_eq!(
        (predicted.bump.as_str(), predicted.items.len()),
        ("none", 0)
    );
    let step = check(NEW, NEW, "patch");
    assert!(!step.is_refused, "{}", step.text);
}
