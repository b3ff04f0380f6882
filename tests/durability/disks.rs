//! A full disk and a folder that can only be read: told clearly, survived, and
//! nothing that was answered is lost.
//!
//! A small file system needs the rights to mount one; where they are missing,
//! a bound on the length of files is what a folder can be limited by.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::ids_found;
use crate::harness::{
    Door, Era, Pipes, Reply, Site, fresh, may_mount, may_write, reading_only, unsound,
};

/// Bytes that all files of the limited folder may have.
const ROOM: u64 = 2 << 20;

/// A long text that no other one is like.
fn long(number: usize) -> String {
    let words: Vec<String> = (0..1_000)
        .map(|word| format!("w{}", number * 1_000 + word))
        .collect();
    format!("Otter {number}: {}", words.join(" "))
}

fn remember_long(door: &mut dyn Door, number: usize) -> Result<String, Value> {
    match door.call(
        "remember",
        json!({ "scope": "core", "content": long(number) }),
    ) {
        Reply::Done(payload) => Ok(payload["memory_id"].as_str().expect("an id").to_owned()),
        Reply::Refused(error) => Err(error),
        other => panic!("{other:?}"),
    }
}

/// Writes until it is refused; returns what was kept and the refusal.
fn fill(door: &mut dyn Door) -> (BTreeSet<String>, Value) {
    let mut kept = BTreeSet::new();
    for number in 0.. {
        match remember_long(door, number) {
            Ok(id) => kept.insert(id),
            Err(error) => return (kept, error),
        };
        assert!(number < 10_000, "it is never full");
    }
    unreachable!("numbers do not end")
}

/// Checks that a refusal says what a person can do, and nothing of the inside.
fn is_told(error: &Value, word: &str, data: &Path) {
    assert_eq!(error["code"], "internal", "{error}");
    let message = error["message"].as_str().expect("text");
    assert!(
        message.contains(word) && message.contains("req_"),
        "{message}"
    );
    assert!(
        message.contains("nothing of this call was stored"),
        "{message}"
    );
    for inside in ["SQL", "sqlite", "memory.db", &data.display().to_string()] {
        assert!(!message.contains(inside), "{message}");
    }
}

#[test]
fn a_file_that_may_not_grow_refuses_writes_and_takes_them_again() {
    let data = fresh();
    let bound = format!("ulimit -S -f {}; exec \"$@\"", ROOM / 512);
    let mut pipes = Pipes::start_under(&["sh", "-c", &bound, "sh"], data.path(), &[]);
    pipes.initialize(crate::harness::NEWEST_LEGACY);
    let (kept, error) = fill(&mut pipes);
    is_told(&error, "disk", data.path());
    assert!(!kept.is_empty());
    // It is alive and reads.
    assert_eq!(ids_found(&mut pipes, "otter"), kept);
    // More room, and it goes on.
    let raised = Command::new("prlimit")
        .args(["--fsize=unlimited", "--pid", &pipes.pid().to_string()])
        .status();
    if raised.is_ok_and(|status| status.success()) {
        let id = remember_long(&mut pipes, 100_000).expect("there is room again");
        assert!(ids_found(&mut pipes, "otter").contains(&id));
    }
    pipes.kill();
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert!(kept.is_subset(&ids_found(&mut after, "otter")));
    assert_eq!(unsound(data.path()), "");
}

#[test]
fn processes_that_are_killed_on_a_full_disk_keep_what_they_answered() {
    const N_KILLS: usize = 12;
    const N_SENT: usize = 8;
    let data = fresh();
    let bound = format!("ulimit -S -f {}; exec \"$@\"", ROOM / 512);
    let wrapper = ["sh", "-c", &bound, "sh"];
    let mut kept = BTreeSet::new();
    let (mut n_refused, mut number) = (0, 0);
    for round in 0..N_KILLS {
        let mut pipes = Pipes::start_under(&wrapper, data.path(), &[]);
        pipes.initialize(crate::harness::NEWEST_LEGACY);
        // Short ones too, so that some fit where the long ones do not.
        for _ in 0..N_SENT {
            number += 1;
            let content = if number % 2 == 0 {
                long(number)
            } else {
                format!("Otter {number} is short.")
            };
            let arguments = json!({ "scope": "core", "content": content });
            pipes.send_call("remember", &arguments.to_string());
        }
        let mut heard: Vec<Value> = (0..round % N_SENT).map(|_| pipes.next()).collect();
        heard.extend(pipes.kill_and_listen());
        for message in heard {
            match Reply::of_response(&message) {
                Reply::Done(payload) => {
                    kept.insert(payload["memory_id"].as_str().expect("an id").to_owned());
                }
                Reply::Refused(error) => {
                    is_told(&error, "disk", data.path());
                    n_refused += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(
        n_refused > 0 && !kept.is_empty(),
        "{n_refused} refused, {} kept",
        kept.len()
    );
    let mut after = Pipes::open(data.path(), Era::Legacy);
    let missing: Vec<_> = kept
        .difference(&ids_found(&mut after, "otter"))
        .cloned()
        .collect();
    assert_eq!(missing, Vec::<String>::new());
    assert_eq!(unsound(data.path()), "");
}

#[test]
fn a_full_disk_refuses_writes_and_takes_them_again() {
    if !may_mount() {
        // The test above is the same with other means.
        return;
    }
    let data = fresh();
    let path = data.path().display().to_string();
    // The folder lies on a file system that only the process sees, and who
    // enters its space.
    let small = format!("mount -t tmpfs -o size={ROOM} tmpfs {path} && exec \"$@\"");
    let wrapper = ["unshare", "-m", "sh", "-c", &small, "sh"];
    let mut pipes = Pipes::start_under(&wrapper, data.path(), &[]);
    pipes.initialize(crate::harness::NEWEST_LEGACY);
    pipes.remember("An otter came first.");
    let pid = pipes.pid().to_string();
    let inside = |script: &str| {
        let status = Command::new("nsenter")
            .args(["-m", "-t", &pid, "sh", "-c", script])
            .status();
        assert!(status.is_ok_and(|status| status.success()), "{script}");
    };
    inside(&format!("head -c 500000 /dev/zero > {path}/other"));
    let (kept, error) = fill(&mut pipes);
    is_told(&error, "full", data.path());
    let mut found = ids_found(&mut pipes, "otter");
    assert!(kept.is_subset(&found) && found.len() == kept.len() + 1);
    inside(&format!("rm {path}/other"));
    let id = remember_long(&mut pipes, 100_000).expect("there is room again");
    found.insert(id);
    assert_eq!(ids_found(&mut pipes, "otter"), found);
    assert_eq!(pipes.close().0.code(), Some(0));
}

#[test]
fn a_folder_that_can_only_be_read_is_read_and_left_as_it_is() {
    let data = fresh();
    let mut first = Pipes::open(data.path(), Era::Legacy);
    let id = first.remember("An otter can read.");
    first.close();
    let site = Site::start(data.path());
    crate::harness::signal("TERM", site.pid());
    site.wait();
    let before = files(data.path());

    let wrapper = reading_only(data.path());
    let wrapper: Vec<&str> = wrapper.iter().map(String::as_str).collect();
    {
        let site = Site::start_under(&wrapper, data.path(), &["--toolset", "full"]);
        let health = site.send("GET", "/healthz", &[], b"");
        assert_eq!(health.status, 200);
        let mut pipes = Pipes::start_under(&wrapper, data.path(), &[]);
        pipes.initialize(crate::harness::NEWEST_LEGACY);
        assert_eq!(ids_found(&mut pipes, "otter"), BTreeSet::from([id.clone()]));
        let error = remember_long(&mut pipes, 1).expect_err("it cannot be written");
        is_told(&error, "can only be read", data.path());
        let forget = pipes.call("forget", json!({ "memory_id": id }));
        assert!(matches!(forget, Reply::Refused(error) if error["code"] == "internal"));
        let answer = site.owner("POST", "/api/tools/recall", &[], b"{\"query\":\"otter\"}");
        assert_eq!(answer.json()["memories"][0]["id"], json!(id));
        let body = json!({ "scope": "core", "content": long(2) }).to_string();
        let answer = site.owner("POST", "/api/tools/remember", &[], body.as_bytes());
        is_told(&answer.json()["error"], "can only be read", data.path());
    }
    may_write(data.path());
    assert_eq!(files(data.path()), before);
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert!(remember_long(&mut after, 3).is_ok());
}

/// Leaves the files of a writer that was cut off beside the memory: its log
/// with what it stored last, or empty, and what processes share of it, or the
/// beginning of that. The books were closed. Returns what is stored.
fn cut_off(data: &Path, shared: Option<usize>) -> BTreeSet<String> {
    let mut pipes = Pipes::open(data, Era::Legacy);
    if shared.is_none() {
        pipes.remember("An otter is in the log.");
    }
    let found = ids_found(&mut pipes, "otter");
    let copy = fresh();
    let names = ["memory.db-wal", "memory.db-shm"];
    for name in names {
        std::fs::copy(data.join(name), copy.path().join(name)).expect("it is there");
    }
    pipes.kill();
    for name in names {
        std::fs::copy(copy.path().join(name), data.join(name)).expect("a file can be made");
    }
    for name in ["bookkeeping.db-wal", "bookkeeping.db-shm"] {
        std::fs::remove_file(data.join(name)).expect("it was left");
    }
    if let Some(n_bytes) = shared {
        std::fs::write(data.join(names[0]), "").expect("it is ours");
        let mut bytes = std::fs::read(data.join(names[1])).expect("it is there");
        bytes.truncate(n_bytes);
        std::fs::write(data.join(names[1]), bytes).expect("it is ours");
    }
    found
}

#[test]
fn what_a_writer_left_that_was_cut_off_is_read_where_nothing_can_be_written() {
    for shared in [None, Some(usize::MAX), Some(16 << 10), Some(0)] {
        let data = fresh();
        let mut first = Pipes::open(data.path(), Era::Legacy);
        first.remember("An otter can read.");
        first.close();
        let stored = cut_off(data.path(), shared);
        assert_eq!(stored.len(), if shared.is_some() { 1 } else { 2 });
        let before = files(data.path());
        assert!(before.iter().any(|(name, _)| name == "memory.db-shm"));
        let wrapper = reading_only(data.path());
        let wrapper: Vec<&str> = wrapper.iter().map(String::as_str).collect();
        // The second one finds what the first one holds.
        let mut both = Vec::new();
        for _ in 0..2 {
            let mut pipes = Pipes::start_under(&wrapper, data.path(), &[]);
            pipes.initialize(crate::harness::NEWEST_LEGACY);
            assert_eq!(ids_found(&mut pipes, "otter"), stored, "{shared:?}");
            let error = remember_long(&mut pipes, 1).expect_err("it cannot be written");
            is_told(&error, "can only be read", data.path());
            both.push(pipes);
        }
        drop(both);
        may_write(data.path());
        assert_eq!(files(data.path()), before, "{shared:?}");
        let mut after = Pipes::open(data.path(), Era::Legacy);
        assert_eq!(ids_found(&mut after, "otter"), stored);
    }
}

/// Returns every file of a folder with what is in it.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("it can be listed")
        .map(|entry| {
            let entry = entry.expect("it can be listed");
            let content = std::fs::read(entry.path()).expect("it can be read");
            (entry.file_name().to_string_lossy().into_owned(), content)
        })
        .collect();
    files.sort();
    files
}
