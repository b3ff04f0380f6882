//! What `restore` refuses, what it says about what it could not know, and what
//! it leaves behind.

use std::path::Path;

use serde_json::json;

use super::files::state;
use super::{MARK, check, run, stored};
use crate::harness::{Door, Era, Pipes, fresh};

/// Covers a text in a file with another one of the same length.
fn alter(file: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let mut bytes = std::fs::read(file).expect("it is there");
    let places: Vec<usize> = bytes
        .windows(from.len())
        .enumerate()
        .filter(|(_, window)| *window == from.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    std::fs::write(file, bytes).expect("it can be written");
}

#[test]
fn a_backup_that_was_changed_does_not_come_back_as_if_it_were_whole() {
    let data = fresh();
    stored(data.path(), &["The heron stays.", "The boat leaves."]);
    let place = fresh();
    let file = place.path().join("night.db");
    let name = file.to_str().expect("text");
    assert_eq!(run(data.path(), &["backup", name]).code, 0);
    let target = place.path().join("data");
    let whole = run(&target, &["restore", name, "--json"]);
    assert_eq!(whole.code, 0, "{}", whole.err);
    assert_eq!(whole.json()["digest"], "matched");
    assert_eq!(whole.json()["index_rebuilt"], false);

    alter(&file, "The heron stays.", "The otter stays.");
    let target = place.path().join("changed");
    let done = run(&target, &["restore", name]);
    assert_eq!(done.code, 1, "{}", done.out);
    assert!(done.err.contains("digest"), "{}", done.err);
    assert!(!target.exists());

    // A digest that nobody can read is no reason to take the file.
    let seal = place.path().join("night.db.sha256");
    std::fs::write(&seal, b"whatever").expect("it can be written");
    let done = run(&target, &["restore", name]);
    assert_eq!(done.code, 1, "{}", done.out);
    assert!(done.err.contains("night.db.sha256"), "{}", done.err);
    assert!(!target.exists());

    // Without one, the index still tells that its words are others.
    std::fs::remove_file(&seal).expect("it is there");
    let done = run(&target, &["restore", name, "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(done.json()["digest"], "absent");
    assert_eq!(done.json()["index_rebuilt"], true);
    assert!(done.err.contains("did not agree"), "{}", done.err);
    let report = run(&target, &["doctor", "--json"]).json();
    assert_eq!(check(&report, "index")["level"], "ok", "{report}");
    let mut pipes = Pipes::open(&target, Era::Legacy);
    assert_eq!(pipes.found("otter"), ["The otter stays."]);
}

#[test]
fn a_ledger_that_cannot_be_read_is_refused_by_its_own_name() {
    let data = fresh();
    let ids = stored(
        data.path(),
        &[&format!("The {MARK} is here."), "The heron stays."],
    );
    let place = fresh();
    let file = place.path().join("night.db");
    let name = file.to_str().expect("text");
    assert_eq!(run(data.path(), &["backup", name]).code, 0);
    assert_eq!(run(data.path(), &["erase", &ids[0], "--yes"]).code, 0);
    let good = std::fs::read(data.path().join("erasures.jsonl")).expect("it is there");
    let half = &good[..good.len() / 2];
    let ledger = place.path().join("other.jsonl");
    let beside = place.path().join("erasures.jsonl");
    let named = ledger.to_str().expect("text");
    let refused = |what: &str, arguments: &[&str], ledger: &Path| {
        let target = place.path().join("data");
        let done = run(&target, arguments);
        assert_eq!(done.code, 1, "{what}: {}", done.out);
        let said = format!("ledger of erasures {} ", ledger.display());
        assert!(done.err.contains(&said), "{what}: {}", done.err);
        assert!(done.err.contains("hint: "), "{what}: {}", done.err);
        assert!(!target.exists(), "{what}");
    };
    let with_it = ["restore", name, "--ledger", named];
    refused("missing", &with_it, &ledger);
    std::fs::create_dir(&ledger).expect("a folder");
    refused("folder", &with_it, &ledger);
    std::fs::remove_dir(&ledger).expect("it is there");
    let cases = [
        ("diary", b"Dear diary, today I learned.\n".to_vec()),
        ("half", half.to_vec()),
        ("half behind a whole one", [&good[..], half].concat()),
    ];
    for (what, bytes) in cases {
        std::fs::write(&ledger, &bytes).expect("it can be written");
        refused(what, &with_it, &ledger);
        std::fs::write(&beside, &bytes).expect("it can be written");
        refused(what, &["restore", name], &beside);
        std::fs::remove_file(&beside).expect("it is there");
    }
    std::fs::write(&ledger, &good).expect("it can be written");
    let target = place.path().join("data");
    let done = run(&target, &[&with_it[..], &["--json"]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(done.json()["erased_again"], 1);
    assert_eq!(done.json()["ledgers"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_folder_into_which_nothing_could_be_restored_stays_as_it_was() {
    let data = fresh();
    let ids = stored(data.path(), &["The heron stays.", "The boat leaves."]);
    let place = fresh();
    let file = place.path().join("night.db");
    let name = file.to_str().expect("text");
    assert_eq!(run(data.path(), &["backup", name]).code, 0);
    assert_eq!(run(data.path(), &["erase", &ids[0], "--yes"]).code, 0);
    alter(&file, "The heron stays.", "The otter stays.");
    let target = fresh();
    std::fs::write(target.path().join("token"), [b'0'; 64]).expect("it can be written");
    let before = state(target.path());
    let names = || std::fs::read_dir(target.path()).expect("a folder").count();
    let done = run(target.path(), &["restore", name]);
    assert_eq!(done.code, 1, "{}", done.out);
    assert_eq!((state(target.path()), names()), (before, 1));
    // And what came back leaves no workshop behind.
    std::fs::remove_file(place.path().join("night.db.sha256")).expect("it is there");
    let done = run(target.path(), &["restore", name, "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(done.json()["memories"], json!(1));
    let report = run(target.path(), &["doctor", "--json"]).json();
    assert_eq!(report["level"], "info", "{report}");
}

#[test]
fn what_a_killed_backup_or_restore_left_is_found_goes_with_an_erasure_and_bars_nothing() {
    let data = fresh();
    let ids = stored(data.path(), &["The heron stays."]);
    let backups = data.path().join("backups");
    std::fs::create_dir_all(&backups).expect("it can be made");
    // What a process leaves that is killed at its work.
    let half = backups.join(".night.db.partial-4000000");
    std::fs::write(&half, "The heron stays.").expect("it can be written");
    let report = run(data.path(), &["doctor", "--json"]);
    assert_eq!(report.code, 3, "{}", report.out);
    let said = report.json();
    let left = check(&said, "leftovers");
    assert!(left["what"].to_string().contains("night.db"), "{left}");
    assert_eq!(run(data.path(), &["erase", &ids[0], "--yes"]).code, 0);
    assert!(!half.exists());

    let file = data.path().join("whole.db");
    let name = file.to_str().expect("text");
    assert_eq!(run(data.path(), &["backup", name]).code, 0);
    let target = fresh();
    let workshop = target.path().join(".memory.db.partial-4000000");
    std::fs::create_dir_all(&workshop).expect("it can be made");
    std::fs::write(workshop.join("memory.db"), "half").expect("it can be written");
    let done = run(target.path(), &["restore", name]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(!workshop.exists());
}
