//! Measures what a session waits for: the hooks, beside a start of the program
//! that does nothing.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::figures::Times;
use super::texts::Texts;

/// Memories that lie there.
const N_ROWS: usize = 10_000;

/// Hooks of each kind that are timed.
const N_TIMED: usize = 200;

/// How long a session is to wait at most.
const GOAL: Duration = Duration::from_millis(50);

/// After what time a hook gives up if nobody tells it otherwise.
const DEADLINE: Duration = Duration::from_millis(300);

/// Bytes that a briefing with memories has at least.
const LEAST_TOLD: usize = 1_000;

/// Fills a store, then times every hook in turn with a bare start.
pub fn run(program: &Path, scratch: &Path, texts: &Texts, out: &mut dyn Write) -> Result<()> {
    let project = scratch.join("project-0");
    // A checkout of its own, wherever this run lies.
    std::fs::create_dir_all(project.join(".git"))?;
    let data = scratch.join("data");
    super::fill(program, &data, texts, 0..N_ROWS, 1)?;
    let kinds = ["session-start", "prompt", "session-end"];
    let mut bare = Vec::new();
    let mut times: Vec<Vec<Duration>> = kinds.iter().map(|_| Vec::new()).collect();
    let mut n_told = [0_usize; 3];
    for index in 0..N_TIMED {
        let mut version = Command::new(program);
        version.arg("--version");
        bare.push(timed(version, "")?.0);
        let event = event(index, &project, texts.query(index));
        for (kind, ((name, times), n_told)) in
            kinds.iter().zip(&mut times).zip(&mut n_told).enumerate()
        {
            let mut hook = Command::new(program);
            hook.args(["hook", name]).arg("--data").arg(&data);
            // What is measured is how long it takes, not whether it gave up.
            hook.args(["--deadline-ms", "60000"]).current_dir(&project);
            let (time, length) = timed(hook, &event.to_string())?;
            times.push(time);
            *n_told += usize::from(length > 0);
            if kind == 0 && length < LEAST_TOLD {
                bail!("the hook told no memory");
            }
        }
    }
    writeln!(
        out,
        "\n| hooks over {N_ROWS} memories | p50 / p99 | told something | over {} ms | over {} ms, where it gives up |",
        GOAL.as_millis(),
        DEADLINE.as_millis()
    )?;
    writeln!(out, "|---|---|---|---|---|")?;
    let over = |times: &[Duration], limit: Duration| {
        let slow = times.iter().filter(|time| **time > limit).count();
        format!("{slow} of {N_TIMED}")
    };
    let row = |times: Vec<Duration>| {
        let times = Times::new(times);
        let (median, most) = (times.percentile(0.5), times.percentile(0.99));
        format!("{median:.1} / {most:.1} ms")
    };
    writeln!(out, "| bare start (--version) | {} | | | |", row(bare))?;
    for ((name, times), n_told) in kinds.iter().zip(times).zip(n_told) {
        let (slow, silent) = (over(&times, GOAL), over(&times, DEADLINE));
        writeln!(
            out,
            "| {name} | {} | {n_told} of {N_TIMED} | {slow} | {silent} |",
            row(times)
        )?;
    }
    Ok(())
}

fn event(index: usize, project: &Path, prompt: &str) -> Value {
    json!({
        "session_id": format!("session-{index}"),
        "transcript_path": "/nowhere",
        "cwd": project,
        "source": "startup",
        "prompt": prompt,
    })
}

/// Returns how long a command took, and how much it printed.
fn timed(mut command: Command, input: &str) -> Result<(Duration, usize)> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("the program cannot start")?;
    if let Some(mut stdin) = child.stdin.take() {
        // A start that reads nothing closes its end first.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output()?;
    let time = started.elapsed();
    if !output.status.success() {
        bail!("a hook did not end well");
    }
    Ok((time, output.stdout.len()))
}
