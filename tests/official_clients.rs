//! The official clients, installed from their registries with lock files, run
//! every vector against the real binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::{binary, fresh, json_file, repository, target, vectors};

/// What a client found out.
#[derive(Debug)]
struct Outcome {
    ran: usize,
    failures: Vec<String>,
}

/// Fails unless a folder was made from this lock file: `cargo xtask test`
/// leaves the hash of the lock file in what it fetches.
pub fn assert_fetched(lock: &Path, folder: &Path) {
    let bytes = std::fs::read(lock).expect("the lock file lies in the repository");
    let wanted: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let found = std::fs::read_to_string(folder.join(".made-from")).unwrap_or_default();
    assert!(
        found == wanted,
        "the clients that {} names are not installed, or are others; run `cargo xtask test`, which fetches them once",
        lock.file_name().unwrap_or_default().to_string_lossy()
    );
}

/// Returns the interpreter of an environment that was made from the file of
/// this name: the one that the variable names, or the one in the target folder.
pub fn environment(variable: &str, name: &str, requirements: &Path) -> PathBuf {
    let program = if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    };
    let interpreter = std::env::var_os(variable).map_or_else(
        || target().join("python").join(name).join(program),
        PathBuf::from,
    );
    let folder = interpreter
        .ancestors()
        .nth(2)
        .expect("it lies in an environment");
    assert_fetched(&requirements.join(name).with_extension("txt"), folder);
    interpreter
}

/// Returns the script under the interpreter that has one series of the SDK.
fn python(series: &str) -> Command {
    let scripts = repository().join("tests/python");
    let interpreter = environment(
        &format!("ZERO_MEMORY_PYTHON_MCP_{series}"),
        &format!("requirements-mcp-{series}"),
        &scripts,
    );
    let mut command = Command::new(interpreter);
    // Nothing is left beside the scripts.
    command.arg("-B").arg(scripts.join("run_vectors.py"));
    command
}

fn node() -> Command {
    let folder = repository().join("tests/typescript");
    assert_fetched(
        &folder.join("package-lock.json"),
        &folder.join("node_modules"),
    );
    let mut command = Command::new("node");
    command.arg(folder.join("run_vectors.mjs"));
    command
}

fn run(command: Command, settings: Value) -> Outcome {
    let work = fresh();
    let mut given = json!({
        "binary": binary(),
        "vectors": repository().join("generated/vectors"),
        "work": work.path(),
        "version": json_file("schema/contract.json")["version"],
    });
    for (name, value) in settings.as_object().into_iter().flatten() {
        given[name] = value.clone();
    }
    let told = told(command, &given);
    let failures = told["failures"].as_array().expect("a list").iter();
    Outcome {
        ran: told["ran"]
            .as_u64()
            .and_then(|ran| usize::try_from(ran).ok())
            .expect("a number"),
        failures: failures
            .map(|failure| failure.as_str().unwrap_or_default().to_owned())
            .collect(),
    }
}

/// Runs a script in a folder of its own with these settings on its standard
/// input; returns what it told in the last line of its output.
pub fn told(mut command: Command, settings: &Value) -> Value {
    let work = fresh();
    let mut child = command
        .current_dir(work.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{:?} does not start: {error}", command.get_program()));
    let mut input = child.stdin.take().expect("stdin is a pipe");
    input
        .write_all(settings.to_string().as_bytes())
        .expect("it reads its settings");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| {
        panic!(
            "{error}: {text}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn check(command: Command, settings: Value) {
    let outcome = run(command, settings);
    assert_eq!(outcome.ran, vectors().len(), "vectors were left out");
    assert!(
        outcome.failures.is_empty(),
        "{} failures\n{}",
        outcome.failures.len(),
        outcome.failures.join("\n")
    );
}

#[test]
fn typescript_sdk_1_runs_every_vector_over_stdio() {
    check(
        node(),
        json!({ "client": "sdk1", "transport": "stdio", "era": "legacy" }),
    );
}

#[test]
fn typescript_sdk_1_runs_every_vector_over_http() {
    check(
        node(),
        json!({ "client": "sdk1", "transport": "http", "era": "legacy" }),
    );
}

#[test]
fn typescript_client_2_runs_every_vector_over_stdio() {
    check(
        node(),
        json!({ "client": "client2", "transport": "stdio", "era": "modern" }),
    );
}

#[test]
fn typescript_client_2_runs_every_vector_over_http() {
    check(
        node(),
        json!({ "client": "client2", "transport": "http", "era": "modern" }),
    );
}

#[test]
fn typescript_client_2_speaks_the_old_era_too() {
    for transport in ["stdio", "http"] {
        check(
            node(),
            json!({ "client": "client2", "transport": transport, "era": "legacy" }),
        );
    }
}

#[test]
fn python_sdk_2_runs_every_vector_over_stdio() {
    check(
        python("2"),
        json!({ "transport": "stdio", "era": "modern" }),
    );
}

#[test]
fn python_sdk_2_runs_every_vector_over_http() {
    check(python("2"), json!({ "transport": "http", "era": "modern" }));
}

#[test]
fn python_sdk_2_speaks_the_old_era_too() {
    for transport in ["stdio", "http"] {
        check(
            python("2"),
            json!({ "transport": transport, "era": "legacy" }),
        );
    }
}

#[test]
fn python_sdk_1_runs_every_vector_over_stdio() {
    check(
        python("1"),
        json!({ "transport": "stdio", "era": "legacy" }),
    );
}

#[test]
fn python_sdk_1_runs_every_vector_over_http() {
    check(python("1"), json!({ "transport": "http", "era": "legacy" }));
}
