//! Files that are not what they should be, or that others could read, and what
//! `doctor` says of a folder.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::json;

use super::{check, run, stored};
use crate::harness::{DEADLINE, Door, Era, Pipes, Reply, Site, fresh};

/// Everything about the files of a folder that an untouched one keeps.
pub(super) fn state(data: &Path) -> Vec<(String, Vec<u8>, std::time::SystemTime)> {
    let mut files: Vec<_> = std::fs::read_dir(data)
        .expect("a folder")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_file())
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let bytes = std::fs::read(entry.path()).expect("it can be read");
            let changed = entry.metadata().and_then(|about| about.modified());
            (name, bytes, changed.expect("a time"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn o01_what_is_no_memory_of_this_program_is_refused_untouched_with_a_way_out() {
    let place = fresh();
    stored(place.path(), &["The heron stays."]);
    let good = std::fs::read(place.path().join("memory.db")).expect("it is there");
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let mut smeared = good.clone();
    smeared[200..4096].fill(0xa5);
    let cases = [
        // The version and the mark of the program, as SQLite keeps them.
        ("newer", changed(63, 200), "update zero-memory"),
        ("foreign", changed(71, 1), "move it away"),
        (
            "text",
            b"Dear diary, today I learned. ".repeat(40),
            "move it away",
        ),
        ("stub", good[..300].to_vec(), "move it away"),
        ("half", good[..good.len() / 2].to_vec(), "restore"),
        ("smeared", smeared, "restore"),
    ];
    for (what, bytes, way_out) in cases {
        let data = fresh();
        std::fs::write(data.path().join("memory.db"), bytes).expect("it can be written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let owner = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(data.path().join("memory.db"), owner).expect("it is ours");
        }
        let before = state(data.path());
        let report = run(data.path(), &["doctor", "--json"]);
        assert_eq!(report.code, 1, "{what}: {}", report.out);
        let report = report.json();
        let finding = check(&report, "memory_file");
        assert_eq!(finding["level"], "error", "{what}");
        let remedy = finding["remedy"].as_str().expect("a remedy");
        assert!(remedy.contains(way_out), "{what}: {remedy}");

        let mut pipes = Pipes::open(data.path(), Era::Legacy);
        let arguments = json!({ "scope": "core", "content": "The heron flies." });
        let error = pipes.refused("remember", arguments, "internal");
        let said = error["message"].as_str().expect("a message");
        assert!(
            said.contains("tell the person who runs this server"),
            "{what}: {said}"
        );
        for hidden in ["memory.db", "/", "PRAGMA", "sqlite"] {
            assert!(!said.contains(hidden), "{what}: {said}");
        }
        drop(pipes);
        let made = run(data.path(), &["backup"]);
        assert_eq!(made.code, 1, "{what}");
        assert!(made.err.contains("hint: "), "{what}: {}", made.err);
        // What is wrong is the memory, and not the file that was to be made.
        let is_named = made.err.contains("memory.db ") && made.err.contains("zero-memory doctor");
        assert!(is_named || what == "newer", "{what}: {}", made.err);
        // Import and export say the same, and where.
        let source = place.path().join("items.json");
        std::fs::write(&source, br#"[{"memory":"The heron flies."}]"#).expect("a file");
        let source = source.to_str().expect("text");
        for arguments in [
            vec!["import", source, "--into", "core", "--write"],
            vec!["import", source, "--into", "core"],
            vec!["export"],
            vec!["export", "--format", "markdown", "--out", source],
        ] {
            let refused = run(data.path(), &arguments);
            let said = &refused.err;
            assert_eq!(refused.code, 1, "{what} {arguments:?}: {said}");
            let folder = data.path().display().to_string();
            assert!(
                said.contains(&folder) && said.contains("memory.db"),
                "{what}: {said}"
            );
            assert!(
                said.contains("hint: ") && said.contains(way_out),
                "{what}: {said}"
            );
            for raw in ["Error code", "disk image", "SQL"] {
                assert!(!said.contains(raw), "{what}: {said}");
            }
        }
        assert_eq!(state(data.path()), before, "{what}");
    }
}

#[test]
fn a_damaged_file_is_told_once_and_a_damaged_one_beside_it_by_its_name() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    std::fs::write(data.path().join("bookkeeping.db"), b"garbage ".repeat(600))
        .expect("it is ours");
    let refused = run(data.path(), &["export"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("bookkeeping.db") && refused.err.contains("hint: "),
        "{}",
        refused.err
    );
    for garbage in ["garbage ".repeat(600), "short".to_owned()] {
        std::fs::write(data.path().join("bookkeeping.db"), &garbage).expect("it is ours");
        let refused = run(data.path(), &["recall", "heron", "--table"]);
        assert_eq!(refused.code, 16, "{}", refused.err);
        let hint = format!(
            "hint: run zero-memory doctor --data {}",
            data.path().display()
        );
        for said in ["the bookkeeping beside the memory", hint.as_str()] {
            assert!(refused.err.contains(said), "{}", refused.err);
        }
        let mut pipes = Pipes::open(data.path(), Era::Legacy);
        let error = pipes.refused("recall", json!({ "query": "heron" }), "internal");
        let said = error["message"].as_str().expect("a message");
        assert!(said.contains("the bookkeeping beside"), "{said}");
    }
    // Damaged behind its first page, which is what a look at it sees.
    let data = fresh();
    let texts: Vec<String> = (0..40)
        .map(|n| format!("Heron {n} {}", "stands ".repeat(300)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    stored(data.path(), &texts);
    let path = data.path().join("memory.db");
    let whole = std::fs::read(&path).expect("it is there");
    for page in 1..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..][..64].fill(0x5a);
        std::fs::write(&path, bytes).expect("it is ours");
        let report = run(data.path(), &["doctor", "--json"]).json();
        let checks = report["checks"].as_array().expect("a list");
        let n = checks
            .iter()
            .filter(|check| check["id"] == "memory_file")
            .count();
        assert_eq!(n, 1, "page {page}: {report}");
        let refused = run(data.path(), &["recall", "heron", "--table"]).err;
        assert!(!refused.contains("Error code"), "page {page}: {refused}");
        if page > 12 {
            break;
        }
    }
}

#[test]
fn a_link_or_a_folder_in_the_place_of_the_memory_is_refused() {
    let place = fresh();
    stored(place.path(), &["The heron stays."]);
    let refused = |data: &Path, what: &str| {
        let report = run(data, &["doctor", "--json"]);
        assert_eq!(report.code, 1, "{what}: {}", report.out);
        let report = report.json();
        let said = check(&report, "memory_file")["what"].to_string();
        assert!(said.contains("a link or a folder"), "{what}: {said}");
        let mut pipes = Pipes::open(data, Era::Legacy);
        pipes.refused("recall", json!({ "query": "heron" }), "internal");
    };
    let data = fresh();
    std::fs::create_dir(data.path().join("memory.db")).expect("a folder");
    refused(data.path(), "folder");
    #[cfg(unix)]
    {
        let data = fresh();
        let target = place.path().join("memory.db");
        let before = state(place.path());
        std::os::unix::fs::symlink(target, data.path().join("memory.db")).expect("a link");
        refused(data.path(), "link");
        assert_eq!(state(place.path()), before);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_the_ledger_is_refused_and_waits_for_nobody() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    let pipe = data.path().join("erasures.jsonl");
    // There may be none yet.
    let _ = std::fs::remove_file(&pipe);
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo starts").success());
    let report = run(data.path(), &["doctor", "--json"]);
    assert_eq!(report.code, 1, "{}", report.out);
    assert_eq!(check(&report.json(), "ledger")["level"], "error");
    let refused = run(data.path(), &["recall", "heron"]);
    assert_eq!(refused.code, 16, "{}", refused.err);
    assert!(refused.err.contains("doctor --data"), "{}", refused.err);
    std::fs::remove_file(&pipe).expect("it is ours");
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(pipes.found("heron"), ["The heron stays."]);
}

#[cfg(unix)]
#[test]
fn files_that_others_could_read_are_taken_back_and_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    let mode = |path: &Path| {
        let about = std::fs::metadata(path).expect("it is there");
        about.permissions().mode() & 0o777
    };
    let open = |path: &Path, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, permissions).expect("it is ours");
    };
    let file = data.path().join("memory.db");
    open(&file, 0o644);
    open(data.path(), 0o755);
    let report = run(data.path(), &["doctor", "--json"]);
    assert_eq!(report.code, 3, "{}", report.out);
    assert_eq!(check(&report.json(), "permissions")["level"], "warning");
    assert_eq!((mode(&file), mode(data.path())), (0o644, 0o755));

    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(pipes.found("heron"), ["The heron stays."]);
    // What it said comes through another pipe than the answer.
    let started = Instant::now();
    while !pipes.log().contains("others could read") {
        assert!(started.elapsed() < DEADLINE, "{}", pipes.log());
        std::thread::yield_now();
    }
    drop(pipes);
    assert_eq!((mode(&file), mode(data.path())), (0o600, 0o700));
    // A folder with other things in it is not ours to close.
    std::fs::write(data.path().join("notes.txt"), b"mine").expect("it can be written");
    open(data.path(), 0o755);
    open(&file, 0o640);
    stored(data.path(), &["The boat stays."]);
    assert_eq!((mode(&file), mode(data.path())), (0o600, 0o755));
}

#[test]
fn doctor_says_nothing_is_wrong_while_a_server_writes() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    let site = Arc::new(Site::start(data.path()));
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let (site, stop) = (Arc::clone(&site), &stop);
        let writer = threads.spawn(move || {
            let mut n = 0;
            while !stop.load(Ordering::SeqCst) {
                let arguments = json!({ "scope": "core", "content": format!("Pelican {n}.") });
                let call = json!({ "name": "remember", "arguments": arguments });
                let answer = Reply::of_response(&site.ask(Era::Legacy, "tools/call", call));
                assert!(matches!(answer, Reply::Done(_)), "{answer:?}");
                n += 1;
            }
        });
        for _ in 0..3 {
            let report = run(data.path(), &["doctor", "--json"]);
            assert_eq!(report.code, 0, "{}", report.out);
        }
        stop.store(true, Ordering::SeqCst);
        writer.join().expect("every write is answered");
    });
}

/// Runs a command that must not wait for anybody; one that does is ended, and
/// fails the test.
#[cfg(unix)]
fn ends(data: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = std::process::Command::new(crate::harness::binary())
        .args(arguments)
        .env("ZERO_MEMORY_DATA", data)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status;
        }
        if started.elapsed() > DEADLINE {
            child.kill().expect("it is ours");
            child.wait().expect("it is ours");
            panic!("it waits for somebody: {arguments:?}");
        }
        std::thread::yield_now();
    };
    let mut said = String::new();
    let mut stderr = child.stderr.take().expect("a pipe");
    std::io::Read::read_to_string(&mut stderr, &mut said).expect("text");
    (status.code(), said)
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_by_its_name_and_waits_for_nobody() {
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo starts").success());
    };
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    for name in ["memory.db-journal", "bookkeeping.db-journal", "token"] {
        let path = data.path().join(name);
        // There may be none yet.
        let _ = std::fs::remove_file(&path);
        pipe(&path);
        if name == "token" {
            let (code, said) = ends(data.path(), &["serve", "--listen", "127.0.0.1:0"]);
            assert_eq!(code, Some(1), "{said}");
            assert!(
                said.contains("token") && said.contains("move it away"),
                "{said}"
            );
        }
        let (code, said) = ends(data.path(), &["doctor"]);
        assert_eq!(code, Some(1), "{name}: {said}");
        if name != "token" {
            let (code, said) = ends(data.path(), &["recall", "heron"]);
            assert_eq!(code, Some(16), "{name}: {said}");
            let (code, said) = ends(data.path(), &["export"]);
            assert_eq!(code, Some(1), "{name}: {said}");
        }
        std::fs::remove_file(&path).expect("it is ours");
    }
    let map = data.path().join("map.json");
    pipe(&map);
    let items = data.path().join("items.json");
    std::fs::write(&items, br#"[{"memory":"The heron flies."}]"#).expect("a file");
    let (items, map) = (items.to_str().expect("text"), map.to_str().expect("text"));
    let (code, said) = ends(
        data.path(),
        &["import", items, "--into", "core", "--map", map],
    );
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("map.json"), "{said}");
}

/// Covers every page of a file but the first, which is what is looked at when
/// it is opened.
fn smear(file: &Path) {
    let mut bytes = std::fs::read(file).expect("it is there");
    bytes[4096..].fill(0x5a);
    std::fs::write(file, bytes).expect("it is ours");
}

#[test]
fn damage_of_the_bookkeeping_that_shows_late_is_told_by_its_name_and_erases_nothing() {
    let data = fresh();
    let ids = stored(data.path(), &["The heron stays."]);
    smear(&data.path().join("bookkeeping.db"));
    let refused = run(data.path(), &["erase", &ids[0], "--yes"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    for said in ["bookkeeping.db", "hint: ", "move bookkeeping.db"] {
        assert!(refused.err.contains(said), "{}", refused.err);
    }
    assert!(!refused.err.contains("Error code"), "{}", refused.err);
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(pipes.found("heron"), ["The heron stays."]);
    let since = json!({ "since": "2020-01-01T00:00:00Z" });
    let error = pipes.refused("session_receipt", since, "internal");
    let said = error["message"].as_str().expect("a message");
    assert!(said.contains("the bookkeeping beside the memory"), "{said}");
}
