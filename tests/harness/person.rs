//! A person at a shell: a home of their own, a data folder, and nothing else
//! of this machine's settings.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::{binary, fresh};

/// A person.
pub struct Person {
    root: TempDir,
    variables: Vec<(String, String)>,
}

/// How a command ended and what it said.
#[derive(Debug)]
pub struct Run {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// Returns the one JSON document that it printed.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.err);
        self.document()
    }

    /// Returns the JSON document, however it ended.
    #[track_caller]
    pub fn document(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }

    /// Asserts how it ended; returns what it said on standard error.
    #[track_caller]
    pub fn failed(&self, code: i32) -> &str {
        assert_eq!(self.code, code, "{self:?}");
        &self.err
    }
}

impl Person {
    /// Returns a person who has nothing yet.
    pub fn new() -> Self {
        let root = fresh();
        for folder in ["home", "work"] {
            std::fs::create_dir(root.path().join(folder)).expect("a folder can be made");
        }
        Self {
            root,
            variables: Vec::new(),
        }
    }

    /// Returns the home folder.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Returns the data folder.
    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    /// Returns the folder that commands are run in.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// Sets a variable for all commands from now on.
    pub fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let value = value.as_ref().to_str().expect("text").to_owned();
        self.variables.push((name.to_owned(), value));
    }

    /// Writes a file below the home folder, with its folders.
    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.home().join(path);
        let folder = path.parent().expect("it lies in a folder");
        std::fs::create_dir_all(folder).expect("a folder can be made");
        std::fs::write(&path, text).expect("a file can be made");
        path
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(&self.work(), arguments, "")
    }

    /// Runs the program in a folder, with an input.
    pub fn run_with(&self, folder: &Path, arguments: &[&str], input: &str) -> Run {
        let mut command = Command::new(binary());
        command.args(arguments);
        self.finish(command, folder, input)
    }

    /// Runs a command as this person would.
    pub fn finish(&self, mut command: Command, folder: &Path, input: &str) -> Run {
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .current_dir(folder)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home())
            .env("ZERO_MEMORY_DATA", self.data())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("it has an input");
        // Whoever reads nothing closes the pipe, and that is fine.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        Run {
            code: output.status.code().expect("it ends by itself"),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
}
