//! A backup covers nothing and is whole, or there is none.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use rusqlite::Connection;
use store::{BackupRow, Error};

use crate::fixture::{AT, World, add, tokenise};

/// A folder with some memories that nobody has open.
fn closed(n: usize) -> tempfile::TempDir {
    let World { dir, store } = World::new();
    let me = store.get_or_create_account("me", AT).unwrap();
    store
        .append::<_, Error>(&me, |view| {
            let core = view.find_scope("user.me.core")?.unwrap();
            for n in 0..n {
                add(view, &core, &format!("heron {n} stands on one leg"))?;
            }
            Ok(())
        })
        .unwrap();
    drop(store);
    dir
}

/// The names in a folder.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_backup_covers_no_file_whether_it_was_there_before_or_came_meanwhile() {
    let dir = closed(200);
    let data = dir.path().join("data");
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("one.db");
    let backup = |progress: &mut dyn FnMut(u64, u64)| store::backup(&data, &target, progress);
    let is_untouched = || {
        assert_eq!(fs::read(&target).unwrap(), b"somebody else's");
        assert_eq!(names(place.path()), ["one.db"]);
    };
    fs::write(&target, b"somebody else's").unwrap();
    // It is told before anything is copied.
    let outcome = backup(&mut |_, _| panic!("nothing is to be copied"));
    assert!(matches!(outcome, Err(Error::Exists)), "{outcome:?}");
    is_untouched();

    fs::remove_file(&target).unwrap();
    let outcome = backup(&mut |_, _| fs::write(&target, b"somebody else's").unwrap());
    assert!(matches!(outcome, Err(Error::Exists)), "{outcome:?}");
    is_untouched();

    #[cfg(unix)]
    {
        // A link that leads nowhere is something as well.
        fs::remove_file(&target).unwrap();
        std::os::unix::fs::symlink("nowhere", &target).unwrap();
        let outcome = backup(&mut |_, _| panic!("nothing is to be copied"));
        assert!(matches!(outcome, Err(Error::Exists)), "{outcome:?}");
        assert_eq!(names(place.path()), ["one.db"]);
    }
    fs::remove_file(&target).unwrap();
    let n_told = Cell::new(0);
    let made = backup(&mut |_, _| n_told.set(n_told.get() + 1)).unwrap();
    assert_eq!(made.memories, 200);
    assert!(n_told.get() > 1, "{n_told:?}");
}

#[test]
fn a_second_backup_to_a_place_is_refused_and_leaves_the_first_one_and_its_note_alone() {
    let dir = closed(200);
    let data = dir.path().join("data");
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("one.db");
    let row = BackupRow {
        path: target.clone(),
        at: AT,
        bytes: 0,
        scheduled: false,
    };
    let n_noted = || {
        let bookkeeping = Connection::open(data.join("bookkeeping.db")).unwrap();
        let noted = bookkeeping.query_row("SELECT count(*) FROM backup", [], |row| row.get(0));
        noted.unwrap_or(0_i64)
    };
    assert!(store::begin_backup(&data, &row).unwrap());
    let mut n_refused = 0;
    let made = store::backup(&data, &target, &mut |_, _| {
        assert!(store::is_under_way(&target));
        let second = store::backup(&data, &target, &mut |_, _| {
            panic!("nothing is to be copied")
        });
        assert!(matches!(second, Err(Error::UnderWay)), "{second:?}");
        store::abandon_backup(&data, &target).unwrap();
        assert_eq!(n_noted(), 1);
        // Another place is free, for the same process at the same time.
        let other = place.path().join("two.db");
        if n_refused == 0 {
            store::backup(&data, &other, &mut |_, _| {}).unwrap();
        }
        n_refused += 1;
    });
    assert_eq!(made.unwrap().memories, 200);
    assert!(n_refused > 1, "{n_refused}");
    assert_eq!(names(place.path()), ["one.db", "two.db"]);
    assert!(!store::is_under_way(&target));
    store::abandon_backup(&data, &target).unwrap();
    assert_eq!(n_noted(), 0);
}

/// Empties the root of an index, which then lacks the rows of its table; pages
/// and references look sound to whoever reads the rows.
fn harm(file: &Path, index: &str) {
    let conn = Connection::open(file).unwrap();
    let root: i64 = conn
        .query_row(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?1",
            [index],
            |row| row.get(0),
        )
        .unwrap();
    let size: i64 = conn
        .pragma_query_value(None, "page_size", |row| row.get(0))
        .unwrap();
    drop(conn);
    let at = usize::try_from((root - 1) * size).unwrap();
    let mut bytes = fs::read(file).unwrap();
    assert_eq!(bytes[at], 0x0a, "a leaf of an index");
    assert_ne!(bytes[at + 3..at + 5], [0, 0], "it is empty");
    bytes[at + 3..at + 5].fill(0);
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_damaged_page_is_found_before_a_backup_is_made_and_before_one_comes_back() {
    let dir = closed(20);
    let data = dir.path().join("data");
    let place = tempfile::tempdir().unwrap();
    let good = place.path().join("good.db");
    store::backup(&data, &good, &mut |_, _| {}).unwrap();
    for index in ["memory_live", "history_memory"] {
        let bad = place.path().join("bad.db");
        fs::copy(&good, &bad).unwrap();
        harm(&bad, index);
        let refused = store::verify_backup(&bad);
        assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
        let target = place.path().join("target");
        let refused = store::restore(&bad, &target, None, &|_| Ok(true), tokenise);
        assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
        assert!(!target.exists());
        // And the same page in the memory itself makes no backup.
        let ill = place.path().join("ill");
        fs::create_dir(&ill).unwrap();
        fs::rename(&bad, ill.join("memory.db")).unwrap();
        let refused = store::backup(&ill, &place.path().join("two.db"), &mut |_, _| {});
        assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
        fs::remove_dir_all(&ill).unwrap();
        assert_eq!(names(place.path()), ["good.db"]);
    }
}
