//! `cargo xtask fuzz`: the long run of the fuzz targets.
//!
//! What is read without a transport runs under libFuzzer, guided by coverage
//! that the stable compiler can insert, where a C++ compiler is at hand;
//! elsewhere inputs are made blindly. Transports are tried on the built
//! program, blindly: its coverage is another process's.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::problem::{EXIT_CLEAN, EXIT_FAILED};
use crate::{cargo, fetch};

/// Package of the targets.
const PACKAGE: &str = "fuzz";

/// Targets that go through the built program, and the test that runs each.
const TRANSPORTS: &[(&str, &str, &str)] = &[
    (
        "http",
        "requests over HTTP, from the first byte on",
        "hostile::http::requests_of_any_bytes_are_answered_once_or_cut_off",
    ),
    (
        "stdio",
        "lines on standard input",
        "hostile::stdio::lines_of_any_bytes_are_answered_once_or_not_at_all",
    ),
    (
        "tools",
        "arguments of every tool, by its served schema",
        "hostile::tools::arguments_of_any_shape_are_answered_by_the_contract",
    ),
];

/// What makes the stable compiler count what code an input reaches.
const COVERAGE: &str = "-Cpasses=sancov-module \
     -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
     -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares \
     -Cdebug-assertions=yes -Coverflow-checks=yes";

/// Seconds that one input may take, and bytes that it may have.
const LIMITS: [&str; 2] = ["-timeout=30", "-max_len=65536"];

/// How the targets are run.
#[derive(clap::Args)]
pub struct Fuzz {
    /// Target; every one, one after another, when absent.
    target: Option<String>,
    /// How long each target runs.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// Read one file again in place of a run.
    #[arg(long, value_name = "FILE", requires = "target")]
    replay: Option<PathBuf>,
    /// Make inputs blindly, also where coverage could guide.
    #[arg(long)]
    blind: bool,
}

/// Runs the targets; a find is written to a file and named.
pub fn run(root: &Path, fuzz: &Fuzz, out: &mut dyn Write) -> Result<u8> {
    let program = blind_program(root)?;
    let targets = targets(&program)?;
    let chosen: Vec<&String> = match &fuzz.target {
        None => targets.iter().map(|(name, _)| name).collect(),
        Some(wanted) => targets
            .iter()
            .map(|(name, _)| name)
            .filter(|name| *name == wanted)
            .collect(),
    };
    if chosen.is_empty() {
        for (name, about) in &targets {
            writeln!(out, "{name:10} {about}")?;
        }
        bail!("there is no such target; name one of those above");
    }
    if let (Some(file), Some(target)) = (&fuzz.replay, &fuzz.target) {
        let file = fs::canonicalize(file).context("the file to replay cannot be read")?;
        return replay(root, &program, target, &file);
    }
    let guided = if fuzz.blind { None } else { guided(root) };
    let seconds = fuzz.minutes * 60;
    let mut code = EXIT_CLEAN;
    for target in chosen {
        writeln!(out, "{target}: {} minutes", fuzz.minutes)?;
        out.flush()?;
        let work = cargo::target_folder(root).join("fuzz").join(target);
        fs::create_dir_all(work.join("corpus"))?;
        fs::create_dir_all(work.join("finds"))?;
        let finds = work.join("finds");
        let passed = match (transport(target), &guided) {
            (Some(test), _) => over_transport(root, test, seconds, &finds)?,
            (None, Some(program)) => by_coverage(root, program, target, seconds, &work)?,
            (None, None) => blindly(&program, target, seconds, &finds)?,
        };
        if !passed {
            code = EXIT_FAILED;
            writeln!(out, "{target}: a promise is broken; what did it:")?;
            for entry in fs::read_dir(&finds)? {
                let find = entry?.path();
                writeln!(
                    out,
                    "  cargo xtask fuzz {target} --replay {}",
                    find.display()
                )?;
            }
            writeln!(
                out,
                "hint: mend it, and keep the smallest such file in tests/fuzz/corpus/{target}/"
            )?;
        }
    }
    Ok(code)
}

fn transport(target: &str) -> Option<&'static str> {
    TRANSPORTS
        .iter()
        .find(|(name, _, _)| *name == target)
        .map(|(_, _, test)| *test)
}

/// Builds the targets without coverage; returns the program that runs them.
fn blind_program(root: &Path) -> Result<PathBuf> {
    // With the whole workspace, so that the libraries of the tests do.
    cargo::run(cargo::cargo(root).args(["build", "--quiet", "--workspace", "--bin", PACKAGE]))?;
    let name = format!("{PACKAGE}{}", std::env::consts::EXE_SUFFIX);
    Ok(cargo::target_folder(root).join("debug").join(name))
}

/// Returns every target with what it reads.
fn targets(program: &Path) -> Result<Vec<(String, String)>> {
    let listed = cargo::output(Command::new(program).arg("list"))?;
    let mut targets: Vec<(String, String)> = listed
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, about)| (name.to_owned(), about.to_owned()))
        .collect();
    targets.extend(
        TRANSPORTS
            .iter()
            .map(|(name, about, _)| ((*name).to_owned(), (*about).to_owned())),
    );
    targets.sort();
    Ok(targets)
}

/// Builds the targets for libFuzzer; `None`, with a word, where that cannot be.
fn guided(root: &Path) -> Option<PathBuf> {
    fetch::say("building the targets with coverage; the first time takes some minutes");
    let target = cargo::target_folder(root).join("fuzz/build");
    let host = host()?;
    let built = cargo::cargo(root)
        .args(["build", "--release", "--package", PACKAGE])
        .args(["--features", "guided", "--bin", "fuzz-guided"])
        // Naming the target keeps build scripts free of the instruments.
        .args(["--target", &host])
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTFLAGS", COVERAGE)
        .status();
    let program = target
        .join(&host)
        .join("release")
        .join(format!("fuzz-guided{}", std::env::consts::EXE_SUFFIX));
    if built.is_ok_and(|status| status.success()) && program.is_file() {
        return Some(program);
    }
    fetch::say(
        "the targets do not build with coverage (is there a C++ compiler?); inputs are made blindly",
    );
    None
}

/// Returns the name of this machine as the compiler calls it.
fn host() -> Option<String> {
    let told = cargo::output(Command::new("rustc").arg("-vV")).ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("host: "))?;
    Some(line.to_owned())
}

fn by_coverage(
    root: &Path,
    program: &Path,
    target: &str,
    seconds: u64,
    work: &Path,
) -> Result<bool> {
    let mut prefix = work.join("finds").into_os_string();
    prefix.push(std::path::MAIN_SEPARATOR_STR);
    let mut artifacts = std::ffi::OsString::from("-artifact_prefix=");
    artifacts.push(prefix);
    let status = Command::new(program)
        // What is new is kept in the first folder only.
        .arg(work.join("corpus"))
        .arg(root.join("tests/fuzz/corpus").join(target))
        .args(LIMITS)
        .arg(format!("-max_total_time={seconds}"))
        .arg(artifacts)
        .arg("-print_final_stats=1")
        .env("ZERO_MEMORY_FUZZ_TARGET", target)
        .stdout(Stdio::inherit())
        .status()
        .context("the targets cannot run")?;
    Ok(status.success())
}

fn blindly(program: &Path, target: &str, seconds: u64, finds: &Path) -> Result<bool> {
    let seed = seed();
    let status = Command::new(program)
        .arg(target)
        .arg(seconds.to_string())
        .arg(seed.to_string())
        .arg(finds.join(format!("find-{seed}")))
        .status()
        .context("the targets cannot run")?;
    Ok(status.success())
}

/// Runs the test of a transport for long.
fn over_transport(root: &Path, test: &str, seconds: u64, finds: &Path) -> Result<bool> {
    let status = e2e(root, test)?
        .env("ZERO_MEMORY_FUZZ_SECONDS", seconds.to_string())
        .env("ZERO_MEMORY_FUZZ_SEED", seed().to_string())
        .env("ZERO_MEMORY_FUZZ_FINDS", finds)
        .status()
        .context("the tests cannot run")?;
    Ok(status.success())
}

fn e2e(root: &Path, test: &str) -> Result<Command> {
    let program = cargo::build_server(root, false)?;
    let mut command = cargo::cargo(root);
    command
        .args(["test", "--quiet", "--workspace", "--test", "e2e", "--"])
        .args(["--exact", "--nocapture", test])
        .env("ZERO_MEMORY_BIN", program);
    Ok(command)
}

/// Reads one file again.
fn replay(root: &Path, program: &Path, target: &str, file: &Path) -> Result<u8> {
    let status = match transport(target) {
        Some(test) => e2e(root, test)?
            .env("ZERO_MEMORY_FUZZ_REPLAY", file)
            .status(),
        None => Command::new(program).arg(target).arg(file).status(),
    };
    let passed = status.context("the target cannot run")?.success();
    Ok(if passed { EXIT_CLEAN } else { EXIT_FAILED })
}

/// Returns another number at every start.
fn seed() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |since| since.as_secs())
}
