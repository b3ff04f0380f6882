//! Hostile input through every transport of the built program: what has no
//! transport is tried in `tests/fuzz/`, with the same mutator.
//!
//! Each test is short, and the same each time. `cargo xtask fuzz` sets the
//! variables below and has it run for minutes.

mod http;
#[path = "fuzz/src/insides.rs"]
pub mod insides;
#[path = "fuzz/src/mutator.rs"]
mod mutator;
mod oddities;
mod stdio;
mod tools;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::harness::{repository, target};

/// What the short runs start from; another number tries other inputs.
const SEED: u64 = 41;

/// Words of the inside that somebody said first; an answer may repeat them.
#[derive(Default)]
struct Said(BTreeSet<&'static str>);

impl Said {
    /// Notes what was sent.
    fn add(&mut self, sent: &str) {
        let lower = sent.to_lowercase();
        let said = insides::INSIDES
            .iter()
            .filter(|inside| lower.contains(**inside));
        self.0.extend(said);
    }

    /// Fails if an answer lets anything of the inside slip.
    fn hold(&self, answer: &str) {
        let found = insides::slipped(answer, |inside| self.0.contains(inside));
        assert_eq!(found, None, "in {answer:.600}");
    }
}

/// How long a test goes on, and what it starts from.
struct Run {
    left: usize,
    until: Option<Instant>,
    seed: u64,
    /// Where a find is written.
    finds: PathBuf,
    /// A find to read again.
    replay: Option<PathBuf>,
}

impl Run {
    /// Returns the run of a target: so many rounds, unless the time is set.
    fn of(name: &str, n_rounds: usize) -> Self {
        let variable = |name: &str| std::env::var(format!("ZERO_MEMORY_FUZZ_{name}")).ok();
        let seconds = variable("SECONDS").and_then(|seconds| seconds.parse().ok());
        Self {
            left: n_rounds,
            until: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
            seed: variable("SEED")
                .and_then(|seed| seed.parse().ok())
                .unwrap_or(SEED),
            finds: variable("FINDS").map_or_else(
                || target().join("fuzz").join(name).join("finds"),
                PathBuf::from,
            ),
            replay: variable("REPLAY").map(PathBuf::from),
        }
    }

    /// Whether there is another round.
    fn goes_on(&mut self) -> bool {
        if self.replay.is_some() {
            return false;
        }
        match self.until {
            Some(until) => Instant::now() < until,
            None => {
                let goes_on = self.left > 0;
                self.left = self.left.saturating_sub(1);
                goes_on
            }
        }
    }

    /// Runs one round; what breaks a promise is written to a file first.
    fn round(&self, target: &str, input: &[u8], body: impl FnOnce()) {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
        if let Err(cause) = outcome {
            std::fs::create_dir_all(&self.finds).expect("a folder for finds");
            let find = self.finds.join(format!("{target}-{}", self.seed));
            std::fs::write(&find, input).expect("a find can be written");
            eprintln(&format!(
                "see it again with: cargo xtask fuzz {target} --replay {}\n",
                find.display()
            ));
            std::panic::resume_unwind(cause);
        }
    }

    /// Returns the find to read again.
    fn replayed(&self) -> Option<Vec<u8>> {
        let file = self.replay.as_ref()?;
        Some(std::fs::read(file).expect("the find can be read"))
    }
}

fn eprintln(text: &str) {
    use std::io::Write as _;
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Returns the seeds of a target, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = repository().join("tests/fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of seeds")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{target} has no seeds");
    let read = |file: &PathBuf| std::fs::read(Path::new(file)).expect("a seed can be read");
    files.iter().map(read).collect()
}
