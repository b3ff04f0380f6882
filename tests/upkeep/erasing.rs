//! Erasing for ever: what goes, what proves it, and that it stays away.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{MARK, check, files_with, run, stored};
use crate::harness::{Door, Era, Pipes, Reply, Site, binary, fresh};

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
    // A trial rewrites nothing.
    assert_eq!(preview.json()["scrub"], "pending", "{}", preview.text());
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
    let odd = json!({ "memory_ids": [kept], "zzz": 1 }).to_string();
    let odd = site
        .owner("POST", "/api/memories/erase", &[], odd.as_bytes())
        .text();
    assert!(odd.contains("known: memory_ids, dry_run"), "{odd}");
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
    assert!(!done.err.contains("too short"), "{}", done.err);
    let short = stored(data.path(), &["abc"]).remove(0);
    let done = run(data.path(), &["erase", &short, "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let said = "1 of the erased texts are too short";
    assert!(done.err.contains(said), "{}", done.err);
    // Programs are told as well.
    for (text, n) in [("def", 1), ("The otter stays.", 0)] {
        let id = stored(data.path(), &[text]).remove(0);
        let trial = run(data.path(), &["erase", &id, "--dry-run", "--json"]);
        assert_eq!(trial.json()["scan"]["too_short"], n, "{text}");
        let done = run(data.path(), &["erase", &id, "--yes", "--json"]);
        assert_eq!(done.json()["scan"]["too_short"], n, "{text}");
        assert_eq!(done.json()["scan"]["needles"] == 0, n == 1, "{text}");
    }
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

#[test]
fn a_trace_that_an_erasure_cannot_reach_is_told_in_its_receipt() {
    let data = fresh();
    let text = format!("The {MARK} lies under the third stone of the long wall.");
    let ids = stored(data.path(), &[&text]);
    // Behind the end of a file that is looked through, where no rewriting of
    // another file comes.
    let file = data.path().join("bookkeeping.db");
    let mut bytes = std::fs::read(&file).expect("it is there");
    bytes.extend(text.bytes().cycle().take(1 << 16));
    std::fs::write(&file, bytes).expect("it is ours");
    let done = run(data.path(), &["erase", &ids[0], "--yes", "--json"]);
    let receipt = done.json();
    assert_eq!(receipt["scrub"], "done", "{receipt}");
    assert!(receipt["scan"]["found"].as_i64() > Some(0), "{receipt}");
    assert_eq!(done.code, 1, "what is not proven is no success");
}

#[test]
fn an_erasure_leaves_no_free_pages_in_the_file() {
    let data = fresh();
    let texts: Vec<String> = (0..60)
        .map(|n| {
            format!(
                "The {MARK} {n} lies here. {}",
                format!("stone{n} ").repeat(700)
            )
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ids = stored(data.path(), &texts);
    let file = data.path().join("memory.db");
    let size = || std::fs::metadata(&file).expect("it is there").len();
    let before = size();
    let mut arguments = vec!["erase", "--yes", "--json"];
    arguments.extend(ids.iter().map(String::as_str));
    let done = run(data.path(), &arguments);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(size() < before / 2, "{} of {before} bytes are left", size());
    // SQLite counts its free pages in the header of the file.
    let bytes = std::fs::read(&file).expect("it is there");
    assert_eq!(bytes[36..40], [0; 4]);
}

/// A file system that only the command sees, with hardly more room than its
/// files take.
#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_the_disk_is_what_is_named() {
    let may_mount = Command::new("unshare").args(["-m", "true"]).status();
    if !may_mount.is_ok_and(|status| status.success()) {
        // Without the right to mount one there is no disk to fill.
        return;
    }
    let data = fresh();
    let texts: Vec<String> = (0..20)
        .map(|n| {
            format!(
                "The {MARK} {n} lies here. {}",
                format!("stone{n} ").repeat(900)
            )
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ids = stored(data.path(), &texts);
    let items: Vec<Value> = (0..200)
        .map(|n| json!({ "memory": format!("Heron {n} {}", "stands ".repeat(900)) }))
        .collect();
    let source = fresh();
    let source = source.path().join("items.json");
    std::fs::write(&source, Value::from(items).to_string()).expect("a file");
    let folder = data.path().display().to_string();
    let on_a_small_disk = |arguments: &[&str]| {
        let script = format!(
            "cp -a {folder} {folder}.full && mount -t tmpfs -o size=6m tmpfs {folder} \
             && cp -a {folder}.full/. {folder} && rm -r {folder}.full \
             && (head -c 6m /dev/zero > {folder}/other; true) \
             && head -c 40k /dev/zero > /dev/null && truncate -s -200k {folder}/other \
             && exec \"$@\""
        );
        let output = Command::new("unshare")
            .args(["-m", "sh", "-c", &script, "sh"])
            .arg(binary())
            .args(arguments)
            .args(["--data", &folder])
            .stdin(std::process::Stdio::null())
            .output()
            .expect("the shell starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (code, said) = on_a_small_disk(&["erase", &ids[0], "--yes", "--json"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("disk is full") && said.contains("hint: "),
        "{said}"
    );
    assert!(!said.contains("another program"), "{said}");
    let source = source.to_str().expect("text");
    let (code, said) = on_a_small_disk(&["import", source, "--into", "core", "--write"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("disk is full") && said.contains("hint: "),
        "{said}"
    );
    assert!(!said.contains("Error code"), "{said}");
}
