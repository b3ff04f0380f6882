//! Erasing memories: whose they may be, what goes with them, what stays, and
//! what is done when somebody stands in the way.

use contract::ToolName::{Challenge, History, Link, PromoteRule, Recall, Remember, ScanHygiene};
use contract::types::{EraseRequest, Erasure};
use contract::{Error, ErrorCode};
use memory::Memory;
use serde_json::{Value, json};
use store::Role;

use crate::fixture::{World, call, contents, id, run};

/// A word that no program and no other text holds.
const MARK: &str = "qzxjkvwpsecret";

fn erase(memory: &Memory, ids: &[&str]) -> Result<Erasure, Error> {
    let request = EraseRequest {
        memory_ids: ids.iter().map(|&id| id.to_owned()).collect(),
        dry_run: None,
    };
    memory.erase(&call(), &request)
}

/// Names of the data files that hold a text, in any case.
fn files_with(world: &World, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(world.dir.path().join("data")).unwrap() {
        let entry = entry.unwrap();
        let bytes = std::fs::read(entry.path()).unwrap().to_ascii_lowercase();
        let held = bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes());
        if held {
            found.push(entry.file_name().into_string().unwrap());
        }
    }
    found
}

#[test]
fn t32_the_same_words_in_another_scope_and_of_another_person_stay() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Writer);
    let bob = world.person("bob");
    let text = "The gateway retries twice before it gives up.";
    let input = |scope: &str| json!({ "scope": scope, "kind": "fact", "entities": ["Gateway"], "content": text });
    let mine = id(&world.remember(input("core")));
    let other = id(&world.remember(input(&path)));
    let theirs = id(&run(&bob, &call(), Remember, input("core")).unwrap());
    let before = world.ok(
        Recall,
        json!({ "query": "gateway retries", "scopes": [path] }),
    );

    let receipt = erase(&world.memory, &[&mine]).unwrap();
    assert_eq!(receipt.memory_ids, [mine.as_str()]);
    assert_eq!((receipt.entities, receipt.scan.found), (1, 0));
    assert_eq!(receipt.scrub, "done");
    let after = world.ok(
        Recall,
        json!({ "query": "gateway retries", "scopes": [path] }),
    );
    assert_eq!(before["memories"], after["memories"]);
    assert_eq!(after["memories"][0]["id"], json!(other));
    assert_eq!(after["memories"][0]["entities"], json!(["Gateway"]));
    assert_eq!(
        contents(&world.ok(Recall, json!({ "query": "gateway", "scopes": ["core"] }))),
        [""; 0]
    );
    let found = run(
        &bob,
        &call(),
        Recall,
        json!({ "query": "gateway", "scopes": ["core"] }),
    )
    .unwrap();
    assert_eq!(found["memories"][0]["id"], json!(theirs));
    assert_eq!(found["memories"][0]["entities"], json!(["Gateway"]));
}

#[test]
fn only_the_owner_erases_and_to_others_a_hidden_memory_does_not_exist() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Admin);
    let bob = world.person("bob");
    let shared =
        id(&world.remember(json!({ "scope": path, "content": "The team meets on Monday." })));
    let private = world.core("The heron is mine.");
    let error = erase(&bob, &[&shared]).unwrap_err();
    assert_eq!(error.code, ErrorCode::Forbidden, "{error}");
    let hidden = erase(&bob, &[&private]).unwrap_err();
    let missing = erase(&bob, &["mem_00000000000000000000000000"]).unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    let without = |error: &Error, id: &str| error.body().to_string().replace(id, "ID");
    assert_eq!(
        without(&hidden, &private),
        without(&missing, "mem_00000000000000000000000000")
    );
    // One that may not be erased keeps the others.
    let own = id(&run(
        &bob,
        &call(),
        Remember,
        json!({ "scope": "core", "content": "Bob's." }),
    )
    .unwrap());
    assert!(erase(&bob, &[&own, &private]).is_err());
    assert_eq!(
        run(&bob, &call(), History, json!({ "memory_id": own }))
            .map(drop)
            .ok(),
        Some(())
    );
    // That it was erased is told to its owner alone.
    erase(&world.memory, &[&private]).unwrap();
    assert_eq!(
        erase(&world.memory, &[&private]).unwrap().erased_before,
        [private.as_str()]
    );
    assert_eq!(
        erase(&bob, &[&private]).unwrap_err().code,
        ErrorCode::NotFound
    );
}

#[test]
fn what_was_said_of_a_memory_goes_and_what_stands_beside_it_stays_sound() {
    let world = World::new();
    let old = world.core("The bridge opens at nine.");
    let new = id(&world.remember(json!({
        "scope": "core", "content": format!("The bridge opens at ten, says {MARK}."),
        "links": [{ "type": "supersedes", "target": old }],
    })));
    let near = |n: usize| format!("The timeout of the {MARK} gateway is {n} seconds.");
    let twins: Vec<String> = (1..=3).map(|n| world.core(&near(n))).collect();
    world.ok(ScanHygiene, json!({}));
    world.ok(Challenge, json!({ "memory_id": new, "reason": MARK }));
    for text in [format!("Ask {MARK}."), format!("Ask {MARK} twice.")] {
        world.ok(PromoteRule, json!({ "memory_id": new, "rule_text": text }));
    }
    let anchored = |name: &str, text: &str| {
        world.remember(json!({ "scope": "core", "entities": [name], "content": text }))
    };
    let named = anchored(MARK, "The ferry is late.");
    let (a, b) = (
        named["anchors"][0]["id"].clone(),
        anchored("Harbour", "The harbour is full.")["anchors"][0]["id"].clone(),
    );
    world.ok(Link, json!({ "src": a, "dst": b, "type": "near" }));

    let twins: Vec<&str> = twins.iter().map(String::as_str).collect();
    let receipt = erase(&world.memory, &[&new, twins[0], twins[1]]).unwrap();
    assert_eq!(
        (receipt.rules, receipt.links, receipt.scan.found),
        (2, 1, 0)
    );
    let rules = world.memory.read_resource(&call(), "zm://rules").unwrap();
    assert!(!rules.to_string().contains(MARK), "{rules}");
    // The successor is gone, and what it replaced stays out of reads.
    assert_eq!(world.recall("bridge"), [""; 0]);
    let versions = world.ok(History, json!({ "memory_id": old }));
    assert!(!versions.to_string().contains(MARK), "{versions}");
    assert_eq!(world.recall("timeout"), [near(3)]);
    // A relation names the thing still.
    erase(&world.memory, &[&id(&named)]).unwrap();
    assert!(
        world
            .ok(contract::ToolName::Entities, json!({}))
            .to_string()
            .contains(MARK)
    );
    let report = memory::upkeep::examine(&world.dir.path().join("data"));
    let wrong: Vec<_> = report
        .checks
        .iter()
        .filter(|check| check.level == memory::upkeep::Level::Error)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_reader_of_the_past_leaves_the_bytes_and_the_receipt_says_so_until_it_ends() {
    let world = World::new();
    let gone = world.core(&format!("The {MARK} is here."));
    world.core("The heron stays.");
    world.memory.close();
    let past = store::inspect::look_at_the_past(&world.dir.path().join("data")).unwrap();
    let receipt = erase(&world.memory, &[&gone]).unwrap();
    assert_eq!(receipt.scrub, "pending");
    assert_eq!((receipt.scan.files, receipt.scan.found), (0, 0));
    assert_eq!(world.recall(MARK), [""; 0]);
    assert!(!world.memory.finish_erasures().unwrap());
    assert!(!files_with(&world, MARK).is_empty());
    drop(past);
    // A process that ended meanwhile leaves it to the next one that starts.
    world.memory.close();
    world.memory.open().unwrap();
    assert_eq!(files_with(&world, MARK), [""; 0]);
    assert!(world.memory.finish_erasures().unwrap());
    let again = erase(&world.memory, &[&gone]).unwrap();
    assert_eq!(
        (again.erased_before, again.scrub.as_str()),
        (vec![gone], "done")
    );
}

#[test]
fn who_goes_on_ends_an_erasure_that_met_a_reader_and_the_log_stays_short() {
    let world = World::new();
    let gone = world.core(&format!("The {MARK} is here."));
    world.core("The heron stays.");
    world.memory.close();
    // Nothing is open, so nothing is looked at.
    assert!(world.memory.retry_erasures().unwrap());
    let data = world.dir.path().join("data");
    let past = store::inspect::look_at_the_past(&data).unwrap();
    assert_eq!(erase(&world.memory, &[&gone]).unwrap().scrub, "pending");
    let log = || std::fs::metadata(data.join("memory.db-wal")).unwrap().len();
    let before = log();
    for _ in 0..3 {
        assert!(!world.memory.retry_erasures().unwrap());
    }
    assert_eq!(log(), before);
    drop(past);
    assert!(world.memory.retry_erasures().unwrap());
    assert_eq!(files_with(&world, MARK), [""; 0]);
    assert_eq!(world.recall("heron"), ["The heron stays."]);
}

#[test]
fn a_deleted_account_stays_deleted_when_an_old_backup_comes_back() {
    let world = World::new();
    let bob = world.person("bob");
    let kept = world.core("The heron stays.");
    let secret = json!({ "scope": "personal", "content": format!("Bob's {MARK}.") });
    run(&bob, &call(), Remember, secret).unwrap();
    let data = world.dir.path().join("data");
    let file = world.dir.path().join("night.db");
    memory::upkeep::backup(&data, &file, &mut |_, _| {}).unwrap();
    let confirm = json!({ "confirm": "bob" });
    run(&bob, &call(), contract::ToolName::DeleteAccount, confirm).unwrap();
    world.memory.close();
    let target = World::new();
    let done = memory::upkeep::restore(
        &file,
        &target.dir.path().join("data"),
        Some(&data.join("erasures.jsonl")),
    )
    .unwrap();
    assert_eq!((done.memories, done.erased_again), (1, 1));
    assert_eq!(files_with(&target, MARK), [""; 0]);
    assert_eq!(target.recall("heron"), ["The heron stays."]);
    let back = target.memory.for_account("bob");
    let error = run(&back, &call(), Recall, json!({ "query": "secret" })).unwrap_err();
    assert_eq!(error.code, ErrorCode::Unauthorized);
    let _: Value = target.ok(History, json!({ "memory_id": kept }));
}

#[test]
fn t33_what_is_erased_while_a_backup_is_made_is_counted_and_stays_away() {
    let world = World::new();
    let gone = world.core(&format!("The {MARK} is here."));
    world.core("The heron stays.");
    world.memory.close();
    let data = world.dir.path().join("data");
    let options = memory::MemoryOptions {
        handle: "me".to_owned(),
    };
    // By the clock by which backups are dated.
    let memory = Memory::new(data.clone(), options);
    let file = world.dir.path().join("elsewhere").join("night.db");
    let trial = EraseRequest {
        memory_ids: vec![gone.clone()],
        dry_run: Some(true),
    };
    let before = memory.erase(&call(), &trial).unwrap();
    assert_eq!(before.older_backups, 0);
    std::thread::scope(|threads| {
        let mut erasure = None;
        memory::upkeep::backup(&data, &file, &mut |_, _| {
            if erasure.is_some() {
                return;
            }
            let during = memory.erase(&call(), &trial).unwrap();
            assert_eq!(during.older_backups, 1);
            // It may wait for the copy, which looks at the past.
            erasure = Some(threads.spawn(|| erase(&memory, &[&gone])));
            let ask = || run(&memory, &call(), History, json!({ "memory_id": gone }));
            while ask().is_ok() {
                std::thread::yield_now();
            }
        })
        .unwrap();
        let receipt = erasure.unwrap().join().unwrap().unwrap();
        assert_eq!(receipt.older_backups, 1);
    });
    memory.close();
    let target = World::new();
    let place = target.dir.path().join("data");
    let done = memory::upkeep::restore(&file, &place, None).unwrap();
    assert_eq!((done.ledgers.len(), done.erased_again), (1, 1));
    assert_eq!(files_with(&target, MARK), [""; 0]);
    assert_eq!(target.recall("heron"), ["The heron stays."]);
    // One that came to nothing, or is gone, holds nothing.
    std::fs::remove_file(&file).unwrap();
    assert_eq!(memory.erase(&call(), &trial).unwrap().older_backups, 0);
}
