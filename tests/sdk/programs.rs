//! Programs that a package starts: what they are given, and that they end.

use std::path::{Path, PathBuf};

use serde_json::json;
use zero_memory_client::{Error, Program, ZeroMemory};

use super::kit::KITS;
use super::rust::run;
use crate::harness::{binary, ends, fresh};

/// Writes a program that leaves its number, a variable and the last name of its
/// folder where it works, and goes on as the server.
fn telling(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;

    let program = folder.join("telling");
    let server = binary();
    let script = format!(
        "#!/bin/sh\necho $$ >> pids\necho \"$HERON ${{PWD##*/}}\" >> told\nexec '{}' \"$@\"\n",
        server.display()
    );
    std::fs::write(&program, script).expect("a file");
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("its rights");
    program
}

#[test]
fn a_program_is_started_with_its_variables_in_its_folder() {
    let place = fresh();
    let program = telling(place.path());
    let assert_told = |data: &Path, place: &str| {
        let told = std::fs::read_to_string(data.join("told")).unwrap_or_default();
        let name = data.file_name().expect("a name").to_string_lossy();
        let expected = format!("grey {name}\n");
        assert!(told.starts_with(&expected), "{place}: {told:?}");
    };
    for kit in KITS {
        let data = fresh();
        let given = json!({
            "binary": program, "data": data.path(), "env": { "HERON": "grey" }, "calls": [],
        });
        let report = kit.runs("calls", given);
        assert_eq!(report["refused"], json!(null), "{kit:?}: {report}");
        assert_told(data.path(), &format!("{kit:?}"));
    }
    let data = fresh();
    let started = Program::new(program)
        .args(["stdio", "--data"])
        .arg(data.path())
        .env("HERON", "grey")
        .folder(data.path());
    run(async {
        let opened = ZeroMemory::stdio(started).await;
        assert!(opened.is_ok(), "{opened:?}");
    });
    assert_told(data.path(), "Rust");
}

#[test]
fn a_program_of_another_major_version_is_ended_when_it_is_refused() {
    let place = fresh();
    let program = telling(place.path());
    let other = ["--announced-contract", "3.0.0"];
    for kit in KITS {
        let data = fresh();
        let pids = data.path().join("pids");
        let given = json!({
            "binary": program, "data": data.path(), "more": other, "calls": [], "pids": pids,
        });
        let report = kit.runs("calls", given);
        let refused = &report["refused"]["class"];
        assert_eq!(refused, "ContractMismatch", "{kit:?}: {report}");
        assert_eq!(report["left"], json!([]), "{kit:?}: {report}");
    }
    let data = fresh();
    let started = Program::new(program)
        .args(["stdio", "--data"])
        .arg(data.path())
        .args(other)
        .folder(data.path());
    run(async {
        let opened = ZeroMemory::stdio(started).await;
        assert!(
            matches!(opened, Err(Error::ContractMismatch(_))),
            "{opened:?}"
        );
        let pids = std::fs::read_to_string(data.path().join("pids")).expect("a file");
        for pid in pids.lines() {
            ends(pid.parse().expect("a number"));
        }
    });
}
