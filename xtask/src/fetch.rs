//! Brings what the tests and measurements need from the package registries,
//! through their ordinary clients, once: a stamp beside each folder holds the
//! hash of the lock file, and a second run asks nobody.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::cargo;

/// Name of the file that says which lock file a folder was made from.
const STAMP: &str = ".made-from";

/// Version of cargo-semver-checks. It reads what rustdoc of Rust 1.93 to that of
/// its own day writes, so it moves with the toolchain.
const SEMVER_CHECKS: &str = "0.51.0";

/// A program of others that measurements compare with.
pub struct Peer {
    /// Name and version.
    pub name: String,
    /// Its entry point for Node.
    pub script: PathBuf,
}

/// Fetches the official memory server.
pub fn peer(root: &Path) -> Result<Peer> {
    let folder = root.join("tests/peers");
    node_modules(&folder)?;
    let package = folder.join("node_modules/@modelcontextprotocol/server-memory");
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(package.join("package.json"))?)?;
    let version = manifest.get("version").and_then(|version| version.as_str());
    Ok(Peer {
        name: format!("official Node memory server {}", version.unwrap_or("?")),
        script: package.join("dist/index.js"),
    })
}

/// Installs what the lock file of this folder names.
pub fn node_modules(folder: &Path) -> Result<()> {
    let lock = folder.join("package-lock.json");
    let installed = folder.join("node_modules");
    if is_made(&installed, &lock)? {
        return Ok(());
    }
    say(&format!("installing npm packages for {}", name_of(folder)));
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    cargo::run(Command::new(npm).current_dir(folder).args([
        "ci",
        "--no-audit",
        "--no-fund",
        "--prefer-offline",
        "--loglevel",
        "error",
    ]))?;
    mark(&installed, &lock)
}

/// Makes a Python environment with the packages that a file names by hash, and
/// returns its interpreter.
pub fn python(root: &Path, requirements: &Path) -> Result<PathBuf> {
    let name = requirements
        .file_stem()
        .context("a requirements file has a name")?
        .to_string_lossy()
        .into_owned();
    let folder = cargo::target_folder(root).join("python").join(&name);
    let interpreter = if cfg!(windows) {
        folder.join("Scripts/python.exe")
    } else {
        folder.join("bin/python")
    };
    if is_made(&folder, requirements)? {
        return Ok(interpreter);
    }
    say(&format!("installing Python packages of {name}"));
    // A half-made environment is made anew.
    if folder.exists() {
        fs::remove_dir_all(&folder).context("cannot remove a half-made environment")?;
    }
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    cargo::run(Command::new(python).args(["-m", "venv"]).arg(&folder))?;
    cargo::run(
        Command::new(&interpreter)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(["--only-binary", ":all:", "--require-hashes", "-r"])
            .arg(requirements),
    )?;
    mark(&folder, requirements)?;
    Ok(interpreter)
}

/// Builds the program that judges packages of Rust, and returns it.
pub fn semver_checks(root: &Path) -> Result<PathBuf> {
    let tools = cargo::target_folder(root).join("tools");
    let name = format!("cargo-semver-checks{}", std::env::consts::EXE_SUFFIX);
    let program = tools.join("bin").join(name);
    // Cargo's own list of what it installed, which it writes last.
    let installed = fs::read_to_string(tools.join(".crates.toml")).unwrap_or_default();
    let listed = format!("\"cargo-semver-checks {SEMVER_CHECKS} (");
    if program.exists() && installed.contains(&listed) {
        return Ok(program);
    }
    say(&format!(
        "building cargo-semver-checks {SEMVER_CHECKS}; it takes about 3 minutes on two idle cores"
    ));
    // What an interrupted build made is used by the next one.
    let built = tools.join("build");
    let mut install = cargo::cargo(root);
    install.args(["install", "--quiet", "--locked", "--debug", "--root"]);
    install.arg(&tools).arg("--target-dir").arg(&built);
    // Its manifest asks for what makes a debug build as slow as one for
    // release; it runs for seconds only.
    for setting in [
        "opt-level=0",
        "debug-assertions=false",
        "overflow-checks=false",
    ] {
        install.arg("--config");
        install.arg(format!("profile.dev.package.\"*\".{setting}"));
    }
    install.args(["--config", "profile.dev.debug=false"]);
    install.arg(format!("cargo-semver-checks@{SEMVER_CHECKS}"));
    cargo::run(install.env("CARGO_INCREMENTAL", "0")).context(
        "cannot build cargo-semver-checks, which takes Rust 1.93 or newer and the package \
         registry: update Rust or connect, then run cargo xtask test again",
    )?;
    fs::remove_dir_all(&built).context("cannot remove what the build left")?;
    Ok(program)
}

fn is_made(folder: &Path, lock: &Path) -> Result<bool> {
    let wanted = hash(lock)?;
    let present = fs::read_to_string(folder.join(STAMP)).unwrap_or_default();
    Ok(present == wanted)
}

fn mark(folder: &Path, lock: &Path) -> Result<()> {
    fs::write(folder.join(STAMP), hash(lock)?).context("cannot write the stamp")
}

fn hash(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut text = String::new();
    for byte in Sha256::digest(&bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Returns the folder as it is called below the repository.
fn name_of(folder: &Path) -> String {
    let names: Vec<_> = folder.iter().map(|name| name.to_string_lossy()).collect();
    let first = names.iter().rposition(|name| name == "tests").unwrap_or(0);
    names.get(first..).unwrap_or_default().join("/")
}

/// Tells what is fetched; standard output belongs to reports.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "xtask: {text}");
}
