//! Erasing an account: not a byte of its texts is left, and nobody else loses
//! anything.

use std::fs;

use store::{Caller, Erased, Error, Role, Store, Visibility};

use crate::fixture::{AT, World, add_as, tokenise};

/// A word that stands in every text of the erased account; no program and no
/// other text holds it.
const MARK: &str = "qzxjkvwpsecret";

/// Names of the files that hold a text, in any case.
fn files_with(world: &World, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(world.dir.path().join("data")).unwrap() {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap().to_ascii_lowercase();
        if bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
        {
            found.push(entry.file_name().into_string().unwrap());
        }
    }
    found
}

fn erase(store: &Store, caller: &Caller) -> Erased {
    store
        .write::<_, Error>(caller, |view| view.erase_account(AT))
        .unwrap()
}

/// Texts of all lengths, from one page's tenth to many pages.
fn fill(world: &World, who: &Caller, word: &str, n: usize) {
    let core = world.core(who);
    for batch in 0..n / 10 {
        world.append(who, |view| {
            for index in 0..10 {
                let n_words = (batch * 10 + index) * 7 % 900;
                let text = format!(
                    "{word} {batch} {index} {}",
                    format!("{word}{index} ").repeat(n_words)
                );
                add_as(view, &core, Visibility::Private, "fact", None, &text)?;
            }
            Ok(())
        });
    }
}

#[test]
fn not_a_byte_of_an_erased_text_is_left() {
    let world = World::new();
    let (me, bob) = (world.person("me"), world.person("bob"));
    let shared = world.team_project(&bob, "api", &me, Role::Writer);
    fill(&world, &bob, "bobsword", 60);
    fill(&world, &me, MARK, 120);
    fill(&world, &bob, "bobsword", 60);
    world.append(&me, |view| {
        let text = format!("{MARK} shared");
        for _ in 0..3 {
            add_as(
                view,
                &shared,
                Visibility::Shared,
                "episode",
                Some("t"),
                &text,
            )?;
        }
        let entity = view.get_or_add_entity(shared.key, MARK, MARK, AT)?;
        let id = add_as(view, &shared, Visibility::Shared, "task", None, &text)?;
        let row = view.find_memory(&id)?.unwrap();
        view.add_anchor(row.seq, entity.key, AT)?;
        view.close(&row, Some(&text), AT)?;
        view.challenge(row.seq, &text, Some(&text), AT)?;
        Ok(())
    });
    // What stands beside hers in a thread is found by her words until then.
    world.append(&bob, |view| {
        add_as(
            view,
            &shared,
            Visibility::Shared,
            "episode",
            Some("t"),
            "bobsword beside",
        )
    });
    assert!(!world.search(&bob, &[MARK]).is_empty());
    world
        .store
        .count(&me, &[(store::Metric::Recalls, 7)], AT)
        .unwrap();
    assert!(!files_with(&world, MARK).is_empty());

    let erased = erase(&world.store, &me);
    assert_eq!(erased.memories, 124);
    assert_eq!((erased.entities, erased.disputes, erased.scopes), (1, 1, 0));
    assert_eq!(files_with(&world, MARK), [""; 0]);
    assert_eq!(world.search(&bob, &[MARK]), [""; 0]);
    assert_eq!(world.search(&bob, &["bobsword"]).len(), 121);
    assert_eq!(world.store.counts_since(&me, 0).unwrap(), []);
    let conn = rusqlite::Connection::open(world.dir.path().join("data/memory.db")).unwrap();
    let sound: String = conn
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
    let broken: i64 = conn
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(broken, 0);
}

#[test]
fn another_process_that_keeps_the_folder_open_holds_nothing_back() {
    let world = World::new();
    let me = world.person("me");
    let other = Store::open(&world.dir.path().join("data"), tokenise).unwrap();
    fill(&world, &me, MARK, 30);
    other
        .read::<_, Error>(&me, |view| view.scopes().map(drop))
        .unwrap();
    other
        .append::<_, Error>(&me, |view| {
            let core = view.find_scope("user.me.core")?.unwrap();
            add_as(view, &core, Visibility::Private, "fact", None, MARK).map(drop)
        })
        .unwrap();
    assert_eq!(erase(&world.store, &me).memories, 31);
    assert_eq!(files_with(&world, MARK), [""; 0]);
    // The owner goes on, in either process.
    world.add(&me, &world.core(&me), "fresh");
    let again = other
        .read::<_, Error>(&me, |view| view.export(None, 0, i64::MAX, 10))
        .unwrap();
    assert_eq!(again.len(), 1);
}

#[test]
fn a_reader_that_looks_at_the_past_is_reported_and_a_second_call_mends_it() {
    let world = World::new();
    let me = world.person("me");
    fill(&world, &me, MARK, 30);
    let past = rusqlite::Connection::open(world.dir.path().join("data/memory.db")).unwrap();
    past.execute_batch("BEGIN; SELECT count(*) FROM memory")
        .unwrap();
    let outcome = world
        .store
        .write::<_, Error>(&me, |view| view.erase_account(AT));
    assert!(matches!(outcome, Err(Error::Busy)), "{outcome:?}");
    drop(past);
    assert_eq!(erase(&world.store, &me).memories, 0);
    assert_eq!(files_with(&world, MARK), [""; 0]);
}

#[test]
fn whoever_was_erased_comes_back_by_no_way() {
    let world = World::new();
    world.person("me");
    let bob = world.person("bob");
    let other = Store::open(&world.dir.path().join("data"), tokenise).unwrap();
    erase(&world.store, &bob);
    // A process that looked him up before knows him still.
    for store in [&world.store, &other] {
        let read = store.read::<_, Error>(&bob, |view| view.scopes());
        assert!(matches!(read, Err(Error::Erased)), "{read:?}");
        let append = store.append::<_, Error>(&bob, |view| {
            view.bind_hint(store::HintKind::Git, "x", view.scopes()?[0].key, AT)
        });
        assert!(matches!(append, Err(Error::Erased)), "{append:?}");
        let write = store.write::<_, Error>(&bob, |view| view.erase_account(AT));
        assert!(matches!(write, Err(Error::Erased)), "{write:?}");
        assert_eq!(store.find_account("bob").unwrap(), None);
        let made = store.get_or_create_account("bob", AT);
        assert!(matches!(made, Err(Error::Erased)), "{made:?}");
    }
}

#[test]
fn what_others_keep_stays_and_says_who_did_what() {
    let world = World::new();
    let (me, bob) = (world.person("me"), world.person("bob"));
    let shared = world.team_project(&me, "api", &bob, Role::Writer);
    let (old, other) = (
        world.add(&me, &shared, "old"),
        world.add(&me, &shared, "other"),
    );
    world.write(&bob, |view| {
        let new = add_as(view, &shared, Visibility::Shared, "fact", None, MARK)?;
        let new = view.find_memory(&new)?.unwrap();
        let row = view.find_memory(&old)?.unwrap();
        assert!(view.supersede(&row, new.seq, AT)?);
        let row = view.find_memory(&other)?.unwrap();
        view.add_link(new.seq, row.seq, "relates_to", AT)?;
        let entity = view.get_or_add_entity(shared.key, "gateway", "gateway", AT)?;
        view.add_anchor(new.seq, entity.key, AT)
    });
    world.append(&me, |view| {
        let entity = view.get_or_add_entity(shared.key, "gateway", "gateway", AT)?;
        let row = view.find_memory(&other)?.unwrap();
        view.add_anchor(row.seq, entity.key, AT)
    });
    assert_eq!(
        world.read(&me, |view| view.scopes_others_use()),
        ["proj.me.api"]
    );
    let erased = erase(&world.store, &bob);
    assert_eq!((erased.memories, erased.links, erased.entities), (1, 2, 0));
    assert_eq!(world.read(&me, |view| view.scopes_others_use()), [""; 0]);
    let row = world.row(&me, &old).unwrap();
    assert_eq!(
        (row.retired_by.as_deref(), row.superseded_by),
        (Some("bob"), None)
    );
    let steps = world.read(&me, |view| view.history(&[row.seq]));
    assert_eq!(steps.last().unwrap().by, "bob");
    let names = world.read(&me, |view| view.entities(None, None, 0, 10));
    assert_eq!(names[0].entity.name, "gateway");
    assert!(world.row(&me, &other).unwrap().is_live());
}
