//! The bookkeeping: a file that does not grow with every call.

use store::Metric;

use crate::fixture::{AT, World};

#[test]
fn o10_counts_take_no_more_room_however_many_calls_there_are() {
    let world = World::new();
    let me = world.person("me");
    let path = world.dir.path().join("data/bookkeeping.db");
    let rows = || -> i64 {
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.query_row("SELECT count(*) FROM usage", [], |row| row.get(0))
            .unwrap()
    };
    let count = |at: i64| {
        let counts = [(Metric::Recalls, 1), (Metric::Recalled, 5)];
        world.store.count(&me, &counts, at).unwrap();
    };
    (0..1_000).for_each(|call| count(AT + call));
    assert_eq!(rows(), 2);
    count(AT + 10_000);
    assert_eq!(rows(), 4);
    let of = |since: i64| {
        let mut counts = world.store.counts_since(&me, since).unwrap();
        counts.sort_by_key(|(_, n)| *n);
        counts.into_iter().map(|(_, n)| n).collect::<Vec<_>>()
    };
    assert_eq!(of(AT), [1_001, 5_005]);
    assert_eq!(of(AT + 1), [1, 5], "a span counts from its beginning");
    assert_eq!(world.store.counted_from(AT + 9_999, AT + 10_000), AT);

    // What an earlier version kept by the moment is put together, and is all
    // still there.
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute(
        "INSERT INTO usage (account, at, metric, n) \
         SELECT account, at + value, metric, 1 \
         FROM usage, json_each('[1, 22, 333, 4444, 9999]') \
         WHERE metric = 'recalls' AND at = ?1",
        [AT],
    )
    .unwrap();
    drop(conn);
    count(AT + 24 * 3_600_000);
    assert_eq!(rows(), 6);
    assert_eq!(of(AT), [1_007, 5_010]);
}

#[test]
fn o10_conversations_that_nobody_goes_on_with_do_not_pile_up() {
    const N_MADE: i64 = 4_096 + 3 * 256;
    let world = World::new();
    let me = world.person("me");
    let other = world.person("other");
    let scope = world.core(&me).key;
    let made = |caller, n: i64| {
        let token = world.store.fresh_thread_token(AT + n);
        let row = world
            .store
            .mint_thread(caller, &token, scope, None, AT + n, AT - 1)
            .unwrap();
        row.token
    };
    let of_another = made(&other, 0);
    let tokens: Vec<String> = (0..N_MADE).map(|n| made(&me, n)).collect();
    let conn = rusqlite::Connection::open(world.dir.path().join("data/bookkeeping.db")).unwrap();
    let n_kept: i64 = conn
        .query_row("SELECT count(*) FROM thread", [], |row| row.get(0))
        .unwrap();
    assert!((4_097..=4_096 + 257).contains(&n_kept), "{n_kept}");
    let found = |caller, token: &str| {
        let found = world.store.find_thread(caller, token, AT - 1).unwrap();
        found.is_some()
    };
    assert!(!found(&me, &tokens[0]), "the oldest go");
    assert!(found(&me, tokens.last().unwrap()));
    assert!(found(&other, &of_another), "each account has its own");
}

#[test]
fn counts_that_another_process_keeps_from_being_written_are_written_later() {
    let world = World::new();
    let me = world.person("me");
    let path = world.dir.path().join("data/bookkeeping.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let count = || world.store.count(&me, &[(Metric::Recalls, 1)], AT);
    for _ in 0..3 {
        let refused = count().unwrap_err();
        assert!(matches!(refused, store::Error::Busy), "{refused}");
    }
    other.execute_batch("ROLLBACK").unwrap();
    let counted = world.store.counts_since(&me, AT);
    // Who gave up a moment ago tries all the same.
    assert_eq!(counted.unwrap(), [(Metric::Recalls, 3)]);
}
