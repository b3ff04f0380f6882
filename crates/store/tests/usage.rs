//! Counts: numbers of what was done, in a file that does not grow with them.

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
