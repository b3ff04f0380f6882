//! Brings a file to the newest version, in one transaction or not at all.
//!
//! A list of migrations is append-only: a step that has shipped never changes,
//! because files made by it are out there.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::Error;

/// One step from a version to the next: SQL files, run in order.
pub(crate) type Migration = &'static [&'static str];

/// Steps of the memory file; the step at index `n` leads to version `n + 1`.
pub(crate) const MEMORY: &[Migration] = &[
    &[
        include_str!("../migrations/memory/0001_accounts_scopes.sql"),
        include_str!("../migrations/memory/0001_memories.sql"),
        include_str!("../migrations/memory/0001_graph.sql"),
        include_str!("../migrations/memory/0001_disputes_rules.sql"),
    ],
    &[include_str!("../migrations/memory/0002_disputes.sql")],
];

/// Steps of the bookkeeping file.
pub(crate) const BOOKKEEPING: &[Migration] =
    &[&[include_str!("../migrations/bookkeeping/0001_threads.sql")]];

/// Returns the version that a file is at.
pub(crate) fn version(conn: &Connection) -> Result<i64, Error> {
    Ok(conn.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Returns the version that a list of steps leads to.
pub(crate) fn newest(steps: &[Migration]) -> i64 {
    i64::try_from(steps.len()).unwrap_or(i64::MAX)
}

/// Runs the steps that a file lacks.
///
/// The version is read again under the write lock, because another process
/// may be doing the same at this moment.
pub(crate) fn run(
    conn: &mut Connection,
    application_id: i64,
    steps: &[Migration],
) -> Result<(), Error> {
    let known = newest(steps);
    if version(conn)? == known {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&tx)?;
    if found > known {
        return Err(Error::NewerFile { found, known });
    }
    let done = usize::try_from(found).map_err(|_| Error::ForeignFile)?;
    for (index, step) in steps.iter().enumerate().skip(done) {
        let to = i64::try_from(index + 1).unwrap_or(i64::MAX);
        for sql in *step {
            tx.execute_batch(sql)
                .map_err(|cause| Error::Migration { to, cause })?;
        }
    }
    tx.pragma_update(None, "application_id", application_id)?;
    tx.pragma_update(None, "user_version", known)?;
    tx.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Migration = &["CREATE TABLE a (x); INSERT INTO a VALUES (7);"];
    const BROKEN: Migration = &["CREATE TABLE b (x);", "CREATE TABLE a (x);"];
    const SECOND: Migration = &["ALTER TABLE a ADD COLUMN y;"];

    fn at_first_version(path: &std::path::Path) -> Connection {
        let mut conn = Connection::open(path).unwrap();
        run(&mut conn, 1, &[FIRST]).unwrap();
        conn
    }

    #[test]
    fn a_failed_migration_leaves_the_file_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        drop(at_first_version(&path));
        let before = std::fs::read(&path).unwrap();
        let mut conn = Connection::open(&path).unwrap();
        let error = run(&mut conn, 1, &[FIRST, SECOND, BROKEN]).unwrap_err();
        assert!(matches!(error, Error::Migration { to: 3, .. }), "{error:?}");
        drop(conn);
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn missing_steps_run_once_and_keep_rows() {
        let dir = tempfile::tempdir().unwrap();
        let mut conn = at_first_version(&dir.path().join("a.db"));
        for _ in 0..2 {
            run(&mut conn, 1, &[FIRST, SECOND]).unwrap();
            assert_eq!(version(&conn).unwrap(), 2);
        }
        let x: i64 = conn
            .query_row("SELECT x FROM a WHERE y IS NULL", [], |row| row.get(0))
            .unwrap();
        assert_eq!(x, 7);
    }

    #[test]
    fn a_version_that_is_not_known_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut conn = at_first_version(&dir.path().join("a.db"));
        conn.pragma_update(None, "user_version", 9).unwrap();
        let error = run(&mut conn, 1, &[FIRST]).unwrap_err();
        assert!(
            matches!(error, Error::NewerFile { found: 9, known: 1 }),
            "{error:?}"
        );
    }
}
