//! Looking after a data folder: erasing, backups and the way back, `doctor`,
//! and files that are not what they should be.

mod backups;
mod erasing;
mod files;
mod restoring;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::{Door, Era, Pipes, binary};

/// A word that no program and no other text holds.
const MARK: &str = "qzxjkvwpsecret";

/// How a command ended and what it said.
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn run(data: &Path, arguments: &[&str]) -> Run {
    let output = Command::new(binary())
        .args(arguments)
        .env("ZERO_MEMORY_DATA", data)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the binary starts");
    Run {
        code: output.status.code().expect("it ends by itself"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Files of a folder, and of those in it, that hold a text in any case.
fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
            continue;
        }
        let bytes = std::fs::read(&path).expect("it can be read");
        let bytes = bytes.to_ascii_lowercase();
        if bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

/// Stores memories in a closed folder; returns their ids.
fn stored(data: &Path, texts: &[&str]) -> Vec<String> {
    let mut pipes = Pipes::open(data, Era::Legacy);
    let ids = texts.iter().map(|text| pipes.remember(text)).collect();
    let (status, ..) = pipes.close();
    assert_eq!(status.code(), Some(0));
    ids
}

fn check<'a>(report: &'a Value, id: &str) -> &'a Value {
    let checks = report["checks"].as_array().expect("a list");
    let found = checks.iter().find(|check| check["id"] == id);
    found.unwrap_or_else(|| panic!("no check {id}: {report}"))
}
