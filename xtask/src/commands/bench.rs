//! `cargo xtask bench`: measures the promises about speed and size, as ratios
//! against a peer in the same run where there is one.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::problem::EXIT_CLEAN;
use crate::{cargo, fetch};

pub mod backup;
mod diff;
mod figures;
mod hook;
mod import;
pub mod pipe;
mod sdk;
mod surface;
mod texts;
pub mod verdicts;
pub mod writes;

use figures::Times;
use pipe::{Server, payload};
use texts::Texts;

/// Requests on their way while a store is filled.
const IN_FLIGHT: usize = 64;

/// Calls per measured row.
const N_CALLS: usize = 300;

/// Starts per measured row; a start is slow, and the peer's very.
const N_STARTS: usize = 15;

/// Measures only the tool lists and the door.
pub fn run_surface(root: &Path, data: &Path, out: &mut dyn Write) -> Result<u8> {
    let program = cargo::build_server(root, true)?;
    let texts = Texts::load(data)?;
    writeln!(out, "Texts: {}.", texts.source)?;
    surface::run(root, &program, &fetch::peer(root)?, &texts, out)?;
    Ok(EXIT_CLEAN)
}

/// Measures only an import.
pub fn run_import(root: &Path, data: &Path, out: &mut dyn Write) -> Result<u8> {
    let program = cargo::build_server(root, true)?;
    let texts = Texts::load(data)?;
    writeln!(out, "Texts: {}.", texts.source)?;
    let scratch = Scratch::new(root)?;
    import::run(&program, &scratch.folder("import"), &texts, out)?;
    Ok(EXIT_CLEAN)
}

/// Measures only the hooks of a session.
pub fn run_hook(
    root: &Path,
    data: &Path,
    program: Option<PathBuf>,
    out: &mut dyn Write,
) -> Result<u8> {
    let program = match program {
        Some(program) => program,
        None => cargo::build_server(root, true)?,
    };
    let texts = Texts::load(data)?;
    writeln!(out, "Texts: {}.", texts.source)?;
    let scratch = Scratch::new(root)?;
    hook::run(&program, &scratch.folder("hook"), &texts, out)?;
    Ok(EXIT_CLEAN)
}

/// Measures only what the SDKs cost.
pub fn run_sdk(root: &Path, program: Option<PathBuf>, out: &mut dyn Write) -> Result<u8> {
    let program = match program {
        Some(program) => program,
        None => cargo::build_server(root, true)?,
    };
    let scratch = Scratch::new(root)?;
    sdk::run(root, &program, &scratch.folder("sdk"), out)?;
    Ok(EXIT_CLEAN)
}

/// Measures and prints; `data` is the folder of the data sets.
pub fn run(root: &Path, data: &Path, cold: bool, out: &mut dyn Write) -> Result<u8> {
    if cold {
        cold_build(root, out)?;
    }
    let program = cargo::build_server(root, true)?;
    let peer = fetch::peer(root)?;
    let texts = Texts::load(data)?;
    writeln!(out, "Texts: {}.", texts.source)?;
    let scratch = Scratch::new(root)?;

    let single = scratch.folder("single");
    writeln!(
        out,
        "\n| one project of | recall p50 / p95 | remember p50 / p95 |"
    )?;
    writeln!(out, "|---|---|---|")?;
    let mut stored = 0;
    for n_rows in [1_000, 10_000, 100_000] {
        fill(&program, &single, &texts, stored..n_rows, 1)?;
        stored = n_rows;
        let recall = time_recall(&program, &single, &texts, 1)?;
        let remember = time_remember(&program, &single, &texts, n_rows)?;
        writeln!(
            out,
            "| {n_rows} rows | {} | {} |",
            recall.row(),
            remember.row()
        )?;
        out.flush()?;
    }

    writeln!(out, "\n| 10 projects of | recall, default read p50 / p95 |")?;
    writeln!(out, "|---|---|")?;
    let many = scratch.folder("many");
    let mut stored = 0;
    let mut p95 = Vec::new();
    for n_rows in [10_000, 100_000] {
        fill(&program, &many, &texts, stored..n_rows, 10)?;
        stored = n_rows;
        let recall = time_recall(&program, &many, &texts, 10)?;
        p95.push(recall.percentile(0.95));
        writeln!(out, "| {} rows each | {} |", n_rows / 10, recall.row())?;
        out.flush()?;
    }
    if let [small, large] = p95.as_slice() {
        writeln!(
            out,
            "Growth of p95 from 1k to 10k rows per project: {:.1}×.",
            large / small
        )?;
    }

    starts(&program, &many, &peer, out)?;
    import::run(&program, &scratch.folder("import"), &texts, out)?;
    surface::run(root, &program, &peer, &texts, out)?;
    workshop(root, out)?;
    diff::run(root, out)?;
    Ok(EXIT_CLEAN)
}

/// Measures the comparison of contracts only.
pub fn run_diff(root: &Path, out: &mut dyn Write) -> Result<u8> {
    diff::run(root, out)?;
    Ok(EXIT_CLEAN)
}

/// A folder that is gone after the run.
struct Scratch(PathBuf);

impl Scratch {
    fn new(root: &Path) -> Result<Self> {
        let path = cargo::target_folder(root).join(format!("bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).context("cannot make a folder for the stores")?;
        Ok(Self(path))
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn hint(index: usize, n_projects: usize) -> String {
    format!("/bench/project-{}", index % n_projects)
}

/// Stores memories, many requests at a time.
fn fill(
    program: &Path,
    data: &Path,
    texts: &Texts,
    rows: std::ops::Range<usize>,
    n_projects: usize,
) -> Result<()> {
    let mut server = Server::ours(program, data)?;
    server.initialize()?;
    // The projects exist before many writers race to make them.
    for project in 0..n_projects {
        let content = format!("{} (project {project})", texts.text(rows.start));
        server.tool(
            "remember",
            &json!({ "project_hint": hint(project, n_projects), "content": content }),
        )?;
    }
    let mut owed = 0;
    for index in rows {
        if owed == IN_FLIGHT {
            payload(&server.receive()?)?;
            owed -= 1;
        }
        let arguments =
            json!({ "project_hint": hint(index, n_projects), "content": texts.text(index) });
        server.send(
            "tools/call",
            &json!({ "name": "remember", "arguments": arguments }),
        )?;
        owed += 1;
    }
    for _ in 0..owed {
        payload(&server.receive()?)?;
    }
    // Ended well: whoever comes next after a kill has its log to read first.
    server.end()
}

fn time_recall(program: &Path, data: &Path, texts: &Texts, n_projects: usize) -> Result<Times> {
    let mut server = Server::ours(program, data)?;
    server.initialize()?;
    let mut call = |index: usize| -> Result<Duration> {
        let arguments =
            json!({ "project_hint": hint(index, n_projects), "query": texts.query(index) });
        let started = Instant::now();
        server.tool("recall", &arguments)?;
        Ok(started.elapsed())
    };
    for index in 0..20 {
        call(index)?;
    }
    let times: Result<Vec<Duration>> = (0..N_CALLS).map(|index| call(index + 20)).collect();
    Ok(Times::new(times?))
}

fn time_remember(program: &Path, data: &Path, texts: &Texts, n_rows: usize) -> Result<Times> {
    let mut server = Server::ours(program, data)?;
    server.initialize()?;
    let mut times = Vec::new();
    for index in 0..N_CALLS {
        let content = format!("{} (timed at {n_rows})", texts.text(index));
        let arguments = json!({ "project_hint": hint(0, 1), "content": content });
        let started = Instant::now();
        server.tool("remember", &arguments)?;
        times.push(started.elapsed());
    }
    Ok(Times::new(times))
}

/// Measures from the start of a process to its first list of tools, ours and
/// the peer's in turn.
fn starts(program: &Path, data: &Path, peer: &fetch::Peer, out: &mut dyn Write) -> Result<()> {
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    let mut resident = Vec::new();
    for _ in 0..N_STARTS {
        let (time, kib) = start_once(Server::ours(program, data))?;
        ours.push(time);
        resident.extend(kib);
        let mut command = Command::new("node");
        command
            .arg(&peer.script)
            .env("MEMORY_FILE_PATH", data.join("peer.jsonl"));
        theirs.push(start_once(Server::start(command))?.0);
    }
    let (ours, theirs) = (Times::new(ours), Times::new(theirs));
    writeln!(
        out,
        "\nStart of the process to the first tools/list, 100,000 rows stored:"
    )?;
    writeln!(out, "- zero-memory: {}", ours.row())?;
    writeln!(out, "- {} (empty store): {}", peer.name, theirs.row())?;
    writeln!(
        out,
        "- ratio of medians: {:.0}×",
        theirs.percentile(0.5) / ours.percentile(0.5)
    )?;
    if let Some(most) = resident.iter().max() {
        writeln!(
            out,
            "- resident after initialize: {:.1} MiB",
            kib_to_mib(*most)
        )?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a size far below 2^53")]
fn kib_to_mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn start_once(server: Result<Server>) -> Result<(Duration, Option<u64>)> {
    let started = Instant::now();
    let mut server = server?;
    server.initialize()?;
    let resident = server.resident_kib();
    let list = server.call("tools/list", &Value::Object(serde_json::Map::new()))?;
    if list
        .get("tools")
        .and_then(Value::as_array)
        .is_none_or(Vec::is_empty)
    {
        bail!("the server lists no tools");
    }
    Ok((started.elapsed(), resident))
}

/// Measures the workshop itself, warm.
fn workshop(root: &Path, out: &mut dyn Write) -> Result<()> {
    let program = std::env::current_exe().context("the workshop knows itself")?;
    writeln!(out, "\nWorkshop, warm:")?;
    for command in ["check", "codegen"] {
        let mut times = Vec::new();
        for _ in 0..5 {
            let started = Instant::now();
            let output = Command::new(&program)
                .arg(command)
                .arg("--root")
                .arg(root)
                .output()?;
            times.push(started.elapsed());
            if !output.status.success() {
                bail!(
                    "{command} is not clean: {}",
                    String::from_utf8_lossy(&output.stdout)
                );
            }
        }
        writeln!(out, "- {command}: {}", Times::new(times).row())?;
    }
    let n_crates = cargo::count_dependencies(root)?;
    writeln!(out, "- crates that the server is built from: {n_crates}")?;
    Ok(())
}

/// Builds the server from nothing, in a folder of its own.
fn cold_build(root: &Path, out: &mut dyn Write) -> Result<()> {
    let scratch = Scratch::new(root)?;
    let started = Instant::now();
    cargo::build_server_in(root, &scratch.folder("cold"))?;
    writeln!(
        out,
        "Cold build --release of the server: {:.0} s.\n",
        started.elapsed().as_secs_f64()
    )?;
    Ok(())
}
