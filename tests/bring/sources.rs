//! What single programs say and mean: states, ends, histories, users, JSON
//! that is not whole.

use std::fs;
use std::time::Instant;

use serde_json::{Value, json};

use super::{Bench, lines};
use crate::harness::{DEADLINE, Door, repository};

pub(super) const PERSONAL: [&str; 3] = ["--into", "personal", "--write"];

/// Returns the rows of a sort that an export of the bench holds.
fn rows(bench: &Bench, sort: &str) -> Vec<Value> {
    let rows = lines(&bench.export(&bench.data()));
    rows.into_iter().filter(|row| row["type"] == sort).collect()
}

/// Returns the texts that are served, in order.
pub(super) fn live(bench: &Bench) -> Vec<String> {
    let mut texts: Vec<String> = rows(bench, "memory")
        .iter()
        .filter(|row| row.get("retired_at").is_none())
        .filter_map(|row| row["content"].as_str())
        .map(str::to_owned)
        .collect();
    texts.sort();
    texts
}

fn database(bench: &Bench, name: &str) -> std::path::PathBuf {
    let path = repository().join("tests/bring").join(name);
    bench.file(name, fs::read(path).expect("a database"))
}

#[test]
fn a_history_leaves_the_text_that_its_source_ended_with() {
    let bench = Bench::new();
    let path = database(&bench, "odd_history.db");
    let tried = bench.import(&path, &PERSONAL[..2]).1;
    let (code, done) = bench.import(&path, &PERSONAL);
    assert_eq!((code, &done["n_rejected"]), (0, &json!(0)), "{done}");
    assert_eq!(
        (&done["imported"], &done["superseding"]),
        (&tried["imported"], &tried["superseding"]),
        "foretold otherwise"
    );
    assert_eq!(
        live(&bench),
        [
            "The crane calls",
            "The egret nests in May",
            "The stork is white"
        ]
    );
    // The row that is lost is told by the one that changed it.
    let memories = rows(&bench, "memory");
    assert_eq!(memories.len(), 7, "{memories:?}");
    let lost = memories
        .iter()
        .find(|row| row["content"] == "The crane sings")
        .expect("the older text");
    assert!(lost["superseded_by"].is_string());
    let exported = bench.export(&bench.data());
    assert_eq!(bench.import(&path, &PERSONAL).1["imported"], 0);
    assert_eq!(bench.export(&bench.data()), exported);
}

#[test]
fn what_is_paused_or_archived_comes_once_it_is_active() {
    let bench = Bench::new();
    let path = database(&bench, "open_memory.db");
    let (_, done) = bench.import(&path, &PERSONAL);
    assert_eq!(
        done["skipped"],
        json!({
            "archived in its source": 1, "deleted in its source": 1, "paused in its source": 1,
        }),
        "{done}"
    );
    assert_eq!(
        live(&bench),
        ["The ibis sleeps standing", "The ibis snores"]
    );
    let memories = rows(&bench, "memory");
    let notes = memories[1]["origin"]["notes"].as_str().expect("notes");
    let notes: Value = serde_json::from_str(notes).expect("JSON");
    assert_eq!(notes["tags"], json!(["birds", "app:editor"]));
    let item = |state: &str| json!([{ "id": "1", "memory": "The ibis dives", "state": state }]);
    let paused = bench.file("p.json", item("paused").to_string());
    assert_eq!(bench.import(&paused, &PERSONAL).1["imported"], 0);
    let active = bench.file("a.json", item("active").to_string());
    assert_eq!(bench.import(&active, &PERSONAL).1["imported"], 1);
}

#[test]
fn what_has_an_end_is_served_until_then_and_comes_back_with_another_end() {
    let bench = Bench::new();
    let item = |end: &str| {
        json!([{ "id": "1", "memory": "The ibis is on loan", "expiration_date": end }]).to_string()
    };
    let now = std::time::SystemTime::now();
    let soon = now.duration_since(std::time::UNIX_EPOCH).expect("a clock");
    let soon = soon.as_millis() + 3_000;
    let list = json!([{ "id": "1", "memory": "The ibis is on loan",
        "expiration_date": soon as f64 / 1000.0 }]);
    let path = bench.file("m.json", list.to_string());
    let (_, done) = bench.import(&path, &PERSONAL);
    assert_eq!(done["imported"], 1, "{done}");
    let started = Instant::now();
    loop {
        let mut door = bench.door();
        let found = door.found("loan");
        door.close();
        if found.is_empty() {
            break;
        }
        assert!(started.elapsed() < DEADLINE, "it is still served");
    }
    let memories = rows(&bench, "memory");
    assert!(
        memories[0]["retired_reason"]
            .as_str()
            .is_some_and(|why| why.contains("ended"))
    );
    let path = bench.file("m.json", item("2999-01-01"));
    let (_, done) = bench.import(&path, &PERSONAL);
    assert_eq!(done["imported"], 1, "{done}");
    assert_eq!(live(&bench), ["The ibis is on loan"]);
}

#[test]
fn a_server_that_goes_on_retires_what_has_ended_meanwhile() {
    let bench = Bench::new();
    let backups = crate::harness::fresh();
    let folder = backups.path().to_str().expect("text");
    // It looks as often as it makes backups, and every minute at least.
    let options = ["--backup-every", "1s", "--backup-dir", folder];
    fs::create_dir(bench.data()).expect("it is not there yet");
    let site = std::sync::Arc::new(crate::harness::Site::start_with(&bench.data(), &options));
    let found = || {
        let call = json!({ "name": "recall", "arguments": { "query": "loan" } });
        let answer = site.ask(crate::harness::Era::Legacy, "tools/call", call);
        answer.to_string().contains("The ibis is on loan")
    };
    assert!(!found(), "it has opened the folder");
    // On a busy machine it may be over before anybody looks.
    let mut seconds = 3_000;
    let started = Instant::now();
    loop {
        let now = std::time::SystemTime::now();
        let since = now.duration_since(std::time::UNIX_EPOCH).expect("a clock");
        let end = (since.as_millis() + seconds) as f64 / 1000.0;
        let list = json!([{ "id": format!("{seconds}"), "memory": "The ibis is on loan",
            "expiration_date": end }]);
        let path = bench.file("m.json", list.to_string());
        bench.import(&path, &PERSONAL);
        if found() {
            break;
        }
        assert!(started.elapsed() < DEADLINE, "it was never served");
        seconds *= 2;
    }
    while found() {
        assert!(started.elapsed() < 2 * DEADLINE, "it is still served");
        std::thread::yield_now();
    }
    let why = &rows(&bench, "memory")[0]["retired_reason"];
    assert!(
        why.as_str().is_some_and(|why| why.contains("ended")),
        "{why}"
    );
}

#[test]
fn json_that_is_not_whole_costs_only_what_is_broken() {
    let cases = [
        (
            "[{\"memory\":\"The ibis wades\",\"metadata\":{\"n\":NaN}},\n{\"memory\":\"The ibis dives\"}]",
            2,
            vec![],
        ),
        (
            "{\"results\":[{\"memory\":\"The ibis wades\"},\n{\"memory\":\"The ibis dives\"},\n{\"memory\":\"The ib",
            2,
            vec![3],
        ),
        (
            "[{\"memory\":\"The ibis wades\"},\n{\"memory\" \"The ibis flies\"},\n{\"memory\":\"The ibis dives\"}]",
            2,
            vec![2],
        ),
        (
            "[{\"memory\":\"The ibis wades\"}]\n[{\"memory\":\"The ibis dives\"}]",
            1,
            vec![2],
        ),
        (
            "{\"memories\":[{\"content\":\"The ibis wades\",\"content_hash\":\"1\",\"embedding\":[NaN]},\n{\"content\":\"The ibis dives\",\"content_hash\":\"2\"},\n{\"content",
            2,
            vec![3],
        ),
        (
            "{\"entities\":[{\"name\":\"Ibis\",\"observations\":[\"wades\",\"dives\"]},\n{\"name\":\"Egr",
            2,
            vec![2],
        ),
    ];
    for (text, n_memories, broken) in cases {
        let bench = Bench::new();
        let path = bench.file("x.json", text);
        let (code, done) = bench.import(&path, &PERSONAL);
        assert_eq!(
            (code, &done["imported"]),
            (0, &json!(n_memories)),
            "{text}: {done}"
        );
        let named: Vec<u64> = done["rejected"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|reject| reject["line"].as_u64())
            .collect();
        assert_eq!(named, broken, "{text}: {done}");
    }
    // One byte that is no UTF-8 costs its item.
    let bench = Bench::new();
    let path = bench.file(
        "x.json",
        b"[{\"memory\":\"The ibis wades\"},\n{\"memory\":\"The ib\xffs dives\"}]",
    );
    let (_, done) = bench.import(&path, &PERSONAL);
    assert_eq!(
        (&done["imported"], &done["rejected"][0]["line"]),
        (&json!(1), &json!(2)),
        "{done}"
    );
}

#[test]
fn whose_a_file_is_is_said_by_its_keys_and_not_by_what_was_noted() {
    for (text, format) in [
        (
            json!({ "results": [{ "memory": "The ibis wades", "metadata": { "entities": ["x"] } }] }),
            "mem0",
        ),
        (
            json!([{ "memory": "The ibis wades", "metadata": { "content_hash": "x" } }]),
            "mem0",
        ),
        (
            json!([{ "content": "The ibis wades", "content_hash": "h", "metadata": { "memory": "x" } }]),
            "mcp-memory-service",
        ),
    ] {
        let bench = Bench::new();
        let path = bench.file("x.json", text.to_string());
        let (_, done) = bench.import(&path, &PERSONAL);
        assert_eq!(done["formats"][format], 1, "{text}: {done}");
        assert_eq!(done["imported"], 1, "{text}: {done}");
    }
}

#[test]
fn several_users_are_named_and_a_map_says_where_a_graph_goes() {
    let bench = Bench::new();
    let list = json!({
        "results": [
            { "memory": "The ibis of ann", "user_id": "ann" },
            { "memory": "The ibis of bob", "user_id": "bob" },
        ],
        "relations": [{ "source": "ibis", "relationship": "lives at", "target": "nile" }],
    });
    let path = bench.file("m.json", list.to_string());
    let (_, tried) = bench.import(&path, &["--into", "personal"]);
    let notes = tried["notes"].to_string();
    assert!(
        notes.contains("ann, bob") && notes.contains("--map"),
        "{tried}"
    );
    let one = bench.file("one.json", r#"{"ann":"core","bob":"core"}"#);
    let one = one.to_str().expect("a path");
    let (code, done) = bench.import(&path, &["--map", one, "--write"]);
    assert_eq!((code, &done["rows"]["relations"]), (0, &json!(1)), "{done}");
    assert_eq!(done["by_scope"], json!({ "user.me.core": 2 }));
    let (_, again) = bench.import(&path, &["--map", one, "--write"]);
    assert_eq!(again["rows"], json!({}), "{again}");
    // Two places are none for what belongs to neither.
    let bench = Bench::new();
    let path = bench.file("m.json", list.to_string());
    let two = bench.file("two.json", r#"{"ann":"core","bob":"personal"}"#);
    let two = two.to_str().expect("a path");
    let (code, done) = bench.import(&path, &["--map", two, "--write"]);
    assert_eq!((code, &done["imported"]), (0, &json!(2)), "{done}");
    assert_eq!(
        done["skipped"]["a relation that nothing says the place of"], 1,
        "{done}"
    );
    // A graph alone has no place either, and that is said.
    let graph = bench.file(
        "g.jsonl",
        "{\"type\":\"relation\",\"from\":\"ibis\",\"to\":\"nile\",\"relationType\":\"at\"}\n",
    );
    let (code, refused) = bench.import(&graph, &["--write"]);
    assert_eq!(code, 1);
    assert!(
        refused["error"]
            .as_str()
            .is_some_and(|text| text.contains("names and relations")),
        "{refused}"
    );
}

#[test]
fn things_that_are_there_are_not_told_as_added() {
    let bench = Bench::new();
    let graph = concat!(
        "{\"type\":\"entity\",\"name\":\"Nile\",\"entityType\":\"river\"}\n",
        "{\"type\":\"entity\",\"name\":\"Ibis\",\"observations\":[\"wades\"]}\n",
        "{\"type\":\"relation\",\"from\":\"Ibis\",\"to\":\"Egypt\",\"relationType\":\"at\"}\n",
    );
    let path = bench.file("g.jsonl", graph);
    let (_, tried) = bench.import(&path, &PERSONAL[..2]);
    let (_, done) = bench.import(&path, &PERSONAL);
    assert_eq!(done["rows"]["things named"], 2, "{done}");
    assert_eq!(
        (&tried["rows"], &tried["skipped"]),
        (&done["rows"], &done["skipped"])
    );
    let (_, again) = bench.import(&path, &PERSONAL);
    assert_eq!(again["rows"], json!({}), "{again}");
}

#[test]
fn the_name_of_the_machine_stays_there() {
    let bench = Bench::new();
    let list = json!([{ "content": "The ibis wades", "content_hash": "h",
        "metadata": { "hostname": "some-host", "kept": "yes" } }]);
    bench.import(&bench.file("x.json", list.to_string()), &PERSONAL);
    let dump = String::from_utf8(bench.export(&bench.data())).expect("UTF-8");
    assert!(
        dump.contains("kept") && !dump.contains("some-host"),
        "{dump}"
    );
}
