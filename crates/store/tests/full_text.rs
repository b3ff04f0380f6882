//! Full text: what is found, in which order, and what has no influence on it.

use store::{Role, ScopeKind, Visibility};

use crate::fixture::{AT, World, add, add_as};

#[test]
fn any_word_can_be_asked_for() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let words = [
        "multi-agent",
        "a/b",
        "gb/s",
        "don't",
        "20.04",
        "svc:7",
        "(x",
        "near(",
        "or",
        "-x",
        "^x",
        "\"",
        "*",
        "c++",
        "node.js",
        "--no-verify",
        "{",
        "}",
        "text",
        "日本",
        "ünï",
        "🙂",
        "%",
        "_",
        "[1]",
        "\\",
        "'",
        ";",
        "~",
        "$x",
    ];
    for word in words {
        world.add(&me, &core, word);
    }
    for word in words {
        assert_eq!(world.search(&me, &[word]), [word], "{word}");
    }
    assert_eq!(world.search(&me, &["", " ", "\t"]), [""; 0]);
}

#[test]
fn words_are_found_in_their_other_forms() {
    let world = World::new();
    let me = world.person("me");
    world.add(&me, &world.core(&me), "retries failed payments");
    assert_eq!(world.search(&me, &["retry"]).len(), 1);
    assert_eq!(world.search(&me, &["payment"]).len(), 1);
}

#[test]
fn rare_words_and_short_texts_come_first_and_equals_newest_first() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    for text in [
        "common",
        "common rare",
        "common and some more words beside it",
        "common",
    ] {
        world.add(&me, &core, text);
    }
    let found = world.search(&me, &["common", "rare"]);
    assert_eq!(
        found,
        [
            "common rare",
            "common",
            "common",
            "common and some more words beside it"
        ]
    );
    let seqs = world.read(&me, |view| {
        let reach = view.reach_everything()?;
        let corpus = view.corpus(&reach)?;
        view.search(&reach, &corpus, &["common".to_owned()], &[], 2)
    });
    assert_eq!((seqs.hits[0].seq, seqs.hits[1].seq, seqs.total), (4, 1, 4));
}

#[test]
fn what_others_store_has_no_influence_on_the_score() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    let core = world.core(&ann);
    world.add(&ann, &core, "alpha beta");
    world.add(&ann, &core, "alpha gamma delta");
    let scores = || {
        world.read(&ann, |view| {
            let reach = view.reach_everything()?;
            let corpus = view.corpus(&reach)?;
            let found = view.search(
                &reach,
                &corpus,
                &["alpha".to_owned(), "beta".to_owned()],
                &[],
                9,
            )?;
            Ok(found.hits)
        })
    };
    let before = scores();
    assert_eq!(before.len(), 2);
    let theirs = world.core(&bob);
    for n in 0..50 {
        world.add(&bob, &theirs, &format!("alpha beta {n}"));
    }
    assert_eq!(scores(), before);
}

#[test]
fn a_search_reads_only_the_partitions_it_is_given() {
    let world = World::new();
    let me = world.person("me");
    let mut scopes = Vec::new();
    for slug in ["a", "b", "c"] {
        let scope = world.append(&me, |view| {
            view.create_scope(&format!("proj.me.{slug}"), ScopeKind::Project, slug, AT)
        });
        world.add(&me, &scope, &format!("word in {slug}"));
        scopes.push(scope);
    }
    let found = |keys: &[usize]| {
        world.read(&me, |view| {
            let keys: Vec<_> = keys.iter().map(|&index| scopes[index].key).collect();
            let reach = view.reach(&keys)?;
            let corpus = view.corpus(&reach)?;
            let mut seqs: Vec<i64> = view
                .search(&reach, &corpus, &["word".to_owned()], &[], 9)?
                .hits
                .iter()
                .map(|hit| hit.seq)
                .collect();
            seqs.sort_unstable();
            assert_eq!(corpus.n_docs, i64::try_from(keys.len()).unwrap());
            Ok(seqs)
        })
    };
    assert_eq!(found(&[0, 2]), [1, 3]);
    assert_eq!(found(&[1]), [2]);
    assert_eq!(found(&[0, 1, 2]), [1, 2, 3]);
    assert_eq!(found(&[]), [0; 0]);
}

#[test]
fn later_memories_do_not_change_a_search_that_began_before() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    for n in 0..10 {
        world.add(&me, &core, &format!("word {}", "pad ".repeat(n)));
    }
    let search = |corpus: &store::Corpus| {
        world.read(&me, |view| {
            let reach = view.reach_everything()?;
            view.search(
                &reach,
                corpus,
                &["word".to_owned(), "pad".to_owned()],
                &[],
                99,
            )
        })
    };
    let corpus = world.read(&me, |view| view.corpus(&view.reach_everything()?));
    let before = search(&corpus).hits;
    for _ in 0..30 {
        world.add(&me, &core, "word");
    }
    assert_eq!(search(&corpus).hits, before);
}

#[test]
fn episodes_of_a_thread_are_found_with_each_other_and_weigh_less() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let said = |thread: &str, text: &str| {
        world.append(&me, |view| {
            add_as(
                view,
                &core,
                Visibility::Private,
                "episode",
                Some(thread),
                text,
            )
        })
    };
    let question = said("thr_1", "which port");
    said("thr_1", "eighty");
    said("thr_1", "thanks");
    said("thr_2", "elsewhere");
    world.append(&me, |view| {
        add_as(
            view,
            &core,
            Visibility::Private,
            "fact",
            Some("thr_1"),
            "a fact",
        )
    });
    assert_eq!(world.search(&me, &["port"]), ["which port", "eighty"]);
    assert_eq!(world.search(&me, &["eighty"])[0], "eighty");
    assert_eq!(world.search(&me, &["eighty"]).len(), 3);
    let row = world.row(&me, &question).unwrap();
    assert!(world.write(&me, |view| view.retire(&row, None, AT)));
    assert_eq!(world.search(&me, &["port"]), [""; 0]);
    assert!(world.append(&me, |view| view.restore(&row, AT)));
    assert_eq!(world.search(&me, &["port"]), ["which port", "eighty"]);
}

#[test]
fn kinds_are_filtered_before_the_best_are_taken() {
    let world = World::new();
    let (me, you) = (world.person("me"), world.person("you"));
    let scope = world.team_project(&me, "api", &you, Role::Reader);
    for n in 0..40 {
        let kind = if n % 10 == 0 { "gotcha" } else { "fact" };
        world.append(&me, |view| {
            add_as(
                view,
                &scope,
                Visibility::Shared,
                kind,
                None,
                &format!("word {n}"),
            )
        });
    }
    let found = world.read(&you, |view| {
        let reach = view.reach_everything()?;
        let corpus = view.corpus(&reach)?;
        view.search(
            &reach,
            &corpus,
            &["word".to_owned()],
            &["gotcha", "task"],
            3,
        )
    });
    assert_eq!((found.hits.len(), found.total), (3, 4));
    assert!(found.hits.iter().all(|hit| (hit.seq - 1) % 10 == 0));
}

#[test]
fn like_texts_are_found_by_their_rare_words_or_by_all_of_them() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    world.add(&me, &core, "the zebra drinks");
    for n in 0..30 {
        world.add(&me, &core, &format!("the number {n}"));
    }
    let alike = |words: &[&str]| {
        world.read(&me, |view| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            view.alike(&view.reach(&[core.key])?, &words, 5, 3)
        })
    };
    assert_eq!(alike(&["the", "zebra", "eats"]), [1]);
    assert_eq!(alike(&["the", "number"]).len(), 3);
    assert_eq!(alike(&["nothing", "like", "it"]), [0; 0]);
}

#[test]
fn like_texts_are_found_by_the_rarest_words_wherever_they_stand() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let words = [
        "one", "two", "three", "four", "five", "six", "seven", "rare",
    ];
    for word in words.iter().take(7) {
        for n in 0..4 {
            world.add(&me, &core, &format!("{word} {word}{n}"));
        }
    }
    world.add(&me, &core, "rare and alone");
    let alike = || {
        world.read(&me, |view| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            view.alike(&view.reach(&[core.key])?, &words, 9, 1)
        })
    };
    // Nothing is known of the words the first time, and all the second.
    assert_eq!(alike(), [29]);
    assert_eq!(alike(), [29]);
    // The word is rare no longer, which nobody knows before it is asked for.
    for n in 0..9 {
        world.add(&me, &core, &format!("rare rare{n}"));
    }
    world.add(&me, &core, "seven and six and five");
    assert_eq!(alike(), [39]);
    assert_eq!(alike(), [39]);
}

#[test]
fn like_texts_are_found_whatever_rarer_words_were_added() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let said = "herons fish at dusk where reeds hide their long quiet steps";
    for n in 0..3 {
        world.add(&me, &core, &format!("{said} v{n}"));
    }
    let names: Vec<String> = (0..9).map(|n| format!("name{n}")).collect();
    for name in &names {
        world.add(&me, &core, &format!("{name} alone"));
    }
    for n_names in 0..=names.len() {
        let words = names.iter().take(n_names).map(String::as_str);
        let words: Vec<String> = words.chain(said.split(' ')).map(str::to_owned).collect();
        let found = world.read(&me, |view| {
            view.alike(&view.reach(&[core.key])?, &words, 300, 20)
        });
        assert!([1, 2, 3].iter().all(|seq| found.contains(seq)), "{found:?}");
    }
}

#[test]
fn a_text_of_many_words_is_found_by_its_last_one() {
    let world = World::new();
    let me = world.person("me");
    let text = format!("{} needle", "hay ".repeat(12_000));
    world.append(&me, |view| {
        let core = view.find_scope("user.me.core")?.unwrap();
        add(view, &core, &text)
    });
    assert_eq!(world.search(&me, &["needle"]).len(), 1);
}
