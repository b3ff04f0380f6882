//! The steps that the README of each example names, run as they stand there by
//! a shell in a folder elsewhere; what a registry would bring lies there before.

use std::path::Path;
use std::process::Command;

use super::{npm, wheel};
use crate::harness::{binary, fresh, repository, target};
use crate::official_clients::environment;

/// Returns the commands of the README of an example.
fn steps(language: &str) -> Vec<String> {
    let path = repository()
        .join("tests/examples")
        .join(language)
        .join("README.md");
    let text = std::fs::read_to_string(path).expect("it is there");
    let block = text
        .split_once("```sh\n")
        .and_then(|(_, rest)| rest.split_once("```"));
    let (block, rest) = block.expect("it has commands");
    assert!(!rest.contains("```"), "one block tells all of it");
    block.lines().map(str::to_owned).collect()
}

/// What stands in for a registry: something to do before the command that
/// begins like this.
type Before = (&'static str, String);

/// Runs the commands; returns what they print. The checkout stays as it was.
fn follow(language: &str, before: &[Before], set: &[(&str, String)]) -> Vec<String> {
    let (folder, home) = (fresh(), fresh());
    let programs = home.path().join("bin");
    std::fs::create_dir(&programs).expect("a folder");
    std::os::unix::fs::symlink(binary(), programs.join("zero-memory")).expect("a link");
    let steps = steps(language);
    let mut script = "set -e\n".to_owned();
    for step in &steps {
        for (begin, command) in before {
            if step.starts_with(begin) {
                script += &format!("{command}\n");
            }
        }
        script += &format!("{step}\n");
    }
    for (begin, _) in before {
        assert!(
            steps.iter().any(|step| step.starts_with(begin)),
            "no step begins with {begin}"
        );
    }
    let path = std::env::var("PATH").expect("a path");
    let unchanged = status();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("CHECKOUT", repository())
        .env("PATH", format!("{}:{path}", programs.display()))
        .env_remove("ZERO_MEMORY_URL")
        .env_remove("ZERO_MEMORY_BIN")
        .env("XDG_DATA_HOME", home.path())
        .envs(set.iter().map(|(name, value)| (*name, value.as_str())));
    let said = npm::run(&mut shell);
    assert_eq!(status(), unchanged, "the checkout stays as it was");
    said.lines().map(str::to_owned).collect()
}

/// Returns what is in the checkout and not committed.
fn status() -> String {
    let examples = ["tests/examples", "generated", "crates/client"];
    npm::run(
        Command::new("git")
            .args(["status", "--porcelain", "--ignored", "--"])
            .args(examples)
            .current_dir(repository()),
    )
}

/// Expects what an example says last.
fn assert_last(lines: &[String], begin: &str) {
    assert!(
        lines.iter().any(|line| line.starts_with(begin)),
        "{lines:?}"
    );
}

#[test]
fn the_steps_of_the_example_in_typescript_lead_to_what_it_says() {
    let fetched = npm::fetched();
    // Linked file by file, for npm removes what nobody asked for.
    let lay = |place: &str| format!("cp -al {:?} {place}node_modules", fetched);
    let before = [("(cd client", lay("client/")), ("npm install ./", lay(""))];
    let set = [
        ("npm_config_offline", "true".to_owned()),
        ("npm_config_audit", "false".to_owned()),
        ("npm_config_update_notifier", "false".to_owned()),
    ];
    let lines = follow("typescript", &before, &set);
    assert_last(&lines, "as expected: ");
}

#[test]
fn the_steps_of_the_example_in_python_lead_to_what_it_says() {
    let scripts = repository().join("tests/python");
    let official = environment("ZERO_MEMORY_PYTHON_MCP_2", "requirements-mcp-2", &scripts);
    let say = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = [official.clone(), wheel::tools()]
        .map(|interpreter| npm::run(Command::new(interpreter).args(["-c", say])))
        .concat();
    let lay = format!(
        "printf '%s' '{packages}' > \"$(echo .venv/lib/python3*/site-packages)/fetched.pth\""
    );
    let programs = official.parent().expect("a folder").display().to_string();
    let set = [
        ("PIP_NO_INDEX", "1".to_owned()),
        // No means yes here: nothing is fetched to build with.
        ("PIP_NO_BUILD_ISOLATION", "0".to_owned()),
    ];
    // The interpreter that the packages were fetched for.
    let before = [
        ("python3 -m venv", format!("PATH={programs:?}:$PATH")),
        (".venv/bin/pip", lay),
    ];
    let lines = follow("python", &before, &set);
    assert_last(&lines, "as expected: ");
}

#[test]
fn the_steps_of_the_example_in_rust_lead_to_what_it_says() {
    let set = [
        ("CARGO_NET_OFFLINE", "true".to_owned()),
        (
            "CARGO_TARGET_DIR",
            target().join("sdk-rust").display().to_string(),
        ),
    ];
    let lines = follow("rust", &[], &set);
    assert_last(&lines, "refused: Pass project_hint");
}

/// Whoever follows the steps reads the same places as the tests.
#[test]
fn every_example_has_steps() {
    let examples = std::fs::read_dir(repository().join("tests/examples")).expect("a folder");
    for example in examples {
        let name = example.expect("an entry").file_name();
        let first = steps(&name.to_string_lossy()).remove(0);
        let copied = format!(
            "cp -r \"$CHECKOUT/tests/examples/{}/.\" .",
            Path::new(&name).display()
        );
        assert_eq!(first, copied);
    }
}
