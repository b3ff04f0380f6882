//! Import and export by the command line: what people bring, what they take
//! away, and that nothing happens to a folder unless they asked for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Door, Era, Pipes, binary, fresh, json_file, repository};

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
fn x05_archives_pipes_links_and_depth_are_refused_or_bounded() {
    let bench = Bench::new();
    for (name, head) in [("a.zip", &b"PK\x03\x04rest"[..]), ("a.gz", b"\x1f\x8brest")] {
        let (code, refused) = bench.import(&bench.file(name, head), &["--into", "personal"]);
        assert_eq!(code, 1);
        assert!(
            refused["error"]
                .as_str()
                .is_some_and(|text| text.contains("unpack it")),
            "{refused}"
        );
    }
    let (code, _) = bench.import(&bench.file("x.txt", "only words"), &["--into", "personal"]);
    assert_eq!(code, 1);
    let deep = bench.file(
        "deep.jsonl",
        format!(
            "{{\"type\":\"entity\",\"name\":\"x\",\"observations\":{}",
            "[".repeat(200_000)
        ),
    );
    let (code, report) = bench.import(&deep, &["--into", "personal"]);
    assert_eq!((code, &report["n_rejected"]), (0, &json!(1)), "{report}");
    let long = bench.file(
        "long.jsonl",
        format!(
            "{{\"type\":\"zero-memory\",\"format\":1}}\n{}\n{{}}\n",
            "x".repeat(3 << 20)
        ),
    );
    let (code, report) = bench.import(&long, &[]);
    assert_eq!(code, 0);
    let rejected: Vec<u64> = report["rejected"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|reject| reject["line"].as_u64())
        .collect();
    assert_eq!(rejected, [2, 3], "{report}");
    #[cfg(unix)]
    {
        bench.file("repo/CLAUDE.md", "- stay\n");
        let outside = bench.file("outside.md", "- [secret] leave\n");
        std::os::unix::fs::symlink(outside, bench.source.path().join("repo/AGENTS.md"))
            .expect("a link");
        std::os::unix::fs::symlink("CLAUDE.md", bench.source.path().join("repo/GEMINI.md"))
            .expect("a link");
        let made = Command::new("mkfifo")
            .arg(bench.source.path().join("repo/pipe.md"))
            .status()
            .expect("mkfifo runs");
        assert!(made.success());
        let (code, report) =
            bench.import(&bench.source.path().join("repo"), &["--project", "/x/y"]);
        assert_eq!((code, &report["imported"]), (0, &json!(1)), "{report}");
        let mut refused: Vec<&str> = report["rejected"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|reject| reject["path"].as_str())
            .collect();
        refused.sort_unstable();
        assert_eq!(refused, ["AGENTS.md", "pipe.md"]);
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
fn a_changed_item_takes_the_place_of_its_older_version() {
    let bench = Bench::new();
    let topic = bench.file("cc/memory/tabs.md", TOPIC);
    let folder = bench.source.path().join("cc/memory");
    let options = ["--project", "/code/ibis", "--write"];
    bench.import(&folder, &options);
    fs::write(
        &topic,
        TOPIC.replace("Indent with tabs", "Indent with two blanks"),
    )
    .expect("it can be written");
    let (_, done) = bench.import(&folder, &options);
    assert_eq!(
        (&done["imported"], &done["superseding"]),
        (&json!(1), &json!(1)),
        "{done}"
    );
    let mut door = bench.door();
    let rows = door.rows("ibis linter");
    assert_eq!(rows.len(), 1, "the older version is still served: {rows:?}");
    assert!(
        rows[0]["content"]
            .as_str()
            .is_some_and(|text| text.contains("two blanks"))
    );
}

#[test]
fn what_was_forgotten_does_not_come_back_with_the_next_import() {
    let bench = Bench::new();
    let path = bench.file("m.json", r#"[{"id":"1","memory":"the ibis wades"}]"#);
    let options = ["--into", "personal", "--write"];
    bench.import(&path, &options);
    let mut door = bench.door();
    let id = door.rows("ibis")[0]["id"].clone();
    door.ok("forget", json!({ "memory_id": id }));
    door.close();
    let (_, again) = bench.import(&path, &options);
    assert_eq!(again["imported"], 0, "{again}");
    assert!(bench.door().rows("ibis").is_empty());
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

/// Fills a folder by every tool that leaves rows of another sort.
fn fill(bench: &Bench) {
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
fn markdown_is_written_once_and_read_back() {
    let bench = Bench::new();
    fill(&bench);
    let folder = bench.source.path().join("md");
    let out = folder.to_str().expect("a path");
    let export = |bench: &Bench| {
        bench.run(
            &bench.data(),
            &["export", "--format", "markdown", "--out", out],
        )
    };
    assert!(export(&bench).status.success());
    let first = bytes_of(&folder);
    assert!(first.len() > 5);
    assert!(export(&bench).status.success());
    assert_eq!(
        bytes_of(&folder),
        first,
        "a second export changed the folder"
    );
    let (_, again) = bench.import(&folder, &[]);
    assert_eq!(
        (&again["imported"], &again["n_rejected"]),
        (&json!(0), &json!(0)),
        "{again}"
    );
    let fish = first
        .keys()
        .find(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("eat fish")))
        .expect("a file");
    fs::write(
        fish,
        fs::read_to_string(fish)
            .expect("text")
            .replace("eat fish", "eat only fish"),
    )
    .expect("it can be written");
    let (_, changed) = bench.import(&folder, &["--write"]);
    assert_eq!(
        (&changed["imported"], &changed["superseding"]),
        (&json!(1), &json!(1)),
        "{changed}"
    );
    let taken = bench.file("taken/notes.txt", "mine");
    let refused = bench.run(
        &bench.data(),
        &[
            "export",
            "--format",
            "markdown",
            "--out",
            taken.parent().and_then(Path::to_str).expect("a path"),
        ],
    );
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(fs::read_to_string(taken).expect("text"), "mine");
}

#[test]
fn a_bridge_to_the_clients_own_folder_keeps_what_is_there_and_doubles_nothing() {
    let bench = Bench::new();
    fill(&bench);
    bench.file("cc/memory/tabs.md", TOPIC);
    bench.file("cc/memory/MEMORY.md", "# Mine\n- [Tabs](tabs.md) — hook\n");
    let folder = bench.source.path().join("cc/memory");
    let mine = bytes_of(&folder);
    let options = ["--project", "/code/ibis", "--write"];
    let (_, done) = bench.import(&folder, &options);
    assert_eq!(done["imported"], 1);
    let out = folder.to_str().expect("a path");
    for _ in 0..2 {
        let output = bench.run(
            &bench.data(),
            &["export", "--format", "claude-code", "--out", out],
        );
        assert!(output.status.success(), "{output:?}");
    }
    let all = bytes_of(&folder);
    assert!(
        mine.iter()
            .all(|(path, bytes)| all.get(path) == Some(bytes)),
        "a file of somebody else's was changed"
    );
    assert!(all.len() > mine.len() + 3);
    let exported = bench.export(&bench.data());
    let (_, again) = bench.import(&folder, &options);
    assert_eq!(again["imported"], 0, "{again}");
    assert_eq!(bench.export(&bench.data()), exported);
    // A file that somebody put where one of ours stood is not ours any more.
    let ours = all
        .keys()
        .find(|path| !mine.contains_key(*path) && !path.ends_with("zero_memory_index.md"))
        .expect("a file of ours");
    fs::write(ours, "mine now").expect("it can be written");
    bench.run(
        &bench.data(),
        &["export", "--format", "claude-code", "--out", out],
    );
    assert_eq!(fs::read_to_string(ours).expect("text"), "mine now");
    let fresh_folder = bench.source.path().join("empty");
    let output = bench.run(
        &bench.data(),
        &[
            "export",
            "--format",
            "claude-code",
            "--out",
            fresh_folder.to_str().expect("a path"),
        ],
    );
    assert!(output.status.success());
    let index = fs::read_to_string(fresh_folder.join("MEMORY.md")).expect("an index");
    assert!(index.lines().count() <= 200 && index.len() <= 25_000);
    assert!(
        index.contains("eat fish") && !index.contains("swim"),
        "{index}"
    );
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

#[test]
fn a_damaged_or_strange_database_is_refused_in_words() {
    let bench = Bench::new();
    let whole = fs::read(repository().join("tests/bring/history.db")).expect("a database");
    let mut torn = whole.clone();
    for byte in torn.iter_mut().skip(100) {
        *byte = 0xa5;
    }
    for (name, bytes) in [
        ("torn.db", torn),
        ("cut.db", whole[..600].to_vec()),
        ("head.db", whole[..40].to_vec()),
    ] {
        let path = bench.file(name, bytes);
        let (code, refused) = bench.import(&path, &["--into", "personal", "--write"]);
        assert_eq!(code, 1, "{name}: {refused}");
        let said = refused["error"].as_str().expect("words");
        assert!(
            !said.contains("SELECT") && said.starts_with("error: "),
            "{name}: {said}"
        );
    }
}
