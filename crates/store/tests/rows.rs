//! Rows: what is stored, what can happen to it, and the record of it.

use store::{Direction, Error, Event, NewRule, Role, ScopeKind, Visibility};

use crate::fixture::{AT, World, add_as};

#[test]
fn a_memory_comes_back_as_it_was_stored() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let text = "Tabs\tand \"quotes\", ünï, 日本, 🙂\nand a second line";
    let id = world.add(&me, &core, text);
    let row = world.row(&me, &id).unwrap();
    assert_eq!((row.content.as_str(), row.kind.as_str()), (text, "fact"));
    assert_eq!(
        (row.owner.as_str(), row.owned, row.role),
        ("me", true, Some(Role::Owner))
    );
    assert_eq!(
        (row.scope_path.as_str(), row.visibility),
        ("user.me.core", Visibility::Private)
    );
    assert_eq!((row.agent.as_deref(), row.created_at), (Some("test"), AT));
    assert!(row.is_live() && row.id.starts_with("mem_") && row.id.len() == 30);
    assert_eq!(
        world
            .row(&me, "mem_00000000000000000000000000")
            .map(|row| row.id),
        None
    );
}

#[test]
fn a_kind_that_is_not_known_stores_nothing() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let outcome = world.store.append(&me, |view| {
        add_as(view, &core, Visibility::Private, "idea", None, "nothing")
    });
    assert!(matches!(outcome, Err(Error::Sqlite(_))), "{outcome:?}");
    assert_eq!(world.search(&me, &["nothing"]), [""; 0]);
}

#[test]
fn the_same_text_is_found_while_it_is_live_and_open() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let same = |text: &str| {
        world
            .read(&me, |view| view.find_same_text(core.key, text.as_bytes()))
            .map(|row| row.id)
    };
    let id = world.add(&me, &core, "a note");
    assert_eq!(same("a note"), Some(id.clone()));
    assert_eq!(same("A note"), None);
    let row = world.row(&me, &id).unwrap();
    world.write(&me, |view| view.retire(&row, None, AT));
    assert_eq!(same("a note"), None);
    let task = world.append(&me, |view| {
        add_as(view, &core, Visibility::Private, "task", None, "a task")
    });
    assert_eq!(same("a task"), Some(task.clone()));
    let row = world.row(&me, &task).unwrap();
    world.append(&me, |view| view.close(&row, None, AT));
    assert_eq!(same("a task"), None);
}

#[test]
fn retiring_superseding_closing_and_restoring_happen_once_and_are_recorded() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let old = world.row(&me, &world.add(&me, &core, "old")).unwrap();
    let new = world.row(&me, &world.add(&me, &core, "new")).unwrap();
    assert!(world.append(&me, |view| view.supersede(&old, new.seq, AT + 1)));
    assert!(!world.append(&me, |view| view.supersede(&old, new.seq, AT + 2)));
    assert!(!world.write(&me, |view| view.retire(&old, None, AT + 2)));
    let row = world.row(&me, &old.id).unwrap();
    assert_eq!(row.superseded_by, Some(new.id.clone()));
    assert_eq!(
        (row.retired_at, row.retired_by.as_deref()),
        (Some(AT + 1), Some("me"))
    );
    assert_eq!(world.search(&me, &["old"]), [""; 0]);

    assert!(world.append(&me, |view| view.restore(&old, AT + 3)));
    assert!(!world.append(&me, |view| view.restore(&old, AT + 4)));
    assert_eq!(world.search(&me, &["old"]), ["old"]);
    assert!(world.write(&me, |view| view.retire(&old, Some("wrong"), AT + 5)));
    let history = world.read(&me, |view| view.history(&[old.seq]));
    let events: Vec<Event> = history.iter().map(|step| step.event).collect();
    assert_eq!(
        events,
        [
            Event::Created,
            Event::Superseded,
            Event::Restored,
            Event::Retired
        ]
    );
    assert_eq!(history[1].other, Some(new.id));
    assert_eq!(
        (history[3].reason.as_deref(), history[3].by.as_str()),
        (Some("wrong"), "me")
    );

    let task = world.append(&me, |view| {
        add_as(view, &core, Visibility::Private, "task", None, "todo")
    });
    let task = world.row(&me, &task).unwrap();
    assert!(world.append(&me, |view| view.close(&task, Some("done"), AT)));
    assert!(!world.append(&me, |view| view.close(&task, None, AT)));
    assert_eq!(
        world.row(&me, &task.id).unwrap().resolution.as_deref(),
        Some("done")
    );
    assert_eq!(world.search(&me, &["todo"]), [""; 0]);
    let closed = world.row(&me, &task.id).unwrap();
    assert!(world.write(&me, |view| view.retire(&closed, None, AT)));
    let retired = world.row(&me, &task.id).unwrap();
    assert!(world.append(&me, |view| view.restore(&retired, AT)));
    assert_eq!(world.search(&me, &["todo"]), ["todo"]);
    assert_eq!(world.row(&me, &task.id).unwrap().closed_at, None);
    let fact = world
        .row(&me, &world.add(&me, &core, "just a fact"))
        .unwrap();
    assert!(!world.append(&me, |view| view.close(&fact, None, AT)));
}

#[test]
fn open_loops_are_listed_oldest_first_and_the_newest_newest_first() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(world.append(&me, |view| {
            let scope = view
                .find_scope(if n % 2 == 0 {
                    "user.me"
                } else {
                    "user.me.core"
                })?
                .unwrap();
            add_as(
                view,
                &scope,
                Visibility::Private,
                "task",
                None,
                &format!("task {n}"),
            )
        }));
    }
    world.add(&me, &core, "no task");
    let closed = world.row(&me, &ids[1]).unwrap();
    world.append(&me, |view| view.close(&closed, None, AT));
    world.read(&me, |view| {
        let reach = view.reach_everything()?;
        let loops: Vec<String> = view
            .open_loops(&reach, 3)?
            .into_iter()
            .map(|stub| stub.content)
            .collect();
        assert_eq!(loops, ["task 0", "task 2", "task 3"]);
        assert_eq!(view.count_open_loops(&reach)?, 4);
        let newest: Vec<String> = view
            .newest(&reach, 3)?
            .into_iter()
            .map(|stub| stub.content)
            .collect();
        assert_eq!(newest, ["no task", "task 4", "task 3"]);
        Ok(())
    });
}

#[test]
fn neighbours_are_told_from_both_ends() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let rows: Vec<_> = ["a", "b", "c"]
        .iter()
        .map(|text| world.row(&me, &world.add(&me, &core, text)).unwrap())
        .collect();
    assert!(world.append(&me, |view| view.add_link(
        rows[0].seq,
        rows[1].seq,
        "derived_from",
        AT
    )));
    assert!(!world.append(&me, |view| view.add_link(
        rows[0].seq,
        rows[1].seq,
        "derived_from",
        AT
    )));
    world.append(&me, |view| view.supersede(&rows[2], rows[1].seq, AT));
    let told = |seq: i64, with_retired: bool| {
        world
            .read(&me, |view| view.neighbours(&[seq], with_retired, 9))
            .into_iter()
            .map(|found| (found.of, found.link, found.direction, found.memory.content))
            .collect::<Vec<_>>()
    };
    let link = "derived_from".to_owned();
    assert_eq!(
        told(rows[0].seq, false),
        [(rows[0].seq, link.clone(), Direction::Out, "b".to_owned())]
    );
    assert_eq!(
        told(rows[1].seq, false),
        [(rows[1].seq, link, Direction::In, "a".to_owned())]
    );
    assert_eq!(told(rows[1].seq, true).len(), 2);
    assert_eq!(told(rows[2].seq, false)[0].2, Direction::In);
}

#[test]
fn a_memory_has_one_pending_challenge_at_most() {
    let world = World::new();
    let me = world.person("me");
    let row = world
        .row(&me, &world.add(&me, &world.core(&me), "doubtful"))
        .unwrap();
    let raise = || world.append(&me, |view| view.challenge(row.seq, "why", None, AT));
    let (id, pending) = raise();
    assert!(!pending);
    assert_eq!(raise(), (id.clone(), true));
    let listed = world.read(&me, |view| view.pending_disputes(&[row.seq]));
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].id, id);
    let conn = rusqlite::Connection::open(world.dir.path().join("data/memory.db")).unwrap();
    let second = conn.execute(
        "INSERT INTO dispute (id, memory, created_at, created_by, reason) SELECT 'dsp_x', memory, 0, created_by, '' FROM dispute",
        [],
    );
    assert!(second.is_err());
}

#[test]
fn entities_are_one_per_name_and_scope_and_most_used_come_first() {
    let world = World::new();
    let me = world.person("me");
    let core = world.core(&me);
    let rows: Vec<_> = ["a", "b"]
        .iter()
        .map(|text| world.row(&me, &world.add(&me, &core, text)).unwrap())
        .collect();
    world.append(&me, |view| {
        let one = view.get_or_add_entity(core.key, "Billing API", "billing api", AT)?;
        let same = view.get_or_add_entity(core.key, "BILLING api", "billing api", AT)?;
        assert_eq!((&one.id, one.name.as_str()), (&same.id, "Billing API"));
        let two = view.get_or_add_entity(core.key, "Postgres", "postgres", AT)?;
        assert!(view.add_anchor(rows[0].seq, two.key, AT)?);
        assert!(!view.add_anchor(rows[0].seq, two.key, AT)?);
        view.add_anchor(rows[1].seq, two.key, AT)?;
        view.add_anchor(rows[1].seq, one.key, AT)?;
        assert!(view.add_edge(one.key, two.key, "depends_on", AT)?);
        assert!(!view.add_edge(one.key, two.key, "depends_on", AT)?);
        Ok(())
    });
    world.write(&me, |view| view.retire(&rows[0], None, AT));
    world.read(&me, |view| {
        let all = view.entities(None, None, 0, 9)?;
        let told: Vec<_> = all
            .iter()
            .map(|one| (one.entity.name.as_str(), one.n_memories))
            .collect();
        assert_eq!(told, [("Billing API", 1), ("Postgres", 1)]);
        assert_eq!(all[0].last_used_at, Some(AT));
        assert_eq!(view.entities(Some(core.key), Some("g a"), 0, 9)?.len(), 1);
        assert_eq!(view.entities(None, Some("%"), 0, 9)?.len(), 0);
        assert_eq!(view.entities(None, None, 1, 9)?.len(), 1);
        assert_eq!(
            view.entities_within(core.key, "uses postgres daily")?.len(),
            1
        );
        assert_eq!(view.entities_of(&[rows[1].seq])?.len(), 2);
        assert_eq!(view.anchors_of(&[rows[1].seq])?.len(), 2);
        let keys: Vec<i64> = all.iter().map(|one| one.entity.key).collect();
        assert_eq!(view.edges_among(&keys)?.len(), 1);
        Ok(())
    });
}

#[test]
fn rules_come_pinned_first_then_oldest_first() {
    let world = World::new();
    let me = world.person("me");
    let (ann, project) = (
        world.person("ann"),
        world.team_project(&me, "api", &world.person("ann"), Role::Reader),
    );
    let core = world.core(&me);
    for (scope, text, pinned) in [
        (&core, "first", false),
        (&project, "second", false),
        (&core, "third", true),
    ] {
        world.append(&me, |view| {
            view.add_rule(&NewRule {
                scope,
                visibility: Visibility::Shared,
                text,
                pinned,
                memory: None,
                at: AT,
            })
        });
    }
    let texts = |who: &store::Caller, scopes: Option<&[store::ScopeKey]>| {
        world
            .read(who, |view| view.rules(scopes))
            .into_iter()
            .map(|rule| rule.text)
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(&me, None), ["third", "first", "second"]);
    assert_eq!(texts(&me, Some(&[project.key])), ["second"]);
    assert_eq!(texts(&ann, None), ["second"]);
    let layers: Vec<String> = world
        .read(&me, |view| view.rules(None))
        .into_iter()
        .map(|rule| rule.layer)
        .collect();
    assert_eq!(layers, ["personal", "personal", "project"]);
}

#[test]
fn a_hint_leads_where_it_was_last_bound() {
    let world = World::new();
    let me = world.person("me");
    let make = |slug: &str| {
        world.append(&me, |view| {
            view.create_scope(&format!("proj.me.{slug}"), ScopeKind::Project, slug, AT)
        })
    };
    let (a, b) = (make("a"), make("b"));
    let bound = || {
        world
            .read(&me, |view| view.bound_scope(store::HintKind::Path, "/x"))
            .map(|scope| scope.path)
    };
    assert_eq!(bound(), None);
    for scope in [&a, &b] {
        world.append(&me, |view| {
            view.bind_hint(store::HintKind::Path, "/x", scope.key, AT)
        });
        assert_eq!(bound(), Some(scope.path.clone()));
    }
    assert!(!world.read(&me, |view| view.has_binding(a.key, store::HintKind::Path)));
    assert!(world.read(&me, |view| view.has_binding(b.key, store::HintKind::Path)));
    world.append(&me, |view| view.name_scope(b.key, "bee"));
    assert_eq!(
        world.read(&me, |view| view.scopes_named("bee"))[0].path,
        "proj.me.b"
    );
}

#[test]
fn old_threads_are_forgotten_and_a_conversation_has_one() {
    let world = World::new();
    let me = world.person("me");
    let scope = world.core(&me).key;
    let mint = |conversation: Option<&str>, now: i64, not_before: i64| {
        world
            .store
            .mint_thread(
                &me,
                &world.store.fresh_thread_token(now),
                scope,
                conversation,
                now,
                not_before,
            )
            .unwrap()
    };
    let first = mint(Some("talk"), 100, 0);
    assert_eq!(mint(Some("talk"), 110, 0).token, first.token);
    assert_ne!(mint(None, 110, 0).token, first.token);
    assert!(
        world
            .store
            .find_thread_of(&me, "talk", 109)
            .unwrap()
            .is_some()
    );
    assert!(
        world
            .store
            .find_thread_of(&me, "talk", 110)
            .unwrap()
            .is_none()
    );
    assert_ne!(mint(Some("talk"), 300, 200).token, first.token);
}
