//! Files of other programs that say more than they hold.

use rusqlite::Connection;
use store::{Error, ForeignFile, Value};

/// Makes a file; returns the folder that holds it and its path.
fn file(sql: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("foreign.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (dir, path)
}

const ROWS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) \
     INSERT INTO memories(id, hash) SELECT i, 'h' || i FROM n;";

#[test]
fn a_column_that_is_computed_counts_as_absent() {
    for sort in ["VIRTUAL", "STORED"] {
        let (_dir, path) = file(&format!(
            "CREATE TABLE memories(id INTEGER PRIMARY KEY, hash TEXT, \
             content TEXT AS (printf('%.*c', 1000, 'x') || id) {sort}); {ROWS}"
        ));
        let mut n_rows = 0;
        let foreign = ForeignFile::open(&path).unwrap();
        foreign
            .rows("memories", &["hash", "content"], |row| {
                assert_eq!(row[1], Value::Absent, "{sort}");
                n_rows += 1;
                true
            })
            .unwrap();
        assert_eq!(n_rows, 5000);
    }
}

#[test]
fn a_file_hands_on_no_more_than_a_file_of_its_size_can_hold() {
    let long = "x".repeat(60_000);
    let (_dir, path) = file(&format!(
        "CREATE TABLE memories(id INTEGER PRIMARY KEY, hash TEXT); {ROWS} \
         ALTER TABLE memories ADD COLUMN content TEXT DEFAULT '{long}';"
    ));
    let size = usize::try_from(std::fs::metadata(&path).unwrap().len()).unwrap();
    let mut n_bytes = 0;
    let foreign = ForeignFile::open(&path).unwrap();
    let error = foreign
        .rows("memories", &["content"], |row| {
            if let Value::Text(text) = &row[0] {
                n_bytes += text.len();
            }
            true
        })
        .unwrap_err();
    assert!(matches!(error, Error::Unfit(_)), "{error}");
    assert!(n_bytes < 4 * size + (2 << 20), "{n_bytes} of {size}");
}

#[test]
fn a_virtual_table_is_no_table_of_a_program() {
    let (_dir, path) = file(
        "CREATE TABLE t(x); CREATE VIEW v AS SELECT printf('%.*c', 1000, 'x') AS content; \
         CREATE VIRTUAL TABLE memories USING fts5(content, content='v', content_rowid='rowid');",
    );
    let foreign = ForeignFile::open(&path).unwrap();
    let tables = foreign.tables().unwrap();
    assert!(tables.contains(&"t".to_owned()), "{tables:?}");
    assert!(!tables.contains(&"memories".to_owned()), "{tables:?}");
}

#[test]
fn a_file_that_another_program_uses_is_read_without_a_trace() {
    let (dir, path) =
        file("PRAGMA journal_mode = WAL; CREATE TABLE memories(id INTEGER PRIMARY KEY, hash TEXT)");
    let program = Connection::open(&path).unwrap();
    let insert = |id: i64| {
        program
            .execute("INSERT INTO memories VALUES (?1, 'h')", [id])
            .unwrap()
    };
    insert(1);
    program
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    insert(2);
    let files = || {
        let mut files: Vec<_> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (std::fs::read(&path).unwrap(), path))
            .collect();
        files.sort();
        files
    };
    let before = files();
    let foreign = ForeignFile::open(&path).unwrap();
    let mut ids = Vec::new();
    foreign
        .rows("memories", &["id"], |row| {
            ids.push(row[0].clone());
            true
        })
        .unwrap();
    // What the log beside it holds belongs to the program that runs.
    assert_eq!(ids, [Value::Integer(1)]);
    drop(foreign);
    assert_eq!(files(), before);
    // A copy of the file alone asks for no log either.
    let copy = tempfile::tempdir().unwrap();
    let alone = copy.path().join("alone.db");
    std::fs::copy(&path, &alone).unwrap();
    ForeignFile::open(&alone).unwrap().tables().unwrap();
    assert_eq!(std::fs::read_dir(copy.path()).unwrap().count(), 1);
}

#[test]
fn the_patience_with_a_file_ends() {
    let (_dir, path) = file(&format!(
        "CREATE TABLE memories(id INTEGER PRIMARY KEY, hash TEXT); {}",
        ROWS.replace("5000", "100000")
    ));
    let read = |patience| {
        let foreign = ForeignFile::open_for(&path, patience).unwrap();
        let mut n_rows = 0;
        let outcome = foreign.rows("memories", &["hash"], |_| {
            n_rows += 1;
            true
        });
        (outcome, n_rows)
    };
    let (outcome, n_rows) = read(std::time::Duration::ZERO);
    assert!(matches!(outcome, Err(Error::Stopped)), "{outcome:?}");
    assert!(n_rows < 100_000);
    let (outcome, n_rows) = read(std::time::Duration::from_secs(3_600));
    assert!(outcome.is_ok() && n_rows == 100_000);
}
