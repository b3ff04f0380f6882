//! Who may read what: nobody sees another person's private rows, in any query.

use store::{Cause, Error, HintKind, NewDispute, NewRule, Role, ScopeKind, Visibility};

use crate::fixture::{AT, World, add, add_as};

#[test]
fn private_rows_are_hidden_from_everyone_else_in_every_query() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    let scope = world.team_project(&ann, "api", &bob, Role::Admin);
    let secret = "hush";
    let id = world.append(&ann, |view| {
        let id = add_as(
            view,
            &scope,
            Visibility::Private,
            "task",
            Some("thr_1"),
            secret,
        )?;
        let shared = add_as(
            view,
            &scope,
            Visibility::Shared,
            "fact",
            Some("thr_1"),
            "open words",
        )?;
        let (row, other) = (
            view.find_memory(&id)?.unwrap(),
            view.find_memory(&shared)?.unwrap(),
        );
        view.add_link(other.seq, row.seq, "relates_to", AT)?;
        let hidden = view.get_or_add_entity(scope.key, "hush thing", "hush thing", AT)?;
        let known = view.get_or_add_entity(scope.key, "open thing", "open thing", AT)?;
        view.add_anchor(row.seq, hidden.key, AT)?;
        view.add_anchor(row.seq, known.key, AT)?;
        view.add_anchor(other.seq, known.key, AT)?;
        view.raise(&NewDispute {
            cause: Cause::Contradiction,
            sides: &[other.seq, row.seq],
            reason: "hush why",
            evidence: None,
            at: AT,
        })?;
        view.challenge(row.seq, "hush doubt", None, AT)?;
        view.add_rule(&NewRule {
            scope: &scope,
            visibility: Visibility::Private,
            text: "hush rule",
            pinned: true,
            memory: Some(row.seq),
            at: AT,
        })?;
        Ok(id)
    });
    let hidden_seq = world.row(&ann, &id).unwrap().seq;
    let shown = |who: &store::Caller| {
        world.read(who, |view| {
            let reach = view.reach_everything()?;
            let in_scope = view.reach(&[scope.key])?;
            let corpus = view.corpus(&reach)?;
            let words = ["hush".to_owned()];
            let all: Vec<i64> = (1..=10).collect();
            let mut text = String::new();
            for reach in [&reach, &in_scope] {
                let found = view.search(reach, &corpus, &words, &[], 100)?;
                let alike = view.alike(reach, &words, 100, 100)?;
                text += &format!("{:?} {alike:?}", found.hits);
                text += &format!("{:?}", view.newest(reach, 100)?);
                text += &format!(
                    "{:?} {}",
                    view.open_loops(reach, 100)?,
                    view.count_open_loops(reach)?
                );
            }
            text += &format!("{:?}", view.find_memory(&id)?);
            text += &format!("{:?}", view.find_same_text(scope.key, secret.as_bytes())?);
            text += &format!(
                "{:?} {:?}",
                view.summaries(&all, i64::MAX)?,
                view.contents(&all)?
            );
            text += &format!(
                "{:?} {:?}",
                view.stubs(&all)?,
                view.neighbours(&all, true, 100)?
            );
            text += &format!(
                "{:?} {:?}",
                view.entities(None, None, 0, 100)?,
                view.entities_of(&all)?
            );
            text += &format!("{:?}", view.entities_within(scope.key, "hush thing")?);
            text += &format!(
                "{:?} {:?}",
                view.anchors_of(&all)?,
                view.pending_disputes(&all)?
            );
            let disputes = view.disputes(None, None, i64::MAX, 100)?;
            let keys: Vec<i64> = disputes.iter().map(|dispute| dispute.key).collect();
            text += &format!("{disputes:?} {:?}", view.dispute_sides(&keys, 100)?);
            text += &format!("{:?}", view.dispute_sides(&[1, 2], 100)?);
            text += &format!(
                "{:?} {:?}",
                view.rules(None)?,
                view.find_memory(&id)?.map(|row| view.history(&[row.seq]))
            );
            Ok(text)
        })
    };
    let own = shown(&ann);
    assert!(own.contains("hush rule") && own.contains("hush thing") && own.contains(&id));
    assert!(own.contains("hush why") && own.contains("hush doubt"));
    let theirs = shown(&bob);
    assert!(
        theirs.contains("open words") && theirs.contains("open thing"),
        "{theirs}"
    );
    assert!(
        !theirs.contains("hush") && !theirs.contains(&id),
        "{theirs}"
    );
    assert!(!theirs.contains(&format!("seq: {hidden_seq},")), "{theirs}");
    let nobody = shown(&world.person("eve"));
    assert!(
        !nobody.contains("open") && !nobody.contains("hush"),
        "{nobody}"
    );
}

#[test]
fn words_of_a_private_memory_do_not_lead_others_to_a_shared_one_beside_it() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    let scope = world.team_project(&ann, "api", &bob, Role::Reader);
    world.append(&ann, |view| {
        add_as(
            view,
            &scope,
            Visibility::Private,
            "fact",
            Some("thr_1"),
            "hush",
        )?;
        add_as(
            view,
            &scope,
            Visibility::Shared,
            "fact",
            Some("thr_1"),
            "open words",
        )
    });
    assert_eq!(world.search(&bob, &["open"]), ["open words"]);
    assert_eq!(world.search(&bob, &["hush"]), [""; 0]);
    assert_eq!(world.search(&ann, &["hush"]), ["hush"]);
}

#[test]
fn the_reach_of_one_caller_is_empty_for_another() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    let core = world.core(&ann);
    world.append(&ann, |view| {
        add_as(view, &core, Visibility::Private, "task", None, "hush")
    });
    let stolen = world.read(&ann, |view| view.reach_everything());
    world.read(&bob, |view| {
        let corpus = view.corpus(&stolen)?;
        assert!(
            view.search(&stolen, &corpus, &["hush".to_owned()], &["task"], 9)?
                .hits
                .is_empty()
        );
        assert!(view.newest(&stolen, 9)?.is_empty());
        assert_eq!(view.count_open_loops(&stolen)?, 0);
        Ok(())
    });
}

#[test]
fn scopes_names_and_hints_are_hidden_from_those_who_are_not_members() {
    let world = World::new();
    let (ann, bob, eve) = (
        world.person("ann"),
        world.person("bob"),
        world.person("eve"),
    );
    let scope = world.team_project(&ann, "api", &bob, Role::Reader);
    world.append(&ann, |view| {
        view.bind_hint(HintKind::Git, "example.com/a/api", scope.key, AT)
    });
    let seen = |who: &store::Caller| {
        world.read(who, |view| {
            Ok((
                view.find_scope("proj.ann.api")?.map(|scope| scope.role),
                view.find_scope_by_key(scope.key)?.is_some(),
                view.scopes_named("api")?.len(),
                view.scopes()?
                    .iter()
                    .any(|scope| scope.path == "proj.ann.api"),
                view.bound_scope(HintKind::Git, "example.com/a/api")?
                    .is_some(),
            ))
        })
    };
    assert_eq!(seen(&ann), (Some(Role::Owner), true, 1, true, true));
    assert_eq!(seen(&bob), (Some(Role::Reader), true, 1, true, false));
    assert_eq!(seen(&eve), (None, false, 0, false, false));
}

#[test]
fn a_member_that_leaves_sees_nothing_any_more() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    let scope = world.team_project(&ann, "api", &bob, Role::Writer);
    let id = world.add(&ann, &scope, "open words");
    assert!(world.row(&bob, &id).is_some());
    assert!(world.write(&ann, |view| view.remove_member(scope.key, "bob")));
    assert!(world.row(&bob, &id).is_none());
    assert_eq!(world.search(&bob, &["open"]), [""; 0]);
}

#[test]
fn roles_decide_who_may_add_retire_and_administer() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    for (slug, role) in [("a", Role::Reader), ("b", Role::Writer), ("c", Role::Admin)] {
        let scope = world.team_project(&ann, slug, &bob, role);
        let id = world.add(&ann, &scope, "open words");
        let theirs = world
            .read(&bob, |view| view.find_scope_by_key(scope.key))
            .unwrap();
        let added = world
            .store
            .append(&bob, |view| add(view, &theirs, "from bob"));
        assert_eq!(added.is_ok(), role.may_write(), "{role:?}");
        let named = world
            .store
            .append(&bob, |view| view.get_or_add_entity(scope.key, "X", "x", AT));
        assert_eq!(named.is_ok(), role.may_write(), "{role:?}");
        let row = world.row(&bob, &id).unwrap();
        assert_eq!(row.may_retire(), role.may_write(), "{role:?}");
        let retired = world.store.write(&bob, |view| view.retire(&row, None, AT));
        assert_eq!(retired.is_ok(), role.may_write(), "{role:?}");
        let managed = world.write(&bob, |view| {
            view.set_member(scope.key, "zoe", Role::Reader, AT)
        });
        assert!(!managed, "there is no zoe");
        world.person("eve");
        let managed = world.write(&bob, |view| {
            view.set_member(scope.key, "eve", Role::Reader, AT)
        });
        assert_eq!(managed, role == Role::Admin, "{role:?}");
        let taken = world.write(&bob, |view| {
            view.set_member(scope.key, "ann", Role::Reader, AT)
        });
        assert!(!taken, "the owner is no member");
    }
}

#[test]
fn a_private_memory_is_retired_by_its_owner_only() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    let scope = world.team_project(&ann, "api", &bob, Role::Admin);
    let id = world.append(&bob, |view| {
        let scope = view.find_scope_by_key(scope.key)?.unwrap();
        add_as(view, &scope, Visibility::Private, "fact", None, "mine")
    });
    assert!(world.row(&ann, &id).is_none());
    let row = world.row(&bob, &id).unwrap();
    assert!(matches!(
        world.store.append(&ann, |view| view.restore(
            &store::MemoryRow {
                owned: false,
                ..row.clone()
            },
            AT
        )),
        Err(Error::NotAllowed)
    ));
    assert!(world.write(&bob, |view| view.retire(&row, None, AT)));
}

#[test]
fn threads_are_looked_up_under_their_own_account() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    let scope = world.core(&ann).key;
    let thread = world
        .store
        .mint_thread(
            &ann,
            &world.store.fresh_thread_token(AT),
            scope,
            Some("talk"),
            AT,
            0,
        )
        .unwrap();
    assert_eq!(
        world.store.find_thread(&ann, &thread.token, 0).unwrap(),
        Some(thread.clone())
    );
    assert_eq!(
        world.store.find_thread(&bob, &thread.token, 0).unwrap(),
        None
    );
    assert_eq!(world.store.find_thread_of(&bob, "talk", 0).unwrap(), None);
    world
        .store
        .touch_thread(&bob, &thread.token, scope, AT + 5)
        .unwrap();
    assert_eq!(
        world.store.find_thread(&ann, &thread.token, AT).unwrap(),
        None
    );
    world
        .store
        .touch_thread(&ann, &thread.token, scope, AT + 5)
        .unwrap();
    assert!(
        world
            .store
            .find_thread(&ann, &thread.token, AT)
            .unwrap()
            .is_some()
    );
}

#[test]
fn two_people_have_projects_of_the_same_name() {
    let world = World::new();
    let (ann, bob) = (world.person("ann"), world.person("bob"));
    for who in [&ann, &bob] {
        world.append(who, |view| {
            let path = format!("proj.{}.api", view.caller().handle());
            let scope = view.create_scope(&path, ScopeKind::Project, "api", AT)?;
            add(view, &scope, &format!("of {}", view.caller().handle()))
        });
    }
    assert_eq!(world.search(&ann, &["of"]), ["of ann"]);
    assert_eq!(world.search(&bob, &["of"]), ["of bob"]);
    assert_eq!(
        world.read(&ann, |view| view.scopes_named("api"))[0].path,
        "proj.ann.api"
    );
}
