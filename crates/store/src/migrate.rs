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
    &[include_str!(
        "../migrations/memory/0003_imports_erasure.sql"
    )],
    &[include_str!("../migrations/memory/0004_erasure.sql")],
    &[include_str!("../migrations/memory/0005_origins.sql")],
];

/// Steps of the bookkeeping file.
pub(crate) const BOOKKEEPING: &[Migration] = &[
    &[include_str!("../migrations/bookkeeping/0001_threads.sql")],
    &[include_str!("../migrations/bookkeeping/0002_usage.sql")],
    &[include_str!("../migrations/bookkeeping/0003_backup.sql")],
];

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

/// Makes in an empty file what a version was, to compare another file with.
pub(crate) fn run_to(conn: &Connection, steps: &[Migration], version: i64) -> Result<(), Error> {
    let n_steps = usize::try_from(version).map_err(|_| Error::ForeignFile)?;
    for sql in steps.iter().take(n_steps).copied().flatten() {
        conn.execute_batch(sql)?;
    }
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
    fn disputes_of_the_first_version_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut conn = Connection::open(dir.path().join("a.db")).unwrap();
        run(&mut conn, 1, &MEMORY[..1]).unwrap();
        conn.execute_batch(
            "PRAGMA foreign_keys = ON;
             INSERT INTO account VALUES (1, 'usr_a', 'me', 0);
             INSERT INTO scope VALUES (1, 'user.me', 'personal', 1, 'private', 0);
             INSERT INTO partition VALUES (1, 1, 'private', 1, 0, 0);
             INSERT INTO memory (seq, id, partition, scope, owner, visibility, kind, text_key, n_tokens,
               created_at, author_kind, scope_source, content)
               SELECT value, 'mem_' || value, 1, 1, 1, 'private', 'fact', x'00', 1, 0, 'agent', 'explicit', 'x'
               FROM json_each('[1, 2]');
             INSERT INTO dispute (id, memory, other, created_at, created_by, reason) VALUES
               ('dsp_a', 1, NULL, 5, 1, 'why'), ('dsp_b', 2, 1, 6, 1, 'both');",
        )
        .unwrap();
        run(&mut conn, 1, MEMORY).unwrap();
        let kept: String = conn
            .query_row(
                "SELECT group_concat(d.id || d.cause || d.status || d.created_at || d.reason || s.memory, ' ' ORDER BY d.key, s.place) \
                 FROM dispute d JOIN dispute_side s ON s.dispute = d.key",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(
            kept,
            "dsp_achallengepending5why1 dsp_bcontradictionpending6both2 dsp_bcontradictionpending6both1"
        );
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
