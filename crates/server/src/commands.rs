//! What the command line does besides serving: one file per command.
//!
//! Results go to standard output, everything else to standard error. Commands
//! work on the data folder itself, also while a server runs on it.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use contract::ErrorCode;
use memory::{Memory, MemoryOptions};

use crate::cli::Place;
use crate::local;

mod address;
pub mod backup;
pub mod connect;
pub mod doctor;
pub mod erase;
pub mod export;
pub mod hook;
pub mod import;
pub mod manual;
pub mod mistyped;
pub mod project;
pub mod restore;
pub mod shell;
mod table;

pub use table::harmless;

/// Done, or healthy.
pub const DONE: u8 = 0;
/// It failed, or something was found that needs attention.
pub const FAILED: u8 = 1;
/// `doctor` found nothing worse than warnings.
pub const WARNED: u8 = 3;

/// Returns the exit code of a call that was refused.
pub const fn refused(code: ErrorCode) -> u8 {
    match code {
        ErrorCode::ValidationFailed => 10,
        ErrorCode::Unauthorized => 11,
        ErrorCode::Forbidden => 12,
        ErrorCode::NotFound => 13,
        ErrorCode::Conflict => 14,
        ErrorCode::RateLimited => 15,
        ErrorCode::Internal => 16,
    }
}

/// Returns the exit codes of the commands that call the memory, for their
/// help.
pub fn exit_codes() -> String {
    let refusals = ErrorCode::ALL.map(|code| format!("{} {}", refused(code), code.as_str()));
    format!(
        "Exit codes: {DONE} done; {FAILED} it failed; 2 wrong usage; refused: {}.",
        refusals.join(", ")
    )
}

/// Time between two lines about progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Prints a result for a person: no name and no text in it moves the cursor.
pub fn print(text: &str) -> Result<()> {
    let text = harmless(text);
    written(writeln!(std::io::stdout().lock(), "{text}"))
}

/// Judges what became of a result on standard output. Whoever reads only its
/// first lines has closed it, and that is no failure: what was asked is done.
pub fn written(outcome: std::io::Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("what was asked is done, but standard output takes no result"),
    }
}

/// Prints a result as one JSON document.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).context("the result cannot be written")?;
    print(&table::harmless_json(&text))
}

/// Returns how a command ended, once its failure was told.
pub fn ended(outcome: Result<u8>) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            crate::say(&format!("error: {error:#}"));
            ExitCode::from(FAILED)
        }
    }
}

/// Tells how far something is, on standard error, at most once a second: when
/// somebody watches, or when it takes long.
pub struct Progress {
    what: &'static str,
    told: Instant,
    quiet_for: Duration,
}

impl Progress {
    /// Starts to watch.
    pub fn new(what: &'static str) -> Self {
        Self {
            what,
            told: Instant::now(),
            quiet_for: if std::io::stderr().is_terminal() {
                PROGRESS_EVERY
            } else {
                10 * PROGRESS_EVERY
            },
        }
    }

    /// Notes how far it is.
    pub fn note(&mut self, done: u64, total: u64) {
        if self.told.elapsed() < self.quiet_for {
            return;
        }
        self.told = Instant::now();
        let mib = |bytes: u64| bytes / (1024 * 1024);
        let (what, done, total) = (self.what, mib(done), mib(total));
        crate::say(&format!("{what}: {done} of {total} MiB"));
    }
}

/// Returns the memory of the data folder that was named.
pub fn memory(place: &Place) -> Result<Memory> {
    let dir = local::data_folder(place.data.clone())?;
    let handle = place.handle.clone();
    Ok(Memory::new(dir, MemoryOptions { handle }))
}

/// The same, for a command that makes none: whoever mistyped the name of the
/// folder would be told that nothing is known.
pub fn memory_there(place: &Place) -> Result<Memory> {
    let memory = memory(place)?;
    if !memory.is_there() {
        let dir = local::data_folder(place.data.clone())?;
        bail!(
            "{} holds no memory yet\nhint: name another data folder with --data; zero-memory remember or a server makes one",
            dir.display()
        );
    }
    Ok(memory)
}

/// Tells how far long work over rows is: a line a second, after the first.
pub fn progress(what: &'static str) -> impl FnMut(usize, Option<usize>) {
    let mut last = Instant::now();
    move |done, total| {
        if last.elapsed() < PROGRESS_EVERY {
            return;
        }
        last = Instant::now();
        let of = total
            .map(|total| format!(" of {total}"))
            .unwrap_or_default();
        crate::say(&format!("{what}: {done}{of}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_an_error_has_an_exit_code_of_its_own() {
        let mut codes: Vec<u8> = ErrorCode::ALL.map(refused).to_vec();
        codes.extend([DONE, FAILED, 2, WARNED]);
        let n_codes = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), n_codes);
        for code in ErrorCode::ALL {
            assert!(exit_codes().contains(code.as_str()));
        }
    }
}
