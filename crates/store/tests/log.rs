//! The write-ahead log stays short: while others write and read, and when they
//! stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use store::{NewMemory, Provenance};

use crate::fixture::{AT, World};

/// The length from which writers wait for the log to be cut, and what may be
/// written before that is noticed.
const BOUND: u64 = 64 << 20;

/// What is written, in bytes: well over the bound.
const WRITTEN: u64 = 96 << 20;

/// How long anything may take before a test gives up.
const DEADLINE: Duration = Duration::from_secs(60);

fn log_bytes(world: &World) -> u64 {
    let path = world.dir.path().join("data/memory.db-wal");
    std::fs::metadata(path).map_or(0, |file| file.len())
}

#[test]
fn w08_readers_that_overlap_do_not_let_the_log_grow_without_end() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let id = world.add(&me, &core, "a note");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        // Each reads until the other has begun: one snapshot is always open.
        let (begun_left, wait_left) = mpsc::channel();
        let (begun_right, wait_right) = mpsc::channel();
        for (begun, wait) in [(begun_left, wait_right), (begun_right, wait_left)] {
            let (world, me, id, is_over) = (&world, &me, &id, &is_over);
            threads.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    world.read(me, |view| {
                        assert!(view.find_memory(id)?.is_some());
                        let _ = begun.send(());
                        // The other one may have left for good.
                        let _ = wait.recv_timeout(Duration::from_millis(20));
                        Ok(())
                    });
                }
            });
        }
        // In the phrase that the text rests on, which is only kept: cutting and
        // comparing it would be most of the work.
        let provenance = Provenance {
            verbatim: Some("x".repeat(1 << 20)),
            scope_source: "explicit".to_owned(),
            ..Provenance::default()
        };
        let mut longest = 0;
        for number in 0..WRITTEN >> 20 {
            let content = format!("note {number}");
            let new = NewMemory {
                scope: &core,
                visibility: core.default_visibility,
                kind: "fact",
                content: &content,
                tokens: None,
                text_key: content.as_bytes(),
                author_kind: "agent",
                agent: None,
                provenance: &provenance,
                created_at: AT,
                stored_at: AT,
            };
            world.append(&me, |view| view.add_memory(&new));
            longest = longest.max(log_bytes(&world));
        }
        is_over.store(true, Ordering::SeqCst);
        assert!(longest < BOUND, "{longest} bytes");
    });
}

#[test]
fn w08_the_log_is_cut_when_nobody_writes() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    for number in 0..20 {
        world.add(&me, &core, &format!("note {number}"));
        if number % 10 != 9 {
            continue;
        }
        let started = Instant::now();
        while log_bytes(&world) > 0 {
            assert!(started.elapsed() < DEADLINE, "{}", log_bytes(&world));
            std::thread::yield_now();
        }
    }
    assert_eq!(world.search(&me, &["note"]).len(), 20);
}
