//! Measures the comparison of contracts: ours, and synthetic ones that grow.
//!
//! The time of the processor stands beside that of the clock, which says
//! little where other programs run.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use rustix::time::{ClockId, clock_gettime};

use crate::diff::source::tree;
use crate::diff::surface::contract::{Sources, surface};
use crate::{diff, release};

use super::figures::Times;

/// Runs of each row; the median counts.
const N_RUNS: usize = 9;

/// Prints one row per size of contract.
pub fn run(root: &Path, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "\n| contract | equal: clock / processor | one field of every tool | changes | peak memory |"
    )?;
    writeln!(out, "|---|---|---|---|---|")?;
    let ours = tree(root)?;
    let n_tools = ours
        .keys()
        .filter(|file| file.starts_with("tools/"))
        .count();
    let releases = release::read_all(root)?;
    if let Some(last) = release::sound(&releases).last() {
        let (taken, n_changes) = time(&last.files, &ours);
        let name = format!("ours since {}, {n_tools} tools", last.version);
        writeln!(out, "| {name} | | {taken} | {n_changes} | {} |", peak())?;
    }
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
        "| {name} | {equal} | {one_field} | {n_changes} | {} |",
        peak()
    )?;
    out.flush()?;
    Ok(())
}

/// Returns the median times from sources to changes, by the clock and of the
/// processor.
fn time(old: &Sources, new: &Sources) -> (String, usize) {
    let mut times = Vec::new();
    let mut spent = Vec::new();
    let mut n_changes = 0;
    for _ in 0..N_RUNS {
        let (started, before) = (Instant::now(), processor());
        let changes = diff::diff(&surface("old", old), &surface("new", new));
        times.push(started.elapsed());
        spent.push(processor().saturating_sub(before));
        n_changes = changes.len();
    }
    let median = |times| Times::new(times).percentile(0.5);
    let text = format!("{:.1} / {:.1} ms", median(times), median(spent));
    (text, n_changes)
}

/// Returns the time of the processor that this process took so far.
fn processor() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the most memory that this process held so far, where Linux says so.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.map_or_else(String::new, |kilobytes| {
        format!("{} MB", kilobytes.div_ceil(1_024))
    })
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
