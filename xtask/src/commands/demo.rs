//! `cargo xtask demo`: real dialogues through a real client.
//!
//! Every turn of the LoCoMo data set becomes a memory, and every question of
//! it a recall, through the official MCP client on the program as shipped.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::problem::EXIT_CLEAN;
use crate::{cargo, fetch};

/// Runs the demonstration; without the data set it says so and stops.
pub fn run(root: &Path, data: &Path, out: &mut dyn Write) -> Result<u8> {
    let file = data.join("locomo10.json");
    if !file.is_file() {
        writeln!(
            out,
            "The LoCoMo data set is not at {}. Its licence (CC BY-NC 4.0) keeps it out of this repository: fetch locomo10.json yourself and pass its folder with --data.",
            file.display()
        )?;
        return Ok(EXIT_CLEAN);
    }
    fetch::node_modules(&root.join("tests/typescript"))?;
    let program = cargo::build_server(root, true)?;
    cargo::run(
        Command::new("node")
            .arg(root.join("tests/typescript/demo.mjs"))
            .arg(program)
            .arg(file),
    )?;
    Ok(EXIT_CLEAN)
}
