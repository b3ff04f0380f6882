//! recall and entities: what is found, how it is shown, page after page.

use std::collections::BTreeSet;

use contract::ToolName::{BuildContext, Entities, Link, Recall};
use serde_json::{Value, json};

use crate::fixture::{DAY_MS, World, code, contents, id, texts};

/// Walks all pages of a recall; returns the contents in order.
fn all_pages(world: &World, input: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut input = input.clone();
    loop {
        let page = world.ok(Recall, input.clone());
        assert!(page.to_string().chars().count() <= 40_000);
        found.extend(contents(&page));
        match page["next_cursor"].as_str() {
            Some(cursor) => input["cursor"] = json!(cursor),
            None => return found,
        }
    }
}

#[test]
fn s01_any_query_is_answered() {
    let world = World::new();
    let texts = [
        "multi-agent",
        "a/b",
        "GB/s",
        "don't panic",
        "Ubuntu 20.04",
        "svc:7",
        "C++ and C#",
        "node.js",
        "git commit --no-verify",
        "error E0499",
        "see /etc/hosts",
        "foo_bar",
        "fooBar",
        "日本語の検索",
        "重跑gen-itgc后",
        "שלום עולם",
        "🙂 smile",
        "100%",
    ];
    for text in texts {
        world.core(text);
    }
    for text in texts {
        assert_eq!(world.recall(text)[0], text, "{text}");
    }
    let mut odd: Vec<String> = [
        "(x",
        "NEAR(",
        "NEAR(* OR -",
        "a OR",
        "-x",
        "^x",
        "\"",
        "*",
        "'",
        "AND",
        "NOT",
        "a AND b OR (c",
        "text:",
        "{text} : x",
        "{ctx}",
        "col:\"a\"*",
        ";--",
        "%_[]",
        "\\",
        "𝕏",
        "\u{202e}x",
        "؟",
        "memory_fts MATCH",
        "x\"y\"z",
        "a\u{301}",
        "::",
        "=>",
        "()",
    ]
    .map(str::to_owned)
    .to_vec();
    odd.push("!?*\"'()[]{}".repeat(372));
    odd.push("word ".repeat(819));
    for query in odd {
        world.ok(Recall, json!({ "query": query }));
        world.ok(BuildContext, json!({ "topic": query }));
    }
    assert_eq!(world.recall("gen-itgc"), ["重跑gen-itgc后"]);
    assert_eq!(world.recall("検索"), ["日本語の検索"]);
    assert_eq!(world.recall("foo bar").len(), 2);
}

#[test]
fn w31_matching_ignores_form_case_and_accents() {
    let world = World::new();
    world.core("Café Straße İstanbul ＡＰＩ");
    for query in [
        "cafe\u{301}",
        "CAFÉ",
        "cafe",
        "STRASSE",
        "straße",
        "istanbul",
        "api",
        "API",
    ] {
        assert_eq!(world.recall(query).len(), 1, "{query}");
    }
}

#[test]
fn every_page_follows_the_last_and_none_is_lost() {
    let world = World::new();
    let mut stored = BTreeSet::new();
    for n in 0..120 {
        let text = format!("Deploy note {n} {}", "padding ".repeat(n % 7));
        world.remember(json!({ "scope": "core", "kind": if n % 2 == 0 { "fact" } else { "gotcha" }, "content": text.trim() }));
        stored.insert(text.trim().to_owned());
        world.pass(1);
    }
    for k in [50, 7, 1] {
        let found = all_pages(&world, &json!({ "query": "deploy", "k": k }));
        assert_eq!(found.len(), 120, "{k}");
        assert_eq!(
            found.iter().cloned().collect::<BTreeSet<_>>(),
            stored,
            "{k}"
        );
    }
    let gotchas = all_pages(
        &world,
        &json!({ "query": "deploy", "k": 11, "kinds": ["gotcha"] }),
    );
    assert_eq!(gotchas.len(), 60);
    let first = all_pages(&world, &json!({ "query": "deploy", "k": 50 }));
    assert_eq!(
        all_pages(&world, &json!({ "query": "deploy", "k": 13 })),
        first
    );
}

#[test]
fn more_than_one_window_is_paged_through() {
    let world = World::new();
    for n in 0..430 {
        world.core(&format!("Deploy note number {n}"));
    }
    let found = all_pages(&world, &json!({ "query": "deploy note", "k": 50 }));
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 430);
    assert_eq!(found.len(), 430);
}

#[test]
fn writes_between_pages_do_not_move_them() {
    let world = World::new();
    for n in 0..60 {
        world.core(&format!("Deploy note {n} {}", "word ".repeat(n % 5)));
    }
    let whole = all_pages(&world, &json!({ "query": "deploy word", "k": 50 }));
    let first = world.ok(Recall, json!({ "query": "deploy word", "k": 30 }));
    for n in 0..60 {
        world.core(&format!("Deploy word {n}"));
    }
    world.pass(40 * DAY_MS);
    let second = world.ok(
        Recall,
        json!({ "query": "deploy word", "k": 50, "cursor": first["next_cursor"] }),
    );
    let pages = [contents(&first), contents(&second)].concat();
    assert_eq!(pages, whole);
    assert_eq!(second["next_cursor"], Value::Null);
}

#[test]
fn a_cursor_of_another_call_is_refused() {
    let world = World::new();
    for n in 0..5 {
        world.core(&format!("Deploy note {n}"));
    }
    let cursor = world.ok(Recall, json!({ "query": "deploy", "k": 2 }))["next_cursor"].clone();
    world.ok(
        Recall,
        json!({ "query": " deploy ", "k": 3, "cursor": cursor }),
    );
    for input in [
        json!({ "query": "note", "cursor": cursor }),
        json!({ "query": "deploy", "kinds": ["fact"], "cursor": cursor }),
        json!({ "query": "deploy", "scopes": ["core"], "cursor": cursor }),
        json!({ "query": "deploy", "cursor": "garbled" }),
        json!({ "query": "deploy", "cursor": "" }),
    ] {
        assert_eq!(
            code(&world.err(Recall, input.clone())),
            "validation_failed",
            "{input}"
        );
    }
    assert_eq!(
        code(&world.err(Entities, json!({ "cursor": cursor }))),
        "validation_failed"
    );
}

#[test]
fn a_page_of_long_memories_ends_early_and_stays_in_bounds() {
    let world = World::new();
    for n in 0..50 {
        world.remember(json!({
            "scope": "core", "entities": (0..16).map(|e| format!("thing {n} {e}")).collect::<Vec<_>>(),
            "content": format!("Deploy {n} {}", "\"quoted\" and \\escaped\\ text. ".repeat(60)),
        }));
    }
    let page = world.ok(Recall, json!({ "query": "deploy", "k": 50 }));
    assert!(contents(&page).len() < 50);
    assert!(page["next_cursor"].is_string());
    assert_eq!(
        all_pages(&world, &json!({ "query": "deploy", "k": 50 })).len(),
        50
    );
}

#[test]
fn a_read_covers_the_project_and_the_persons_own_scopes() {
    let world = World::new();
    for scope in ["personal", "core", "proj.me.shop", "proj.me.blog"] {
        world.remember(json!({ "scope": scope, "content": format!("Word in {scope}.") }));
    }
    let found = |input: Value| {
        let mut input = input;
        input["query"] = json!("word");
        let answer = world.ok(Recall, input);
        let mut scopes = texts(&answer["memories"], "scope");
        scopes.sort();
        (
            scopes.join(" "),
            answer["project_scope"]
                .as_str()
                .unwrap_or("none")
                .to_owned(),
        )
    };
    let table = [
        (
            json!({}),
            "proj.me.blog proj.me.shop user.me user.me.core",
            "none",
        ),
        (
            json!({ "project_hint": "shop" }),
            "proj.me.shop user.me user.me.core",
            "proj.me.shop",
        ),
        (json!({ "scopes": ["core"] }), "user.me.core", "none"),
        (
            json!({ "scopes": [] }),
            "proj.me.blog proj.me.shop user.me user.me.core",
            "none",
        ),
        (
            json!({ "scopes": ["core", "personal", "core"] }),
            "user.me user.me.core",
            "none",
        ),
        (
            json!({ "scopes": ["proj.me.blog"] }),
            "proj.me.blog",
            "proj.me.blog",
        ),
        (
            json!({ "scopes": ["proj.me.blog"], "project_hint": "shop" }),
            "proj.me.blog",
            "none",
        ),
        (
            json!({ "scopes": ["*"], "project_hint": "shop" }),
            "proj.me.blog proj.me.shop user.me user.me.core",
            "proj.me.shop",
        ),
    ];
    for (input, scopes, project) in table {
        assert_eq!(
            found(input.clone()),
            (scopes.to_owned(), project.to_owned()),
            "{input}"
        );
    }
    assert_eq!(
        code(&world.err(
            Recall,
            json!({ "query": "word", "scopes": ["core", "proj.you.x"] })
        )),
        "not_found"
    );
}

#[test]
fn s13_the_exact_text_comes_first_and_scores_fall() {
    let world = World::new();
    for text in [
        "Retry failed payments twice",
        "Payments are hard",
        "Retry everything",
        "Failed deploys are rolled back twice",
    ] {
        world.core(text);
    }
    let answer = world.ok(Recall, json!({ "query": "Retry failed payments twice" }));
    assert_eq!(contents(&answer)[0], "Retry failed payments twice");
    let scores: Vec<f64> = answer["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["score"].as_f64().unwrap())
        .collect();
    assert!(
        scores.windows(2).all(|pair| pair[0] >= pair[1]),
        "{scores:?}"
    );
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    assert_eq!(answer["memories"][0]["similarity"], Value::Null);
    assert_eq!(answer["memories"][0]["fts_matched"], true);
}

#[test]
fn old_core_facts_and_references_are_marked() {
    let world = World::new();
    world.core("Stale core fact.");
    world.remember(json!({ "scope": "personal", "content": "Stale personal fact." }));
    world.remember(
        json!({ "scope": "personal", "kind": "reference", "content": "Stale reference." }),
    );
    let stale = || {
        let answer = world.ok(Recall, json!({ "query": "stale" }));
        let mut marks: Vec<(String, Option<i64>)> = answer["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                (
                    one["content"].as_str().unwrap().to_owned(),
                    one["stale_days"].as_i64(),
                )
            })
            .collect();
        marks.sort();
        marks.into_iter().map(|(_, days)| days).collect::<Vec<_>>()
    };
    assert_eq!(stale(), [None, None, None]);
    world.pass(100 * DAY_MS);
    assert_eq!(stale(), [None, None, Some(100)]);
    world.pass(100 * DAY_MS);
    assert_eq!(stale(), [Some(200), None, Some(200)]);
}

#[test]
fn entities_are_listed_most_used_first_and_paged() {
    let world = World::new();
    for n in 0..25 {
        world.remember(json!({ "scope": "core", "entities": [format!("thing {n:02}"), "hub"], "content": format!("Note {n}.") }));
    }
    let first = world.ok(Entities, json!({}));
    assert_eq!(texts(&first["entities"], "name").len(), 20);
    assert_eq!(
        (
            &first["entities"][0]["name"],
            &first["entities"][0]["memory_count"]
        ),
        (&json!("hub"), &json!(25))
    );
    assert_eq!(
        first["entities"][0]["last_used_at"],
        "2026-12-01T09:00:00.000Z"
    );
    let second = world.ok(Entities, json!({ "cursor": first["next_cursor"] }));
    let mut names = texts(&first["entities"], "name");
    names.extend(texts(&second["entities"], "name"));
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 26);
    assert_eq!(second["next_cursor"], Value::Null);
    let table = [
        (json!({ "query": "ING 0" }), 10),
        (json!({ "query": "%" }), 0),
        (json!({ "query": "hub", "scope": "core" }), 1),
        (json!({ "query": "hub", "scope": "personal" }), 0),
        (json!({ "scope": "*", "limit": 100 }), 26),
    ];
    for (input, expected) in table {
        assert_eq!(
            texts(&world.ok(Entities, input.clone())["entities"], "id").len(),
            expected,
            "{input}"
        );
    }
}

#[test]
fn useful_memories_rise_and_ties_fall_to_the_newest() {
    let world = World::new();
    let a = world.core("Alpha topic one");
    world.pass(1);
    let b = world.core("Alpha topic two");
    world.pass(1);
    assert_eq!(
        world.recall("alpha topic"),
        ["Alpha topic two", "Alpha topic one"]
    );
    world.ok(Link, json!({ "src": b, "dst": a, "type": "relates_to" }));
    assert_eq!(
        world.recall("alpha topic"),
        ["Alpha topic one", "Alpha topic two"]
    );
}

#[test]
fn resources_are_whole_rows_and_rules() {
    let world = World::new();
    let known = id(&world.remember(json!({ "scope": "core", "content": "A row." })));
    let read = |uri: &str| world.memory.read_resource(&crate::fixture::call(), uri);
    assert_eq!(
        read(&format!("zm://memory/{}", known.to_uppercase())).unwrap()["id"],
        *known
    );
    assert_eq!(read("zm://rules").unwrap(), json!({ "rules": [] }));
    for uri in [
        "zm://memory/",
        "zm://memory/mem_00000000000000000000000000",
        "zm://memory/x",
        "zm://other",
        "",
        "file:///etc/hosts",
        "zm://memory/../rules",
    ] {
        assert_eq!(code(&read(uri).unwrap_err()), "not_found", "{uri}");
    }
}
