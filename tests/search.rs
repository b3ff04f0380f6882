//! Any query works, and words a person expects to match do.

use serde_json::{Value, json};

use crate::harness::{Door, Era, Pipes, each_door_alone, fresh};

#[test]
fn s01_every_operator_of_full_text_is_only_text() {
    let queries = [
        "\"",
        "\"\"",
        "\"\"\"",
        "'",
        "`",
        "*",
        "(",
        ")",
        "(*",
        "(x",
        "x)",
        "()",
        "-",
        "--",
        "-x",
        "+x",
        "^",
        "^x",
        ":",
        "::",
        "svc:7",
        "text:x",
        "{text}:x",
        "{a b}: c",
        "NEAR",
        "NEAR(",
        "NEAR(a b, 5)",
        "NEAR/2",
        "AND",
        "OR",
        "NOT",
        "a OR",
        "OR a",
        "a AND",
        "NOT a",
        "a NOT",
        "a AND OR b",
        "a*",
        "*a",
        "\"a",
        "a\"",
        "\"a b",
        "a\"b",
        "a + b",
        "multi-agent",
        "a/b",
        "GB/s",
        "don't",
        "20.04",
        "--no-verify",
        "C++",
        "C#",
        "f(x)",
        "x[1]",
        "{\"a\":1}",
        "a%b_c[1]",
        "%",
        "_",
        "\\",
        "\\\"",
        ";",
        "; DROP TABLE memory; --",
        "' OR 1=1 --",
        "rowid:1",
        "rank",
        "*:*",
        "?",
        "?1",
        "$1",
        ":id",
        "@id",
        "#",
        "~",
        "|",
        "||",
        "&",
        "&&",
        "!",
        "=",
        "<",
        ">",
        "->",
        "🚀",
        "👍🏽",
        "猫",
        "重跑",
        "שלום",
        "مرحبا",
        "ที่นี่",
        "\u{202e}x",
        "e\u{301}",
        "a\u{200d}b",
        "\t",
        "\u{1}x",
    ];
    let punctuation = "\"(*)-+^:{}'".repeat(372);
    for (_data, mut door) in each_door_alone() {
        door.remember("Something is stored, so that a query has work to do.");
        for query in queries
            .iter()
            .copied()
            .chain([punctuation.as_str()])
            .filter(|query| !query.trim().is_empty())
        {
            let page = door.ok("recall", json!({ "query": query }));
            assert!(page["memories"].is_array(), "{}: {query}", door.name());
            door.ok("build_context", json!({ "topic": query }));
            if query.len() <= 256 {
                door.ok("entities", json!({ "query": query }));
            }
        }
    }
}

#[test]
fn words_are_found_as_people_expect() {
    let table = [
        (
            "Call foo_bar before the loop.",
            vec!["foo_bar", "foo", "bar", "FOO_BAR"],
        ),
        (
            "The fooBaz handler and HTTPServer class.",
            vec!["fooBaz", "foobaz", "baz", "HTTPServer", "server"],
        ),
        (
            "Written in C++ and C#, runs on .NET.",
            vec!["C++", "c++", "C#", ".NET", "net"],
        ),
        (
            "Needs node.js 20.04 at least.",
            vec!["node.js", "20.04", "node"],
        ),
        (
            "Commit with --no-verify and -x.",
            vec!["--no-verify", "no-verify", "verify", "-x"],
        ),
        (
            "Look in src/main.rs near the top.",
            vec!["src/main.rs", "main.rs"],
        ),
        (
            "It fails with E0502 or ERR_CONN.",
            vec!["E0502", "e0502", "ERR_CONN", "conn"],
        ),
        (
            "The multi-agent run moved 5 GB/s through svc:7.",
            vec!["multi-agent", "agent", "GB/s", "svc:7"],
        ),
        (
            "We don't deploy a/b tests.",
            vec!["don't", "don\u{2019}t", "a/b"],
        ),
        (
            "Write to jane.doe@example.com soon.",
            vec!["jane.doe@example.com", "jane", "example.com"],
        ),
        (
            "重跑gen-itgc后检查日志",
            vec!["gen-itgc", "重跑", "检查", "日志", "检查日志"],
        ),
        (
            "データベースを毎晩バックアップする",
            vec!["データベース", "バックアップ"],
        ),
        ("결제 서비스를 두 번 재시도한다", vec!["결제", "서비스"]),
        ("ผู้ใช้ต้องการภาษาไทย", vec!["ภาษาไทย"]),
        ("שרת הדואר נקרא יונה", vec!["הדואר", "יונה"]),
        ("خادم البريد اسمه حمامة", vec!["البريد", "حمامة"]),
        (
            "The café in the Straße closes.",
            vec![
                "cafe",
                "cafe\u{301}",
                "CAFÉ",
                "strasse",
                "STRASSE",
                "straße",
            ],
        ),
        ("Ship it 🚀 on Friday.", vec!["🚀"]),
        ("ＦＵＬＬ ｗｉｄｔｈ letters.", vec!["full width", "FULL"]),
        ("The İstanbul office.", vec!["istanbul", "İSTANBUL"]),
        ("Retries are limited.", vec!["retry", "retries", "retried"]),
    ];
    let data = fresh();
    let mut door = Pipes::open(data.path(), Era::Legacy);
    for (content, _) in &table {
        door.remember(content);
    }
    let mut missed = Vec::new();
    for (content, queries) in &table {
        for query in queries {
            if door.found(query).first().map(String::as_str) != Some(content) {
                missed.push(format!("{query} does not find {content} first"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn s03_a_query_without_hits_answers_an_empty_list() {
    for (_data, mut door) in each_door_alone() {
        let page = door.ok("recall", json!({ "query": "nothing like it" }));
        assert_eq!(
            (&page["memories"], &page["next_cursor"]),
            (&json!([]), &Value::Null),
            "{}",
            door.name()
        );
        door.remember("An ibis wades.");
        assert!(door.found("zebra").is_empty());
    }
}

#[test]
fn s07_a_word_deep_in_a_long_memory_is_found_and_shown() {
    let data = fresh();
    let mut door = Pipes::open(data.path(), Era::Legacy);
    for at in [7_000, 30_000, 60_000] {
        let filler = "Plain words fill the page. ".repeat(at / 27);
        let content = format!(
            "{filler}The ibis{at} password manager is called lagoon{at}. {}",
            "More words follow here. ".repeat(40)
        );
        let id = door.remember(&content);
        let rows = door.rows(&format!("lagoon{at}"));
        assert_eq!(rows[0]["id"], json!(id));
        let shown = rows[0]["content"].as_str().expect("text");
        assert!(
            shown.contains(&format!("lagoon{at}")),
            "the excerpt shows {shown:.200}"
        );
        assert!(
            shown.len() < content.len(),
            "a long memory comes back as an excerpt"
        );
    }
}

#[test]
fn s13_the_exact_words_come_first() {
    let data = fresh();
    let mut door = Pipes::open(data.path(), Era::Legacy);
    for number in 0..30 {
        door.remember(&format!(
            "The ibis report number {number} mentions retries, deploys and the queue."
        ));
    }
    let exact = "Ibis queue retries";
    door.remember(exact);
    for number in 30..40 {
        door.remember(&format!(
            "The ibis report number {number} mentions retries, deploys and the queue."
        ));
    }
    assert_eq!(door.found(exact).first().map(String::as_str), Some(exact));
}

#[test]
fn pages_hold_every_row_once_and_in_one_order() {
    let data = fresh();
    let mut door = Pipes::open(data.path(), Era::Legacy);
    for number in 0..23 {
        door.remember(&format!("Egret {number} stands in the reeds."));
    }
    let whole: Vec<Value> = door
        .rows("egret reeds")
        .iter()
        .map(|row| row["id"].clone())
        .collect();
    assert_eq!(whole.len(), 23);
    for k in [1, 4, 10, 22, 23] {
        let mut paged = Vec::new();
        let mut arguments = json!({ "query": "egret reeds", "k": k });
        loop {
            let page = door.ok("recall", arguments.clone());
            let rows = page["memories"].as_array().expect("a list");
            assert!(rows.len() <= k, "{page}");
            paged.extend(rows.iter().map(|row| row["id"].clone()));
            let Some(cursor) = page["next_cursor"].as_str() else {
                break;
            };
            arguments["cursor"] = json!(cursor);
        }
        assert_eq!(paged, whole, "pages of {k}");
    }
}

#[test]
fn s09_every_hit_satisfies_the_filters() {
    let data = fresh();
    let mut door = Pipes::open(data.path(), Era::Legacy);
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
    for kind in kinds {
        door.ok("remember", json!({ "project_hint": "https://example.com/acme/marsh", "kind": kind, "content": format!("A heron of kind {kind}.") }));
    }
    door.remember("A heron of the core scope.");
    for kind in kinds {
        let page = door.ok(
            "recall",
            json!({ "query": "heron", "kinds": [kind], "scopes": ["proj.me.marsh"] }),
        );
        let rows = page["memories"].as_array().expect("a list");
        assert_eq!(rows.len(), 1, "{kind}: {page}");
        assert!(
            rows.iter()
                .all(|row| row["kind"] == kind && row["scope"] == "proj.me.marsh"),
            "{page}"
        );
    }
    let page = door.ok("recall", json!({ "query": "heron", "scopes": ["core"] }));
    assert!(
        page["memories"]
            .as_array()
            .is_some_and(|rows| rows.iter().all(|row| row["scope"] == "user.me.core")),
        "{page}"
    );
}

#[test]
fn s23_reading_changes_no_byte_of_what_is_kept() {
    let data = fresh();
    let mut door = Pipes::open(data.path(), Era::Legacy);
    for number in 0..5 {
        door.remember(&format!("Stilt {number} counts its legs."));
    }
    let kept = |door: &mut Pipes| {
        let rows = door.rows("stilt legs");
        let ids: Vec<String> = rows
            .iter()
            .map(|row| row["id"].as_str().expect("an id").to_owned())
            .collect();
        let whole: Vec<Value> = ids
            .iter()
            .map(|id| {
                let uri = format!("zm://memory/{id}");
                door.ask("resources/read", json!({ "uri": uri }))["result"]["contents"].clone()
            })
            .collect();
        assert_eq!(whole.len(), 5);
        let exported = door.ok("export_memories", json!({}))["memories"].clone();
        (whole, exported)
    };
    let before = kept(&mut door);
    for _ in 0..100 {
        door.rows("stilt legs");
        door.ok("build_context", json!({ "topic": "stilt legs" }));
    }
    assert_eq!(kept(&mut door), before);
}
