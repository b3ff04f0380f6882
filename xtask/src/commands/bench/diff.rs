//! Measures the comparison of contracts: ours, and synthetic ones that grow.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use crate::diff;
use crate::diff::source::tree;
use crate::diff::surface::contract::{Sources, surface};

/// Runs of each row; the median counts.
const N_RUNS: usize = 9;

/// Prints one row per size of contract.
pub fn run(root: &Path, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "\n| contract | equal | one field of every tool | changes |"
    )?;
    writeln!(out, "|---|---|---|---|")?;
    let ours = tree(root)?;
    let n_tools = ours
        .keys()
        .filter(|file| file.starts_with("tools/"))
        .count();
    row(out, &format!("ours, {n_tools} tools"), &ours)?;
    for n_tools in [250, 500, 1_000, 2_000] {
        row(
            out,
            &format!("synthetic, {n_tools} tools"),
            &synthetic(&ours, n_tools),
        )?;
    }
    Ok(())
}

fn row(out: &mut dyn Write, name: &str, sources: &Sources) -> Result<()> {
    let changed = changed(sources);
    let (equal, _) = time(sources, sources);
    let (one_field, n_changes) = time(sources, &changed);
    writeln!(
        out,
        "| {name} | {:.1} ms | {:.1} ms | {n_changes} |",
        equal.as_secs_f64() * 1e3,
        one_field.as_secs_f64() * 1e3
    )?;
    out.flush()?;
    Ok(())
}

/// Returns the median time from sources to changes.
fn time(old: &Sources, new: &Sources) -> (Duration, usize) {
    let mut times = Vec::new();
    let mut n_changes = 0;
    for _ in 0..N_RUNS {
        let started = Instant::now();
        let changes = diff::diff(&surface("old", old), &surface("new", new));
        times.push(started.elapsed());
        n_changes = changes.len();
    }
    times.sort();
    let median = times.get(N_RUNS / 2).copied().unwrap_or_default();
    (median, n_changes)
}

/// Repeats our tools under other names.
fn synthetic(ours: &Sources, n_tools: usize) -> Sources {
    let is_tool = |file: &String| file.starts_with("tools/");
    let tools: Vec<&Value> = ours
        .iter()
        .filter(|(file, _)| is_tool(file))
        .map(|(_, tool)| tool)
        .collect();
    let mut sources = ours.clone();
    sources.retain(|file, _| !is_tool(file));
    for (index, tool) in tools.iter().cycle().take(n_tools).enumerate() {
        let mut tool = (*tool).clone();
        let name = format!("t{index}");
        if let Some(map) = tool.as_object_mut() {
            map.insert("name".to_owned(), json!(name));
        }
        sources.insert(format!("tools/{name}.json"), tool);
    }
    sources
}

/// Adds a field to every answer.
fn changed(sources: &Sources) -> Sources {
    let mut sources = sources.clone();
    for (file, tool) in &mut sources {
        let properties = tool.pointer_mut("/outputSchema/properties");
        if let (true, Some(Value::Object(map))) = (file.starts_with("tools/"), properties) {
            map.insert("added".to_owned(), json!({ "type": "integer" }));
        }
    }
    sources
}
