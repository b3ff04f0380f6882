//! `cargo xtask serve`: builds the program and runs it on the embedded store.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{cargo, fetch};

/// Builds for release and serves until the person stops it.
pub fn run(root: &Path, arguments: &[String]) -> Result<u8> {
    fetch::say("building the server for release; the first time takes some minutes");
    let program = cargo::build_server(root, true)?;
    let mut command = Command::new(program);
    command.arg("serve").args(arguments);
    become_it(command)
}

/// Becomes the server, so that what stops this process stops it.
#[cfg(unix)]
fn become_it(mut command: Command) -> Result<u8> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).context("cannot run the server")
}

/// Runs the server and ends with it.
#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result<u8> {
    let status = command.status().context("cannot run the server")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(crate::problem::EXIT_FAILED))
}
