//! What a session pays before its first word, and what a call pays at the
//! door: the bytes of the tool lists, and the time of validating what comes in
//! and what goes out.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::figures::Times;
use super::pipe::Server;
use super::texts::Texts;
use super::{N_CALLS, Scratch, fill, hint};
use crate::contract::{Contract, Toolset};
use crate::{fetch, load};

/// Bytes that count as one token; an estimate.
const BYTES_PER_TOKEN: usize = 4;

/// Rows that are stored when the door is timed.
const N_ROWS: usize = 10_000;

/// Calls that come first: schemas are compiled by the first one.
const N_WARM: usize = 20;

/// Measures and prints.
pub fn run(
    root: &Path,
    program: &Path,
    peer: &fetch::Peer,
    texts: &Texts,
    out: &mut dyn Write,
) -> Result<()> {
    let scratch = Scratch::new(root)?;
    lists(root, program, peer, &scratch, out)?;
    door(program, texts, &scratch, out)
}

fn lists(
    root: &Path,
    program: &Path,
    peer: &fetch::Peer,
    scratch: &Scratch,
    out: &mut dyn Write,
) -> Result<()> {
    let loaded = load::load(root)?;
    let contract = loaded.whole().context("the contract is broken")?;
    writeln!(
        out,
        "\n| tools/list of | tools | whole answer | names, descriptions and inputs | budget |"
    )?;
    writeln!(out, "|---|---|---|---|---|")?;
    for (name, _) in Toolset::ALL {
        let server = Server::ours_with(program, &scratch.folder(name), &["--toolset", name])?;
        let budget = budget(contract, name);
        row(&format!("zero-memory, {name}"), server, &budget, out)?;
    }
    let mut command = Command::new("node");
    command
        .arg(&peer.script)
        .env("MEMORY_FILE_PATH", scratch.folder("peer.jsonl"));
    row(&peer.name, Server::start(command)?, "", out)
}

fn budget(contract: &Contract, toolset: &str) -> String {
    let bytes = contract
        .settings
        .budget(&format!("toolset_{toolset}_max_bytes"));
    format!("{bytes} B")
}

fn row(name: &str, mut server: Server, budget: &str, out: &mut dyn Write) -> Result<()> {
    server.initialize()?;
    let answer = server.call("tools/list", &json!({}))?;
    let tools = answer.get("tools").and_then(Value::as_array);
    let tools = tools.context("a server lists its tools")?;
    let seen: Vec<Value> = tools
        .iter()
        .map(|tool| {
            let part = |key: &str| tool.get(key).cloned().unwrap_or_default();
            json!({
                "name": part("name"),
                "description": part("description"),
                "inputSchema": part("inputSchema"),
            })
        })
        .collect();
    writeln!(
        out,
        "| {name} | {} | {} | {} | {budget} |",
        tools.len(),
        size(&answer),
        size(&Value::from(seen))
    )?;
    Ok(())
}

/// Returns the size of a value as compact JSON.
fn size(value: &Value) -> String {
    let n_bytes = value.to_string().len();
    format!("{n_bytes} B ≈ {} tokens", n_bytes.div_ceil(BYTES_PER_TOKEN))
}

/// Times the door inside the server, which logs how long each call spent there.
fn door(program: &Path, texts: &Texts, scratch: &Scratch, out: &mut dyn Write) -> Result<()> {
    let data = scratch.folder("door");
    fill(program, &data, texts, 0..N_ROWS, 1)?;
    type Arguments = fn(&Texts, usize) -> Value;
    let calls: [(&str, Arguments); 3] = [
        (
            "recall",
            |texts, index| json!({ "project_hint": hint(0, 1), "query": texts.query(index) }),
        ),
        (
            "build_context",
            |texts, index| json!({ "project_hint": hint(0, 1), "topic": texts.query(index) }),
        ),
        ("remember", |texts, index| {
            let content = format!("{} (at the door)", texts.text(index));
            json!({ "project_hint": hint(0, 1), "content": content })
        }),
    ];
    writeln!(
        out,
        "\n| {N_ROWS} rows | the door, in and out, p50 / p95 | the whole call | share of medians |"
    )?;
    writeln!(out, "|---|---|---|---|")?;
    for (tool, arguments) in calls {
        let log = scratch.folder(&format!("{tool}.log"));
        let file = File::create(&log).context("the log cannot be made")?;
        let mut command = Command::new(program);
        command
            .args(["stdio", "--log", "debug", "--data"])
            .arg(&data);
        let mut server = Server::start_logging(command, Stdio::from(file))?;
        server.initialize()?;
        for index in 0..N_WARM + N_CALLS {
            server.tool(tool, &arguments(texts, index))?;
        }
        drop(server);
        let (doors, wholes) = logged(&std::fs::read_to_string(&log)?);
        writeln!(
            out,
            "| {tool} | {:.0} / {:.0} µs | {:.0} / {:.0} µs | {:.1} % |",
            doors.percentile(0.5) * 1e3,
            doors.percentile(0.95) * 1e3,
            wholes.percentile(0.5) * 1e3,
            wholes.percentile(0.95) * 1e3,
            doors.percentile(0.5) / wholes.percentile(0.5) * 100.0
        )?;
        out.flush()?;
    }
    Ok(())
}

/// Returns the times at the door and of whole calls, without the first calls.
fn logged(log: &str) -> (Times, Times) {
    let times = |key: &str| {
        let found = log.lines().filter_map(|line| {
            let word = line.split(' ').find_map(|word| word.strip_prefix(key))?;
            word.parse().ok().map(Duration::from_nanos)
        });
        Times::new(found.skip(N_WARM).collect())
    };
    (times("door_ns="), times("call_ns="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_the_log() {
        let line =
            "DEBUG door request_id=\"req_1\" tool=\"recall\" door_ns=2000000 call_ns=8000000\n";
        let (doors, wholes) = logged(&line.repeat(N_WARM + 1));
        assert!((doors.percentile(0.5) - 2.0).abs() < 1e-9);
        assert!((wholes.percentile(0.5) - 8.0).abs() < 1e-9);
    }
}
