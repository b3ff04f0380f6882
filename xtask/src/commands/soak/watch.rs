//! What a process holds, over time, and whether that grows.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

/// One thing that is watched.
struct Gauge {
    name: &'static str,
    /// What it may grow by in a minute, and how far apart two looks at what
    /// does not grow may be. In its own unit.
    per_minute: f64,
    noise: f64,
    /// What it may come to at most.
    most: f64,
}

/// Everything that is watched, in the order of a sample.
///
/// The memory file may grow by what is to be kept for ever: the history of
/// what is forgotten and restored, settled disputes, and the ledger of what
/// was erased. The log is cut when nobody writes and bounded while somebody does.
const GAUGES: [Gauge; 7] = [
    Gauge {
        name: "resident KiB",
        per_minute: 100.0,
        noise: 4_096.0,
        most: 262_144.0,
    },
    Gauge {
        name: "handles",
        per_minute: 0.0,
        noise: 12.0,
        most: 256.0,
    },
    Gauge {
        name: "threads",
        per_minute: 0.0,
        noise: 8.0,
        most: 128.0,
    },
    Gauge {
        name: "memory.db KiB",
        per_minute: 512.0,
        noise: 512.0,
        most: f64::MAX,
    },
    Gauge {
        name: "its log KiB",
        per_minute: f64::MAX,
        noise: 0.0,
        most: 65_536.0,
    },
    Gauge {
        name: "bookkeeping.db KiB",
        per_minute: 16.0,
        noise: 64.0,
        most: f64::MAX,
    },
    Gauge {
        name: "its log KiB (bookkeeping)",
        per_minute: f64::MAX,
        noise: 0.0,
        most: 16_384.0,
    },
];

/// What a process and its folder held at a moment.
pub struct Sample {
    at: Duration,
    values: [f64; GAUGES.len()],
}

impl Sample {
    /// Heads of the columns.
    pub const HEADS: &str =
        "resident KiB | handles | threads | memory.db KiB | its log | bookkeeping.db KiB | its log";
    /// How many there are.
    pub const N_HEADS: usize = GAUGES.len();

    /// Looks at a process and at the folder.
    pub fn take(pid: u32, data: &Path, at: Duration) -> Result<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status"))
            .context("a server is gone before its time")?;
        let field = |name: &str| -> f64 {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let word = line.and_then(|rest| rest.split_whitespace().next());
            word.and_then(|word| word.parse().ok()).unwrap_or(0.0)
        };
        let n_handles = fs::read_dir(format!("/proc/{pid}/fd"))?.count();
        let kib = |name: &str| -> f64 {
            let bytes = fs::metadata(data.join(name)).map_or(0, |file| file.len());
            number(bytes / 1024)
        };
        Ok(Self {
            at,
            values: [
                field("VmRSS:"),
                number(u64::try_from(n_handles)?),
                field("Threads:"),
                kib("memory.db"),
                kib("memory.db-wal"),
                kib("bookkeeping.db"),
                kib("bookkeeping.db-wal"),
            ],
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a size far below 2^53")]
fn number(value: u64) -> f64 {
    value as f64
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self
            .values
            .iter()
            .map(|value| format!("{value:.0}"))
            .collect();
        f.write_str(&values.join(" | "))
    }
}

/// The samples of one process.
pub struct Series {
    name: String,
    samples: Vec<Sample>,
}

/// How one gauge went.
pub struct Finding {
    process: String,
    gauge: &'static str,
    first: f64,
    last: f64,
    per_minute: f64,
    highest: f64,
    /// It grew, or came too high.
    pub is_bad: bool,
}

impl Series {
    /// Returns a series without samples.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            samples: Vec::new(),
        }
    }

    /// Adds the next one.
    pub fn add(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// Compares the middle of the first third after the warm part with that of
    /// the last, so that a single peak says nothing.
    pub fn judge(&self, n_warm: usize) -> Vec<Finding> {
        let measured = self.samples.get(n_warm..).unwrap_or_default();
        let third = measured.len() / 3;
        let begin = measured.get(..third).unwrap_or_default();
        let end = measured.get(measured.len() - third..).unwrap_or_default();
        let minute = |part: &[Sample]| middle(part.iter().map(|sample| sample.at.as_secs_f64()));
        let minutes = (minute(end) - minute(begin)) / 60.0;
        GAUGES
            .iter()
            .enumerate()
            .map(|(index, gauge)| {
                let values = |part: &[Sample]| -> Vec<f64> {
                    part.iter()
                        .filter_map(|sample| sample.values.get(index).copied())
                        .collect()
                };
                let first = middle(values(begin).into_iter());
                let last = middle(values(end).into_iter());
                let highest = values(measured).into_iter().fold(0.0, f64::max);
                let allowed = gauge.noise + gauge.per_minute * minutes;
                Finding {
                    process: self.name.clone(),
                    gauge: gauge.name,
                    first,
                    last,
                    per_minute: (last - first) / minutes,
                    highest,
                    is_bad: last - first > allowed || highest > gauge.most,
                }
            })
            .collect()
    }
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_bad { "GROWS" } else { "flat" };
        write!(
            f,
            "{verdict}: {}, {}: from {:.0} to {:.0}, {:+.1} a minute, {:.0} at most",
            self.process, self.gauge, self.first, self.last, self.per_minute, self.highest
        )
    }
}
