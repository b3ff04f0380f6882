//! Builds the program through cargo.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Name of the program.
const PROGRAM: &str = "zero-memory";

/// Returns the folder that cargo builds in.
pub fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Builds the server and returns the program.
pub fn build_server(root: &Path, release: bool) -> Result<PathBuf> {
    let mut command = cargo(root);
    command.arg("build");
    if release {
        command.args(["--package", "server", "--release"]);
    } else {
        // Chosen alone, the server would want a dozen libraries with fewer
        // features than the tests do, and they would be built twice.
        command.args(["--workspace", "--bin", PROGRAM]);
    }
    run(&mut command)?;
    let profile = if release { "release" } else { "debug" };
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    Ok(target_folder(root).join(profile).join(name))
}

/// Builds the server for release in a folder of its own.
pub fn build_server_in(root: &Path, target: &Path) -> Result<()> {
    let mut command = cargo(root);
    command
        .args(["build", "--release", "--package", "server", "--target-dir"])
        .arg(target);
    run(&mut command)
}

/// Returns how many crates the server is built from, itself included.
pub fn count_dependencies(root: &Path) -> Result<usize> {
    let output = cargo(root)
        .args(["tree", "--package", "server", "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}"])
        .stderr(Stdio::inherit())
        .output()
        .context("cargo tree cannot run")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut crates: Vec<&str> = text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    crates.sort_unstable();
    crates.dedup();
    Ok(crates.len())
}

/// Returns the cargo that runs this workshop, in the repository.
pub fn cargo(root: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root);
    command
}

/// Runs a command to its end; a failure names it.
pub fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let arguments: Vec<String> = command
        .get_args()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let status = command
        .status()
        .with_context(|| format!("cannot run {name}"))?;
    if !status.success() {
        bail!("{name} {} failed ({status})", arguments.join(" "));
    }
    Ok(())
}

/// Runs a command and returns what it wrote; a failure names it.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        bail!("{name} failed ({})", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{name} wrote no text"))
}
