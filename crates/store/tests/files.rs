//! Files that are not ours, not readable, or not for others to read.

use std::fs;
use std::path::Path;

use store::{Error, Store};

use crate::fixture::{World, tokenise};

/// Opens a folder whose memory file holds `bytes`; the file must be refused
/// and stay as it is.
fn refused(bytes: &[u8]) -> Error {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    fs::write(&path, bytes).unwrap();
    let error = Store::open(dir.path(), tokenise).map(|_| ()).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), bytes);
    error
}

/// The bytes of a memory file, after `change`.
fn file_with(change: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    drop(Store::open(dir.path(), tokenise).unwrap());
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(change).unwrap();
    drop(conn);
    fs::read(&path).unwrap()
}

#[test]
fn a_file_of_a_newer_version_is_refused_untouched() {
    let error = refused(&file_with("PRAGMA user_version = 999"));
    assert!(
        matches!(error, Error::NewerFile { found: 999, .. }),
        "{error:?}"
    );
}

#[test]
fn a_file_that_is_no_database_is_refused_untouched() {
    let error = refused(b"Dear diary, today I learned about file formats.");
    assert!(matches!(error, Error::ForeignFile), "{error:?}");
}

#[test]
fn a_database_of_another_program_is_refused_untouched() {
    let error = refused(&file_with("PRAGMA application_id = 1"));
    assert!(matches!(error, Error::ForeignFile), "{error:?}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.db");
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE t (x)")
        .unwrap();
    let error = refused(&fs::read(&path).unwrap());
    assert!(matches!(error, Error::ForeignFile), "{error:?}");
}

#[test]
fn a_damaged_file_is_refused_untouched() {
    let mut bytes = file_with("");
    bytes.truncate(4096 + 17);
    bytes[200..4096].fill(0xa5);
    let error = refused(&bytes);
    assert!(matches!(error, Error::Corrupt(_)), "{error:?}");
}

#[test]
fn no_message_names_a_path_or_sql() {
    let dir = tempfile::tempdir().unwrap();
    let errors = [
        refused(b"no database"),
        refused(&file_with("PRAGMA user_version = 999")),
        Store::open(&dir.path().join("file").join("data"), tokenise)
            .map(|_| ())
            .err()
            .unwrap_or(Error::Busy),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(
            !text.contains('/') && !text.contains("PRAGMA") && !text.contains("SELECT"),
            "{text}"
        );
    }
}

#[test]
fn an_empty_file_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("memory.db"), b"").unwrap();
    assert!(Store::open(dir.path(), tokenise).is_ok());
}

#[test]
fn a_store_is_found_again_with_all_that_was_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), tokenise).unwrap();
    let me = store.get_or_create_account("me", 1).unwrap();
    drop(store);
    let store = Store::open(dir.path(), tokenise).unwrap();
    assert_eq!(store.find_account("me").unwrap(), Some(me));
    assert_eq!(store.find_account("you").unwrap(), None);
}

#[test]
fn many_that_make_one_store_at_once_all_succeed() {
    let dir = tempfile::tempdir().unwrap();
    let ids: std::collections::BTreeSet<String> = std::thread::scope(|threads| {
        let running: Vec<_> = (0..8)
            .map(|_| {
                threads.spawn(|| {
                    let store = Store::open(dir.path(), tokenise).unwrap();
                    store
                        .get_or_create_account("me", 1)
                        .unwrap()
                        .id()
                        .to_owned()
                })
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(ids.len(), 1);
}

#[cfg(unix)]
#[test]
fn the_folder_and_its_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let world = World::new();
    let me = world.person("me");
    world.add(&me, &world.core(&me), "a note");
    let data = world.dir.path().join("data");
    assert_eq!(mode(&data), 0o700);
    let mut names = Vec::new();
    for entry in fs::read_dir(&data).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name().into_string().unwrap());
    }
    for name in ["memory.db", "memory.db-wal", "bookkeeping.db"] {
        assert!(names.iter().any(|found| found == name), "{name}");
    }
}

#[test]
fn processes_that_start_together_agree_on_one_owner() {
    let dir = tempfile::tempdir().unwrap();
    let owners: std::collections::BTreeSet<String> = std::thread::scope(|threads| {
        let running: Vec<_> = (0..8)
            .map(|n| {
                let dir = dir.path();
                threads.spawn(move || {
                    let store = Store::open(dir, tokenise).unwrap();
                    let owner = store.get_or_create_owner(&format!("me{n}"), 1).unwrap();
                    owner.handle().to_owned()
                })
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(owners.len(), 1, "{owners:?}");
}
