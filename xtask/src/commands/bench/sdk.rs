//! Measures what the SDKs cost: a typed call beside a raw call of the official
//! client in the same run, and how large the packages are.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::figures::Times;
use crate::{cargo, fetch};

/// Pairs of calls that are timed for a row.
const N_CALLS: usize = 500;

/// Where the scripts lie that both languages are timed by.
const TYPESCRIPT: [&str; 2] = ["tests/typescript", "tests/sdk/typescript"];

/// Builds both packages, installs them, and times them over every client.
pub fn run(root: &Path, program: &Path, scratch: &Path, out: &mut dyn Write) -> Result<()> {
    let bench = workbench(root, scratch)?;
    let wheel = wheel(root, scratch)?;
    writeln!(out, "\n| package | size |\n|---|---|")?;
    for package in [&bench.package, &wheel] {
        let name = package.file_name().unwrap_or_default().to_string_lossy();
        let size = fs::metadata(package)?.len();
        writeln!(out, "| {name} | {} KiB |", size.div_ceil(1024))?;
    }
    writeln!(
        out,
        "\n| recall of 10 among 100 | raw p50 / p95 | typed p50 / p95 | typed to raw, p50 |\n|---|---|---|---|"
    )?;
    let overhead = overhead(root)?;
    for transport in ["stdio", "http"] {
        for protocol in ["2025", "2026"] {
            let name = format!("Rust, official {protocol}, {transport}");
            let given = json!({ "protocol": protocol, "transport": transport });
            row(&name, Command::new(&overhead), given, program, scratch, out)?;
        }
        for (sdk, protocol) in [("1.x", "2025"), ("2.x", "2026")] {
            let mut script = Command::new("node");
            script.arg(bench.folder.join("overhead.mjs"));
            let given = json!({ "sdk": sdk, "protocol": protocol, "transport": transport });
            let name = format!("TypeScript, official {sdk}, {transport}");
            row(&name, script, given, program, scratch, out)?;
        }
        for (series, protocol) in [("1", "2025"), ("2", "2026")] {
            let requirements = format!("tests/python/requirements-mcp-{series}.txt");
            let interpreter = fetch::python(root, &root.join(requirements))?;
            let mut script = Command::new(interpreter);
            script
                .arg("-B")
                .arg(root.join("tests/sdk/python/overhead.py"));
            let paths = ["generated/python", "tests/python"].map(|path| root.join(path));
            script.env("PYTHONPATH", std::env::join_paths(paths)?);
            let given = json!({ "protocol": protocol, "transport": transport });
            let name = format!("Python, official {series}.x, {transport}");
            row(&name, script, given, program, scratch, out)?;
        }
    }
    Ok(())
}

/// Builds what times the Rust client, for release as its users would.
fn overhead(root: &Path) -> Result<PathBuf> {
    let mut build = cargo::cargo(root);
    build.args(["build", "--quiet", "--release", "--example", "overhead"]);
    cargo::run(build.args(["--package", "zero-memory-client"]))?;
    let name = format!("overhead{}", std::env::consts::EXE_SUFFIX);
    Ok(cargo::target_folder(root)
        .join("release/examples")
        .join(name))
}

/// Times one client with a data folder of its own.
fn row(
    name: &str,
    mut script: Command,
    mut given: Value,
    program: &Path,
    scratch: &Path,
    out: &mut dyn Write,
) -> Result<()> {
    let data = scratch.join(name.replace([' ', ','], "-"));
    fs::create_dir_all(&data)?;
    if let Some(given) = given.as_object_mut() {
        given.insert("binary".to_owned(), json!(program));
        given.insert("data".to_owned(), json!(data));
        given.insert("calls".to_owned(), json!(N_CALLS));
    }
    let mut child = script
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("the script does not start")?;
    let mut input = child.stdin.take().context("its input is a pipe")?;
    input.write_all(given.to_string().as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    let told: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{name} told nothing that can be read"))?;
    let times = |kind: &str| {
        let each = told.get(kind).and_then(Value::as_array);
        let each = each.into_iter().flatten();
        let times = each.filter_map(Value::as_f64);
        Times::new(times.map(|us| Duration::from_secs_f64(us / 1e6)).collect())
    };
    let (raw, typed) = (times("raw"), times("typed"));
    let ratio = typed.percentile(0.5) / raw.percentile(0.5);
    writeln!(
        out,
        "| {name} | {} | {} | {ratio:.2} |",
        raw.row(),
        typed.row()
    )?;
    out.flush()?;
    Ok(())
}

struct Workbench {
    /// What `npm pack` made.
    package: PathBuf,
    /// A project that has it installed, with the scripts.
    folder: PathBuf,
}

fn workbench(root: &Path, scratch: &Path) -> Result<Workbench> {
    let fetched = root.join("tests/sdk/typescript");
    fetch::node_modules(&fetched)?;
    let modules = fetched.join("node_modules");
    let source = scratch.join("npm");
    lay(&root.join("generated/typescript"), &source)?;
    link(&modules, &source.join("node_modules"))?;
    let packed = scratch.join("packed");
    fs::create_dir_all(&packed)?;
    cargo::run(
        npm(&source)
            .args(["pack", "--pack-destination"])
            .arg(&packed),
    )?;
    let package = only_file(&packed)?;

    let folder = scratch.join("project");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("package.json"), "{ \"private\": true }")?;
    cargo::run(npm(&folder).args(["install", "--offline"]).arg(&package))?;
    let official = Path::new("node_modules/@modelcontextprotocol");
    link(&fetched.join(official), &folder.join(official))?;
    for scripts in TYPESCRIPT {
        for entry in fs::read_dir(root.join(scripts))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "mjs") {
                fs::copy(&path, folder.join(path.file_name().unwrap_or_default()))?;
            }
        }
    }
    Ok(Workbench { package, folder })
}

fn wheel(root: &Path, scratch: &Path) -> Result<PathBuf> {
    let tools = fetch::python(root, &root.join("tests/sdk/python/requirements-sdk.txt"))?;
    let source = scratch.join("python");
    lay(&root.join("generated/python"), &source)?;
    let built = scratch.join("wheel");
    cargo::run(
        Command::new(tools)
            .args(["-m", "pip", "--disable-pip-version-check", "wheel"])
            .args(["--no-build-isolation", "--no-deps", "--no-index", "--quiet"])
            .arg("--wheel-dir")
            .arg(&built)
            .arg(&source),
    )?;
    only_file(&built)
}

/// Copies a folder that holds nothing but files and such folders.
fn lay(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            lay(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut entries = fs::read_dir(folder)?;
    let entry = entries.next().context("nothing was built")??;
    Ok(entry.path())
}

fn npm(folder: &Path) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(folder).stdout(Stdio::null()).args([
        "--no-audit",
        "--no-fund",
        "--loglevel",
        "error",
    ]);
    command
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    std::os::unix::fs::symlink(from, to).context("cannot make a link")
}

#[cfg(windows)]
fn link(from: &Path, to: &Path) -> Result<()> {
    std::os::windows::fs::symlink_dir(from, to).context("cannot make a link")
}

#[cfg(not(any(unix, windows)))]
fn link(from: &Path, to: &Path) -> Result<()> {
    lay(from, to)
}
