//! Hooks on folders that others hold, that can only be read, or that wait for
//! what takes long.

use std::time::{Duration, Instant};

use super::*;
use crate::harness::{Hold, altered, names};

#[cfg(unix)]
#[test]
fn a_memory_that_others_hold_or_that_can_only_be_read_is_told_all_the_same() {
    let person = patient();
    remember(&person, "Herons eat fish.", &[]);
    {
        let _hold = Hold::writes(&person.data());
        let told = started(&person, "startup");
        assert!(told.out.contains("Herons eat fish."), "{told:?}");
        assert_eq!((told.code, told.err.as_str()), (0, ""));
    }
    let wrapper = crate::harness::reading_only(&person.data());
    let mut command = Command::new(&wrapper[0]);
    command.args(&wrapper[1..]).arg(binary());
    command.args(["hook", "prompt"]);
    let input = event(
        &person,
        json!({ "prompt": "What do herons eat?", "session_id": "r0" }),
    );
    let told = person.finish(command, &person.work(), &input);
    assert!(told.out.contains("Herons eat fish."), "{told:?}");
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    crate::harness::may_write(&person.data());
    // Nobody reads what another program holds for itself.
    let _hold = Hold::everything(&person.data());
    let mut hasty = Command::new("env");
    hasty.arg("ZERO_MEMORY_HOOK_DEADLINE_MS=500").arg(binary());
    hasty.args(["hook", "session-start"]);
    silent(&person.finish(hasty, &person.work(), &event(&person, json!({}))));
}

/// What a program of the version before left: without what came since.
const OLDER: &str = "DROP TABLE origin; PRAGMA user_version = 4";

/// What a program left that was cut off after an erasure.
const UNWRITTEN: &str =
    "INSERT INTO erasure (what, id, at, by) VALUES ('memory', 'mem_gone', 5, 'acc_me')";

#[test]
fn a_memory_of_an_older_version_is_left_to_who_serves_it() {
    let mut person = patient();
    remember(&person, "Herons eat fish.", &[]);
    altered(&person.data(), OLDER);
    let before = names(&person.data());
    silent(&started(&person, "startup"));
    silent(&prompted(&person, "What do herons eat?"));
    assert_eq!(names(&person.data()), before);
    person.set("ZERO_MEMORY_HOOK_DEBUG", "1");
    let told = prompted(&person, "What do herons eat?");
    assert!(told.err.contains("an older version"), "{}", told.err);
    assert_eq!(told.out, "");
    // A server brings it up to date, whether a tool is called or not.
    let _pipes = Pipes::open(&person.data(), Era::Modern);
    let since = Instant::now();
    while !prompted(&person, "What do herons eat?")
        .out
        .contains("Herons eat fish.")
    {
        assert!(since.elapsed() < DEADLINE, "nobody brings it up to date");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(names(&person.data()).contains(&"memory.db.v4.bak".to_owned()));
}

#[test]
fn a_memory_that_is_to_be_rewritten_is_told_as_it_is() {
    let person = patient();
    remember(&person, "Herons eat fish.", &[]);
    altered(&person.data(), UNWRITTEN);
    let path = person.data().join("memory.db");
    let before = std::fs::read(&path).expect("a file");
    let told = started(&person, "startup");
    assert!(told.out.contains("Herons eat fish."), "{told:?}");
    assert!(std::fs::read(&path).expect("a file") == before);
    // A server that starts does it, whether a tool is called or not.
    let _pipes = Pipes::open(&person.data(), Era::Modern);
    let since = Instant::now();
    while std::fs::read(&path).expect("a file") == before {
        assert!(since.elapsed() < DEADLINE, "nobody rewrites it");
        std::thread::sleep(Duration::from_millis(20));
    }
}
