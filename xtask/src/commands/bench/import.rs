//! Measures an import of many memories, and the dump of them there and back.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::texts::Texts;

/// Memories that are brought.
const N_MEMORIES: usize = 100_000;

/// How often the memory of the process is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Imports a file of mem0's, exports a dump, and fills an empty folder with it.
pub fn run(program: &Path, scratch: &Path, texts: &Texts, out: &mut dyn Write) -> Result<()> {
    std::fs::create_dir_all(scratch)?;
    let source = scratch.join("mem0.json");
    let memories: Vec<_> = (0..N_MEMORIES)
        .map(|index| {
            json!({
                "id": format!("00000000-0000-4000-8000-{index:012}"),
                "memory": format!("{} ({index})", texts.text(index)),
                "created_at": "2024-07-01T05:30:00-07:00", "updated_at": null,
                "user_id": "someone", "categories": ["talk"], "metadata": null,
            })
        })
        .collect();
    std::fs::write(&source, json!({ "results": memories }).to_string())?;
    drop(memories);
    let (data, copy, dump) = (
        scratch.join("data"),
        scratch.join("copy"),
        scratch.join("dump"),
    );
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let rows: [(&str, Vec<String>); 4] = [
        (
            "import, dry run",
            vec![
                "import".into(),
                text(&source),
                "--into".into(),
                "personal".into(),
                "--data".into(),
                text(&scratch.join("none")),
            ],
        ),
        (
            "import",
            vec![
                "import".into(),
                text(&source),
                "--into".into(),
                "personal".into(),
                "--write".into(),
                "--data".into(),
                text(&data),
            ],
        ),
        (
            "export as a dump",
            vec![
                "export".into(),
                "--out".into(),
                text(&dump),
                "--data".into(),
                text(&data),
            ],
        ),
        (
            "import of the dump into an empty folder",
            vec![
                "import".into(),
                text(&dump),
                "--write".into(),
                "--data".into(),
                text(&copy),
            ],
        ),
    ];
    writeln!(
        out,
        "\n| {N_MEMORIES} memories | rows per second | time | peak memory |"
    )?;
    writeln!(out, "|---|---|---|---|")?;
    for (name, arguments) in rows {
        let (time, peak_mib) = measure(program, &arguments).with_context(|| name.to_owned())?;
        #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
        let rate = N_MEMORIES as f64 / time.as_secs_f64();
        let peak = peak_mib.map_or("not known here".to_owned(), |mib| format!("{mib:.0} MiB"));
        writeln!(
            out,
            "| {name} | {rate:.0} | {:.1} s | {peak} |",
            time.as_secs_f64()
        )?;
        out.flush()?;
    }
    let size = std::fs::metadata(&dump)?.len();
    writeln!(out, "The dump has {} MiB.", size >> 20)?;
    Ok(())
}

/// Runs a command to its end; returns how long it took and how much memory it
/// held at most.
fn measure(program: &Path, arguments: &[String]) -> Result<(Duration, Option<f64>)> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("the program does not start")?;
    let mut peak = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak = held(child.id()).or(peak);
        std::thread::sleep(LOOK_EVERY);
    };
    if !status.success() {
        bail!("the program failed");
    }
    Ok((start.elapsed(), peak))
}

/// Returns the most memory that a process has held, in MiB.
fn held(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}
