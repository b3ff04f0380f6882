//! Dumps of folders that several people share: every value comes back, a part
//! of one holds no more than that part, and a folder in use takes only what
//! is its owner's. No command makes a second account yet, so these dumps are
//! written by hand.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Bench, lines};

const AT: i64 = 1_590_000_000_000;

fn id(sort: &str, number: usize) -> String {
    format!("{sort}_{number:026}")
}

fn me() -> String {
    id("usr", 1)
}

fn bea() -> String {
    id("usr", 2)
}

fn carl() -> String {
    id("usr", 3)
}

fn scope(path: &str, kind: &str, owner: &str, shares: bool) -> Value {
    let names: &[&str] = match kind {
        "project" => &["joint"],
        "team" => &["crew"],
        _ => &[],
    };
    json!({
        "type": "scope", "path": path, "kind": kind, "owner": owner, "created_at": AT,
        "default_visibility": if shares { "shared" } else { "private" }, "names": names,
    })
}

fn memory(number: usize, scope: &str, owner: &str, visibility: &str, content: &str) -> Value {
    json!({
        "type": "memory", "id": id("mem", number), "scope": scope, "owner": owner,
        "visibility": visibility, "kind": "fact", "created_at": AT, "author_kind": "agent",
        "scope_source": "explicit", "content": content,
    })
}

fn step(number: usize, event: &str, by: &str, more: Value) -> Value {
    let mut row = json!({
        "type": "history", "memory": id("mem", number), "event": event, "at": AT, "by": by,
    });
    let fields = row.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    row
}

/// Returns the rows of a folder of three people, in the order of a dump.
fn of_three() -> Vec<Value> {
    let (me, bea, carl) = (me(), bea(), carl());
    let (joint, crew) = ("proj.bea.joint", "team.bea.crew");
    let mut retired = memory(6, joint, &me, "shared", "The otter flies");
    for (key, value) in [
        ("retired_at", json!(AT + 5)),
        ("retired_by", json!(me)),
        ("retired_reason", json!("otters cannot")),
    ] {
        retired[key] = value;
    }
    let mut task = memory(7, joint, &me, "shared", "Build a holt");
    let mut brought = memory(8, "user.me.core", &me, "private", "Otters hold hands");
    let mut older = memory(9, "user.me.core", &me, "private", "Otters hold paws");
    for (row, fields) in [
        (
            &mut task,
            json!({ "kind": "task", "closed_at": AT + 6, "closed_by": bea, "resolution": "built" }),
        ),
        (
            &mut brought,
            json!({
                "author_kind": "import", "agent": "Ann", "scope_source": "hint", "thread": "thr-1",
                "client": "some client", "source_tool": "mem0", "source_path": "m.json",
                "source_hash": "abc", "verbatim": "they do", "origin": {
                    "first_byte": 3, "end_byte": 9, "updated_at": AT + 1,
                    "expires_at": 32_000_000_000_000_i64, "name": "mem0:1", "author": "Ann",
                    "notes": "{\"line\":1}",
                },
            }),
        ),
        (
            &mut older,
            json!({ "retired_at": AT + 7, "retired_by": me, "superseded_by": id("mem", 8) }),
        ),
    ] {
        row.as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("an object").clone());
    }
    vec![
        json!({ "type": "account", "id": me, "handle": "me", "created_at": AT }),
        json!({ "type": "account", "id": bea, "handle": "bea", "created_at": AT + 1 }),
        json!({ "type": "account", "id": carl, "handle": "carl", "created_at": AT + 2 }),
        json!({ "type": "erasure", "what": "memory", "id": id("mem", 99), "at": AT, "by": me }),
        scope("user.me", "personal", &me, false),
        scope("user.me.core", "core", &me, false),
        scope("user.bea", "personal", &bea, false),
        scope("user.bea.core", "core", &bea, false),
        scope("user.carl", "personal", &carl, false),
        scope("user.carl.core", "core", &carl, false),
        scope(joint, "project", &bea, true),
        scope(crew, "team", &bea, false),
        json!({ "type": "member", "scope": joint, "account": me, "role": "writer", "added_at": AT }),
        json!({ "type": "member", "scope": joint, "account": carl, "role": "admin", "added_at": AT + 1 }),
        json!({ "type": "member", "scope": crew, "account": me, "role": "reader", "added_at": AT + 2 }),
        json!({ "type": "binding", "owner": me, "kind": "git", "key": "example.com/otters",
            "scope": joint, "bound_at": AT }),
        json!({ "type": "entity", "id": id("ent", 1), "scope": joint, "name": "Otter",
            "name_key": "otter", "created_at": AT, "created_by": carl }),
        json!({ "type": "entity", "id": id("ent", 2), "scope": joint, "name": "River",
            "name_key": "river", "created_at": AT + 1, "created_by": bea }),
        memory(1, joint, &bea, "shared", "The otter swims"),
        memory(2, joint, &me, "shared", "The otter dives"),
        memory(3, joint, &carl, "private", "The otter bites carl"),
        memory(4, "user.carl", &carl, "private", "The otter is a secret"),
        memory(5, crew, &bea, "shared", "The crew feeds otters"),
        retired,
        task,
        brought,
        older,
        step(1, "created", &bea, json!({})),
        step(2, "created", &me, json!({})),
        step(3, "created", &carl, json!({})),
        step(4, "created", &carl, json!({})),
        step(5, "created", &bea, json!({})),
        step(6, "created", &me, json!({})),
        step(6, "retired", &me, json!({ "reason": "otters cannot" })),
        step(7, "closed", &bea, json!({ "reason": "built" })),
        step(
            8,
            "moved",
            &me,
            json!({ "source": "user.me", "target": "user.me.core" }),
        ),
        step(9, "superseded", &me, json!({ "other": id("mem", 8) })),
        json!({ "type": "link", "src": id("mem", 2), "dst": id("mem", 1), "link": "relates_to",
            "created_at": AT, "created_by": me }),
        json!({ "type": "anchor", "memory": id("mem", 1), "entity": id("ent", 1),
            "created_at": AT, "created_by": bea }),
        json!({ "type": "edge", "id": id("edg", 1), "src": id("ent", 1), "dst": id("ent", 2),
            "relation": "lives_in", "created_at": AT + 3, "created_by": carl }),
        json!({ "type": "rule", "id": id("rul", 1), "owner": me, "scope": joint,
            "visibility": "shared", "layer": "project", "pinned": true, "memory": id("mem", 2),
            "created_at": AT + 4, "text": "Mind the otter." }),
        json!({ "type": "rule", "id": id("rul", 2), "owner": me, "scope": "user.me",
            "visibility": "private", "layer": "personal", "pinned": false, "created_at": AT + 4,
            "retired_at": AT + 5, "replaced": id("rul", 3), "text": "Feed it." }),
        json!({ "type": "rule", "id": id("rul", 3), "owner": me, "scope": "user.me",
            "visibility": "private", "layer": "personal", "pinned": false, "created_at": AT + 5,
            "text": "Feed it at nine." }),
        json!({ "type": "dispute", "id": id("dsp", 1), "cause": "challenge", "memory": id("mem", 2),
            "status": "settled", "created_at": AT + 5, "created_by": me, "settled_at": AT + 6,
            "settled_by": bea, "decision": "uphold", "reason": "nobody saw it",
            "evidence": "a photograph", "sides": [{ "memory": id("mem", 2), "retired": false }] }),
    ]
}

/// Writes rows as a dump; returns its path.
fn dump(bench: &Bench, name: &str, rows: &[Value]) -> PathBuf {
    let header = json!({ "type": "zero-memory", "format": 1, "contract": "2.2.0", "counts": {} });
    let rows = std::iter::once(&header).chain(rows);
    let text: String = rows.map(|row| format!("{row}\n")).collect();
    bench.file(name, text)
}

/// Fills a folder with the rows of three people.
fn shared_folder(bench: &Bench) -> PathBuf {
    let path = dump(bench, "three.jsonl", &of_three());
    let data = bench.data();
    let (code, done) = bench.import_to(&data, &path, &["--write", "--strict"]);
    assert_eq!((code, &done["n_rejected"]), (0, &json!(0)), "{done}");
    data
}

fn export(bench: &Bench, data: &Path, scopes: &[&str]) -> Vec<Value> {
    let mut arguments = vec!["export"];
    scopes
        .iter()
        .for_each(|scope| arguments.extend(["--scope", *scope]));
    let output = bench.run(data, &arguments);
    assert!(output.status.success(), "{output:?}");
    lines(&output.stdout)
}

#[test]
fn every_value_of_a_folder_of_several_people_comes_back() {
    let bench = Bench::new();
    let data = shared_folder(&bench);
    let found = export(&bench, &data, &[]);
    let written = of_three();
    assert_eq!(found.len(), written.len() + 1);
    for (found, written) in found.iter().skip(1).zip(&written) {
        assert_eq!(found, written);
    }
    for sort in ["account", "member", "scope", "memory", "history"] {
        let n = written.iter().filter(|row| row["type"] == sort).count();
        assert_eq!(found[0]["counts"][sort], json!(n), "{sort}");
    }
    // Once more into the folder in use: everything is there, or another's, and
    // a trial tells what the run does.
    let path = dump(&bench, "again.jsonl", &written);
    let tried = bench.import_to(&data, &path, &[]).1;
    let done = bench.import_to(&data, &path, &["--write"]).1;
    assert_eq!(done["imported"], 0, "{done}");
    for part in ["rows", "skipped", "n_rejected", "rejected"] {
        assert_eq!(done[part], tried[part], "{part} was foretold otherwise");
    }
    assert_eq!(export(&bench, &data, &[]), found);
}

#[test]
fn a_part_of_a_dump_holds_the_scope_and_who_is_in_it_and_no_more() {
    let bench = Bench::new();
    let data = shared_folder(&bench);
    let texts = |rows: &[Value], sort: &str, key: &str| -> Vec<String> {
        rows.iter()
            .filter(|row| row["type"] == sort)
            .map(|row| row[key].as_str().expect("a text").to_owned())
            .collect()
    };
    let part = export(&bench, &data, &["team.bea.crew"]);
    assert_eq!(texts(&part, "memory", "content"), ["The crew feeds otters"]);
    assert_eq!(texts(&part, "scope", "path"), ["team.bea.crew"]);
    assert_eq!(texts(&part, "account", "handle"), ["me", "bea"]);
    assert_eq!(texts(&part, "member", "role"), ["reader"]);
    for sort in ["erasure", "entity", "link", "anchor", "binding"] {
        assert_eq!(texts(&part, sort, "type"), [""; 0], "{sort}");
    }
    let part = export(&bench, &data, &["core", "proj.bea.joint"]);
    assert_eq!(
        texts(&part, "scope", "path"),
        ["user.me.core", "proj.bea.joint"]
    );
    assert_eq!(texts(&part, "memory", "id").len(), 7);
    assert_eq!(texts(&part, "anchor", "type").len(), 1);
    let output = bench.run(&data, &["export", "--scope", "proj.bea.nothing"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("proj.bea.joint"), "{said}");
    // A part fills a folder of its own.
    let text: String = part.iter().map(|row| format!("{row}\n")).collect();
    let path = bench.file("part.jsonl", text);
    let other = bench.source.path().join("other");
    let (code, done) = bench.import_to(&other, &path, &["--write"]);
    assert_eq!((code, &done["imported"]), (0, &json!(7)), "{done}");
}

#[test]
fn a_folder_in_use_takes_no_row_in_the_name_of_another() {
    let bench = Bench::new();
    let data = shared_folder(&bench);
    let before = export(&bench, &data, &[]);
    let (me, bea, carl) = (me(), bea(), carl());
    let joint = "proj.bea.joint";
    let somebody_elses = "another account's";
    let cases = [
        (
            memory(11, joint, &bea, "shared", "I am bea"),
            somebody_elses,
        ),
        (
            memory(12, "user.carl", &me, "private", "In his diary"),
            somebody_elses,
        ),
        (
            memory(13, "team.bea.crew", &me, "shared", "I only read here"),
            somebody_elses,
        ),
        (
            memory(1, joint, &me, "shared", "Bea's, under her id"),
            "another row has its id",
        ),
        (
            memory(99, joint, &me, "shared", "I was erased"),
            "erased for ever",
        ),
        (
            step(1, "retired", &me, json!({ "reason": "mine" })),
            somebody_elses,
        ),
        (
            step(2, "retired", &bea, json!({ "reason": "hers" })),
            somebody_elses,
        ),
        (step(4, "created", &me, json!({})), "not there"),
        (
            json!({ "type": "erasure", "what": "memory", "id": id("mem", 2), "at": AT, "by": me }),
            "which is there",
        ),
        (
            json!({ "type": "erasure", "what": "memory", "id": id("mem", 98), "at": AT, "by": carl }),
            somebody_elses,
        ),
        (
            json!({ "type": "member", "scope": joint, "account": carl, "role": "reader", "added_at": AT }),
            somebody_elses,
        ),
        (
            json!({ "type": "account", "id": id("usr", 9), "handle": "eve", "created_at": AT }),
            somebody_elses,
        ),
        (
            scope("proj.bea.other", "project", &bea, true),
            somebody_elses,
        ),
        (
            json!({ "type": "link", "src": id("mem", 2), "dst": id("mem", 4), "link": "shows",
                "created_at": AT, "created_by": me }),
            "not there",
        ),
        (
            json!({ "type": "anchor", "memory": id("mem", 2), "entity": id("ent", 1),
                "created_at": AT, "created_by": carl }),
            somebody_elses,
        ),
        (
            json!({ "type": "entity", "id": id("ent", 7), "scope": "team.bea.crew", "name": "Seal",
                "name_key": "seal", "created_at": AT, "created_by": me }),
            somebody_elses,
        ),
    ];
    for (row, why) in cases {
        let path = dump(&bench, "one.jsonl", std::slice::from_ref(&row));
        let (_, done) = bench.import_to(&data, &path, &["--write"]);
        assert_eq!(done["n_rejected"], 1, "{row}: {done}");
        let said = done["rejected"][0]["why"].as_str().expect("words");
        assert!(said.contains(why), "{row}: {said}");
    }
    assert_eq!(export(&bench, &data, &[]), before);
    // What is one's own is taken, there where one may write.
    let own = memory(14, joint, &me, "shared", "The otter naps");
    let path = dump(&bench, "own.jsonl", &[own]);
    let (_, done) = bench.import_to(&data, &path, &["--write"]);
    assert_eq!(
        (&done["imported"], &done["n_rejected"]),
        (&json!(1), &json!(0)),
        "{done}"
    );
}
