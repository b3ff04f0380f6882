//! `cargo xtask test`: every test there is.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use crate::problem::EXIT_CLEAN;
use crate::{cargo, commands, fetch};

/// Fetches the official clients, checks the contract, then runs all tests.
pub fn run(root: &Path, filter: &[String], out: &mut dyn Write) -> Result<u8> {
    fetch::node_modules(&root.join("tests/typescript"))?;
    let python = root.join("tests/python");
    let first = fetch::python(root, &python.join("requirements-mcp-1.txt"))?;
    let second = fetch::python(root, &python.join("requirements-mcp-2.txt"))?;
    let code = commands::check::run(root, out)?;
    if code != EXIT_CLEAN {
        return Ok(code);
    }
    out.flush()?;
    // The tests drive the very program, so it is built before they start.
    let program = cargo::build_server(root, false)?;
    let mut command = cargo::cargo(root);
    command
        .args(["test", "--workspace", "--no-fail-fast"])
        .args(filter)
        .env("ZERO_MEMORY_BIN", program)
        .env("ZERO_MEMORY_PYTHON_MCP_1", first)
        .env("ZERO_MEMORY_PYTHON_MCP_2", second);
    cargo::run(&mut command)?;
    Ok(EXIT_CLEAN)
}
