//! `cargo xtask soak`: a mixed load of every tool for long, on a store whose
//! number of memories stays the same. Memory, handles, threads and files have
//! to stay flat once everything was used for a while.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::cargo;
use crate::problem::{EXIT_CLEAN, EXIT_FAILED};

mod load;
mod site;
mod watch;

use load::Load;
use site::Site;
use watch::{Sample, Series};

/// Samples of a run.
const N_SAMPLES: u64 = 60;

/// How many of them come before the measured part: caches fill.
const N_WARM: usize = 15;

/// How the load is run.
#[derive(clap::Args)]
pub struct Soak {
    /// How long.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// Load this program in place of one that is built for release.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Loads two processes on one folder, one over pipes and one over HTTP.
pub fn run(root: &Path, soak: &Soak, out: &mut dyn Write) -> Result<u8> {
    if !Path::new("/proc/self/status").exists() {
        bail!("memory and handles are read from /proc, which this system lacks; run it on Linux");
    }
    let program = match &soak.program {
        Some(program) => program.clone(),
        None => cargo::build_server(root, true)?,
    };
    let folder = cargo::target_folder(root).join(format!("soak-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let result = loaded(&program, &folder, soak.minutes, out);
    // Nothing is left behind, also when it failed.
    let _ = fs::remove_dir_all(&folder);
    result
}

fn loaded(program: &Path, data: &Path, minutes: u64, out: &mut dyn Write) -> Result<u8> {
    let site = Site::start(program, data)?;
    let mut pipes = Load::over_pipes(program, data)?;
    let ids = pipes.seed()?;
    let mut wires = Load::over_http(&site, &ids);
    let watched = [("stdio", pipes.pid()), ("HTTP", site.pid())];
    let (is_over, n_calls) = (AtomicBool::new(false), AtomicU64::new(0));
    let every = Duration::from_secs(minutes * 60) / u32::try_from(N_SAMPLES)?;
    let mut series: Vec<Series> = watched.iter().map(|(name, _)| Series::new(name)).collect();
    writeln!(out, "| minute | process | calls | {} |", Sample::HEADS)?;
    writeln!(out, "|---|---|---|{}", "---|".repeat(Sample::N_HEADS))?;
    let drive = |load: &mut Load<'_>| -> Result<()> {
        while !is_over.load(Ordering::SeqCst) {
            load.step()?;
            n_calls.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    };
    let (pipes, wires, watching) = std::thread::scope(|threads| {
        let first = threads.spawn(|| drive(&mut pipes).map(|()| pipes.told()));
        let second = threads.spawn(|| drive(&mut wires).map(|()| wires.told()));
        let mut watch = || -> Result<()> {
            let started = Instant::now();
            for n in 1..=N_SAMPLES {
                let at = every * u32::try_from(n)?;
                while started.elapsed() < at && !first.is_finished() && !second.is_finished() {
                    std::thread::sleep(Duration::from_millis(50));
                }
                for ((name, pid), series) in watched.iter().zip(&mut series) {
                    let sample = Sample::take(*pid, data, started.elapsed())?;
                    if n % 5 == 0 {
                        let calls = n_calls.load(Ordering::SeqCst);
                        let minute = started.elapsed().as_secs_f64() / 60.0;
                        writeln!(out, "| {minute:.1} | {name} | {calls} | {sample} |")?;
                    }
                    series.add(sample);
                }
                out.flush()?;
            }
            Ok(())
        };
        let watching = watch();
        is_over.store(true, Ordering::SeqCst);
        (first.join(), second.join(), watching)
    });
    watching?;
    for told in [pipes, wires] {
        match told {
            Ok(told) => writeln!(out, "\n{}", told?)?,
            Err(_) => bail!("the load itself panicked"),
        }
    }
    let mut code = EXIT_CLEAN;
    writeln!(out)?;
    for series in &series {
        for finding in series.judge(N_WARM) {
            writeln!(out, "{finding}")?;
            if finding.is_bad {
                code = EXIT_FAILED;
            }
        }
    }
    Ok(code)
}
