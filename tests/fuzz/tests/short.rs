//! The short run of every target: its seeds, then inputs made from them, the
//! same ones each time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use fuzz::watch::{Watch, keep};
use fuzz::{Mutator, TARGETS, corpus, targets};

/// What the short runs start from; another number tries other inputs.
const SEED: u64 = 41;

/// Targets that the tests of the built program run.
const TRANSPORTS: [&str; 2] = ["http", "stdio"];

fn finds(target: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("finds")
        .join(target)
}

fn runs(name: &str) {
    let target = targets::find(name).expect("a target of this name");
    let watch = Watch::start(finds(name).join("hangs"));
    let mut seeds = Vec::new();
    for (file, seed) in corpus::seeds(name).expect("a folder of seeds") {
        tried(&watch, name, target.run, &seed, &file);
        seeds.push(seed);
    }
    assert!(!seeds.is_empty(), "{name} has no seeds");
    let mut mutator = Mutator::new(SEED, seeds, target.words);
    for number in 0..target.n_short {
        let input = mutator.next_input();
        tried(&watch, name, target.run, &input, &number.to_string());
    }
}

fn tried(watch: &Watch, name: &str, run: fn(&[u8]), input: &[u8], file: &str) {
    let outcome = catch_unwind(AssertUnwindSafe(|| watch.over(run, input)));
    let find = finds(name).join(file);
    if outcome.is_err() {
        keep(&find, input);
    }
    assert!(
        outcome.is_ok(),
        "{name} breaks a promise; see it again with: cargo xtask fuzz {name} --replay {}",
        find.display()
    );
}

#[test]
fn backups_keep_their_promises() {
    runs("backups");
}

#[test]
fn calls_keep_their_promises() {
    runs("calls");
}

#[test]
fn cursors_keep_their_promises() {
    runs("cursors");
}

#[test]
fn dumps_keep_their_promises() {
    runs("dumps");
}

#[test]
fn files_keep_their_promises() {
    runs("files");
}

#[test]
fn hints_keep_their_promises() {
    runs("hints");
}

#[test]
fn ids_keep_their_promises() {
    runs("ids");
}

#[test]
fn imports_keep_their_promises() {
    runs("imports");
}

#[test]
fn moments_keep_their_promises() {
    runs("moments");
}

#[test]
fn queries_keep_their_promises() {
    runs("queries");
}

#[test]
fn secrets_keep_their_promises() {
    runs("secrets");
}

#[test]
fn every_target_has_a_short_run() {
    let source = include_str!("short.rs");
    for target in TARGETS {
        let run = format!("runs(\"{}\")", target.name);
        assert!(source.contains(&run), "{} is never run", target.name);
    }
}

#[test]
fn the_same_number_makes_the_same_inputs() {
    let made = |seed| {
        let seeds = vec![br#"{"a":[1,"two"]}"#.to_vec(), b"three\nfour".to_vec()];
        let mut mutator = Mutator::new(seed, seeds, &["five"]);
        (0..100).map(|_| mutator.next_input()).collect::<Vec<_>>()
    };
    assert_eq!(made(7), made(7));
    assert_ne!(made(7), made(8));
    assert!(made(7).windows(2).any(|pair| pair[0] != pair[1]));
}

#[test]
fn no_folder_of_seeds_is_orphaned() {
    let folder = corpus::folder("");
    for entry in std::fs::read_dir(folder).expect("the folder of seeds") {
        let name = entry.expect("it can be listed").file_name();
        let name = name.to_string_lossy();
        let is_read = targets::find(&name).is_some() || TRANSPORTS.contains(&name.as_ref());
        assert!(is_read, "no target reads {name}");
    }
}
