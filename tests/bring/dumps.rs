//! Dumps of our own: every row comes back, and only what may.

use std::fs;

use serde_json::{Value, json};

use super::{Bench, bytes_of, lines};
use crate::harness::{Door, Era, Pipes, json_file, repository};

/// Fills a folder by every tool that leaves rows of another sort.
pub(super) fn fill(bench: &Bench) {
    let mut door = bench.door();
    let hint = "https://example.com/birds/ibis.git";
    let mut say = |content: &str, more: Value| {
        let mut arguments = json!({ "content": content, "project_hint": hint });
        arguments
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        door.ok("remember", arguments)["memory_id"].clone()
    };
    let old = say(
        "Ibises eat frogs",
        json!({ "entities": ["Ibis", "Frog"], "verbatim": "they do" }),
    );
    let new = say(
        "Ibises eat fish",
        json!({ "links": [{ "type": "supersedes", "target": old }], "entities": ["Ibis"] }),
    );
    let rule = say("Feed the ibis at nine", json!({ "kind": "convention" }));
    let task = say("Build a nest", json!({ "kind": "task" }));
    let doubtful = say(
        "Ibises can talk \u{1f426} 日本 \"quoted\" \\ back",
        json!({}),
    );
    let gone = say("Ibises swim", json!({}));
    let moved = say("Ibises are everywhere", json!({}));
    door.ok(
        "promote_rule",
        json!({ "memory_id": rule, "rule_text": "Feed the ibis." }),
    );
    door.ok(
        "promote_rule",
        json!({ "memory_id": rule, "rule_text": "Feed the ibis at nine.", "pinned": true }),
    );
    door.ok(
        "close_loop",
        json!({ "memory_id": task, "resolution": "built" }),
    );
    door.ok(
        "challenge",
        json!({ "memory_id": doubtful, "reason": "nobody heard one" }),
    );
    door.ok("forget", json!({ "memory_id": gone, "reason": "wrong" }));
    door.ok(
        "move_memories",
        json!({ "memory_ids": [moved], "scope": "core" }),
    );
    door.ok(
        "link",
        json!({ "src": new, "dst": doubtful, "type": "relates_to" }),
    );
    let erased = door.ok(
        "remember",
        json!({ "content": "Ibises are secret", "project_hint": hint }),
    )["memory_id"]
        .clone();
    door.close();
    let id = erased.as_str().expect("an id");
    let output = bench.run(&bench.data(), &["erase", id, "--yes"]);
    assert!(output.status.success(), "{output:?}");
    let (_, done) = bench.import(
        &bench.file(
            "m.json",
            r#"[{"id":"1","memory":"imported ibis","metadata":{"a":1}}]"#,
        ),
        &["--into", "core", "--write"],
    );
    assert_eq!(done["imported"], 1);
    let (_, done) = bench.import(
        &bench.file(
            "g.jsonl",
            r#"{"type":"relation","from":"Ibis","to":"Nile","relationType":"lives at"}"#,
        ),
        &["--into", "core", "--write"],
    );
    assert_eq!(done["rows"]["relations"], 1);
}

#[test]
fn a_dump_fills_an_empty_folder_with_the_same_bytes() {
    let bench = Bench::new();
    fill(&bench);
    let dump = bench.export(&bench.data());
    let rows = lines(&dump);
    for sort in [
        "account", "erasure", "scope", "binding", "entity", "memory", "history", "link", "anchor",
        "edge", "rule", "dispute",
    ] {
        assert!(
            rows.iter().any(|row| row["type"] == sort),
            "the folder has no {sort}"
        );
        let said = rows[0]["counts"][sort].as_u64();
        let found = rows.iter().filter(|row| row["type"] == sort).count();
        assert_eq!(said, Some(found as u64), "{sort}");
    }
    assert_eq!(
        bench.export(&bench.data()),
        dump,
        "two exports of one folder differ"
    );
    let path = bench.file("dump.jsonl", &dump);
    let other = bench.source.path().join("other");
    let (code, tried) = bench.import_to(&other, &path, &[]);
    assert_eq!((code, other.exists()), (0, false), "{tried}");
    let (code, done) = bench.import_to(&other, &path, &["--write", "--strict"]);
    assert_eq!((code, &done["n_rejected"]), (0, &json!(0)), "{done}");
    assert_eq!(bench.export(&other), dump, "the copy differs");
    let (_, again) = bench.import_to(&other, &path, &["--write"]);
    assert_eq!(again["imported"], 0);
    assert_eq!(
        bench.export(&other),
        dump,
        "the second import changed the copy"
    );

    // The copy works: search, rules, loops and doubts are there.
    let mut door = Pipes::open(&other, Era::Modern);
    assert_eq!(door.rows("fish").len(), 1);
    assert!(
        door.rows("ibises swim")
            .iter()
            .all(|row| row["content"] != "Ibises swim")
    );
    let briefing = door.ok(
        "build_context",
        json!({ "topic": "ibis", "project_hint": "https://example.com/birds/ibis.git" }),
    );
    assert_eq!(
        briefing["rules"][0]["text"], "Feed the ibis at nine.",
        "{briefing}"
    );
    assert_eq!(
        door.ok("list_conflicts", json!({}))["conflicts"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn each_line_of_a_dump_is_what_its_schema_says() {
    let bench = Bench::new();
    fill(&bench);
    let schema = json_file(repository().join("crates/memory/dump.schema.json"));
    let validator = jsonschema::validator_for(&schema).expect("the schema is sound");
    let mut rows = lines(&bench.export(&bench.data()));
    for row in &rows {
        assert!(
            validator.is_valid(row),
            "{row}: {:?}",
            validator
                .iter_errors(row)
                .map(|error| error.to_string())
                .collect::<Vec<_>>()
        );
    }
    let memory = rows
        .iter_mut()
        .find(|row| row["type"] == "memory")
        .expect("a memory");
    memory["unknown"] = json!(1);
    assert!(
        !validator.is_valid(memory),
        "the schema lets anything through"
    );
}

#[test]
fn w18_a_damaged_dump_loads_its_good_lines_and_names_the_others() {
    let bench = Bench::new();
    fill(&bench);
    let dump = String::from_utf8(bench.export(&bench.data())).expect("UTF-8");
    let n_lines = dump.lines().count();
    let cut = &dump[..dump.len() - 20];
    let path = bench.file(
        "cut.jsonl",
        cut.replacen("\"type\":\"binding\"", "\"type\":\"bending\"", 1),
    );
    let other = bench.source.path().join("other");
    let (code, done) = bench.import_to(&other, &path, &["--write"]);
    assert_eq!(code, 0);
    let rejected: Vec<u64> = done["rejected"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|reject| reject["line"].as_u64())
        .collect();
    assert_eq!(rejected.len(), 2, "{done}");
    assert_eq!(rejected.last(), Some(&(n_lines as u64)));
    assert!(
        done["notes"].to_string().contains("binding"),
        "the counts differ and nobody says so: {done}"
    );
    let mut door = Pipes::open(&other, Era::Modern);
    assert_eq!(door.rows("fish").len(), 1);
}

#[test]
fn a_folder_in_use_takes_only_what_is_its_owners_and_no_rules() {
    let bench = Bench::new();
    fill(&bench);
    let path = bench.file("dump.jsonl", bench.export(&bench.data()));
    let other = bench.source.path().join("other");
    fs::create_dir_all(&other).expect("a folder");
    let mut door = Pipes::open(&other, Era::Modern);
    door.remember("The heron was here first.");
    door.close();
    let before = bench.export(&other);
    let (_, refused) = bench.import_to(&other, &path, &["--write"]);
    assert_eq!(
        refused["imported"], 0,
        "rows of another account were taken: {refused}"
    );
    assert_eq!(bench.export(&other), before);
    let map = bench.file("map.json", r#"{"me":"me"}"#);
    let map = map.to_str().expect("a path");
    let (_, merged) = bench.import_to(&other, &path, &["--map", map, "--write"]);
    assert_eq!(merged["imported"], 8, "{merged}");
    let rows = lines(&bench.export(&other));
    assert!(
        rows.iter().all(|row| row["type"] != "rule"),
        "rules came along unasked"
    );
    let (_, ruled) = bench.import_to(&other, &path, &["--map", map, "--with-rules", "--write"]);
    assert_eq!(
        (&ruled["imported"], &ruled["rows"]["rule"]),
        (&json!(0), &json!(2)),
        "{ruled}"
    );
    let mut door = Pipes::open(&other, Era::Modern);
    assert_eq!(door.rows("fish").len(), 1);
    assert_eq!(door.rows("heron").len(), 1);
}

#[test]
fn a_hostile_dump_breaks_no_rule_of_the_store() {
    let bench = Bench::new();
    fill(&bench);
    let dump = String::from_utf8(bench.export(&bench.data())).expect("UTF-8");
    let rows = lines(dump.as_bytes());
    let of = |sort: &str| {
        rows.iter()
            .find(|row| row["type"] == sort)
            .expect("a row")
            .clone()
    };
    let ghost = "0".repeat(26);
    let mut hostile: Vec<Value> = Vec::new();
    let mut twist = |sort: &str, changes: Value| {
        let mut row = of(sort);
        let row_of = row.as_object_mut().expect("an object");
        if changes.get("id").is_none() && row_of.contains_key("id") && sort != "account" {
            let prefix = row_of["id"].as_str().expect("an id")[..4].to_owned();
            row_of.insert(
                "id".into(),
                json!(format!("{prefix}{:026}", hostile.len() + 1)),
            );
        }
        row_of.extend(changes.as_object().expect("an object").clone());
        hostile.push(row);
    };
    twist("memory", json!({ "owner": format!("usr_{ghost}") }));
    twist("memory", json!({ "scope": "user.somebody" }));
    twist("memory", json!({ "kind": "rule" }));
    twist("memory", json!({ "visibility": "everybody" }));
    twist("memory", json!({ "created_at": 9_000_000_000_000_000_i64 }));
    twist("memory", json!({ "created_at": -1 }));
    twist("memory", json!({ "content": "\u{0}" }));
    twist("memory", json!({ "content": " \u{200b}" }));
    twist("memory", json!({ "id": "mem_../../etc/passwd" }));
    twist(
        "memory",
        json!({ "retired_at": 1, "retired_by": Value::Null }),
    );
    twist(
        "memory",
        json!({ "closed_at": 1, "closed_by": rows[1]["id"], "kind": "fact", "retired_at": Value::Null }),
    );
    twist("history", json!({ "event": "erased" }));
    twist("history", json!({ "memory": format!("mem_{ghost}") }));
    twist("link", json!({ "dst": of("link")["src"] }));
    twist("link", json!({ "link": "'; DROP TABLE memory; --" }));
    twist("anchor", json!({ "entity": format!("ent_{ghost}") }));
    twist("entity", json!({ "name": "Other" }));
    twist("rule", json!({ "layer": "personal" }));
    twist("dispute", json!({ "sides": [] }));
    twist(
        "scope",
        json!({ "path": "proj.somebody.else", "kind": "project" }),
    );
    twist(
        "scope",
        json!({ "path": "proj.me.../x", "kind": "project" }),
    );
    let n_hostile = hostile.len();
    let text: String = hostile.iter().map(|row| format!("{row}\n")).collect();
    let path = bench.file("hostile.jsonl", format!("{dump}{text}"));
    let other = bench.source.path().join("other");
    let (code, done) = bench.import_to(&other, &path, &["--write"]);
    assert_eq!(
        (code, &done["n_rejected"]),
        (0, &json!(n_hostile)),
        "{done}"
    );
    for word in ["SQL", "INSERT", "CHECK", "constraint", "UNIQUE"] {
        assert!(!done.to_string().contains(word), "{word}: {done}");
    }
    assert_eq!(
        bench.export(&other),
        dump.as_bytes(),
        "something of it was stored"
    );
}

#[test]
fn a_dump_that_is_brought_again_is_there_already() {
    let bench = Bench::new();
    fill(&bench);
    let dump = bench.export(&bench.data());
    let path = bench.file("dump.jsonl", &dump);
    let superseded = lines(&dump)
        .iter()
        .filter(|row| row["superseded_by"].is_string())
        .count();
    assert!(superseded > 0, "nothing in it has a successor");
    let other = bench.source.path().join("other");
    let options = ["--write", "--strict", "--with-rules"];
    for n_times in 0..2 {
        let (code, done) = bench.import_to(&other, &path, &options);
        assert_eq!(
            (code, &done["n_rejected"]),
            (0, &json!(0)),
            "{n_times}: {done}"
        );
    }
    assert_eq!(bench.export(&other), dump);
}

#[test]
fn a_dump_covers_nothing_but_a_dump() {
    let bench = Bench::new();
    fill(&bench);
    let data = bench.data();
    let mine = bench.file("mine.txt", "my own words");
    let store = data.join("memory.db");
    for path in [&mine, &store] {
        let before = fs::read(path).expect("it is there");
        let out = path.display().to_string();
        let output = bench.run(&data, &["export", "--out", &out]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("no dump of ours"), "{said}");
        assert_eq!(fs::read(path).expect("it is there"), before);
    }
    let dump = bench.file("dump.jsonl", bench.export(&data));
    let out = dump.display().to_string();
    let output = bench.run(&data, &["export", "--out", &out]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_dump_without_its_first_line_is_still_a_dump() {
    let bench = Bench::new();
    fill(&bench);
    let dump = String::from_utf8(bench.export(&bench.data())).expect("UTF-8");
    let (_, rows) = dump.split_once('\n').expect("lines");
    let n_memories = lines(dump.as_bytes())
        .iter()
        .filter(|row| row["type"] == "memory")
        .count();
    let begun = dump
        .lines()
        .position(|line| line.contains("\"type\":\"memory\""))
        .expect("a memory");
    let cases = [
        ("missing.jsonl", rows.to_owned(), 1),
        (
            "torn.jsonl",
            format!("ero-memory\",\"format\":1}}\n{rows}"),
            1,
        ),
        ("blank.jsonl", format!("\n{rows}"), 1),
    ];
    for (name, text, line) in cases {
        let other = bench.source.path().join(format!("of-{name}"));
        let path = bench.file(name, text);
        let (code, strict) = bench.import_to(&other, &path, &["--write", "--strict"]);
        assert_eq!(
            (code, &strict["written"]),
            (1, &json!(false)),
            "{name}: {strict}"
        );
        let (code, done) = bench.import_to(&other, &path, &["--write"]);
        assert_eq!(
            (code, &done["imported"]),
            (0, &json!(n_memories)),
            "{name}: {done}"
        );
        assert_eq!(done["n_rejected"], 1, "{name}: {done}");
        assert_eq!(done["rejected"][0]["line"], line, "{name}: {done}");
        assert_eq!(bench.export(&other), dump.as_bytes(), "{name}");
    }
    // Its tail, too: it is no graph of another program, whatever is missing.
    let tail: Vec<&str> = dump.lines().skip(begun).collect();
    let path = bench.file("tail.jsonl", tail.join("\n"));
    let (code, done) = bench.import(&path, &[]);
    assert_eq!(
        (code, done["formats"].get("zero-memory").is_some()),
        (0, true),
        "{done}"
    );
    let path = bench.file("graph.jsonl", "{\"type\":\"entity\",\"name\":\"a\"}\n");
    let (code, refused) = bench.import(&path, &["--format", "zero-memory"]);
    assert_eq!(code, 1, "{refused}");
}

#[test]
fn names_of_what_was_erased_do_not_come_back_with_an_old_dump() {
    let bench = Bench::new();
    let mut door = bench.door();
    let mut say = |content: &str, entities: Value| {
        let arguments = json!({ "scope": "core", "content": content, "entities": entities });
        door.ok("remember", arguments)["memory_id"].clone()
    };
    let gone = say("The shoebill left", json!(["Shoebill", "Ibis"]));
    say("The ibis stays", json!(["Ibis"]));
    door.close();
    let path = bench.file("old.jsonl", bench.export(&bench.data()));
    let gone = gone.as_str().expect("an id");
    let output = bench.run(&bench.data(), &["erase", gone, "--yes"]);
    assert!(output.status.success(), "{output:?}");
    let before = bench.export(&bench.data());
    let tried = bench.import(&path, &[]).1;
    let (code, done) = bench.import(&path, &["--write"]);
    assert_eq!(code, 0, "{done}");
    assert_eq!(
        done["skipped"]["a name of nothing but what was erased"], 1,
        "{done}"
    );
    for part in ["imported", "rows", "skipped", "n_rejected"] {
        assert_eq!(done[part], tried[part], "{part} was foretold otherwise");
    }
    assert_eq!(bench.export(&bench.data()), before);
    let stored = bytes_of(&bench.data());
    let shows = |bytes: &[u8]| {
        bytes
            .to_ascii_lowercase()
            .windows(8)
            .any(|part| part == b"shoebill")
    };
    let found: Vec<_> = stored.iter().filter(|(_, bytes)| shows(bytes)).collect();
    assert!(found.is_empty(), "the name is back");
}
