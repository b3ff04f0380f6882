//! Measures what a session waits for: the hooks, beside a start of the program
//! that does nothing.

use std::io::{BufRead as _, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
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

/// Hooks of each kind that are timed beside somebody who holds a file.
const N_HELD: usize = 50;

/// Sessions that start at once, and how often.
const AT_ONCE: usize = 24;
const N_ROUNDS: usize = 8;

/// The turns of a session.
const KINDS: [&str; 3] = ["session-start", "prompt", "session-end"];

/// Bytes that a briefing with memories has at least.
const LEAST_TOLD: usize = 1_000;

/// Fills a store, then times every hook in turn with a bare start.
pub fn run(program: &Path, scratch: &Path, texts: &Texts, out: &mut dyn Write) -> Result<()> {
    let project = scratch.join("project-0");
    // A checkout of its own, wherever this run lies.
    std::fs::create_dir_all(project.join(".git"))?;
    let data = scratch.join("data");
    super::fill(program, &data, texts, 0..N_ROWS, 1)?;
    let kinds = KINDS;
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
            let hook = hook(program, name, &data, &project);
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
    row(out, "bare start (--version)", bare, None)?;
    for ((name, times), n_told) in kinds.iter().zip(times).zip(n_told) {
        row(out, name, times, Some(n_told))?;
    }
    for file in ["bookkeeping.db", "memory.db"] {
        let held = Held::writes(&data.join(file))?;
        for name in ["session-start", "prompt"] {
            let mut times = Vec::new();
            let mut n_told = 0;
            for index in 0..N_HELD {
                let event = event(N_TIMED + index, &project, texts.query(index));
                let hook = hook(program, name, &data, &project);
                let (time, length) = timed(hook, &event.to_string())?;
                times.push(time);
                n_told += usize::from(length > 0);
            }
            let name = format!("{name}, another program writes {file}");
            row(out, &name, times, Some(n_told))?;
        }
        held.end()?;
    }
    let mut times = Vec::new();
    let mut n_told = 0;
    for round in 0..N_ROUNDS {
        let one = |index: usize| {
            let event = event(1_000 * (round + 1) + index, &project, texts.query(index));
            timed(hook(program, KINDS[0], &data, &project), &event.to_string())
        };
        let ended: Vec<_> = std::thread::scope(|threads| {
            let started: Vec<_> = (0..AT_ONCE)
                .map(|index| threads.spawn(move || one(index)))
                .collect();
            started.into_iter().map(|thread| thread.join()).collect()
        });
        for ended in ended {
            let (time, length) = ended.map_err(|_| anyhow!("a timing failed"))??;
            times.push(time);
            n_told += usize::from(length > 0);
        }
    }
    let name = format!("{}, {AT_ONCE} at once", KINDS[0]);
    row(out, &name, times, Some(n_told))
}

/// Writes a row: what was timed, and how many of them told something.
fn row(out: &mut dyn Write, name: &str, times: Vec<Duration>, told: Option<usize>) -> Result<()> {
    let n_times = times.len();
    let over = |limit: Duration| {
        let slow = times.iter().filter(|time| **time > limit).count();
        told.map_or(String::new(), |_| format!("{slow} of {n_times}"))
    };
    let (slow, silent) = (over(GOAL), over(DEADLINE));
    let told = told.map_or(String::new(), |told| format!("{told} of {n_times}"));
    let times = Times::new(times);
    let (median, most) = (times.percentile(0.5), times.percentile(0.99));
    writeln!(
        out,
        "| {name} | {median:.1} / {most:.1} ms | {told} | {slow} | {silent} |"
    )?;
    Ok(())
}

/// Returns a hook that is yet to be started.
fn hook(program: &Path, name: &str, data: &Path, project: &Path) -> Command {
    let mut hook = Command::new(program);
    hook.args(["hook", name]).arg("--data").arg(data);
    // What is measured is how long it takes, not whether it gave up.
    hook.args(["--deadline-ms", "60000"]).current_dir(project);
    hook
}

/// Another program that holds the lock of those who write to a file.
struct Held(Child);

impl Held {
    fn writes(file: &Path) -> Result<Self> {
        let program = "import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
held.execute('BEGIN IMMEDIATE')
print('held', flush=True)
sys.stdin.read()";
        let mut child = Command::new("python3")
            .args(["-c", program])
            .arg(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Python cannot start")?;
        let mut said = String::new();
        let output = child.stdout.take().context("it has an output")?;
        BufReader::new(output).read_line(&mut said)?;
        if said != "held\n" {
            bail!("the lock is not held");
        }
        Ok(Self(child))
    }

    /// Lets go of it: the program ends when its input does.
    fn end(mut self) -> Result<()> {
        drop(self.0.stdin.take());
        self.0.wait()?;
        Ok(())
    }
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
