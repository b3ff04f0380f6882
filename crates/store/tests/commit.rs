//! Acknowledged means committed, for everyone who shares a commit.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::mpsc;

use store::{Append, Error, Severity, Store};

use crate::fixture::{AT, World, add, tokenise};

const N_CALLS: usize = 50;

/// Adds `N_CALLS` memories at once from as many threads; returns their ids.
fn add_at_once(store: &Store, world: &World, label: &str) -> BTreeSet<String> {
    let me = world.person("me");
    let core = world.core(&me);
    let start = Barrier::new(N_CALLS);
    std::thread::scope(|threads| {
        let running: Vec<_> = (0..N_CALLS)
            .map(|n| {
                let (me, core, start) = (&me, &core, &start);
                threads.spawn(move || {
                    start.wait();
                    store
                        .append(me, |view| add(view, core, &format!("{label} {n}")))
                        .unwrap()
                })
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

#[test]
fn w01_fifty_writes_at_once_are_fifty_rows() {
    let world = World::new();
    let ids = add_at_once(&world.store, &world, "note");
    assert_eq!(ids.len(), N_CALLS);
    let me = world.person("me");
    assert!(ids.iter().all(|id| world.row(&me, id).is_some()));
    assert_eq!(world.search(&me, &["note"]).len(), N_CALLS);
}

#[test]
fn w02_two_stores_on_one_folder_lose_nothing() {
    let world = World::new();
    let other = Store::open(&world.dir.path().join("data"), tokenise).unwrap();
    world.person("me");
    let ids: BTreeSet<String> = std::thread::scope(|threads| {
        let here = threads.spawn(|| add_at_once(&world.store, &world, "here"));
        let there = threads.spawn(|| add_at_once(&other, &world, "there"));
        here.join()
            .unwrap()
            .into_iter()
            .chain(there.join().unwrap())
            .collect()
    });
    assert_eq!(ids.len(), 2 * N_CALLS);
    let me = world.person("me");
    assert_eq!(world.search(&me, &["here"]).len(), N_CALLS);
    assert_eq!(world.search(&me, &["there"]).len(), N_CALLS);
}

#[test]
fn a_commit_is_visible_to_another_store_when_the_call_returns() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let other = Store::open(&world.dir.path().join("data"), tokenise).unwrap();
    for n in 0..20 {
        let id = world.add(&me, &core, &format!("note {n}"));
        let row = other.read(&me, |view| view.find_memory(&id)).unwrap();
        assert!(row.is_some(), "note {n}");
    }
}

/// Runs `bad` while another call holds the connection and a third one waits,
/// so that all three share a commit; returns how `bad` ended.
fn amid_others<R: Send>(world: &World, bad: impl FnOnce() -> R + Send) -> R {
    let me = world.person("me");
    let core = world.core(&me);
    let (entered, wait_entered) = mpsc::channel();
    let (go, wait_go) = mpsc::channel::<()>();
    let outcome = std::thread::scope(|threads| {
        let (me, core) = (&me, &core);
        let first = threads.spawn(move || {
            world.append(me, |view| {
                let id = add(view, core, "first")?;
                entered.send(()).unwrap();
                wait_go.recv().unwrap();
                Ok(id)
            })
        });
        wait_entered.recv().unwrap();
        let bad = threads.spawn(bad);
        let third = threads.spawn(|| world.add(me, core, "third"));
        go.send(()).unwrap();
        first.join().unwrap();
        third.join().unwrap();
        bad.join().unwrap()
    });
    assert_eq!(world.search(&me, &["first"]).len(), 1);
    assert_eq!(world.search(&me, &["third"]).len(), 1);
    assert_eq!(world.search(&me, &["bad"]).len(), 0);
    world.add(&me, &core, "afterwards");
    assert_eq!(world.search(&me, &["afterwards"]).len(), 1);
    outcome
}

#[test]
fn a_call_that_fails_leaves_the_others_of_its_commit_alone() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let outcome = amid_others(&world, || {
        world.store.append(&me, |view| {
            add(view, &core, "bad")?;
            Err::<(), _>(Error::Busy)
        })
    });
    assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
}

#[test]
fn a_call_that_panics_leaves_the_others_and_the_store_alone() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let outcome = amid_others(&world, || {
        catch_unwind(AssertUnwindSafe(|| {
            world.store.append(&me, |view| {
                add(view, &core, "bad")?;
                if view.caller().handle() == "me" {
                    panic!("on purpose");
                }
                Ok::<_, Error>(())
            })
        }))
        .is_err()
    });
    assert!(outcome);
}

#[test]
fn a_call_that_fails_after_it_searched_takes_no_words_of_the_others_along() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let outcome = amid_others(&world, || {
        world.store.append(&me, |view| {
            let reach = view.reach(&[core.key])?;
            let find = |view: &Append<'_>, word: &str| view.alike(&reach, &[word.to_owned()], 9, 9);
            // It sees what shares its commit, and its own.
            let n_first = find(view, "first")?.len();
            add(view, &core, "bad one")?;
            add(view, &core, "bad two")?;
            let n_bad = find(view, "bad")?.len();
            add(view, &core, "bad three")?;
            assert_eq!((n_first, n_bad), (1, 2));
            Err::<(), _>(Error::Busy)
        })
    });
    assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
}

#[test]
fn a_call_that_searches_amid_its_writes_finds_what_it_wrote() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    world.append(&me, |view| {
        for n in 0..3 {
            add(view, &core, "again")?;
            let reach = view.reach(&[core.key])?;
            let found = view.alike(&reach, &["again".to_owned()], 9, 9)?;
            assert_eq!(found.len(), n + 1);
        }
        Ok(())
    });
    assert_eq!(world.search(&me, &["again"]).len(), 3);
    let checks = store::examine(&world.dir.path().join("data"), tokenise, AT);
    let index = checks.iter().find(|check| check.id == "index");
    assert!(
        index.is_some_and(|check| check.severity == Severity::Ok),
        "{checks:?}"
    );
}

#[test]
fn a_write_whose_words_cannot_be_indexed_is_refused_and_not_there() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let before = world.add(&me, &core, "before");
    let path = world.dir.path().join("data/memory.db");
    let other = rusqlite::Connection::open(path).unwrap();
    other.execute_batch("DROP TABLE memory_fts").unwrap();
    let outcome = world.store.append(&me, |view| add(view, &core, "after"));
    assert!(outcome.is_err(), "{outcome:?}");
    let kept: Vec<String> = other
        .prepare("SELECT id FROM memory")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(kept, [before]);
}

#[test]
fn a_read_that_panics_leaves_no_snapshot_behind() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        world.store.read::<(), Error>(&me, |view| {
            view.scopes()?;
            panic!("on purpose")
        })
    }));
    assert!(outcome.is_err());
    let id = world.add(&me, &core, "afterwards");
    assert!(world.row(&me, &id).is_some());
}

#[test]
fn one_snapshot_serves_a_whole_read() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    world.add(&me, &core, "before");
    world.read(&me, |view| {
        let count = |view: &store::Read<'_>| {
            let reach = view.reach_everything()?;
            Ok::<_, Error>(view.newest(&reach, 10)?.len())
        };
        assert_eq!(count(view)?, 1);
        world.add(&me, &core, "meanwhile");
        assert_eq!(count(view)?, 1);
        Ok(())
    });
}

#[test]
fn another_process_that_holds_the_file_makes_a_call_wait() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let other = Store::open(&world.dir.path().join("data"), tokenise).unwrap();
    let (entered, wait_entered) = mpsc::channel();
    let (go, wait_go) = mpsc::channel::<()>();
    std::thread::scope(|threads| {
        let (me, core) = (&me, &core);
        threads.spawn(move || {
            other.append(me, |view| {
                entered.send(()).unwrap();
                wait_go.recv().unwrap();
                add(view, core, "theirs")
            })
        });
        wait_entered.recv().unwrap();
        let ours = threads.spawn(|| world.store.append(me, |view| add(view, core, "ours")));
        go.send(()).unwrap();
        assert!(ours.join().unwrap().is_ok());
    });
    assert_eq!(world.search(&me, &["ours"]).len(), 1);
    assert_eq!(world.search(&me, &["theirs"]).len(), 1);
}

#[test]
fn what_is_to_follow_a_commit_follows_it_and_nothing_else() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let (said, heard) = mpsc::channel();
    for outcome in [Ok(()), Err(Error::Busy)] {
        let said = said.clone();
        let failed = outcome.is_err();
        let _ = world.store.append(&me, |view| {
            add(view, &core, "a note")?;
            view.after_commit(move || said.send(failed).unwrap());
            outcome
        });
    }
    drop(said);
    assert_eq!(heard.iter().collect::<Vec<_>>(), [false]);
}
