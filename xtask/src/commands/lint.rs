//! `cargo xtask lint`: what clients refuse in the tool list of any server.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::problem::Report;
use crate::{load, profile, write};

/// Reads the file and prints the report.
pub fn run(root: &Path, file: &Path, server: Option<&str>, out: &mut dyn Write) -> Result<u8> {
    let shown = file.display().to_string();
    let text = write::read_text(file).with_context(|| format!("{shown} cannot be read"))?;
    let value: Value = serde_json::from_str(&text)
        .with_context(|| format!("{shown} is not JSON, or nested deeper than 128 levels"))?;
    let Some(tools) = tools(&value) else {
        bail!("{shown} holds no tool list; pass the answer to tools/list, or its tools");
    };
    let loaded = load::load(root)?;
    let Some(contract) = &loaded.contract else {
        bail!("schema/ cannot be read; cargo xtask check says why");
    };
    let server = server.unwrap_or(&contract.settings.name);
    let report = Report::new(profile::lint(tools, server, &shown, &contract.surface));
    write!(
        out,
        "{}",
        report.render_as("No client is known to refuse this list.")
    )?;
    Ok(report.exit_code())
}

/// Finds the tools in an answer, its result, or a bare list.
fn tools(value: &Value) -> Option<&[Value]> {
    let places = ["", "/tools", "/result/tools"];
    let mut lists = places
        .iter()
        .filter_map(|place| value.pointer(place)?.as_array());
    lists.next().map(Vec::as_slice)
}
