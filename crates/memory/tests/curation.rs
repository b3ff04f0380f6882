//! restore_memory, share, move_memories, history, list_scopes, promote_rule:
//! what an owner does with what is stored.

use contract::ToolName::{
    BuildContext, Challenge, CloseLoop, Entities, Forget, History, Link, ListScopes, MoveMemories,
    PromoteRule, Recall, Remember, RestoreMemory, Share,
};
use memory::Memory;
use serde_json::{Value, json};
use store::Role;

use crate::fixture::{World, call, code, contents, id, run, session_call, texts};

const HINT: &str = "https://example.com/acme/shop.git";

fn record(memory: &Memory, id: &str) -> Value {
    memory
        .read_resource(&call(), &format!("zm://memory/{id}"))
        .unwrap()
}

fn found(memory: &Memory, query: &str) -> Vec<String> {
    contents(&run(memory, &call(), Recall, json!({ "query": query, "k": 50 })).unwrap())
}

fn rules(answer: &Value) -> Vec<String> {
    texts(&answer["rules"], "text")
}

#[test]
fn what_was_taken_out_comes_back_byte_for_byte() {
    let world = World::new();
    let thread =
        world.remember(json!({ "project_hint": HINT, "content": "First." }))["session"]["thread"]
            .clone();
    let kept = id(&world.remember(json!({ "thread": thread, "kind": "episode", "entities": ["Heron"], "verbatim": "we said so", "content": "Heron  fishes\tat dawn. 🙂" })));
    let beside = id(&world
        .remember(json!({ "thread": thread, "kind": "episode", "content": "It likes carp." })));
    let task = id(&world
        .remember(json!({ "project_hint": HINT, "kind": "task", "content": "Feed the heron." })));
    let look = || {
        (
            record(&world.memory, &kept),
            record(&world.memory, &task),
            world.recall("heron"),
            world.ok(Entities, json!({})),
        )
    };
    let before = look();
    assert_eq!(
        before.2.len(),
        3,
        "the episode beside it is found by its words"
    );
    let successor = json!({ "thread": thread, "links": [{ "type": "supersedes", "target": kept }], "content": "Kingfishers came." });
    let steps = [
        (Forget, json!({ "memory_id": kept, "reason": "Wrong." })),
        (Remember, successor),
    ];
    for (tool, input) in steps {
        world.ok(tool, input);
        assert_eq!(found(&world.memory, "fishes").len(), 0);
        assert_eq!(
            world.ok(RestoreMemory, json!({ "memory_id": kept }))["restored"],
            true
        );
    }
    world.ok(
        CloseLoop,
        json!({ "memory_id": task, "resolution": "Fed." }),
    );
    assert_eq!(
        world.ok(RestoreMemory, json!({ "memory_id": task }))["restored"],
        true
    );
    let after = look();
    assert_eq!(
        (&after.0, &after.1, &after.3),
        (&before.0, &before.1, &before.3)
    );
    assert_eq!(after.2, before.2);
    assert_eq!(world.recall("kingfishers").len(), 1, "the successor stays");
    let again = world.ok(RestoreMemory, json!({ "memory_id": kept }));
    assert_eq!(again, json!({ "memory_id": kept, "restored": false }));
    assert!(
        world.recall("carp").contains(&"It likes carp.".to_owned()),
        "{beside}"
    );
}

#[test]
fn only_the_owner_restores_moves_shares_and_promotes() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Writer);
    let bob = world.person("bob");
    let shared = id(&world.remember(json!({ "scope": path, "content": "Shared words." })));
    let own = id(&run(
        &bob,
        &call(),
        Remember,
        json!({ "scope": path, "content": "Words of bob." }),
    )
    .unwrap());
    let calls = |id: &str| {
        [
            (RestoreMemory, json!({ "memory_id": id })),
            (Share, json!({ "memory_id": id, "scope": path })),
            (PromoteRule, json!({ "memory_id": id })),
        ]
    };
    for (tool, input) in calls(&shared) {
        let error = run(&bob, &call(), tool, input).unwrap_err();
        assert_eq!(code(&error), "forbidden", "{}", tool.as_str());
    }
    let told = run(
        &bob,
        &call(),
        MoveMemories,
        json!({ "memory_ids": [shared, own], "scope": "core" }),
    )
    .unwrap();
    assert_eq!(told["moved"], json!([own]));
    assert_eq!(told["failed"][0]["error"]["code"], "forbidden");
    assert_eq!(
        found(&world.memory, "bob").len(),
        0,
        "it is bob's alone now"
    );
    assert_eq!(record(&bob, &own)["visibility"], "private");

    // Who may only read a scope brings nothing into it.
    world.shared_project("api", "bob", Role::Reader);
    for (tool, input) in [
        (Share, json!({ "memory_id": own, "scope": path })),
        (PromoteRule, json!({ "memory_id": own, "scope": path })),
        (MoveMemories, json!({ "memory_ids": [own], "scope": path })),
    ] {
        let error = run(&bob, &call(), tool, input).unwrap_err();
        assert_eq!(code(&error), "forbidden", "{}", tool.as_str());
    }
}

#[test]
fn a_former_writer_brings_nothing_back_to_those_who_read_there() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Writer);
    let bob = world.person("bob");
    let own = id(&run(
        &bob,
        &call(),
        Remember,
        json!({ "scope": path, "content": "Old words." }),
    )
    .unwrap());
    world.ok(Forget, json!({ "memory_id": own }));
    world.shared_project("api", "bob", Role::Reader);
    let error = run(&bob, &call(), RestoreMemory, json!({ "memory_id": own })).unwrap_err();
    assert_eq!(code(&error), "forbidden");
    assert_eq!(world.recall("old words"), [""; 0]);
}

#[test]
fn sharing_changes_the_audience_and_nothing_else() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Reader);
    let bob = world.person("bob");
    let old = id(&world.remember(json!({ "scope": "personal", "content": "The lamp is red." })));
    let private = id(&world.remember(
        json!({ "scope": "personal", "entities": ["hush"], "content": "Nobody hears." }),
    ));
    let lamp = id(&world.remember(json!({ "scope": "personal", "entities": ["Lamp", "Desk"], "links": [{ "type": "supersedes", "target": old }], "content": "The lamp is green." })));
    world.ok(
        Link,
        json!({ "src": lamp, "dst": private, "type": "relates_to" }),
    );
    let before = record(&world.memory, &lamp);
    assert!(run(&bob, &call(), History, json!({ "memory_id": lamp })).is_err());
    let input = json!({ "memory_id": lamp, "scope": path });
    assert_eq!(world.ok(Share, input.clone())["shared"], true);
    assert_eq!(world.ok(Share, input)["shared"], false);
    let after = record(&world.memory, &lamp);
    for field in [
        "content",
        "created_at",
        "owner",
        "entities",
        "related",
        "provenance",
    ] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(
        (&after["scope"], &after["visibility"]),
        (&json!(path), &json!("shared"))
    );
    assert_eq!(found(&bob, "lamp"), ["The lamp is green."]);
    // Of the old scope, nothing shows to those who read the new one.
    let names = run(&bob, &call(), Entities, json!({})).unwrap();
    assert_eq!(texts(&names["entities"], "name"), ["Desk", "Lamp"]);
    let seen = record(&bob, &lamp).to_string()
        + &run(&bob, &call(), History, json!({ "memory_id": lamp }))
            .unwrap()
            .to_string();
    for hidden in [&old, &private, "user.me", "hush", "lamp is red"] {
        assert!(!seen.contains(hidden), "{hidden} in {seen}");
    }
    // Back in the own scope it is private, and bob's reads know nothing of it.
    world.ok(
        MoveMemories,
        json!({ "memory_ids": [lamp], "scope": "personal" }),
    );
    assert_eq!(record(&world.memory, &lamp)["visibility"], "private");
    assert_eq!(found(&bob, "lamp"), [""; 0]);
    assert!(
        run(&bob, &call(), Entities, json!({})).unwrap()["entities"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn w17_each_id_moves_or_stays_as_a_whole() {
    let world = World::new();
    let bob = world.person("bob");
    let hidden = id(&run(
        &bob,
        &call(),
        Remember,
        json!({ "scope": "core", "content": "Hidden." }),
    )
    .unwrap());
    let (a, b) = (world.core("One lamp."), world.core("Two lamps."));
    let double = id(&world.remember(json!({ "project_hint": HINT, "content": "Two lamps." })));
    let told = world.ok(
        MoveMemories,
        json!({ "memory_ids": [hidden, a, a.to_uppercase(), b], "project_hint": HINT }),
    );
    assert_eq!(told["moved"], json!([a]));
    let failed: Vec<_> = told["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["memory_id"].clone(), item["error"]["code"].clone()))
        .collect();
    assert_eq!(
        failed,
        [
            (json!(hidden), json!("not_found")),
            (json!(b), json!("conflict"))
        ]
    );
    assert!(
        told["failed"][1]["error"]["message"]
            .as_str()
            .unwrap()
            .contains(&double)
    );
    assert_eq!(record(&world.memory, &a)["scope"], "proj.me.shop");
    assert_eq!(record(&world.memory, &a)["visibility"], "private");
    assert_eq!(record(&world.memory, &b)["scope"], "user.me.core");
    // A memory that moved is found where it is, and nowhere else.
    let recall =
        |scope: &str| contents(&world.ok(Recall, json!({ "query": "lamp", "scopes": [scope] })));
    assert_eq!(recall("proj.me.shop").len(), 2);
    assert_eq!(recall("core"), ["Two lamps."]);
    // An own path makes the project, and only for a memory that moves.
    let told = world.ok(
        MoveMemories,
        json!({ "memory_ids": [hidden], "scope": "proj.me.fresh" }),
    );
    assert_eq!(told["scope"], Value::Null);
    assert!(
        !world
            .ok(ListScopes, json!({}))
            .to_string()
            .contains("fresh")
    );
    let told = world.ok(
        MoveMemories,
        json!({ "memory_ids": [hidden, b], "scope": "proj.me.fresh" }),
    );
    assert_eq!(
        (&told["scope"], &told["moved"]),
        (&json!("proj.me.fresh"), &json!([b]))
    );
}

#[test]
fn a_history_shows_who_when_and_why_over_all_successors() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Writer);
    let bob = world.person("bob");
    let first = world.core("The port is 80.");
    world.ok(
        Forget,
        json!({ "memory_id": first, "reason": "A private reason." }),
    );
    world.ok(RestoreMemory, json!({ "memory_id": first }));
    world.pass(1_000);
    world.ok(Share, json!({ "memory_id": first, "scope": path }));
    world.pass(1_000);
    run(
        &bob,
        &call(),
        Challenge,
        json!({ "memory_id": first, "reason": "It says 81." }),
    )
    .unwrap();
    world.pass(1_000);
    let second = id(&run(&bob, &call(), Remember, json!({ "scope": path, "links": [{ "type": "supersedes", "target": first }], "content": "The port is 81." })).unwrap());
    let events = |memory: &Memory, id: &str, at: usize| -> Vec<String> {
        let told = run(memory, &call(), History, json!({ "memory_id": id })).unwrap();
        assert_eq!(
            texts(&told["versions"], "memory_id"),
            [first.clone(), second.clone()]
        );
        assert_eq!(told["truncated"], false);
        let events = told["versions"][at]["events"].as_array().unwrap().iter();
        events
            .map(|event| {
                format!("{} {} {}", event["event"], event["by"], event["reason"]).replace('"', "")
            })
            .collect()
    };
    let own = [
        "created me null",
        "retired me A private reason.",
        "restored me null",
        "shared me null",
        "disputed bob It says 81.",
        "superseded bob null",
    ];
    assert_eq!(events(&world.memory, &second, 0), own);
    assert_eq!(events(&world.memory, &first, 1), ["created bob null"]);
    let theirs: Vec<&str> = own
        .into_iter()
        .filter(|event| !event.contains("ret") && !event.contains("restored"))
        .collect();
    assert_eq!(
        events(&bob, &first, 0),
        theirs,
        "what was before it was shared stays hidden"
    );
    world.ok(RestoreMemory, json!({ "memory_id": first }));
    assert_eq!(
        events(&bob, &first, 0).last().unwrap(),
        "restored me null",
        "a restored memory keeps its row of successors"
    );
}

#[test]
fn a_long_history_stays_within_the_size_of_an_answer() {
    let world = World::new();
    let mut last = world.core("Version 0.");
    for n in 1..120 {
        let content = format!("Version {n}. {}", "long ".repeat(100));
        last = id(&world.remember(json!({ "scope": "core", "links": [{ "type": "supersedes", "target": last }], "content": content })));
    }
    let told = world.ok(History, json!({ "memory_id": last }));
    assert_eq!(told["truncated"], true);
    assert!(told.to_string().chars().count() <= 40_000);
    assert_eq!(
        told["versions"].as_array().unwrap().last().unwrap()["memory_id"],
        json!(last)
    );
}

#[test]
fn scopes_are_listed_with_role_and_counts_and_stay_within_an_answer() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Writer);
    let bob = world.person("bob");
    world.remember(json!({ "scope": path, "content": "Shared words." }));
    let gone = id(&world.remember(json!({ "scope": path, "content": "Gone words." })));
    world.ok(Forget, json!({ "memory_id": gone }));
    let private = id(&run(
        &bob,
        &call(),
        Remember,
        json!({ "scope": "core", "content": "Private words." }),
    )
    .unwrap());
    run(
        &bob,
        &call(),
        MoveMemories,
        json!({ "memory_ids": [private], "scope": path }),
    )
    .unwrap();
    let row = |memory: &Memory| {
        let told = run(memory, &session_call(Some(&path)), ListScopes, json!({})).unwrap();
        let rows = told["scopes"].as_array().unwrap();
        rows.iter()
            .find(|row| row["path"] == json!(path))
            .unwrap()
            .clone()
    };
    let expected = json!({ "path": path, "kind": "project", "role": "owner", "default_visibility": "shared", "memories": 1, "members": 2, "in_default_reads": false });
    assert_eq!(row(&world.memory), expected);
    assert_eq!(
        (&row(&bob)["role"], &row(&bob)["memories"]),
        (&json!("writer"), &json!(2))
    );
    // A session that works in a project reads it by default.
    let call = session_call(Some(&path));
    run(&world.memory, &call, Recall, json!({ "query": "words" })).unwrap();
    let told = run(&world.memory, &call, ListScopes, json!({})).unwrap();
    assert_eq!(told["scopes"][2]["in_default_reads"], true);

    world.many_projects("me", 10_000);
    let told = world.ok(ListScopes, json!({}));
    assert_eq!(
        (&told["total"], &told["truncated"]),
        (&json!(10_003), &json!(true))
    );
    assert!(told.to_string().chars().count() <= 40_000);
    assert_eq!(
        told["scopes"][2]["path"],
        json!(path),
        "what is used stands first"
    );
}

#[test]
fn a_rule_goes_and_comes_back_with_its_memory() {
    let world = World::new();
    let memory = world.core("Answer in English.");
    let promoted = world.ok(PromoteRule, json!({ "memory_id": memory }));
    assert!(
        promoted["delivery_note"]
            .as_str()
            .unwrap()
            .contains("everywhere")
    );
    let served = |topic: &str, scopes: Value| {
        rules(&world.ok(BuildContext, json!({ "topic": topic, "scopes": scopes })))
    };
    // A rule of the person holds wherever a briefing looks.
    world.remember(json!({ "project_hint": HINT, "content": "Here." }));
    assert_eq!(served("x", json!(["proj.me.shop"])), ["Answer in English."]);
    world.ok(Forget, json!({ "memory_id": memory }));
    assert_eq!(served("x", json!([])), [""; 0]);
    assert_eq!(
        code(&world.err(PromoteRule, json!({ "memory_id": memory }))),
        "conflict"
    );
    world.ok(RestoreMemory, json!({ "memory_id": memory }));
    assert_eq!(served("x", json!([])), ["Answer in English."]);
    // Superseding ends the rule, and the answer says so; the new text is no
    // rule until a person makes it one.
    let told = world.remember(json!({ "scope": "core", "links": [{ "type": "supersedes", "target": memory }], "content": "Answer in French." }));
    assert!(
        told["hint"]
            .as_str()
            .unwrap()
            .contains("Answer in English."),
        "{told}"
    );
    assert_eq!(served("x", json!([])), [""; 0]);
}

#[test]
fn w43_a_rule_that_is_narrowed_is_served_nowhere_else() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Reader);
    let bob = world.person("bob");
    let memory =
        id(&world.remember(json!({ "scope": path, "kind": "convention", "content": "Use tabs." })));
    let promote = |scope: &str, text: &str| {
        world.ok(
            PromoteRule,
            json!({ "memory_id": memory, "scope": scope, "rule_text": text }),
        )
    };
    let told = promote(&path, "Use tabs everywhere.");
    assert!(told["delivery_note"].as_str().unwrap().contains("members"));
    let of = |memory: &Memory, scope: &str| {
        rules(
            &run(
                memory,
                &call(),
                BuildContext,
                json!({ "topic": "x", "scopes": [scope] }),
            )
            .unwrap(),
        )
    };
    assert_eq!(of(&bob, &path), ["Use tabs everywhere."]);
    world.remember(json!({ "project_hint": HINT, "content": "Here." }));
    promote("proj.me.shop", "Use tabs in the shop.");
    for (memory, scope, expected) in [
        (&bob, path.as_str(), &[][..]),
        (&bob, "*", &[]),
        (&world.memory, &path, &[]),
        (&world.memory, "core", &[]),
        (&world.memory, "proj.me.shop", &["Use tabs in the shop."]),
        (&world.memory, "*", &["Use tabs in the shop."]),
    ] {
        assert_eq!(of(memory, scope), expected, "{scope}");
    }
    let all = world.memory.read_resource(&call(), "zm://rules").unwrap();
    assert_eq!(rules(&all), ["Use tabs in the shop."]);
}

#[test]
fn what_left_reads_or_stands_there_already_is_not_shared() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Reader);
    let (gone, double) = (world.core("Gone."), world.core("Twice."));
    world.ok(Forget, json!({ "memory_id": gone }));
    world.remember(json!({ "scope": path, "content": "Twice." }));
    for memory in [gone, double] {
        let input = json!({ "memory_id": memory, "scope": path });
        assert_eq!(code(&world.err(Share, input)), "conflict");
    }
}

/// Rules that a briefing of one scope shows to a person.
fn held(memory: &Memory, scope: &str) -> Vec<String> {
    let input = json!({ "topic": "x", "scopes": [scope] });
    rules(&run(memory, &call(), BuildContext, input).unwrap())
}

#[test]
fn a_rule_of_members_ends_when_its_memory_leaves_their_scope() {
    for tool in [MoveMemories, Share] {
        for target in ["core", "proj.me.other"] {
            if tool == Share && target == "core" {
                continue;
            }
            let world = World::new();
            let path = world.shared_project("api", "bob", Role::Reader);
            let other = world.shared_project("other", "eve", Role::Reader);
            let (bob, eve) = (world.person("bob"), world.person("eve"));
            let memory = id(&world.remember(json!({ "scope": path, "content": "Use tabs." })));
            world.ok(PromoteRule, json!({ "memory_id": memory }));
            assert_eq!(held(&bob, &path), ["Use tabs."]);
            let input = match tool {
                Share => json!({ "memory_id": memory, "scope": target }),
                _ => json!({ "memory_ids": [memory], "scope": target }),
            };
            world.ok(tool, input);
            for (who, scope) in [
                (&bob, path.as_str()),
                (&eve, &other),
                (&world.memory, &path),
                (&world.memory, "*"),
            ] {
                assert_eq!(held(who, scope), [""; 0], "{tool:?} {target} {scope}");
            }
            // Coming back revives nothing; a person may promote again.
            world.ok(
                MoveMemories,
                json!({ "memory_ids": [memory], "scope": path }),
            );
            assert_eq!(held(&world.memory, &path), [""; 0]);
            let again = world.ok(PromoteRule, json!({ "memory_id": memory }));
            assert_eq!(again["promoted"], true);
        }
    }
}

#[test]
fn a_rule_of_the_owner_alone_goes_with_its_memory_to_another_project() {
    let world = World::new();
    let shop = "proj.me.shop";
    let memory = id(&world.remember(json!({ "scope": shop, "content": "Use tabs." })));
    world.ok(PromoteRule, json!({ "memory_id": memory }));
    let other = world.shared_project("other", "eve", Role::Reader);
    let eve = world.person("eve");
    world.ok(
        MoveMemories,
        json!({ "memory_ids": [memory], "scope": other }),
    );
    assert_eq!(held(&world.memory, shop), [""; 0]);
    assert_eq!(held(&world.memory, &other), ["Use tabs."]);
    // Even where others read the memory, the rule is the owner's.
    world.ok(Share, json!({ "memory_id": memory, "scope": other }));
    assert_eq!(held(&world.memory, &other), ["Use tabs."]);
    assert_eq!(held(&eve, &other), [""; 0]);
    // In core it would hold everywhere, which nobody asked for.
    world.ok(
        MoveMemories,
        json!({ "memory_ids": [memory], "scope": "core" }),
    );
    assert_eq!(held(&world.memory, "*"), [""; 0]);
}

#[test]
fn a_rule_that_was_put_elsewhere_stays_when_its_memory_moves() {
    let world = World::new();
    let memory = world.core("Answer in English.");
    world.ok(PromoteRule, json!({ "memory_id": memory }));
    let path = world.shared_project("api", "bob", Role::Reader);
    let bob = world.person("bob");
    world.ok(Share, json!({ "memory_id": memory, "scope": path }));
    assert_eq!(held(&world.memory, "core"), ["Answer in English."]);
    assert_eq!(held(&bob, "*"), [""; 0]);
    world.ok(
        MoveMemories,
        json!({ "memory_ids": [memory], "scope": "personal" }),
    );
    assert_eq!(held(&world.memory, "core"), ["Answer in English."]);
}

#[test]
fn a_text_too_long_for_a_rule_needs_a_shorter_one() {
    let world = World::new();
    let memory = world.core(&"é".repeat(1_001));
    assert_eq!(
        code(&world.err(PromoteRule, json!({ "memory_id": memory }))),
        "validation_failed"
    );
    assert_eq!(
        world.ok(
            PromoteRule,
            json!({ "memory_id": memory, "rule_text": "Short." })
        )["promoted"],
        true
    );
}
