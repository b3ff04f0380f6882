//! What an answer says is close to a new memory, whatever happened between the
//! look for it and the write.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contract::ToolName::Remember;
use contract::types::RememberInput;
use contract::{Tools as _, Views as _};
use memory::{Call, Memory, MemoryOptions, Stop};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::fixture::{World, call, code, id, run, texts};

/// A memory of another process on the same folder.
fn other_process(world: &World) -> Memory {
    let options = MemoryOptions {
        handle: "me".to_owned(),
    };
    Memory::with_clock(
        world.dir.path().join("data"),
        options,
        Arc::new(|| 1_796_115_600_000),
    )
}

fn in_core(content: &str) -> Value {
    json!({ "scope": "core", "content": content })
}

fn similar(answer: &Value) -> Vec<String> {
    texts(&answer["similar_existing"], "content")
}

/// A statement about something that no other statement is about.
fn about(what: &str, n: usize) -> String {
    format!("{what}{n} stands{n} beside{n} water{n} all{n} day{n}")
}

/// Has another process store something under the number that a write gave
/// back, and looks for what is close to it.
fn the_number_is_the_others(world: &World, other: &Memory, n: usize) {
    let theirs = about("heron", n);
    run(other, &call(), Remember, in_core(&theirs)).unwrap();
    let answer = world.remember(in_core(&format!("{theirs} indeed")));
    assert_eq!(similar(&answer), [theirs], "after {n} looks");
}

#[test]
fn a_write_that_was_stopped_leaves_no_words_under_the_number_that_another_process_gives_out() {
    let world = World::new();
    let other = other_process(&world);
    world.core("Something stands there already.");
    // It is stopped at every look that it takes, one write after the other.
    let mut n_looks = 0;
    loop {
        let stopped = Call {
            stop: Stop::after_looks(n_looks),
            ..call()
        };
        let text = format!("pelican{n_looks} lands{n_looks} at{n_looks} noon{n_looks}");
        let n = usize::try_from(n_looks).unwrap();
        match run(&world.memory, &stopped, Remember, in_core(&text)) {
            Ok(_) => break,
            Err(error) => assert_eq!(code(&error), "rate_limited"),
        }
        the_number_is_the_others(&world, &other, n);
        n_looks += 1;
    }
    assert!(n_looks > 9, "{n_looks}");
}

#[test]
fn a_write_that_panicked_leaves_no_words_under_the_number_that_another_process_gives_out() {
    let world = World::new();
    let other = other_process(&world);
    world.core("Something stands there already.");
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        world.memory.append(&call(), |view| {
            let input = RememberInput::deserialize(in_core("pelican lands at noon")).unwrap();
            let stored = world.memory.remember(&call(), view, input)?;
            if stored.memory_id.starts_with("mem_") {
                panic!("on purpose");
            }
            Ok(stored)
        })
    }));
    assert!(panicked.is_err());
    the_number_is_the_others(&world, &other, 0);
}

#[test]
fn what_is_close_is_looked_for_where_the_memory_goes_and_not_where_it_was_meant_to() {
    let world = World::new();
    let personal =
        json!({ "scope": "personal", "content": "The pelican lands at the south pier at noon." });
    world.remember(personal);
    let there = world.remember(
        json!({ "project_hint": "/srv/harbour", "content": "The pelican lands at the north pier at noon." }),
    );
    // A decision is no kind for it, so it goes to the project.
    let answer = world.remember(json!({
        "scope": "personal", "project_hint": "/srv/harbour", "kind": "decision",
        "content": "The pelican lands at the east pier at noon.",
    }));
    assert_eq!(answer["scope"], there["scope"]);
    let found = &answer["similar_existing"];
    assert_eq!(texts(found, "id"), [id(&there)], "{found}");
}
