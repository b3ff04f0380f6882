//! What `doctor` says.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Finding, Severity};
use crate::clock;
use crate::open::tokenise;

/// Room below which the next write may fail.
const ROOM_ERROR_BYTES: u64 = 16 * 1024 * 1024;

/// Everything that was looked at.
///
/// Its JSON form is stable: fields and checks may be added, `id` and `level`
/// keep their meaning.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The data folder.
    pub data: PathBuf,
    /// Version of the contract that this program speaks.
    pub contract: &'static str,
    /// The worst level of all checks.
    pub level: Level,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Stable name of the check.
    pub id: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What was found.
    pub what: String,
    /// What to do about it; nothing for `ok` and `info`.
    pub remedy: Option<String>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Good to know.
    Info,
    /// Works, and may not tomorrow.
    Warning,
    /// Does not work, or something is lost.
    Error,
}

impl Level {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Looks at a data folder without touching it.
pub fn examine(dir: &Path) -> Report {
    let mut found = store::examine(dir, tokenise, (clock::system())());
    found.push(room(dir));
    found.push(token(dir));
    found.push(Finding::info(
        "weights",
        "none: this version searches by words only, and needs none",
    ));
    found.push(Finding::ok(
        "contract",
        format!("version {}", contract::constants::CONTRACT_VERSION),
    ));
    let checks: Vec<Check> = found
        .into_iter()
        .map(|finding| Check {
            id: finding.id,
            level: match finding.severity {
                Severity::Ok => Level::Ok,
                Severity::Info => Level::Info,
                Severity::Warning => Level::Warning,
                Severity::Error => Level::Error,
            },
            what: finding.what,
            remedy: finding.remedy,
        })
        .collect();
    Report {
        data: dir.to_owned(),
        contract: contract::constants::CONTRACT_VERSION,
        level: checks
            .iter()
            .map(|check| check.level)
            .max()
            .unwrap_or(Level::Ok),
        checks,
    }
}

/// Room on the disk: rewriting the file, as erasing does, needs its size again.
fn room(dir: &Path) -> Finding {
    let Some(free) = free_bytes(dir) else {
        return Finding::info(
            "free_space",
            "how much room there is could not be found out",
        );
    };
    let size = std::fs::metadata(dir.join("memory.db")).map_or(0, |about| about.len());
    let mib = |bytes: u64| bytes / (1024 * 1024);
    let what = format!("{} MiB are free, memory.db has {}", mib(free), mib(size));
    let remedy = "make room: upgrades, erasing and backups need the size of memory.db once more";
    if free < ROOM_ERROR_BYTES {
        Finding::error("free_space", what, remedy)
    } else if free < size.saturating_mul(2) {
        Finding::warning("free_space", what, remedy)
    } else {
        Finding::ok("free_space", what)
    }
}

#[cfg(unix)]
fn free_bytes(dir: &Path) -> Option<u64> {
    // The folder may not be there yet; what holds it is.
    let there = dir.ancestors().find(|folder| folder.is_dir())?;
    let about = rustix::fs::statvfs(there).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_dir: &Path) -> Option<u64> {
    None
}

/// The token that opens the HTTP routes: 32 bytes of randomness at least.
fn token(dir: &Path) -> Finding {
    let path = dir.join("token");
    // Reading a pipe would wait for somebody who writes to it.
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        return Finding::error(
            "token",
            "what stands in the place of the token is no file",
            "move it away; zero-memory serve makes a new token, which clients must be told",
        );
    }
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::info("token", "there is no token yet; zero-memory serve makes it")
        }
        Err(error) => Finding::error(
            "token",
            format!("the token cannot be read: {error}"),
            "check who owns the file token and the rights on it",
        ),
        Ok(text) if text.trim().len() < 32 => Finding::error(
            "token",
            "the file token is damaged",
            "delete it; zero-memory serve makes a new one, which clients must be told",
        ),
        Ok(_) => Finding::ok("token", "the token of the HTTP server is there"),
    }
}
