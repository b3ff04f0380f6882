//! Files of every released version, files that strangers made, an index that
//! differs from its rows, and a log that grows.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use store::{Error, Severity, Store, Visibility};

use crate::fixture::{AT, World, add, add_as, tokenise};

/// What each released version added to the one before, as it shipped.
const RELEASED: [&[&str]; 3] = [
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
];

/// Rows that every version can hold.
const ROWS: &str = "PRAGMA foreign_keys = ON;
    INSERT INTO account (key, id, handle, created_at) VALUES (1, 'usr_a', 'me', 0);
    INSERT INTO scope VALUES (1, 'user.me', 'personal', 1, 'private', 0), (2, 'user.me.core', 'core', 1, 'private', 0);
    INSERT INTO partition VALUES (1, 2, 'private', 1, 40, 120);
    WITH n (n) AS (SELECT value FROM generated)
    INSERT INTO memory (seq, id, partition, scope, owner, visibility, kind, text_key, n_tokens, created_at,
      author_kind, scope_source, content)
      SELECT n, 'mem_' || n, 1, 2, 1, 'private', 'fact', CAST(n AS BLOB), 3, 5, 'agent', 'explicit',
      'heron number w' || n FROM n;
    INSERT INTO memory_fts (rowid, text, ctx)
      SELECT (1 << 40) | (seq << 8) | 16, content, '' FROM memory;
    INSERT INTO history (memory, event, at, by) SELECT seq, 'created', 5, 1 FROM memory;
    INSERT INTO memory_link (src, dst, type, created_at, created_by) VALUES (2, 1, 'relates_to', 5, 1);
    INSERT INTO entity VALUES (1, 'ent_a', 2, 'heron', 'Heron', 5, 1);
    INSERT INTO anchor VALUES (1, 1, 5, 1);
    INSERT INTO rule (id, owner, scope, visibility, layer, pinned, memory, created_at, text)
      VALUES ('rul_a', 1, 2, 'private', 'personal', 0, 1, 5, 'Mind the heron.');
    INSERT INTO dispute (id, memory, created_at, created_by, reason) VALUES ('dsp_a', 1, 5, 1, 'why');";

/// A memory file as a released version left it, with forty memories.
fn released(path: &Path, version: usize) {
    let conn = Connection::open(path).unwrap();
    for sql in RELEASED[..version].iter().copied().flatten() {
        conn.execute_batch(sql).unwrap();
    }
    let numbers: Vec<String> = (1..=40).map(|n: i32| n.to_string()).collect();
    let values = format!("(SELECT value FROM json_each('[{}]'))", numbers.join(","));
    conn.execute_batch(&ROWS.replace("generated", &values))
        .unwrap();
    if version > 1 {
        let side = "INSERT INTO dispute_side (dispute, place, memory) VALUES (1, 0, 1)";
        conn.execute_batch(side).unwrap();
    }
    conn.pragma_update(None, "application_id", 0x7a6d_656d)
        .unwrap();
    conn.pragma_update(None, "user_version", i64::try_from(version).unwrap())
        .unwrap();
}

fn count(path: &Path, table: &str) -> i64 {
    let conn = Connection::open(path).unwrap();
    let sql = format!("SELECT count(*) FROM {table}");
    conn.query_row(&sql, [], |row| row.get(0)).unwrap()
}

/// The worst of what is found by a check.
fn found(dir: &Path, id: &str) -> (Severity, String) {
    let checks = store::examine(dir, tokenise, AT);
    let of_id = checks.iter().filter(|check| check.id == id);
    let worst = of_id.max_by_key(|check| check.severity);
    let worst = worst.unwrap_or_else(|| panic!("no {id} among {checks:?}"));
    assert_eq!(
        worst.remedy.is_some(),
        worst.severity >= Severity::Warning,
        "{worst:?}"
    );
    (worst.severity, worst.what.clone())
}

#[test]
fn o01_a_file_of_every_released_version_opens_with_all_its_rows_and_a_copy_of_before() {
    for version in 1..=RELEASED.len() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        released(&path, version);
        assert_eq!(found(dir.path(), "schema_version").0, Severity::Info);
        let before = fs::read(&path).unwrap();
        for _ in 0..2 {
            let store = Store::open(dir.path(), tokenise).unwrap();
            let me = store.find_account("me").unwrap().unwrap();
            let hits = store
                .read::<_, Error>(&me, |view| {
                    let reach = view.reach_everything()?;
                    let corpus = view.corpus(&reach)?;
                    let words = ["w17".to_owned(), "heron".to_owned()];
                    view.search(&reach, &corpus, &words, &[], 50)
                })
                .unwrap()
                .hits;
            assert_eq!((hits.len(), hits[0].seq), (40, 17), "version {version}");
        }
        for (table, n) in [
            ("memory", 40),
            ("memory_fts", 40),
            ("history", 40),
            ("memory_link", 1),
            ("entity", 1),
            ("anchor", 1),
            ("rule", 1),
            ("dispute", 1),
            ("dispute_side", 1),
            ("erasure", 0),
        ] {
            assert_eq!(count(&path, table), n, "version {version}: {table}");
        }
        assert_eq!(
            found(dir.path(), "index").0,
            Severity::Ok,
            "version {version}"
        );
        assert_eq!(found(dir.path(), "upgrade_copy").0, Severity::Info);
        // The copy is what the program of before can go on with.
        let copy = dir.path().join(format!("memory.db.v{version}.bak"));
        assert_eq!(store::verify_backup(&copy).unwrap().memories, 40);
        assert_eq!(
            store::verify_backup(&copy).unwrap().version,
            i64::try_from(version).unwrap()
        );
        assert_eq!(fs::read(&copy).unwrap().len(), before.len());
        // An old file is a backup as well, and comes back as a new one.
        let target = dir.path().join("target");
        let restored = store::restore(&copy, &target, None, &|_| Ok(true), tokenise).unwrap();
        assert_eq!(restored.memories, 40);
    }
}

#[test]
fn an_upgrade_that_fails_leaves_the_file_as_it_was_and_a_copy_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    released(&path, 2);
    let conn = Connection::open(&path).unwrap();
    // The next step would make it, and cannot.
    conn.execute_batch("CREATE TABLE erasure (x)").unwrap();
    drop(conn);
    let memories = |path: &Path| count(path, "memory");
    let error = Store::open(dir.path(), tokenise).map(drop).unwrap_err();
    assert!(matches!(error, Error::Migration { to: 4, .. }), "{error:?}");
    let conn = Connection::open(&path).unwrap();
    let version: i64 = conn
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!((version, memories(&path)), (2, 40));
    assert_eq!(memories(&dir.path().join("memory.db.v2.bak")), 40);
}

/// What makes an index differ from its rows.
const INDEX_HARM: [&str; 6] = [
    "INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')",
    "DELETE FROM memory_fts WHERE rowid = (SELECT min(id) FROM memory_fts_docsize)",
    "INSERT INTO memory_fts (rowid, text, ctx) VALUES (7, 'orphan', '')",
    "UPDATE memory_fts SET text = 'others', ctx = '' WHERE rowid = (SELECT min(id) FROM memory_fts_docsize)",
    "UPDATE partition SET n_docs = n_docs + 1",
    "UPDATE memory SET n_tokens = n_tokens + 7 WHERE seq = 2",
];

#[test]
fn s17_an_index_that_differs_from_its_rows_is_reported_and_made_anew() {
    for sql in INDEX_HARM {
        let world = World::new();
        let me = world.person("me");
        for text in ["the heron sleeps", "the heron wakes up", "a boat"] {
            world.add(&me, &world.core(&me), text);
        }
        let data = world.dir.path().join("data");
        assert_eq!(found(&data, "index").0, Severity::Ok);
        Connection::open(data.join("memory.db"))
            .unwrap()
            .execute_batch(sql)
            .unwrap();
        assert_eq!(found(&data, "index").0, Severity::Error, "{sql}");
        assert_eq!(world.store.rebuild_index().unwrap(), 3);
        assert_eq!(found(&data, "index").0, Severity::Ok, "{sql}");
        assert_eq!(world.search(&me, &["heron"]).len(), 2, "{sql}");
    }
}

/// What changes words that nobody meets who looks at some rows, or at some
/// words of them; each change makes one entry differ.
const WORD_HARM: [&str; 5] = [
    "UPDATE memory SET content = 'gamma otter delta' WHERE seq = 2",
    "UPDATE memory SET content = replace(content, 'number', 'otter') WHERE seq = 77",
    "UPDATE memory SET content = replace(content, 'n888', 'n889') WHERE seq = 888",
    "UPDATE memory_fts SET text = (SELECT content || ' otter' FROM memory WHERE seq = 500), ctx = '' \
     WHERE rowid = (SELECT id FROM memory_fts_docsize WHERE (id >> 8) & 0xffffffff = 500)",
    "UPDATE memory_fts SET text = (SELECT lower(content) FROM memory WHERE seq = 902), ctx = 'otter' \
     WHERE rowid = (SELECT id FROM memory_fts_docsize WHERE (id >> 8) & 0xffffffff = 902)",
];

#[test]
fn s17_a_word_that_differs_is_found_in_whatever_row_it_stands() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let ids = world.append(&me, |view| {
        for n in 1..=900 {
            add(view, &core, &format!("heron number n{n} stands"))?;
        }
        let turns = [
            "The boat left",
            "Whose was it",
            "Nobody knows",
            "It came back",
        ];
        let mut ids = Vec::new();
        for turn in turns {
            ids.push(add_as(
                view,
                &core,
                Visibility::Private,
                "episode",
                Some("t"),
                turn,
            )?);
        }
        Ok(ids)
    });
    // What stands beside it moves up.
    let gone = world.row(&me, &ids[2]).unwrap();
    world.write(&me, |view| view.retire(&gone, None, AT));
    let data = world.dir.path().join("data");
    let (severity, what) = found(&data, "index");
    assert_eq!(severity, Severity::Ok, "{what}");
    let good = world.dir.path().join("good.db");
    store::backup(&data, &good, &mut |_, _| {}).unwrap();
    for (n, sql) in WORD_HARM.into_iter().enumerate() {
        let place = world.dir.path().join(format!("place{n}"));
        fs::create_dir(&place).unwrap();
        let bad = place.join("memory.db");
        fs::copy(&good, &bad).unwrap();
        Connection::open(&bad).unwrap().execute_batch(sql).unwrap();
        let (severity, what) = found(&place, "index");
        assert_eq!(severity, Severity::Error, "{sql}: {what}");
        assert!(what.contains(" 1 have other words"), "{sql}: {what}");
        let target = world.dir.path().join(format!("target{n}"));
        let restored = store::restore(&bad, &target, None, &|_| Ok(true), tokenise).unwrap();
        assert!(restored.is_index_new, "{sql}");
        assert_eq!(found(&target, "index").0, Severity::Ok, "{sql}");
    }
}

#[test]
fn s17_an_index_in_a_backup_that_differs_from_its_rows_is_made_anew() {
    let world = World::new();
    let me = world.person("me");
    for text in ["the heron sleeps", "the heron wakes up", "a boat"] {
        world.add(&me, &world.core(&me), text);
    }
    let data = world.dir.path().join("data");
    let good = world.dir.path().join("good.db");
    store::backup(&data, &good, &mut |_, _| {}).unwrap();
    for (n, sql) in INDEX_HARM.into_iter().enumerate() {
        let bad = world.dir.path().join("bad.db");
        fs::copy(&good, &bad).unwrap();
        Connection::open(&bad).unwrap().execute_batch(sql).unwrap();
        let target = world.dir.path().join(format!("target{n}"));
        let restored = store::restore(&bad, &target, None, &|_| Ok(true), tokenise).unwrap();
        assert!(restored.is_index_new, "{sql}");
        assert_eq!(found(&target, "index").0, Severity::Ok, "{sql}");
        assert_eq!(count(&target.join("memory.db"), "memory"), 3);
    }
}

#[test]
fn a_restore_that_fails_late_leaves_the_folder_as_it_was() {
    let world = World::new();
    let me = world.person("me");
    world.add(&me, &world.core(&me), "the heron sleeps");
    let data = world.dir.path().join("data");
    let bad = world.dir.path().join("bad.db");
    store::backup(&data, &bad, &mut |_, _| {}).unwrap();
    // Pages and references hold together, and no index mends this.
    Connection::open(&bad)
        .unwrap()
        .execute_batch("UPDATE memory SET visibility = 'shared'")
        .unwrap();
    let target = world.dir.path().join("target");
    let refused = || {
        let error = store::restore(&bad, &target, None, &|_| Ok(true), tokenise).unwrap_err();
        assert!(matches!(error, Error::Unfit(_)), "{error:?}");
    };
    refused();
    assert!(!target.exists());
    fs::create_dir(&target).unwrap();
    fs::write(target.join("token"), "mine").unwrap();
    refused();
    let left: Vec<_> = fs::read_dir(&target).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].file_name(), "token");
}

#[test]
fn a_backup_that_a_stranger_made_is_refused_and_nothing_of_it_stays() {
    let world = World::new();
    let me = world.person("me");
    world.add(&me, &world.core(&me), "the heron sleeps");
    let data = world.dir.path().join("data");
    let good = world.dir.path().join("good.db");
    store::backup(&data, &good, &mut |_, _| {}).unwrap();
    let harm = [
        "CREATE TRIGGER evil AFTER INSERT ON memory BEGIN DELETE FROM memory; END",
        "CREATE VIEW evil AS SELECT content FROM memory",
        "CREATE TABLE evil (x)",
        "CREATE INDEX evil ON memory (content)",
        "DROP INDEX memory_live",
        "ALTER TABLE entity ADD COLUMN evil TEXT",
        "PRAGMA foreign_keys = OFF; UPDATE memory SET owner = 99",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 3",
        "PRAGMA user_version = 999",
        "PRAGMA application_id = 7",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'memory'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'memory'",
    ];
    for sql in harm {
        let bad = world.dir.path().join("bad.db");
        fs::copy(&good, &bad).unwrap();
        let conn = Connection::open(&bad).unwrap();
        conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)
            .unwrap();
        conn.execute_batch(sql).unwrap();
        drop(conn);
        let target = world.dir.path().join("target");
        let error = store::restore(&bad, &target, None, &|_| Ok(true), tokenise).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Unfit(_) | Error::Corrupt(_) | Error::NewerFile { .. } | Error::ForeignFile
            ),
            "{sql}: {error:?}"
        );
        assert!(!target.exists(), "{sql}");
    }
    let target = world.dir.path().join("target");
    assert_eq!(
        store::restore(&good, &target, None, &|_| Ok(true), tokenise)
            .unwrap()
            .memories,
        1
    );
}

#[test]
fn w08_a_log_that_a_reader_holds_up_is_reported() {
    let world = World::new();
    let me = world.person("me");
    let data = world.dir.path().join("data");
    let past = Connection::open(data.join("memory.db")).unwrap();
    past.execute_batch("BEGIN; SELECT count(*) FROM memory")
        .unwrap();
    assert_eq!(found(&data, "log_size").0, Severity::Ok);
    // One word, so that the index has little to do.
    let text = "x".repeat(8 << 20);
    for _ in 0..9 {
        world.add(&me, &world.core(&me), &text);
    }
    let (severity, what) = found(&data, "log_size");
    assert_eq!(severity, Severity::Warning, "{what}");
}

#[test]
fn w22_a_number_of_what_was_erased_is_never_given_out_again() {
    let world = World::new();
    let me = world.person("me");
    let last = world.add(&me, &world.core(&me), "the heron sleeps");
    let seq = world.row(&me, &last).unwrap().seq;
    world.write(&me, |view| view.erase_memories(&[seq], AT));
    let next = world.add(&me, &world.core(&me), "a boat");
    assert!(world.row(&me, &next).unwrap().seq > seq);
    assert!(world.row(&me, &last).is_none());
    assert_eq!(world.search(&me, &["heron"]), [""; 0]);
}

#[test]
fn a_file_that_was_in_use_and_is_empty_now_is_not_covered_by_a_new_one() {
    let world = World::new();
    let me = world.person("me");
    world.add(&me, &world.core(&me), "the heron sleeps");
    let dir = tempfile::tempdir().unwrap();
    for name in ["memory.db", "bookkeeping.db"] {
        fs::copy(
            world.dir.path().join("data").join(name),
            dir.path().join(name),
        )
        .unwrap();
    }
    fs::write(dir.path().join("memory.db"), b"").unwrap();
    let error = Store::open(dir.path(), tokenise).map(drop).unwrap_err();
    assert!(matches!(error, Error::Emptied), "{error:?}");
    assert_eq!(fs::metadata(dir.path().join("memory.db")).unwrap().len(), 0);
    assert_eq!(found(dir.path(), "memory_file").0, Severity::Error);
    // The way out that doctor names.
    fs::remove_file(dir.path().join("memory.db")).unwrap();
    assert_eq!(found(dir.path(), "memory_file").0, Severity::Error);
    assert!(Store::open(dir.path(), tokenise).is_ok());
}
