//! `cargo xtask serve`: builds the program and runs it on the embedded store.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{cargo, fetch};

/// Builds for release and serves until the person stops it.
pub fn run(root: &Path, arguments: &[String]) -> Result<u8> {
    fetch::say("building the server for release; the first time takes some minutes");
    let program = cargo::build_server(root, true)?;
    let status = Command::new(program)
        .arg("serve")
        .args(arguments)
        .status()
        .context("cannot run the server")?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or_default())
}
