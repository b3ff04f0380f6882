//! Runs targets without guidance: `fuzz list`, `fuzz TARGET SECONDS SEED FIND`
//! makes inputs until the time is over, `fuzz TARGET FILE…` reads files again.
//!
//! Started by `cargo xtask fuzz`. A process that ends early leaves the input
//! that it was at in the file FIND.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use fuzz::watch::{Watch, keep};
use fuzz::{Mutator, TARGETS, Target, corpus, targets};

/// Exit code of a wrong use.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout();
    if arguments.first().is_some_and(|first| first == "list") {
        for target in TARGETS {
            let _ = writeln!(out, "{} {}", target.name, target.about);
        }
        return ExitCode::SUCCESS;
    }
    let target = arguments.first().and_then(|name| targets::find(name));
    let (Some(target), Some(rest)) = (target, arguments.get(1..)) else {
        let _ = writeln!(
            std::io::stderr(),
            "usage: fuzz list | fuzz TARGET SECONDS SEED FIND | fuzz TARGET FILE..."
        );
        return ExitCode::from(EXIT_USAGE);
    };
    if let [seconds, seed, find] = rest
        && let (Ok(seconds), Ok(seed)) = (seconds.parse(), seed.parse())
    {
        let n_inputs = search(target, Duration::from_secs(seconds), seed, Path::new(find));
        let _ = writeln!(out, "{}: {n_inputs} inputs, no find", target.name);
        return ExitCode::SUCCESS;
    }
    for file in rest {
        match std::fs::read(file) {
            Ok(input) => (target.run)(&input),
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "{file} cannot be read: {error}");
                return ExitCode::from(EXIT_USAGE);
            }
        }
        let _ = writeln!(out, "{}: {file} is read", target.name);
    }
    ExitCode::SUCCESS
}

/// Makes inputs until the time is over; returns how many.
fn search(target: &Target, time: Duration, seed: u64, find: &Path) -> u64 {
    let watch = Watch::start(PathBuf::from(find));
    let seeds = corpus::seeds(target.name).unwrap_or_default();
    let seeds = seeds.into_iter().map(|(_, seed)| seed).collect();
    let mut mutator = Mutator::new(seed, seeds, target.words);
    let started = Instant::now();
    let mut n_inputs = 0;
    while started.elapsed() < time {
        let input = mutator.next_input();
        // Written before it is read: a stack that overflows ends the process
        // without a word.
        keep(find, &input);
        watch.over(target.run, &input);
        n_inputs += 1;
    }
    let _ = std::fs::remove_file(find);
    n_inputs
}
