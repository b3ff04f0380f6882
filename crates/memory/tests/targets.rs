//! Where a write lands: scopes, kinds, hints.

use contract::ToolName::{BuildContext, Recall, Remember};
use serde_json::{Value, json};
use store::Role;

use crate::fixture::{World, call, code, run, session_call, texts};

fn scope_of(world: &World, hint: &str) -> String {
    let n = world.recall("remembered").len();
    let answer = world
        .remember(json!({ "project_hint": hint, "content": format!("Remembered {n} by {hint}.") }));
    answer["scope"].as_str().unwrap().to_owned()
}

#[test]
fn words_and_paths_name_scopes() {
    let world = World::new();
    let table = [
        ("personal", "user.me"),
        (" core ", "user.me.core"),
        ("user.me", "user.me"),
        ("user.me.core", "user.me.core"),
        ("proj.me.shop", "proj.me.shop"),
        ("proj.me.shop", "proj.me.shop"),
        ("proj.me.a_1", "proj.me.a_1"),
    ];
    for (scope, expected) in table {
        let answer = world.remember(json!({ "scope": scope, "content": "A fact." }));
        assert_eq!(answer["scope"], *expected, "{scope}");
    }
    let first = world.remember(json!({ "scope": "proj.me.new", "content": "First." }));
    assert_eq!(first["hint"], "Created project proj.me.new.");
    let second = world.remember(json!({ "scope": "proj.me.new", "content": "Second." }));
    assert_eq!(second["hint"], Value::Null);
    assert_eq!(second["session"]["attached_project"], Value::Null);
    let record = world
        .memory
        .read_resource(
            &call(),
            &format!("zm://memory/{}", second["memory_id"].as_str().unwrap()),
        )
        .unwrap();
    assert_eq!(record["provenance"]["scope_source"], "explicit");
}

#[test]
fn scopes_that_are_not_the_callers_to_make_are_hidden() {
    let world = World::new();
    for scope in [
        "proj.you.shop",
        "proj.me",
        "proj.me.",
        "proj.me.Shop",
        "proj.me.a-b",
        "proj.me.a.b",
        "proj.me.ä",
        "team.me.x",
        "user.you",
        "user.me.other",
        "core.me",
        "a&b=c",
        "proj.me.' OR 1=1 --",
    ] {
        let error = world.err(Remember, json!({ "scope": scope, "content": "Hidden." }));
        assert_eq!(code(&error), "not_found", "{scope}");
        if scope != "proj.me.Shop" {
            let error = world.err(Recall, json!({ "query": "x", "scopes": [scope] }));
            assert_eq!(code(&error), "not_found", "{scope}");
        }
    }
    assert_eq!(
        code(&world.err(Remember, json!({ "scope": "*", "content": "Everywhere." }))),
        "validation_failed"
    );
    assert_eq!(
        code(&world.err(Remember, json!({ "content": "Nowhere." }))),
        "validation_failed scope_target_required:"
    );
}

#[test]
fn core_and_personal_take_their_kinds_and_route_the_others() {
    let world = World::new();
    let kinds = [
        "fact",
        "decision",
        "preference",
        "convention",
        "gotcha",
        "reference",
        "episode",
        "task",
        "open-question",
    ];
    for (scope, takes) in [
        ("core", vec!["fact", "gotcha", "reference"]),
        (
            "personal",
            vec!["fact", "gotcha", "reference", "preference"],
        ),
    ] {
        for kind in kinds {
            let content = format!("{scope} {kind}");
            let input = json!({ "scope": scope, "kind": kind, "content": content });
            let outcome = run(&world.memory, &call(), Remember, input);
            if takes.contains(&kind) {
                assert_eq!(
                    outcome.unwrap()["routed_to_project"],
                    Value::Null,
                    "{content}"
                );
                continue;
            }
            let error = outcome.unwrap_err();
            assert_eq!(code(&error), "validation_failed", "{content}");
            assert!(
                error.message.contains("fact, reference"),
                "{}",
                error.message
            );
            let routed = world.remember(json!({ "scope": scope, "kind": kind, "content": content, "project_hint": "/w/shop" }));
            assert_eq!(routed["scope"], "proj.me.shop", "{content}");
            assert_eq!(routed["routed_to_project"], "proj.me.shop", "{content}");
        }
    }
    let fits =
        world.remember(json!({ "scope": "core", "content": "Fits.", "project_hint": "/w/shop" }));
    assert_eq!(
        (&fits["scope"], &fits["session"]["attached_project"]),
        (&json!("user.me.core"), &json!("proj.me.shop"))
    );
    let unknown = world.remember(json!({ "scope": "core", "content": "Also fits.", "project_hint": "https://example.com/a/other" }));
    assert_eq!(
        unknown["session"]["attached_project"],
        Value::Null,
        "a hint that is not needed makes nothing"
    );
    assert_eq!(
        code(&world.err(Recall, json!({ "query": "x", "scopes": ["proj.me.other"] }))),
        "not_found"
    );
}

#[test]
fn every_spelling_of_a_remote_leads_to_one_project() {
    let world = World::new();
    for hint in [
        "https://example.com/Acme/Shop.git",
        "git@example.com:acme/shop.git",
        "ssh://git@example.com:22/acme/shop/",
        "https://token@example.com/acme/shop",
    ] {
        assert_eq!(scope_of(&world, hint), "proj.me.shop", "{hint}");
    }
}

#[test]
fn another_remote_of_the_same_name_gets_a_project_of_its_own() {
    let world = World::new();
    assert_eq!(
        scope_of(&world, "https://example.com/acme/api"),
        "proj.me.api"
    );
    let other = scope_of(&world, "https://example.com/rival/api");
    let third = scope_of(&world, "https://example.org/acme/api");
    for scope in [&other, &third] {
        let code = scope.strip_prefix("proj.me.api_").unwrap();
        assert!(
            code.len() == 4
                && code
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()),
            "{scope}"
        );
    }
    assert_ne!(other, third);
    assert_eq!(scope_of(&world, "git@example.com:rival/api.git"), other);
    assert_eq!(
        scope_of(&world, "https://example.com/acme/api.git"),
        "proj.me.api"
    );
    let elsewhere = World::new();
    scope_of(&elsewhere, "https://example.com/acme/api");
    assert_eq!(
        scope_of(&elsewhere, "https://example.com/rival/api"),
        other,
        "the slug follows from the remote"
    );
    let error = world.err(
        Remember,
        json!({ "project_hint": "API", "content": "Which one?" }),
    );
    assert_eq!(code(&error), "validation_failed project_hint_unresolvable:");
    for scope in ["proj.me.api", &other, &third] {
        assert!(error.message.contains(scope), "{}", error.message);
    }
    assert_eq!(
        code(&world.err(
            Remember,
            json!({ "project_hint": "/elsewhere/api", "content": "Which?" })
        )),
        "validation_failed project_hint_unresolvable:"
    );
}

#[test]
fn folders_and_names_find_the_project_of_a_remote() {
    let world = World::new();
    assert_eq!(
        scope_of(&world, "https://example.com/acme/zero-memory.git"),
        "proj.me.zero_memory"
    );
    for hint in [
        "/home/jane/zero-memory",
        r"C:\Users\Jane\Zero-Memory",
        "~/code/zero_memory/",
        "zero-memory",
        "Zero Memory",
        "ZERO_MEMORY",
        "proj.me.zero_memory",
    ] {
        assert_eq!(scope_of(&world, hint), "proj.me.zero_memory", "{hint}");
    }
    assert_eq!(
        scope_of(&world, "/home/jane/another one"),
        "proj.me.another_one"
    );
    assert_eq!(
        scope_of(&world, "/srv/日本"),
        scope_of(&world, "/other/日本")
    );
    assert!(scope_of(&world, "/srv/日本").starts_with("proj.me.project_"));
}

#[test]
fn a_remote_is_bound_to_the_project_that_its_folder_made() {
    let world = World::new();
    assert_eq!(scope_of(&world, "/home/jane/shop"), "proj.me.shop");
    let answer = world.remember(
        json!({ "project_hint": "https://example.com/acme/shop", "content": "By remote." }),
    );
    assert_eq!(answer["scope"], "proj.me.shop");
    assert!(answer["hint"].as_str().unwrap().contains("proj.me.shop"));
    assert_ne!(
        scope_of(&world, "https://example.com/rival/shop"),
        "proj.me.shop"
    );
    assert_eq!(
        scope_of(&world, "https://example.com/acme/shop"),
        "proj.me.shop"
    );
    assert_eq!(scope_of(&world, "/home/jane/shop"), "proj.me.shop");
}

#[test]
fn names_that_lead_nowhere_are_refused_on_writes_and_absent_on_reads() {
    let world = World::new();
    world.core("A fact of core.");
    for hint in [
        "no such project",
        "/",
        "..",
        "~",
        "-_-",
        "$(touch x)",
        "' OR 1=1 --",
        "*",
        "core",
    ] {
        let error = world.err(
            Remember,
            json!({ "project_hint": hint, "content": "Nowhere." }),
        );
        assert_eq!(
            code(&error),
            "validation_failed project_hint_unresolvable:",
            "{hint}"
        );
        assert!(
            error.message.contains("git remote URL or a folder path"),
            "{}",
            error.message
        );
        let found = world.ok(Recall, json!({ "project_hint": hint, "query": "fact" }));
        assert_eq!(found["project_scope"], Value::Null, "{hint}");
        assert_eq!(
            texts(&found["memories"], "content"),
            ["A fact of core."],
            "{hint}"
        );
    }
}

#[test]
fn reads_make_and_bind_nothing() {
    let world = World::new();
    for hint in ["https://example.com/acme/shop.git", "/home/jane/shop"] {
        for (tool, input) in [
            (Recall, json!({ "project_hint": hint, "query": "anything" })),
            (
                BuildContext,
                json!({ "project_hint": hint, "topic": "anything" }),
            ),
        ] {
            let answer = world.ok(tool, input);
            assert_eq!(answer["project_scope"], Value::Null);
            assert_eq!(answer["session"], json!({ "attached_project": null }));
        }
    }
    assert_eq!(
        code(&world.err(Recall, json!({ "query": "x", "scopes": ["proj.me.shop"] }))),
        "not_found"
    );
    let made = scope_of(&world, "https://example.com/rival/shop");
    assert_eq!(made, "proj.me.shop", "the reads left the name free");
}

#[test]
fn a_refused_write_leaves_no_project_and_no_session_behind() {
    let world = World::new();
    let session = session_call(None);
    let input = json!({
        "project_hint": "/w/shop", "content": "Refused.",
        "links": [{ "type": "supersedes", "target": "mem_00000000000000000000000000" }],
    });
    assert!(run(&world.memory, &session, Remember, input).is_err());
    assert_eq!(session.session.as_ref().unwrap().attached_project(), None);
    let answer = run(
        &world.memory,
        &session,
        Remember,
        json!({ "project_hint": "/w/other", "content": "Kept." }),
    )
    .unwrap();
    assert_eq!(answer["scope"], "proj.me.other");
    assert_eq!(
        session
            .session
            .as_ref()
            .unwrap()
            .attached_project()
            .as_deref(),
        Some("proj.me.other")
    );
    assert_eq!(
        code(&world.err(Recall, json!({ "query": "x", "scopes": ["proj.me.shop"] }))),
        "not_found"
    );
}

#[test]
fn roles_decide_who_may_write_to_a_shared_project() {
    let world = World::new();
    let path = world.shared_project("api", "bob", Role::Reader);
    let bob = world.person("bob");
    let write = |content: &str| {
        run(
            &bob,
            &call(),
            Remember,
            json!({ "scope": path, "content": content }),
        )
    };
    let error = write("From bob.").unwrap_err();
    assert_eq!(code(&error), "forbidden");
    for hint in ["api", "proj.me.api", "/w/api"] {
        let error = run(
            &bob,
            &call(),
            Remember,
            json!({ "project_hint": hint, "content": "From bob." }),
        )
        .unwrap_err();
        assert_eq!(code(&error), "forbidden", "{hint}");
    }
    world.shared_project("api", "bob", Role::Writer);
    assert_eq!(write("From bob.").unwrap()["scope"], *path);
    let eve = world.person("eve");
    let error = run(
        &eve,
        &call(),
        Remember,
        json!({ "scope": path, "content": "From eve." }),
    )
    .unwrap_err();
    assert_eq!(code(&error), "not_found");
}

#[test]
fn two_projects_of_one_name_in_different_hands_are_several() {
    let world = World::new();
    world.shared_project("api", "bob", Role::Writer);
    let bob = world.person("bob");
    let own = run(
        &bob,
        &call(),
        Remember,
        json!({ "project_hint": "https://example.com/bob/api", "content": "Mine." }),
    )
    .unwrap();
    assert_eq!(
        own["scope"], "proj.bob.api",
        "a remote never leads into another's project by its name"
    );
    let error = run(
        &bob,
        &call(),
        Remember,
        json!({ "project_hint": "api", "content": "Whose?" }),
    )
    .unwrap_err();
    assert_eq!(code(&error), "validation_failed project_hint_unresolvable:");
    assert!(
        error.message.contains("proj.bob.api") && error.message.contains("proj.me.api"),
        "{}",
        error.message
    );
    assert_eq!(
        scope_of(&world, "api"),
        "proj.me.api",
        "what bob has is not me's to see"
    );
}

#[test]
fn the_handle_is_made_a_label_and_stays_what_it_was_at_first() {
    let world = World::new();
    let dir = world.dir.path().join("other");
    for handle in [" Jane Doe ", "somebody-else"] {
        let options = memory::MemoryOptions {
            handle: handle.to_owned(),
        };
        let memory = memory::Memory::new(dir.clone(), options);
        let input = json!({ "scope": "core", "content": format!("By {handle}.") });
        let answer = run(&memory, &call(), Remember, input).unwrap();
        assert_eq!(answer["scope"], "user.jane_doe.core");
    }
}
