//! Import and export by the command line: what people bring, what they take
//! away, and that nothing happens to a folder unless they asked for it.

mod accounts;
mod dumps;
mod folders;
mod hostile;
mod sources;
mod texts;
mod versions;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Door, Era, Pipes, binary, fresh, repository};

/// A data folder and a folder to bring things from.
struct Bench {
    data: TempDir,
    source: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self {
            data: fresh(),
            source: fresh(),
        }
    }

    fn data(&self) -> PathBuf {
        self.data.path().join("data")
    }

    /// Writes a file below the source; returns its path.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.source.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(&path, content).expect("it can be written");
        path
    }

    fn run(&self, data: &Path, arguments: &[&str]) -> Output {
        Command::new(binary())
            .args(arguments)
            .arg("--data")
            .arg(data)
            .env_remove("ZERO_MEMORY_HANDLE")
            .output()
            .expect("the binary starts")
    }

    fn import(&self, path: &Path, options: &[&str]) -> (i32, Value) {
        self.import_to(&self.data(), path, options)
    }

    fn import_to(&self, data: &Path, path: &Path, options: &[&str]) -> (i32, Value) {
        let path = path.to_str().expect("a path of UTF-8");
        let mut arguments = vec!["import", path, "--json"];
        arguments.extend(options);
        let output = self.run(data, &arguments);
        let report = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| json!({ "error": String::from_utf8_lossy(&output.stderr) }));
        (output.status.code().expect("an exit code"), report)
    }

    fn export(&self, data: &Path) -> Vec<u8> {
        let output = self.run(data, &["export"]);
        assert!(output.status.success(), "{output:?}");
        output.stdout
    }

    fn door(&self) -> Pipes {
        fs::create_dir_all(self.data()).expect("the folder can be made");
        Pipes::open(&self.data(), Era::Modern)
    }
}

/// Every file below a folder and its bytes.
fn bytes_of(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(bytes_of(&path));
        } else {
            let bytes = fs::read(&path).expect("it can be read");
            found.insert(path, bytes);
        }
    }
    found
}

const TOPIC: &str = "---\nname: tabs\ndescription: \"Tabs: always\"\nmetadata: \n  node_type: memory\n  type: feedback\n  originSessionId: 0a1b\n  modified: 2020-01-02T03:04:05.678Z\n---\nIndent with tabs.\n\n**Why:** the linter of the ibis asks for it. See [[gone-note]].\n";

/// One source of each format, what is passed beside it, how many memories it
/// gives and a query that finds one of them.
fn sources(bench: &Bench) -> Vec<(&'static str, PathBuf, Vec<&'static str>, u64, &'static str)> {
    bench.file("cc/memory/tabs.md", TOPIC);
    bench.file(
        "cc/memory/MEMORY.md",
        "# Memory\n- [Tabs](tabs.md) — hook\n- The ibis port is 4000\n",
    );
    bench.file(
        "repo/CLAUDE.md",
        "# Ibis\n- run the ibis tests\n\n@docs/more.md\n@../../outside.md\n",
    );
    bench.file("repo/docs/more.md", "- read the ibis manual\n");
    bench.file(
        "repo/AGENTS.md",
        "# Ibis\n- run the ibis tests\n\n@docs/more.md\n@../../outside.md\n",
    );
    bench.file("repo/GEMINI.md", "Ask the ibis first.\n");
    bench.file("repo/pkg/.cursor/rules/010-ts.mdc", "---\ndescription: Use when: a change\nglobs: **/*.ts\nalwaysApply: false\n---\nIbis code is strict.\n");
    bench.file("notes/ibis.md", "---\ntitle: Ibis\npermalink: birds/ibis\ncreated: 2020-05-06\n---\n# Ibis\n- [habitat] the ibis wades #water (seen)\n- eats [[Frog]]\n- [ ] not this\n");
    let graph = bench.file("graph", "\u{feff}{\"type\":\"entity\",\"name\":\"Ibis\",\"entityType\":\"bird\",\"observations\":[\"wades\",7]}\n{\"type\":\"relation\",\"from\":\"Ibis\",\"to\":\"Nile\",\"relationType\":\"lives at\"}\n");
    let mem0 = bench.file("mem0", r#"{"results":[{"id":"a-1","memory":"The ibis likes reeds","created_at":"2020-07-01T05:30:00-07:00","updated_at":null,"user_id":"u","metadata":null},{"id":"a-2","memory":"old","expiration_date":"2021-01-01"}]}"#);
    let service = bench.file("service", r#"{"export_metadata":{"source_machine":"m","total_memories":9},"memories":[{"content":"The ibis is sacred","content_hash":"h","tags":["bird"],"created_at":1590000000.5,"memory_type":"decision"}]}"#);
    let at = |name: &str| bench.source.path().join(name);
    vec![
        (
            "claude-code",
            at("cc/memory"),
            vec!["--project", "/code/ibis"],
            2,
            "ibis linter",
        ),
        (
            "claude-md",
            at("repo"),
            vec!["--project", "/code/ibis2"],
            4,
            "ibis manual",
        ),
        (
            "basic-memory",
            at("notes"),
            vec!["--into", "personal"],
            2,
            "ibis wades",
        ),
        (
            "server-memory",
            graph,
            vec!["--into", "personal"],
            2,
            "ibis 7",
        ),
        ("mem0", mem0, vec!["--into", "personal"], 1, "ibis reeds"),
        (
            "mcp-memory-service",
            service,
            vec!["--into", "core"],
            1,
            "ibis sacred",
        ),
    ]
}

#[test]
fn every_format_is_detected_tried_stored_and_known_the_next_time() {
    let bench = Bench::new();
    for (format, path, options, n_memories, query) in sources(&bench) {
        let before = bytes_of(&bench.data());
        let (code, tried) = bench.import(&path, &options);
        let named: Vec<&str> = (options.iter().copied())
            .chain(["--format", format])
            .collect();
        let (code_of_named, by_name) = bench.import(&path, &named);
        assert_eq!(
            (code_of_named, &by_name["imported"]),
            (code, &tried["imported"]),
            "{format} by its name: {by_name}"
        );
        assert_eq!(code, 0, "{format}: {tried}");
        assert!(tried["formats"].get(format).is_some(), "{tried}");
        assert_eq!(tried["written"], false);
        assert_eq!(tried["imported"], json!(n_memories), "{format}: {tried}");
        assert_eq!(
            bytes_of(&bench.data()),
            before,
            "{format}: a dry run changed the folder"
        );

        let writing: Vec<&str> = options.iter().copied().chain(["--write"]).collect();
        let (code, done) = bench.import(&path, &writing);
        assert_eq!(code, 0, "{format}: {done}");
        for part in [
            "imported",
            "by_kind",
            "by_scope",
            "rows",
            "skipped",
            "n_rejected",
        ] {
            assert_eq!(
                done[part], tried[part],
                "{format}: {part} was foretold otherwise"
            );
        }
        let exported = bench.export(&bench.data());
        let (_, again) = bench.import(&path, &writing);
        assert_eq!(again["imported"], 0, "{format}: {again}");
        assert_eq!(
            bench.export(&bench.data()),
            exported,
            "{format}: the second time changed something"
        );

        let mut door = bench.door();
        assert!(
            !door.rows(query).is_empty(),
            "{format}: {query} finds nothing"
        );
        let briefing = door.ok(
            "build_context",
            json!({ "topic": "ibis", "project_hint": "/code/ibis" }),
        );
        assert_eq!(
            briefing["rules"],
            json!([]),
            "{format}: an import made a rule"
        );
        door.close();
    }
}

#[test]
fn x02_an_import_keeps_times_and_authors_and_when_it_came() {
    let bench = Bench::new();
    let path = bench.file("mem0.json", r#"[{"id":"a","memory":"Ibises nest here","created_at":"2020-07-01T05:30:00-07:00","updated_at":"2020-07-02T00:00:00Z","actor_id":"Ann","expiration_date":"2999-01-01","categories":["birds"],"metadata":{"n":1}}]"#);
    let (_, done) = bench.import(&path, &["--into", "personal", "--write"]);
    assert_eq!(done["imported"], 1);
    let dump = bench.export(&bench.data());
    let rows: Vec<Value> = lines(&dump);
    let memory = rows
        .iter()
        .find(|row| row["type"] == "memory")
        .expect("a memory");
    assert_eq!(memory["created_at"], 1_593_606_600_000_i64);
    assert_eq!(
        (&memory["author_kind"], &memory["agent"]),
        (&json!("import"), &json!("Ann"))
    );
    assert_eq!(memory["source_path"], "mem0.json");
    assert_eq!(memory["origin"]["updated_at"], 1_593_648_000_000_i64);
    assert!(memory["origin"]["expires_at"].as_i64() > Some(0));
    let (first, end) = (
        memory["origin"]["first_byte"].as_u64(),
        memory["origin"]["end_byte"].as_u64(),
    );
    assert_eq!(
        (first, end),
        (
            Some(1),
            Some(fs::metadata(&path).expect("a file").len() - 1)
        )
    );
    let notes: Value =
        serde_json::from_str(memory["origin"]["notes"].as_str().expect("notes")).expect("JSON");
    assert_eq!(
        (&notes["tags"], &notes["metadata"]["n"]),
        (&json!(["birds"]), &json!(1))
    );
    let created = rows
        .iter()
        .find(|row| row["type"] == "history")
        .expect("a step");
    assert!(
        created["at"].as_i64() > memory["created_at"].as_i64(),
        "when it came is kept apart"
    );
}

#[test]
fn x03_bad_lines_are_named_and_a_strict_run_stores_nothing() {
    let bench = Bench::new();
    let secret = format!("ghp{}", "_0123456789abcdefghijABCDEFGHIJ456789");
    let mut graph: Vec<String> = (0..97)
        .map(|n| format!(r#"{{"type":"entity","name":"Ibis {n}","entityType":"bird","observations":["Ibis {n} wades"]}}"#))
        .collect();
    graph.insert(10, "nonsense".to_owned());
    graph.insert(
        20,
        format!(r#"{{"type":"entity","name":"Key","observations":["it is {secret}"]}}"#),
    );
    graph.push(r#"{"type":"entity","na"#.to_owned());
    let path = bench.file("g.jsonl", graph.join("\n"));

    let (code, strict) = bench.import(&path, &["--into", "personal", "--write", "--strict"]);
    assert_eq!(
        (code, &strict["written"], &strict["n_rejected"]),
        (1, &json!(false), &json!(3)),
        "{strict}"
    );
    assert!(
        !bench.data().join("memory.db").exists()
            || lines(&bench.export(&bench.data()))
                .iter()
                .all(|row| row["type"] != "memory")
    );

    let (code, done) = bench.import(&path, &["--into", "personal", "--write"]);
    assert_eq!((code, &done["imported"]), (0, &json!(97)), "{done}");
    let mut rejected: Vec<u64> = done["rejected"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|reject| reject["line"].as_u64())
        .collect();
    rejected.sort_unstable();
    assert_eq!(rejected, [11, 21, 100]);
    assert!(
        !done.to_string().contains(&secret[..12]),
        "the report shows the credential"
    );
    let stored = bytes_of(&bench.data());
    let shows = |bytes: &[u8]| {
        bytes
            .windows(secret.len())
            .any(|part| part == secret.as_bytes())
    };
    assert!(
        !stored.values().any(|bytes| shows(bytes)),
        "the credential was stored"
    );
}

#[test]
fn x07_any_shape_of_a_graph_is_taken_and_its_file_stays_as_it_is() {
    for (text, n_memories) in [
        ("[]", 0),
        ("{}", 0),
        ("", 0),
        (
            r#"[{"type":"entity","name":"A","entityType":"t","observations":["x"]}]"#,
            1,
        ),
        (
            r#"{"entities":[{"name":"A","entityType":"t","observations":["x"]}],"relations":[]}"#,
            1,
        ),
    ] {
        let bench = Bench::new();
        let path = bench.file("memory.json", text);
        let (code, done) = bench.import(&path, &["--into", "personal", "--write"]);
        assert_eq!(
            (code, &done["imported"]),
            (0, &json!(n_memories)),
            "{text}: {done}"
        );
        assert_eq!(fs::read_to_string(&path).expect("a file"), text);
    }
}

#[test]
fn nothing_is_stored_where_nobody_said_where() {
    let bench = Bench::new();
    let path = bench.file("m.json", r#"[{"memory":"the ibis wades"}]"#);
    let (code, refused) = bench.import(&path, &["--write"]);
    assert_eq!(code, 1);
    assert!(
        refused["error"]
            .as_str()
            .is_some_and(|text| text.contains("--project")),
        "{refused}"
    );
    let output = bench.run(&bench.data(), &["import", "nowhere", "--format", "odd"]);
    assert_eq!(
        output.status.code(),
        Some(2),
        "a format that is none is wrong usage"
    );
}

#[test]
fn a_user_of_the_source_goes_where_the_map_says_and_nowhere_else() {
    let bench = Bench::new();
    let path = bench.file("m.json", r#"[{"memory":"ibis of ann","user_id":"ann"},{"memory":"ibis of bob","user_id":"bob"},{"memory":"ibis of eve","user_id":"eve"}]"#);
    let map = bench.file("map.json", r#"{"ann":"personal","bob":"skip"}"#);
    let (_, done) = bench.import(
        &path,
        &[
            "--into",
            "core",
            "--map",
            map.to_str().expect("a path"),
            "--write",
        ],
    );
    assert_eq!(
        (&done["imported"], &done["n_rejected"]),
        (&json!(1), &json!(1)),
        "{done}"
    );
    assert_eq!(done["by_scope"], json!({ "user.me": 1 }));
}

fn lines(dump: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(dump).expect("a dump is UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

/// The databases lie beside this file, with the statements that made them.
#[test]
fn databases_of_other_programs_are_read_and_never_touched() {
    let folder = repository().join("tests/bring");
    let cases = [
        ("history.db", "mem0", 2, "deleted in its source", "june"),
        (
            "service.db",
            "mcp-memory-service",
            2,
            "deleted in its source",
            "dusk",
        ),
        (
            "open_memory.db",
            "mem0",
            2,
            "deleted in its source",
            "snores",
        ),
    ];
    for (name, format, n_memories, skipped, query) in cases {
        let bench = Bench::new();
        let path = bench.file(name, fs::read(folder.join(name)).expect("a database"));
        let before = bytes_of(bench.source.path());
        let options = ["--into", "personal", "--write"];
        let (code, done) = bench.import(&path, &options);
        assert_eq!(
            (code, &done["imported"]),
            (0, &json!(n_memories)),
            "{name}: {done}"
        );
        assert!(done["formats"].get(format).is_some(), "{name}: {done}");
        assert_eq!(done["skipped"][skipped], 1, "{name}: {done}");
        assert_eq!(
            bytes_of(bench.source.path()),
            before,
            "{name}: the source was touched"
        );
        let exported = bench.export(&bench.data());
        let (_, again) = bench.import(&path, &options);
        assert_eq!(again["imported"], 0, "{name}: {again}");
        assert_eq!(bench.export(&bench.data()), exported);
        let mut door = bench.door();
        assert_eq!(door.rows(query).len(), 1, "{name}");
    }

    // A history is a row of versions, each with its own time.
    let bench = Bench::new();
    let path = bench.file(
        "h.db",
        fs::read(folder.join("history.db")).expect("a database"),
    );
    bench.import(&path, &["--into", "personal", "--write"]);
    let rows = lines(&bench.export(&bench.data()));
    let memories: Vec<&Value> = rows.iter().filter(|row| row["type"] == "memory").collect();
    assert_eq!(memories[0]["superseded_by"], memories[1]["id"]);
    assert_eq!(memories[0]["created_at"], 1_588_316_400_000_i64);
    // The name of a machine stays where it was.
    let bench = Bench::new();
    let path = bench.file(
        "s.db",
        fs::read(folder.join("service.db")).expect("a database"),
    );
    let (_, done) = bench.import(&path, &["--into", "personal", "--write"]);
    assert_eq!(done["rows"]["links"], 1, "{done}");
    let dump = bench.export(&bench.data());
    assert!(!String::from_utf8_lossy(&dump).contains("some-host"));
}
