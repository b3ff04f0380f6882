//! How many writes a second are acknowledged, which means committed and synced,
//! beside what SQLite itself does with the same durability in the same run.
//!
//! The limits are a script over Python's `sqlite3`, in transactions of as many
//! rows as the server's own came to. The hard one stores a text and its words
//! and nothing else. The other one fills our tables with their indexes, history
//! and full text, so that a reader sees what they cost and what the server adds.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::Scratch;
use super::figures::Times;
use super::pipe::{Server, payload};
use super::texts::Texts;
use crate::cargo;
use crate::problem::EXIT_CLEAN;

/// Clients that wait for their answers at a time.
const CLIENTS: [usize; 3] = [1, 16, 64];

/// Turns of each side: a machine that is busy with something else for a while
/// should disturb both.
const N_TURNS: usize = 5;

/// How long a turn takes.
const TURN: Duration = Duration::from_secs(2);

/// Texts that the script repeats, numbered.
const N_TEXTS: usize = 5_000;

/// Share of SQLite's own rate that 64 clients should get.
const GOAL_SHARE: f64 = 0.7;

/// Writes per second that basic-memory publishes, the better end of its range.
const PUBLISHED: f64 = 20.0;

/// What a turn came to.
struct Turn {
    per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
}

/// Measures with a program that lies ready, or else with one for release.
pub fn run(root: &Path, data: &Path, ready: Option<PathBuf>, out: &mut dyn Write) -> Result<u8> {
    let program = match ready {
        Some(program) => std::path::absolute(program)?,
        None => cargo::build_server(root, true)?,
    };
    let texts = Texts::load(data)?;
    writeln!(out, "Texts: {}.", texts.source)?;
    let scratch = Scratch::new(root)?;
    let list = scratch.folder("texts");
    let lines: Vec<String> = (0..N_TEXTS)
        .map(|index| texts.text(index).replace(['\n', '\r'], " "))
        .collect();
    std::fs::write(&list, lines.join("\n"))?;
    let script = Script {
        path: root.join("tests/peers/sqlite_writes.py"),
        texts: list,
        migrations: root.join("crates/store/migrations/memory"),
    };
    if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
        writeln!(out, "Load of the machine before: {}.", load.trim())?;
    }
    writeln!(
        out,
        "Medians of {N_TURNS} turns of {} s each, taken in turn with SQLite's, which commits as many rows at a time as ours did.\n",
        TURN.as_secs()
    )?;
    writeln!(
        out,
        "| clients | acknowledged / s | p50 / p99 | calls a commit | SQLite, a text and its words, rows / s | share | SQLite with our tables, rows / s | share |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    let mut last = (0.0, 0.0);
    for n_clients in CLIENTS {
        let batch = calls_a_commit(&program, &scratch, &texts, n_clients)?;
        let rows = round(batch);
        let (mut ours, mut lean, mut full) = (Vec::new(), Vec::new(), Vec::new());
        for turn in 0..N_TURNS {
            let folder = scratch.folder(&format!("{n_clients}-{turn}"));
            let mut server = Server::ours(&program, &folder.join("ours"))?;
            ours.push(written(&mut server, &texts, n_clients)?);
            drop(server);
            lean.push(script.run(&folder.join("lean"), rows, false)?);
            full.push(script.run(&folder.join("full"), rows, true)?);
            // Ours alone has some hundred bytes of index a row.
            std::fs::remove_dir_all(&folder)?;
        }
        let (ours, lean, full) = (median(&ours), median(&lean), median(&full));
        let share = ours.per_second / lean.per_second;
        writeln!(
            out,
            "| {n_clients} | {:.0} | {:.2} / {:.2} ms | {batch:.1} | {:.0} | {:.0} % | {:.0} | {:.0} % |",
            ours.per_second,
            ours.p50_ms,
            ours.p99_ms,
            lean.per_second,
            share * 100.0,
            full.per_second,
            ours.per_second / full.per_second * 100.0
        )?;
        out.flush()?;
        last = (share, ours.per_second);
    }
    let (share, per_second) = last;
    let word = |is_met: bool| if is_met { "met" } else { "missed" };
    let times = per_second / PUBLISHED;
    writeln!(
        out,
        "\nGoal of {:.0} % of SQLite at 64 clients: {}. Goal of 50 times basic-memory's published 12 to 20 a second: {} ({times:.0} times {PUBLISHED:.0}).",
        GOAL_SHARE * 100.0,
        word(share >= GOAL_SHARE),
        word(times >= 50.0)
    )?;
    Ok(EXIT_CLEAN)
}

fn median(turns: &[Turn]) -> Turn {
    let middle = |value: fn(&Turn) -> f64| {
        let mut values: Vec<f64> = turns.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    Turn {
        per_second: middle(|turn| turn.per_second),
        p50_ms: middle(|turn| turn.p50_ms),
        p99_ms: middle(|turn| turn.p99_ms),
    }
}

/// Returns how many calls share a commit. A turn of its own, because the server
/// says it in its log only, and a log takes time.
fn calls_a_commit(
    program: &Path,
    scratch: &Scratch,
    texts: &Texts,
    n_clients: usize,
) -> Result<f64> {
    let folder = scratch.folder(&format!("{n_clients}-commits"));
    std::fs::create_dir_all(&folder)?;
    let log = folder.join("log");
    let mut command = Command::new(program);
    command
        .arg("stdio")
        .arg("--data")
        .arg(folder.join("ours"))
        .args(["--log", "debug"]);
    let mut server = Server::start_logging(command, Stdio::from(std::fs::File::create(&log)?))?;
    written(&mut server, texts, n_clients)?;
    server.end()?;
    let log = std::fs::read_to_string(&log)?;
    let line = log.lines().rev().find(|line| line.contains("n_commits="));
    let number = |name: &str| -> Option<f64> {
        let (_, rest) = line?.split_once(&format!("{name}="))?;
        rest.split_whitespace().next()?.parse().ok()
    };
    let (n_calls, n_commits) = number("n_calls")
        .zip(number("n_commits"))
        .context("the server does not say how often it committed")?;
    Ok(n_calls / n_commits.max(1.0))
}

/// Returns a number of calls as a number of rows.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a mean of counts that are far smaller"
)]
fn round(batch: f64) -> usize {
    batch.round().max(1.0) as usize
}

/// Writes as so many clients of one server, each of which waits for its answer.
fn written(server: &mut Server, texts: &Texts, n_clients: usize) -> Result<Turn> {
    server.initialize()?;
    // The store is made by the first call.
    server.tool(
        "remember",
        &json!({ "scope": "core", "content": "The watch begins." }),
    )?;
    let mut index = 0;
    let mut send = |server: &mut Server| -> Result<u64> {
        let arguments = json!({ "scope": "core", "content": texts.text(index) });
        index += 1;
        server.send(
            "tools/call",
            &json!({ "name": "remember", "arguments": arguments }),
        )?;
        Ok(server.last_id())
    };
    let started = Instant::now();
    let mut sent = HashMap::new();
    for _ in 0..n_clients {
        let at = Instant::now();
        sent.insert(send(server)?, at);
    }
    let mut times = Vec::new();
    let mut took = Duration::ZERO;
    while !sent.is_empty() {
        let (id, result) = server.receive_any()?;
        payload(&result)?;
        let at = sent.remove(&id).context("an answer to no request")?;
        if started.elapsed() < TURN {
            times.push(at.elapsed());
            took = started.elapsed();
            let at = Instant::now();
            sent.insert(send(server)?, at);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of calls")]
    let per_second = times.len() as f64 / took.as_secs_f64();
    let times = Times::new(times);
    Ok(Turn {
        per_second,
        p50_ms: times.percentile(0.5),
        p99_ms: times.percentile(0.99),
    })
}

/// The script that has SQLite alone do it.
struct Script {
    path: PathBuf,
    texts: PathBuf,
    migrations: PathBuf,
}

impl Script {
    /// Has it store rows for a turn, so many in a transaction: in our tables,
    /// or the least that could be called the same.
    fn run(&self, folder: &Path, batch: usize, with_tables: bool) -> Result<Turn> {
        let mut command = Command::new("python3");
        command
            .arg(&self.path)
            .arg(folder)
            .arg(batch.to_string())
            .arg(TURN.as_secs().to_string())
            .arg(&self.texts);
        if with_tables {
            command.arg(&self.migrations);
        }
        let output = command
            .stderr(Stdio::inherit())
            .output()
            .context("python3 does not start; the limit of SQLite is measured by it")?;
        if !output.status.success() {
            bail!("the script that measures SQLite failed");
        }
        let said: Value = serde_json::from_slice(&output.stdout)?;
        let number = |name: &str| said.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        Ok(Turn {
            per_second: number("rows") / number("seconds"),
            p50_ms: number("p50_ms"),
            p99_ms: number("p99_ms"),
        })
    }
}
