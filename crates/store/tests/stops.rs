//! A call that has to stop does so in the middle of its work. Counted, because
//! a time proves nothing on a busy machine.

use store::{Error, Stop};

use crate::fixture::{World, add};

/// Memories that hold every word of the query.
const N_ROWS: usize = 2_000;

/// Words of the query.
const N_WORDS: usize = 64;

/// Searches for the words; returns how it ended.
fn search(world: &World, words: &[String], stop: &Stop) -> Result<usize, Error> {
    let me = world.person("me");
    world.store.read_until(stop, &me, |view| {
        let reach = view.reach_everything()?;
        let corpus = view.corpus(&reach)?;
        Ok(view.search(&reach, &corpus, words, &[], 10)?.total)
    })
}

fn filled() -> (World, Vec<String>) {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let words: Vec<String> = (0..N_WORDS).map(|word| format!("common{word}")).collect();
    world.append(&me, |view| {
        for row in 0..N_ROWS {
            add(view, &core, &format!("{row} {}", words.join(" ")))?;
        }
        Ok(())
    });
    (world, words)
}

#[test]
fn a_search_stops_between_words_and_in_the_middle_of_one() {
    let (world, words) = filled();
    let whole = Stop::default();
    assert_eq!(search(&world, &words, &whole).unwrap(), N_ROWS);
    // Two statements a word, and looks inside of them.
    assert!(whole.looks() > 3 * N_WORDS as u64, "{}", whole.looks());
    for most in [0, 1, 2, 5, 20, whole.looks() / 2, whole.looks() - 1] {
        let stop = Stop::after_looks(most);
        let outcome = search(&world, &words, &stop);
        assert!(matches!(outcome, Err(Error::Stopped)), "{outcome:?}");
        // It asks no more once it was told, but for the end of its statement.
        assert!(stop.looks() <= most + 2, "{} of {most}", stop.looks());
        // The connection is as good as new.
        assert_eq!(search(&world, &words, &Stop::default()).unwrap(), N_ROWS);
    }
}

#[test]
fn one_long_statement_is_interrupted() {
    let (world, words) = filled();
    let one = &words[..1];
    let whole = Stop::default();
    assert_eq!(search(&world, one, &whole).unwrap(), N_ROWS);
    let stop = Stop::after_looks(whole.looks() - 1);
    assert!(matches!(search(&world, one, &stop), Err(Error::Stopped)));
}

#[test]
fn who_asks_first_decides_and_a_parent_stops_all() {
    let (world, words) = filled();
    let all = Stop::default();
    let one = all.child(None);
    let late = all.child(Some(std::time::Instant::now()));
    assert_eq!(late.why(), Some(store::Why::Late));
    assert!(matches!(search(&world, &words, &late), Err(Error::Stopped)));
    assert_eq!(one.why(), None);
    assert_eq!(search(&world, &words, &one).unwrap(), N_ROWS);
    all.ask();
    assert_eq!(one.why(), Some(store::Why::Asked));
    assert!(matches!(search(&world, &words, &one), Err(Error::Stopped)));
}

#[test]
fn a_write_that_stops_leaves_nothing_and_its_batch_alone() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let whole = Stop::default();
    let write = |stop: &Stop, text: &str| {
        world.store.append_until(stop, &me, |view| {
            add(view, &core, &format!("{text} one"))?;
            add(view, &core, &format!("{text} two"))
        })
    };
    write(&whole, "whole").unwrap();
    for most in 0..whole.looks() {
        let outcome = write(&Stop::after_looks(most), "half");
        assert!(matches!(outcome, Err(Error::Stopped)), "{outcome:?}");
    }
    assert_eq!(world.search(&me, &["half"]).len(), 0);
    assert_eq!(world.search(&me, &["whole"]).len(), 2);
    // A call that is stopped in line does not keep the others waiting.
    std::thread::scope(|threads| {
        for number in 0..32 {
            let (world, me, core) = (&world, &me, &core);
            threads.spawn(move || {
                let stop = Stop::default();
                if number % 2 == 0 {
                    stop.ask();
                }
                let outcome = world
                    .store
                    .append_until(&stop, me, |view| add(view, core, &format!("line {number}")));
                assert_eq!(outcome.is_ok(), number % 2 == 1);
            });
        }
    });
    assert_eq!(world.search(&me, &["line"]).len(), 16);
}
