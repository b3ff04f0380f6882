//! Looking after a data folder: erasing, backups and the way back, `doctor`,
//! and files that are not what they should be.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::harness::{DEADLINE, Door, Era, Pipes, Reply, Site, binary, fresh};

mod restoring;

/// A word that no program and no other text holds.
const MARK: &str = "qzxjkvwpsecret";

/// How a command ended and what it said.
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn run(data: &Path, arguments: &[&str]) -> Run {
    let output = Command::new(binary())
        .args(arguments)
        .env("ZERO_MEMORY_DATA", data)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the binary starts");
    Run {
        code: output.status.code().expect("it ends by itself"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Files of a folder, and of those in it, that hold a text in any case.
fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
            continue;
        }
        let bytes = std::fs::read(&path).expect("it can be read");
        let bytes = bytes.to_ascii_lowercase();
        if bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

/// Stores memories in a closed folder; returns their ids.
fn stored(data: &Path, texts: &[&str]) -> Vec<String> {
    let mut pipes = Pipes::open(data, Era::Legacy);
    let ids = texts.iter().map(|text| pipes.remember(text)).collect();
    let (status, ..) = pipes.close();
    assert_eq!(status.code(), Some(0));
    ids
}

fn check<'a>(report: &'a Value, id: &str) -> &'a Value {
    let checks = report["checks"].as_array().expect("a list");
    let found = checks.iter().find(|check| check["id"] == id);
    found.unwrap_or_else(|| panic!("no check {id}: {report}"))
}

#[test]
fn t31_an_erased_memory_is_nowhere_and_the_receipt_proves_it() {
    let data = fresh();
    let site = Arc::new(Site::start(data.path()));
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    let text = format!("The {MARK} lies under the third stone.");
    let entity = format!("{MARK} Stone");
    let answer = pipes.ok(
        "remember",
        json!({ "scope": "core", "content": text, "verbatim": text, "entities": [entity] }),
    );
    let id = answer["memory_id"].as_str().expect("an id").to_owned();
    let other = pipes.remember("The heron stands on the third stone.");
    pipes.ok(
        "link",
        json!({ "src": other, "dst": id, "type": "relates_to" }),
    );
    pipes.ok(
        "challenge",
        json!({ "memory_id": id, "reason": format!("No {MARK} there."), "evidence": MARK }),
    );
    pipes.ok(
        "promote_rule",
        json!({ "memory_id": id, "rule_text": format!("Mind the {MARK}.") }),
    );
    pipes.ok(
        "forget",
        json!({ "memory_id": id, "reason": format!("{MARK} is gone.") }),
    );
    assert!(!files_with(data.path(), MARK).is_empty());

    let erase = |body: Value| {
        site.owner(
            "POST",
            "/api/memories/erase",
            &[],
            body.to_string().as_bytes(),
        )
    };
    let preview = erase(json!({ "memory_ids": [id], "dry_run": true }));
    assert_eq!(preview.status, 200, "{}", preview.text());
    assert!(!files_with(data.path(), MARK).is_empty());
    let response = erase(json!({ "memory_ids": [id] }));
    assert_eq!(response.status, 200, "{}", response.text());
    let receipt = response.json();
    for counts in [&receipt, &preview.json()] {
        let fields = ["links", "entities", "rules", "disputes"];
        for field in fields {
            assert_eq!(counts[field], 1, "{field}: {counts}");
        }
        assert_eq!(counts["memory_ids"], json!([id]));
    }
    assert_eq!(receipt["scrub"], "done", "{receipt}");
    assert_eq!(receipt["scan"]["found"], 0, "{receipt}");
    assert!(receipt["scan"]["needles"].as_i64() > Some(3), "{receipt}");
    assert!(
        !receipt.to_string().to_lowercase().contains(MARK),
        "{receipt}"
    );
    assert_eq!(files_with(data.path(), MARK), [""; 0].map(PathBuf::from));

    assert_eq!(pipes.found(MARK), [""; 0]);
    assert_eq!(pipes.found("third stone").len(), 1);
    pipes.refused("history", json!({ "memory_id": id }), "not_found");
    pipes.refused("restore_memory", json!({ "memory_id": id }), "not_found");
    // The second call finds nothing left to do, and says when it was done.
    let again = erase(json!({ "memory_ids": [id.to_uppercase()] })).json();
    assert_eq!(again["erased_before"], json!([id]));
    assert_eq!(again["memory_ids"], json!([]));
    drop(pipes);
    drop(site);
    let report = run(data.path(), &["doctor", "--json"]).json();
    assert_eq!(report["level"], "info", "{report}");
}

#[test]
fn erasing_refuses_as_a_whole_what_it_cannot_erase() {
    let data = fresh();
    let site = Arc::new(Site::start(data.path()));
    let kept = stored(data.path(), &["The heron stays."]).remove(0);
    let nobody = "mem_00000000000000000000000000";
    let cases = [
        (json!({ "memory_ids": [kept, nobody] }), 404, "not_found"),
        (json!({ "memory_ids": ["heron"] }), 400, "validation_failed"),
        (json!({ "memory_ids": [] }), 400, "validation_failed"),
        (
            json!({ "memory_ids": [kept], "dry": true }),
            400,
            "validation_failed",
        ),
        (json!({}), 400, "validation_failed"),
        (json!([kept]), 400, "validation_failed"),
    ];
    for (body, status, code) in cases {
        let bytes = body.to_string();
        let response = site.owner("POST", "/api/memories/erase", &[], bytes.as_bytes());
        assert_eq!(response.status, status, "{body}: {}", response.text());
        assert_eq!(response.json()["error"]["code"], code, "{body}");
    }
    let broken = site.owner("POST", "/api/memories/erase", &[], b"{");
    assert_eq!(broken.status, 400);
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(pipes.found("heron"), ["The heron stays."]);
}

#[test]
fn the_command_erases_only_when_somebody_agreed() {
    let data = fresh();
    let ids = stored(
        data.path(),
        &[&format!("The {MARK} is here."), "The heron stays."],
    );
    let asked = run(data.path(), &["erase", &ids[0]]);
    assert_eq!(asked.code, 1);
    assert!(asked.err.contains("--yes"), "{}", asked.err);
    let shown = run(data.path(), &["erase", &ids[0], "--dry-run"]);
    assert_eq!(shown.code, 0);
    assert!(shown.out.contains(MARK), "{}", shown.out);
    assert!(!files_with(data.path(), MARK).is_empty());
    let unknown = run(
        data.path(),
        &["erase", "mem_00000000000000000000000000", "--yes"],
    );
    assert_eq!(unknown.code, 1);
    let done = run(data.path(), &["erase", &ids[0], "--yes", "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(done.json()["scan"]["found"], 0);
    assert_eq!(files_with(data.path(), MARK), [""; 0].map(PathBuf::from));
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(pipes.found("heron"), ["The heron stays."]);
}

#[test]
fn t33_what_was_erased_after_a_backup_does_not_come_back_with_it() {
    let data = fresh();
    let ids = stored(
        data.path(),
        &[&format!("The {MARK} is here."), "The heron stays."],
    );
    let backups = fresh();
    let file = backups.path().join("night.db");
    let made = run(
        data.path(),
        &["backup", file.to_str().expect("text"), "--json"],
    );
    assert_eq!(made.code, 0, "{}", made.err);
    assert_eq!(made.json()["memories"], 2);
    let receipt = run(data.path(), &["erase", &ids[0], "--yes", "--json"]);
    assert_eq!(receipt.json()["older_backups"], 1, "{}", receipt.out);

    let file = file.to_str().expect("text");
    // The ledger lies beside the backup, or is named, or comes with the folder.
    let ledger = data.path().join("erasures.jsonl");
    let alone = fresh();
    let moved = alone.path().join("moved.db");
    std::fs::copy(file, &moved).expect("it can be copied");
    let moved = moved.to_str().expect("text");
    let named = ledger.to_str().expect("text").to_owned();
    let cases = [
        vec!["restore", file],
        vec!["restore", moved, "--ledger", &named],
    ];
    for arguments in cases {
        let target = fresh();
        let target = target.path().join("data");
        let done = run(&target, &arguments);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(!done.err.contains("erasures.jsonl"), "{}", done.err);
        assert_eq!(
            files_with(&target, MARK),
            [""; 0].map(PathBuf::from),
            "{arguments:?}"
        );
        let mut pipes = Pipes::open(&target, Era::Legacy);
        assert_eq!(pipes.found("heron"), ["The heron stays."]);
        pipes.refused("history", json!({ "memory_id": ids[0] }), "not_found");
    }
    // Without any ledger there is nothing to know it by.
    let target = fresh();
    let target = target.path().join("data");
    let done = run(&target, &["restore", moved, "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(done.json()["ledgers"], json!([]));
    assert!(done.err.contains("no erasures.jsonl"), "{}", done.err);
    assert!(!files_with(&target, MARK).is_empty());
}

#[test]
fn t33_an_old_file_that_is_put_back_by_hand_is_cleaned_before_it_serves() {
    let data = fresh();
    let ids = stored(
        data.path(),
        &[&format!("The {MARK} is here."), "The heron stays."],
    );
    let old = std::fs::read(data.path().join("memory.db")).expect("it is there");
    assert_eq!(run(data.path(), &["erase", &ids[0], "--yes"]).code, 0);
    std::fs::write(data.path().join("memory.db"), old).expect("it can be written");
    let report = run(data.path(), &["doctor", "--json"]);
    assert_eq!(report.code, 3);
    assert_eq!(check(&report.json(), "ledger")["level"], "warning");
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    pipes.refused("history", json!({ "memory_id": ids[0] }), "not_found");
    assert_eq!(pipes.found("heron"), ["The heron stays."]);
    assert_eq!(files_with(data.path(), MARK), [""; 0].map(PathBuf::from));
}

#[test]
fn a_backup_is_whole_while_others_write_and_covers_nothing() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    let site = Arc::new(Site::start(data.path()));
    let stop = AtomicBool::new(false);
    let under_way = std::sync::Barrier::new(3);
    let backups = fresh();
    let file = backups.path().join("one.db");
    let name = file.to_str().expect("text");
    let made = std::thread::scope(|threads| {
        let writers: Vec<_> = (0..2)
            .map(|writer| {
                let (site, stop, under_way) = (Arc::clone(&site), &stop, &under_way);
                threads.spawn(move || {
                    let mut n = 0;
                    while !stop.load(Ordering::SeqCst) {
                        let text = format!("Pelican {n} of {writer}.");
                        let call = json!({ "name": "remember", "arguments": { "scope": "core", "content": text } });
                        let answer = Reply::of_response(&site.ask(Era::Legacy, "tools/call", call));
                        assert!(matches!(answer, Reply::Done(_)), "{answer:?}");
                        n += 1;
                        if n == 1 {
                            under_way.wait();
                        }
                    }
                    n
                })
            })
            .collect();
        under_way.wait();
        let made = run(data.path(), &["backup", name, "--json"]);
        stop.store(true, Ordering::SeqCst);
        let n: usize = writers
            .into_iter()
            .map(|writer| writer.join().expect("every write is answered"))
            .sum();
        assert!(n > 0);
        made
    });
    assert_eq!(made.code, 0, "{}", made.err);
    let bytes = std::fs::read(&file).expect("it is there");
    let digest: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(made.json()["sha256"], json!(digest));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&file)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let names: Vec<_> = std::fs::read_dir(backups.path())
        .expect("a folder")
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let seal = std::fs::read_to_string(backups.path().join("one.db.sha256"));
    assert_eq!(seal.expect("it is there"), format!("{digest}  one.db\n"));

    let again = run(data.path(), &["backup", name]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("overwritten"), "{}", again.err);
    assert_eq!(std::fs::read(&file).expect("it is there"), bytes);

    let target = fresh();
    let target = target.path().join("data");
    let restored = run(&target, &["restore", name, "--json"]);
    assert_eq!(restored.code, 0, "{}", restored.err);
    assert_eq!(restored.json()["memories"], made.json()["memories"]);
    let mut pipes = Pipes::open(&target, Era::Legacy);
    assert!(
        pipes
            .found("heron")
            .contains(&"The heron stays.".to_owned())
    );
}

#[test]
fn a_restore_refuses_folders_in_use_and_strange_files() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    let place = fresh();
    let file = place.path().join("good.db");
    let name = file.to_str().expect("text");
    assert_eq!(run(data.path(), &["backup", name]).code, 0);
    let before = std::fs::read(data.path().join("memory.db")).expect("it is there");
    let in_use = run(data.path(), &["restore", name]);
    assert_eq!(in_use.code, 1);
    assert!(in_use.err.contains("not empty"), "{}", in_use.err);
    assert_eq!(
        std::fs::read(data.path().join("memory.db")).expect("it is there"),
        before
    );

    let good = std::fs::read(&file).expect("it is there");
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let mut flipped = good.clone();
    // The beginning of a page says what the rest of it is.
    for page in 5..20 {
        flipped[page * 4096] ^= 0x5a;
    }
    let cases = [
        (
            "text",
            b"Dear diary, today I learned about restoring. ".repeat(40),
        ),
        ("empty", Vec::new()),
        ("half", good[..good.len() / 2].to_vec()),
        ("stub", good[..300].to_vec()),
        ("flipped", flipped),
        // The version and the mark of the program, as SQLite keeps them.
        ("newer", changed(63, 200)),
        ("foreign", changed(71, 1)),
    ];
    for (what, bytes) in cases {
        let file = place.path().join(format!("{what}.db"));
        std::fs::write(&file, bytes).expect("it can be written");
        let target = fresh();
        let done = run(target.path(), &["restore", file.to_str().expect("text")]);
        assert_eq!(done.code, 1, "{what}: {}", done.out);
        assert!(done.err.contains("hint: "), "{what}: {}", done.err);
        let left: Vec<_> = std::fs::read_dir(target.path())
            .expect("a folder")
            .collect();
        assert!(left.is_empty(), "{what}: {left:?}");
    }
    #[cfg(unix)]
    {
        let link = place.path().join("link.db");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        let target = fresh();
        let done = run(target.path(), &["restore", link.to_str().expect("text")]);
        assert_eq!(done.code, 1, "{}", done.out);
    }
    std::fs::write(place.path().join("good.db-wal"), b"something").expect("it can be written");
    let target = fresh();
    let done = run(target.path(), &["restore", name]);
    assert_eq!(done.code, 1, "{}", done.out);
    assert!(done.err.contains("in use"), "{}", done.err);
}

#[test]
fn scheduled_backups_are_off_unless_asked_for_and_clear_away_only_their_own() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    drop(Site::start(data.path()));
    assert!(!data.path().join("backups").exists());

    let backups = fresh();
    let foreign = backups.path().join("zero-memory-20200101T000000Z.db");
    std::fs::write(&foreign, b"somebody else's").expect("it can be written");
    let folder = backups.path().to_str().expect("text");
    let options = [
        "--backup-every",
        "1s",
        "--backup-keep",
        "2",
        "--backup-dir",
        folder,
    ];
    let site = Site::start_with(data.path(), &options);
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(backups.path()).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .filter(|name| name.starts_with("zero-memory-"))
            .collect();
        names.sort();
        // A digest is put after its backup, and deleted before it.
        let (seals, backups): (Vec<_>, Vec<_>) = names
            .into_iter()
            .partition(|name| name.ends_with(".sha256"));
        for seal in seals {
            let backup = seal.trim_end_matches(".sha256").to_owned();
            assert!(backups.contains(&backup), "{seal} without {backups:?}");
        }
        backups
    };
    // Two of its own beside the foreign one, and the first of them gone: so it
    // has made three at least.
    let started = Instant::now();
    let mut first = None;
    loop {
        assert!(started.elapsed() < DEADLINE, "{:?}", names());
        let names = names();
        if first.is_none() {
            first = names.get(1).cloned();
        }
        if names.len() == 3 && first.as_ref().is_some_and(|first| !names.contains(first)) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(site);
    assert_eq!(
        std::fs::read(&foreign).expect("it is there"),
        b"somebody else's"
    );
    let target = fresh();
    let newest = backups.path().join(names().pop().expect("a backup"));
    let target = target.path().join("data");
    let done = run(&target, &["restore", newest.to_str().expect("text")]);
    assert_eq!(done.code, 0, "{}", done.err);
}

/// Everything about the files of a folder that an untouched one keeps.
fn state(data: &Path) -> Vec<(String, Vec<u8>, std::time::SystemTime)> {
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
        assert_eq!(state(data.path()), before, "{what}");
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

#[test]
fn an_erasure_that_is_killed_is_whole_or_nothing_and_its_bytes_go_at_the_next_start() {
    let data = fresh();
    let texts: Vec<String> = (0..8)
        .map(|n| {
            format!(
                "The {MARK} {n} lies here. {}",
                format!("{MARK}{n} ").repeat(600)
            )
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ids = stored(data.path(), &texts);
    let heron = stored(data.path(), &["The heron stays."]).remove(0);
    for (round, id) in ids.iter().enumerate() {
        let mut erase = Command::new(binary())
            .args(["erase", id, "--yes"])
            .env("ZERO_MEMORY_DATA", data.path())
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the binary starts");
        // Another moment of its work in each round; none of them is proof.
        let rest = u64::try_from(round).expect("small") * 9;
        std::thread::sleep(std::time::Duration::from_millis(rest));
        erase.kill().expect("it can be killed, or has ended");
        erase.wait().expect("it ends");

        let mut pipes = Pipes::open(data.path(), Era::Legacy);
        let found = pipes.found(&format!("{MARK}{round}"));
        let is_there = matches!(
            pipes.call("history", json!({ "memory_id": id })),
            Reply::Done(_)
        );
        assert_eq!(found.len(), usize::from(is_there), "round {round}");
        let (status, ..) = pipes.close();
        assert_eq!(status.code(), Some(0));
        let mark = format!("{MARK}{round} ");
        assert_eq!(
            files_with(data.path(), &mark).is_empty(),
            !is_there,
            "round {round}"
        );
        let report = run(data.path(), &["doctor", "--json"]);
        assert_eq!(report.code, 0, "round {round}: {}", report.out);
    }
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(pipes.rows("heron")[0]["id"], json!(heron));
}
