//! Backups while others write, by hand and by schedule, and what is refused as
//! one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{run, stored};
use crate::harness::{DEADLINE, Door, Era, Pipes, Reply, Site, fresh};

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
fn a_memory_file_of_ours_is_no_source_to_import() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    let place = fresh();
    let file = place.path().join("one.db");
    let name = file.to_str().expect("text");
    assert_eq!(run(data.path(), &["backup", name]).code, 0);
    let refused = run(data.path(), &["import", name, "--into", "core"]);
    assert_eq!(refused.code, 1, "{}", refused.out);
    assert!(
        refused.err.contains("zero-memory restore"),
        "{}",
        refused.err
    );
}

#[test]
fn backups_that_begin_at_once_are_all_made() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    let place = fresh();
    let folder = place.path().to_str().expect("text");
    std::thread::scope(|threads| {
        let backup = || run(data.path(), &["backup", "--to", folder]);
        let all: Vec<_> = (0..4).map(|_| threads.spawn(backup)).collect();
        for one in all {
            let made = one.join().expect("it ends");
            assert_eq!(made.code, 0, "{}", made.err);
        }
    });
    let names: Vec<_> = std::fs::read_dir(place.path()).expect("a folder").collect();
    assert_eq!(names.len(), 8, "{names:?}");
}

#[test]
fn of_backups_to_one_file_that_begin_at_once_one_is_made_and_the_others_say_why_not() {
    let data = fresh();
    stored(data.path(), &["The heron stays."]);
    let place = fresh();
    let file = place.path().join("one.db");
    let name = file.to_str().expect("text");
    let start = std::sync::Barrier::new(4);
    let runs = std::thread::scope(|threads| {
        let backup = || {
            start.wait();
            run(data.path(), &["backup", name])
        };
        let all: Vec<_> = (0..4).map(|_| threads.spawn(backup)).collect();
        let ended = all.into_iter().map(|one| one.join().expect("it ends"));
        ended.collect::<Vec<_>>()
    });
    let (made, refused): (Vec<_>, Vec<_>) = runs.iter().partition(|run| run.code == 0);
    assert_eq!((made.len(), refused.len()), (1, 3));
    for run in refused {
        let is_clear = run.err.contains("is there already") || run.err.contains("is under way");
        assert!(run.code == 1 && is_clear, "{}", run.err);
        assert!(run.err.contains("hint: "), "{}", run.err);
    }
    let names: Vec<_> = std::fs::read_dir(place.path()).expect("a folder").collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let target = place.path().join("data");
    assert_eq!(run(&target, &["restore", name]).code, 0);
}

#[cfg(unix)]
#[test]
fn what_stands_in_the_place_of_the_memory_is_named_and_not_called_none() {
    let place = fresh();
    let file = place.path().join("one.db");
    let name = file.to_str().expect("text");
    let none = fresh();
    let refused = run(none.path(), &["backup", name]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("holds no memory"), "{}", refused.err);
    for program in ["mkdir", "mkfifo"] {
        let data = fresh();
        let path = data.path().join("memory.db");
        let made = std::process::Command::new(program).arg(&path).status();
        assert!(made.expect("it starts").success());
        let refused = run(data.path(), &["backup", name]);
        assert_eq!(refused.code, 1, "{program}");
        let is_named = refused
            .err
            .contains("memory.db is a link or a folder or a pipe");
        assert!(is_named, "{program}: {}", refused.err);
        assert!(refused.err.contains("doctor --data"), "{}", refused.err);
    }
    assert!(!file.exists(), "no backup was made");
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
    // One that the person made by hand, into the very same folder.
    let own = backups.path().join("by-hand.db");
    let made = run(data.path(), &["backup", own.to_str().expect("text")]);
    assert_eq!(made.code, 0, "{}", made.err);
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
    assert!(own.is_file(), "a backup made by hand was cleared away");
    let target = fresh();
    let newest = backups.path().join(names().pop().expect("a backup"));
    let target = target.path().join("data");
    let done = run(&target, &["restore", newest.to_str().expect("text")]);
    assert_eq!(done.code, 0, "{}", done.err);
}
