//! How long writers wait while a store is backed up, beside how long they wait
//! when it is not.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::figures::Times;
use super::pipe::{Server, payload};
use super::{IN_FLIGHT, Scratch};
use crate::cargo;
use crate::problem::EXIT_CLEAN;

/// Bytes of a memory that fills the store.
const CONTENT_BYTES: usize = 60 * 1024;

/// Bytes of a word in it: long, so that filling is not all about the index.
const WORD_BYTES: usize = 64;

/// Writes that are timed before the backup begins.
const N_QUIET: usize = 1_000;

/// What a writer may wait at the 99th percentile.
const GOAL_MS: f64 = 50.0;

/// Fills a store to a size and measures.
pub fn run(root: &Path, mib: u64, out: &mut dyn Write) -> Result<u8> {
    let program = cargo::build_server(root, true)?;
    let scratch = Scratch::new(root)?;
    let data = scratch.folder("backed-up");
    let started = Instant::now();
    let n_rows = fill(&program, &data, mib * 1024 * 1024)?;
    writeln!(
        out,
        "A store of {} MiB: {n_rows} memories, filled in {:.0} s.",
        size(&data.join("memory.db")) / (1024 * 1024),
        started.elapsed().as_secs_f64()
    )?;
    out.flush()?;

    let mut server = Server::ours(&program, &data)?;
    server.initialize()?;
    let mut n_written = 0;
    let mut write = || -> Result<Duration> {
        n_written += 1;
        let content = format!("The gateway was seen {n_written} times during the watch.");
        let started = Instant::now();
        server.tool("remember", &json!({ "scope": "core", "content": content }))?;
        Ok(started.elapsed())
    };
    let quiet: Result<Vec<Duration>> = (0..N_QUIET).map(|_| write()).collect();
    let started = Instant::now();
    let mut backup = Command::new(&program)
        .args(["backup", "--json", "--data"])
        .arg(&data)
        .arg("--to")
        .arg(scratch.folder("backups"))
        .stdout(Stdio::piped())
        .spawn()
        .context("the backup does not start")?;
    let mut during = Vec::new();
    let status = loop {
        if let Some(status) = backup.try_wait()? {
            break status;
        }
        during.push(write()?);
    };
    let took = started.elapsed().as_secs_f64();
    if !status.success() {
        bail!("the backup failed");
    }
    writeln!(out, "The backup took {took:.1} s, verifying included.")?;
    let log = size(&data.join("memory.db-wal")) / (1024 * 1024);
    writeln!(out, "The log has {log} MiB afterwards.\n")?;
    writeln!(out, "| one writer | writes | p50 | p95 | p99 | longest |")?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    let n_during = during.len();
    let (quiet, during) = (Times::new(quiet?), Times::new(during));
    for (what, n, times) in [
        ("before", N_QUIET, &quiet),
        ("during the backup", n_during, &during),
    ] {
        let at = |share| times.percentile(share);
        writeln!(
            out,
            "| {what} | {n} | {:.2} ms | {:.2} ms | {:.2} ms | {:.2} ms |",
            at(0.5),
            at(0.95),
            at(0.99),
            at(1.0)
        )?;
    }
    let stall = during.percentile(0.99);
    let verdict = if stall <= GOAL_MS { "within" } else { "over" };
    writeln!(
        out,
        "\np99 during the backup: {stall:.1} ms, {verdict} the goal of {GOAL_MS:.0} ms."
    )?;
    Ok(EXIT_CLEAN)
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |about| about.len())
}

/// Stores memories until the file has a size; returns how many.
fn fill(program: &Path, data: &Path, bytes: u64) -> Result<usize> {
    let mut server = Server::ours(program, data)?;
    server.initialize()?;
    let (mut n_rows, mut owed) = (0, 0);
    while size(&data.join("memory.db")) < bytes {
        if owed == IN_FLIGHT {
            payload(&server.receive()?)?;
            owed -= 1;
        }
        let arguments = json!({ "scope": "core", "content": content(n_rows) });
        let call: Value = json!({ "name": "remember", "arguments": arguments });
        server.send("tools/call", &call)?;
        owed += 1;
        n_rows += 1;
    }
    for _ in 0..owed {
        payload(&server.receive()?)?;
    }
    Ok(n_rows)
}

/// Returns a text that no other has a word of.
fn content(row: usize) -> String {
    let mut text = format!("Memory {row}");
    let mut state = u64::try_from(row)
        .unwrap_or(0)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        | 1;
    let mut length = 0;
    while text.len() < CONTENT_BYTES {
        // A plain generator of Marsaglia's; nothing rests on its quality.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if length % WORD_BYTES == 0 {
            text.push(' ');
        }
        let letter = u8::try_from(state % 26).unwrap_or(0);
        text.push(char::from(b'a' + letter));
        length += 1;
    }
    text
}
