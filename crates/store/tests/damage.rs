//! Damage that shows only while a store is open: whose it is said to be, and
//! whom it stops.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use store::{BackupRow, Error, Metric, ScopeKind, Severity, Store};

use crate::fixture::{AT, World, add, tokenise};

/// Covers every page of a closed file but the first, which is what is looked
/// at when it is opened.
fn smear(file: &Path) {
    let size: i64 = Connection::open(file)
        .unwrap()
        .pragma_query_value(None, "page_size", |row| row.get(0))
        .unwrap();
    let mut bytes = fs::read(file).unwrap();
    bytes[usize::try_from(size).unwrap()..].fill(0x5a);
    fs::write(file, bytes).unwrap();
}

#[test]
fn damage_of_the_bookkeeping_is_never_said_to_be_of_the_memory() {
    let World { dir, store } = World::new();
    let data = dir.path().join("data");
    let me = store.get_or_create_account("me", AT).unwrap();
    drop(store);
    smear(&data.join("bookkeeping.db"));
    let store = Store::open(&data, tokenise).unwrap();
    let core = store
        .append::<_, Error>(&me, |view| {
            let core = view.find_scope("user.me.core")?.unwrap();
            add(view, &core, "the heron stays")?;
            Ok(core)
        })
        .unwrap();
    let row = BackupRow {
        path: dir.path().join("one.db"),
        at: AT,
        bytes: 7,
        scheduled: true,
    };
    let outcomes = [
        store.find_thread(&me, "thr_a", 0).map(drop),
        store.find_thread_of(&me, "talk", 0).map(drop),
        store
            .mint_thread(&me, "thr_a", core.key, None, AT, 0)
            .map(drop),
        store.touch_thread(&me, "thr_a", core.key, AT),
        store.count(&me, &[(Metric::Recalls, 1)], AT),
        store.counts_since(&me, 0).map(drop),
        store.counts_by_day(&me, 0).map(drop),
        store.backups().map(drop),
        store::known_backups(&data).map(drop),
        store::begin_backup(&data, &row).map(drop),
        store::note_backup(&data, &row),
        store::abandon_backup(&data, &row.path),
        store::forget_backup(&data, &row.path),
    ];
    for (n, outcome) in outcomes.into_iter().enumerate() {
        assert!(
            matches!(outcome, Err(Error::Bookkeeping(_))),
            "{n}: {outcome:?}"
        );
    }
    // The memory is as good as ever.
    let n_found = store.read::<_, Error>(&me, |view| {
        let reach = view.reach_everything()?;
        let corpus = view.corpus(&reach)?;
        let words = ["heron".to_owned()];
        Ok(view.search(&reach, &corpus, &words, &[], 9)?.total)
    });
    assert_eq!(n_found.unwrap(), 1);
}

#[test]
fn a_damaged_index_stops_who_needs_it_and_is_made_anew() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let before = world.add(&me, &core, "the heron stays");
    let file = world.dir.path().join("data/memory.db");
    let other = Connection::open(file).unwrap();
    // What says which segments there are.
    let harm = "UPDATE memory_fts_data SET block = x'ffffffffffffffffff' WHERE id = 10";
    other.execute_batch(harm).unwrap();
    for _ in 0..2 {
        let outcome = world.store.append(&me, |view| add(view, &core, "a boat"));
        assert!(matches!(outcome, Err(Error::Index(_))), "{outcome:?}");
        let outcome = world.store.read(&me, |view| {
            let reach = view.reach_everything()?;
            view.alike(&reach, &["heron".to_owned()], 9, 9)
        });
        assert!(matches!(outcome, Err(Error::Index(_))), "{outcome:?}");
    }
    // Who does not need it goes on.
    world.append(&me, |view| {
        view.create_scope("proj.me.shop", ScopeKind::Project, "shop", AT)
    });
    assert!(world.row(&me, &before).is_some());
    let n: i64 = other
        .query_row("SELECT count(*) FROM memory", [], |row| row.get(0))
        .unwrap();
    assert_eq!(n, 1);
    assert_eq!(world.store.rebuild_index().unwrap(), 1);
    world.add(&me, &core, "a boat");
    assert_eq!(world.search(&me, &["heron"]), ["the heron stays"]);
    assert_eq!(world.search(&me, &["boat"]), ["a boat"]);
}

#[test]
fn what_stands_beside_a_file_and_is_no_file_is_refused_untouched() {
    for end in ["-wal", "-shm", "-journal"] {
        let World { dir, store } = World::new();
        drop(store);
        let data = dir.path().join("data");
        for name in ["memory.db", "bookkeeping.db"] {
            let place = data.join(format!("{name}{end}"));
            fs::create_dir(&place).unwrap();
            let before = fs::read(data.join(name)).unwrap();
            let error = Store::open(&data, tokenise).map(drop).unwrap_err();
            let is_told = match (&error, name) {
                (Error::NotAFile, "memory.db") => true,
                (Error::Bookkeeping(cause), _) => matches!(**cause, Error::NotAFile),
                _ => false,
            };
            assert!(is_told, "{name}{end}: {error:?}");
            // `doctor` says which one it is.
            let checks = store::examine(&data, tokenise, AT);
            let worst = checks.iter().max_by_key(|check| check.severity).unwrap();
            assert_eq!(worst.severity, Severity::Error, "{name}{end}: {checks:?}");
            let named = if name == "memory.db" {
                format!("{name}{end} is a link or a folder or a pipe")
            } else {
                format!("{name} cannot be used")
            };
            assert!(worst.what.starts_with(&named), "{worst:?}");
            assert_eq!(fs::read(data.join(name)).unwrap(), before);
            fs::remove_dir(&place).unwrap();
        }
        // Also where the file itself is not there yet.
        let empty = dir.path().join("empty");
        fs::create_dir_all(empty.join(format!("memory.db{end}"))).unwrap();
        let error = Store::open(&empty, tokenise).map(drop).unwrap_err();
        assert!(matches!(error, Error::NotAFile), "{end}: {error:?}");
        assert!(!empty.join("memory.db").exists());
        assert!(Store::open(&data, tokenise).is_ok());
    }
}
