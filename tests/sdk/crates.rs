//! The Rust package as a stranger gets it: packed, unpacked elsewhere, free of
//! warnings, and used by the example project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Site, binary, fresh, repository, target};

/// Returns cargo, building into a folder that later runs find again.
fn cargo(folder: &Path) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target().join("sdk-rust"))
        .env_remove("RUSTFLAGS");
    command
}

/// Runs a command that must succeed; returns what it printed.
fn done(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {told}");
    String::from_utf8(output.stdout).expect("text")
}

/// Packs the client and unpacks it into the folder; returns where it is.
fn unpacked(folder: &Path) -> PathBuf {
    // Whoever changes the client has not committed it yet.
    done(cargo(&repository()).args([
        "package",
        "--offline",
        "--no-verify",
        "--allow-dirty",
        "--quiet",
        "--package",
        "zero-memory-client",
    ]));
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("zero-memory-client-{version}");
    let packed = target()
        .join("sdk-rust/package")
        .join(format!("{name}.crate"));
    // With the hour of now: a package holds that of its format, cargo does not
    // tell folders of the same build apart, and would build nothing anew.
    done(
        Command::new("tar")
            .arg("-xmzf")
            .arg(&packed)
            .current_dir(folder),
    );
    folder.join(name)
}

/// How each connection is opened by a caller, and what goes beside the typed
/// methods.
const OPENINGS: &str = "
pub async fn opens(program: Program, url: &str, peer: rmcp::service::Peer<rmcp::service::RoleClient>) {
    drop(ZeroMemory::stdio(program.clone()).await);
    drop(ZeroMemory::stdio_with(program, Options::new()).await);
    drop(ZeroMemory::http(url, None).await);
    drop(ZeroMemory::http_with(url, None, Options::new()).await);
    drop(ZeroMemory::over(peer, Options::new()).await);
}
pub async fn goes_beside(memory: &ZeroMemory) {
    drop(memory.call(\"recall\", Default::default()).await);
    drop(memory.contract_version().await);
    drop(memory.peer().await);
}
fn main() {}
";

/// Returns a program that awaits every method of the package.
fn awaiting_all(package: &Path) -> String {
    let methods = fs::read_to_string(package.join("src/generated/methods.rs"));
    let methods = methods.expect("the methods are packed");
    let mut text = "#![allow(dead_code, unused_imports, deprecated)]
use zero_memory_client::{Options, Program, ZeroMemory, prompts, rmcp, types};
"
    .to_owned();
    let mut n_methods = 0;
    for method in methods.split("pub async fn ").skip(1) {
        let (name, rest) = method.split_once('(').expect("a list");
        let (given, _) = rest.split_once(')').expect("its end");
        let given: Vec<&str> = given.split(',').map(str::trim).collect();
        let given: Vec<&str> = given
            .into_iter()
            .filter(|each| each.contains(':'))
            .collect();
        let names = given.iter().filter_map(|each| each.split(':').next());
        let names: Vec<&str> = names.collect();
        let (given, names) = (given.join(", "), names.join(", "));
        text += &format!(
            "pub async fn {name}(memory: &ZeroMemory, {given}) {{ drop(memory.{name}({names}).await); }}\n"
        );
        n_methods += 1;
    }
    assert!(n_methods > 20, "{methods}");
    text + OPENINGS
}

#[test]
fn the_packed_client_has_no_warning_and_runs_the_example_elsewhere() {
    let elsewhere = fresh();
    let package = unpacked(elsewhere.path());
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let ours = fs::read(repository().join(licence)).expect("a licence");
        let theirs = fs::read(package.join(licence)).ok();
        assert_eq!(theirs, Some(ours), "the package holds {licence}");
    }
    let example = repository().join("tests/examples/rust");
    let project = elsewhere.path().join("project");
    fs::create_dir_all(project.join("src")).expect("a folder");
    for file in ["Cargo.toml", "Cargo.lock", "src/main.rs"] {
        fs::copy(example.join(file), project.join(file)).expect("a copy");
    }
    fs::create_dir_all(project.join("examples")).expect("a folder");
    fs::write(project.join("examples/all.rs"), awaiting_all(&package)).expect("a program");
    let patch = format!(
        "patch.crates-io.zero-memory-client.path={:?}",
        package.to_string_lossy()
    );
    // Nobody who leaves a feature out sees a warning; the set of both
    // is built below. What an https URL needs is another build of its own.
    for features in ["", "stdio", "http"] {
        let chosen = ["--no-default-features", "--features", features];
        done(
            cargo(&package)
                .args(["clippy", "--quiet", "--offline"])
                .args(chosen)
                .args(["--", "--deny", "warnings"]),
        );
    }
    let clippy = ["clippy", "--quiet", "--offline", "--config", &patch];
    for folder in [&package, &project] {
        let mut clippy = clippy.to_vec();
        if folder == &package {
            clippy.truncate(3);
        }
        done(
            cargo(folder)
                .args(clippy)
                .args(["--", "--deny", "warnings"]),
        );
    }
    // Who forbids futures that overflow stacks can await everything.
    done(
        cargo(&project)
            .args(clippy)
            .args(["--example", "all", "--", "--deny", "warnings"])
            .args(["--deny", "clippy::large_futures"]),
    );
    let data = fresh();
    let run = ["run", "--quiet", "--offline", "--config", &patch, "--"];
    let stdio = cargo(&project)
        .args(run)
        .arg(binary())
        .args(["stdio", "--data"])
        .arg(data.path())
        .output()
        .expect("it starts");
    let served = fresh();
    let site = Site::start(served.path());
    let http = cargo(&project)
        .args(run)
        .arg(format!("http://{}/mcp", site.address()))
        .env("ZERO_MEMORY_TOKEN", site.token())
        .output()
        .expect("it starts");
    for output in [stdio, http] {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let lines = String::from_utf8(output.stdout).expect("text");
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!(
            lines[0], "stored in user.me",
            "the scope that is the person's"
        );
        assert_eq!(lines[1], "found: The kiln is fired at 1,060 degrees.");
        assert!(lines[2].starts_with("briefing of "), "{lines:?}");
        assert!(
            lines[3].starts_with("refused: Pass project_hint"),
            "{lines:?}"
        );
    }
}
