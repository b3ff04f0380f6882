//! Calls that share a transaction, one after the other in a known order.

use std::sync::atomic::AtomicBool;

use tempfile::TempDir;

use super::*;
use crate::postponed::Change;

/// A memory file of its own, with a plain table in place of the full-text
/// index: that one takes an entry twice without a word, and gives it back once
/// until it merges what it holds, so that what was taken out comes up again.
fn fresh() -> (TempDir, Writer) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    let conn = open::writer(&path, &open::MEMORY).unwrap();
    conn.execute_batch(
        "CREATE TABLE note (text TEXT); \
         CREATE TEMP TABLE memory_fts (text TEXT CHECK (text <> 'poison'), ctx TEXT)",
    )
    .unwrap();
    (dir, Writer::new(conn, Present::default()))
}

/// What a call does.
type Call<'c> = &'c (dyn Fn(&Connection, &Postponed) -> Result<(), Error> + Sync);

/// Runs calls in one transaction, in their order; returns how each ended.
fn together(writer: &Writer, calls: &[Call<'_>]) -> Vec<Result<(), Error>> {
    // Somebody seems to wait until the last one comes, so nobody commits.
    writer.waiting.fetch_add(1, Ordering::SeqCst);
    let before = writer.commits();
    let outcomes = std::thread::scope(|threads| {
        let running: Vec<_> = calls
            .iter()
            .enumerate()
            .map(|(n, call)| {
                if n + 1 == calls.len() {
                    writer.waiting.fetch_sub(1, Ordering::SeqCst);
                }
                let ended = Arc::new(AtomicBool::new(false));
                let is_ended = Arc::clone(&ended);
                let thread = threads.spawn(move || {
                    let outcome = writer.run(|conn, postponed| {
                        // It has the lock until its work is kept or undone.
                        ended.store(true, Ordering::SeqCst);
                        call(conn, postponed)
                    });
                    // Also when it did not come to its work.
                    ended.store(true, Ordering::SeqCst);
                    outcome
                });
                while !is_ended.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                // Whoever gets the lock now comes after it.
                drop(writer.state.lock().unwrap());
                thread
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let after = writer.commits();
    assert!(after.n_commits - before.n_commits <= 1, "{after:?}");
    outcomes
}

fn put(entry: i64, text: &str) -> Change {
    Change::Put {
        entry,
        text: text.to_owned(),
        ctx: String::new(),
    }
}

/// The entries that are written.
fn written(conn: &Connection) -> Vec<i64> {
    conn.prepare("SELECT rowid FROM memory_fts ORDER BY rowid")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

fn notes(writer: &Writer) -> Vec<String> {
    writer
        .state
        .lock()
        .unwrap()
        .conn
        .prepare("SELECT text FROM note")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

fn add_note(conn: &Connection, text: &str) -> Result<(), Error> {
    conn.execute("INSERT INTO note VALUES (?1)", [text])?;
    Ok(())
}

#[test]
fn a_change_is_written_once_however_often_the_index_is_asked_before_the_commit() {
    let first: Call<'_> = &|_, postponed| {
        postponed.add(put(1, "heron"));
        Ok(())
    };
    let asks: Call<'_> = &|conn, postponed| {
        for entry in 2..=4 {
            postponed.add(put(entry, "heron"));
            postponed.settle(conn)?;
            assert_eq!(written(conn), (1..=entry).collect::<Vec<_>>());
        }
        Ok(())
    };
    let asks_and_fails: Call<'_> = &|conn, postponed| {
        asks(conn, postponed)?;
        Err(Error::NotAllowed)
    };
    let last: Call<'_> = &|_, postponed| {
        postponed.add(put(5, "heron"));
        Ok(())
    };
    let quiet: Call<'_> = &|_, _| Ok(());
    // Transactions, and what is in the index after them.
    let table: [(&[&[Call<'_>]], &[i64]); 5] = [
        (&[&[first], &[asks]], &[1, 2, 3, 4]),
        (&[&[first, asks, last]], &[1, 2, 3, 4, 5]),
        (&[&[first, asks, quiet]], &[1, 2, 3, 4]),
        (&[&[first, asks_and_fails, last]], &[1, 5]),
        (&[&[first, asks_and_fails, asks, last]], &[1, 2, 3, 4, 5]),
    ];
    for (n, (transactions, entries)) in table.into_iter().enumerate() {
        let (_dir, writer) = fresh();
        for calls in transactions {
            for outcome in together(&writer, calls) {
                // It failed because it was to fail.
                let is_meant = matches!(outcome, Ok(()) | Err(Error::NotAllowed));
                assert!(is_meant, "case {n}: {outcome:?}");
            }
        }
        assert_eq!(
            written(&writer.state.lock().unwrap().conn),
            entries,
            "case {n}"
        );
    }
}

#[test]
fn who_changes_nothing_in_an_index_that_cannot_be_written_may_come_again_and_is_kept_then() {
    let (_dir, writer) = fresh();
    let healthy: Call<'_> = &|_, postponed| {
        postponed.add(put(1, "heron"));
        Ok(())
    };
    let poisoned: Call<'_> = &|conn, postponed| {
        add_note(conn, "poisoned")?;
        postponed.add(put(2, "poison"));
        Ok(())
    };
    let notes_only: Call<'_> = &|conn, _| add_note(conn, "kept");
    let outcomes = together(&writer, &[notes_only, poisoned, healthy, notes_only]);
    let is_dragged = |n: usize| matches!(outcomes[n], Err(Error::Dragged));
    let is_told = |n: usize| matches!(outcomes[n], Err(Error::Commit(_)));
    assert!(is_dragged(0) && is_dragged(3), "{outcomes:?}");
    assert!(is_told(1) && is_told(2), "{outcomes:?}");
    assert_eq!(notes(&writer), [""; 0]);
    // From then on who cannot is refused alone.
    let outcomes = together(&writer, &[notes_only, poisoned, healthy, notes_only]);
    assert!(matches!(outcomes[1], Err(Error::Sqlite(_))), "{outcomes:?}");
    let n_kept = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(n_kept, 3, "{outcomes:?}");
    assert_eq!(notes(&writer), ["kept"; 2]);
    assert_eq!(written(&writer.state.lock().unwrap().conn), [1]);
    // Until it went well for a while.
    for n in 1..APART {
        assert!(writer.state.lock().unwrap().n_apart > 0, "{n}");
        let entry = i64::try_from(10 + n).unwrap();
        let add: Call<'_> = &|_, postponed| {
            postponed.add(put(entry, "heron"));
            Ok(())
        };
        assert!(together(&writer, &[add])[0].is_ok());
    }
    assert_eq!(writer.state.lock().unwrap().n_apart, 0);
}

/// The index itself writes at the next savepoint, or at the commit, what it
/// was told before; then it is too late to refuse one call alone.
#[test]
fn a_call_that_a_damaged_index_cannot_take_is_refused_alone_once_one_commit_failed() {
    let (dir, writer) = fresh();
    let bare = "DROP TABLE temp.memory_fts";
    writer
        .state
        .lock()
        .unwrap()
        .conn
        .execute_batch(bare)
        .unwrap();
    // As many segments as stand side by side before they are merged; a merge
    // reads what it merges, and nothing else does.
    for entry in 1..16 {
        let add: Call<'_> = &|_, postponed| {
            postponed.add(put(entry, "heron"));
            Ok(())
        };
        assert!(together(&writer, &[add])[0].is_ok());
    }
    let other = Connection::open(dir.path().join("memory.db")).unwrap();
    let harm = "UPDATE memory_fts_data SET block = x'ffffffff' WHERE id > 10";
    other.execute_batch(harm).unwrap();
    let adds: Call<'_> = &|_, postponed| {
        postponed.add(put(16, "heron"));
        Ok(())
    };
    let notes_only: Call<'_> = &|conn, _| add_note(conn, "kept");
    let outcomes = together(&writer, &[notes_only, adds]);
    assert!(matches!(outcomes[0], Err(Error::Dragged)), "{outcomes:?}");
    assert!(matches!(outcomes[1], Err(Error::Index(_))), "{outcomes:?}");
    let outcomes = together(&writer, &[notes_only, adds, notes_only]);
    assert!(matches!(outcomes[1], Err(Error::Index(_))), "{outcomes:?}");
    assert!(outcomes[0].is_ok() && outcomes[2].is_ok(), "{outcomes:?}");
    assert_eq!(notes(&writer), ["kept"; 2]);
}

#[test]
fn a_transaction_that_sqlite_gave_up_is_lost_to_every_call_in_it_and_to_nobody_else() {
    let (_dir, writer) = fresh();
    let keeps: Call<'_> = &|conn, _| add_note(conn, "kept");
    // What a full disk makes of a transaction in the middle of a statement.
    let breaks: Call<'_> = &|conn, _| {
        add_note(conn, "broken")?;
        conn.execute_batch("ROLLBACK")?;
        Ok(())
    };
    let outcomes = together(&writer, &[keeps, breaks]);
    for outcome in outcomes {
        assert!(matches!(outcome, Err(Error::Commit(_))), "{outcome:?}");
    }
    assert_eq!(notes(&writer), [""; 0]);
    // One that fails for a reason of its own is told that.
    let fails: Call<'_> = &|conn, postponed| {
        breaks(conn, postponed)?;
        Err(Error::NotAllowed)
    };
    let outcomes = together(&writer, &[keeps, fails]);
    assert!(matches!(outcomes[0], Err(Error::Commit(_))), "{outcomes:?}");
    assert!(
        matches!(outcomes[1], Err(Error::NotAllowed)),
        "{outcomes:?}"
    );
    assert_eq!(notes(&writer), [""; 0]);
    let outcomes = together(&writer, &[keeps, keeps]);
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    assert_eq!(notes(&writer), ["kept"; 2]);
}

#[test]
fn a_call_that_has_to_stop_before_its_turn_does_nothing_and_commits_what_waits_for_it() {
    let (_dir, writer) = fresh();
    let stop = Stop::default();
    stop.ask();
    let refuse = || {
        let outcome = writer.run_until(&stop, |_, _| -> Result<(), Error> {
            panic!("it was told to stop")
        });
        assert!(matches!(outcome, Err(Error::Stopped)), "{outcome:?}");
    };
    refuse();
    assert_eq!(writer.commits().n_calls, 0);
    // One that is handed the transaction of another ends it.
    writer.waiting.fetch_add(1, Ordering::SeqCst);
    std::thread::scope(|threads| {
        let kept = threads.spawn(|| writer.run(|conn, _| add_note(conn, "kept")));
        while writer.state.lock().unwrap().open.is_none() {
            std::thread::yield_now();
        }
        writer.waiting.fetch_sub(1, Ordering::SeqCst);
        refuse();
        assert!(kept.join().unwrap().is_ok());
    });
    assert_eq!(notes(&writer), ["kept"]);
    assert_eq!(writer.commits().n_calls, 1);
}
