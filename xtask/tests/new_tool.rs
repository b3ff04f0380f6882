//! Adding a tool, rehearsed on a copy of this repository: two files are
//! written by hand, everything else follows, and the built program serves it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::{files, repository, run};

const NAME: &str = "count_letters";
const SCHEMA: &str = "schema/tools/count_letters.json";
const HANDLER: &str = "crates/memory/src/tools/count_letters.rs";

/// What is copied; the rest is history, or comes from registries.
const COPIED: [&str; 8] = [
    ".cargo",
    "Cargo.lock",
    "Cargo.toml",
    "crates",
    "DEPRECATIONS.md",
    "generated",
    "schema",
    "xtask",
];

/// A copy of the repository at a place that is always the same, so that cargo
/// builds anew only what a run changes.
struct Copy {
    root: PathBuf,
}

impl Copy {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rehearsal");
        let _ = fs::remove_dir_all(&root);
        let copy = Self { root };
        for name in COPIED {
            copy.add(Path::new(name));
        }
        // Members of the workspace, of which only the manifest counts here.
        for name in [
            "tests/Cargo.toml",
            "tests/lib.rs",
            "tests/main.rs",
            "tests/fuzz/Cargo.toml",
            "tests/fuzz/src/lib.rs",
            "tests/fuzz/src/bin/fuzz.rs",
            "tests/fuzz/src/bin/guided.rs",
            "tests/fuzz/tests/short.rs",
        ] {
            copy.add(Path::new(name));
        }
        // The first change after a release also takes a version; that is not
        // what is rehearsed here.
        let _ = fs::remove_dir_all(copy.root.join("schema/releases"));
        copy.edit("schema/contract.json", |text| {
            let mut settings: Value = serde_json::from_str(&text).expect("JSON");
            let map = settings.as_object_mut().expect("an object");
            map.shift_remove("baseline");
            format!("{settings:#}\n")
        });
        copy
    }

    fn add(&self, name: &Path) {
        let from = repository().join(name);
        if from.is_dir() {
            for entry in fs::read_dir(&from).expect("a folder") {
                let entry = entry.expect("it can be listed").file_name();
                self.add(&name.join(entry));
            }
            return;
        }
        let to = self.root.join(name);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a new folder");
        fs::copy(from, to).expect("a copied file");
    }

    /// Returns every file with its content.
    fn content(&self) -> BTreeMap<String, Vec<u8>> {
        files(&self.root)
            .into_iter()
            .map(|name| {
                let bytes = fs::read(self.root.join(&name)).expect("a file");
                (name, bytes)
            })
            .collect()
    }

    fn edit(&self, name: &str, change: impl FnOnce(String) -> String) {
        let path = self.root.join(name);
        let text = fs::read_to_string(&path).expect("the stub is there");
        fs::write(path, change(text)).expect("it can be written");
    }

    /// Builds the program; the libraries below it are those that the tests of
    /// this repository were built with.
    fn build(&self) -> PathBuf {
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
        let shared = shared.expect("it lies in the target folder");
        let built = shared.join("tmp/rehearsal-built");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--quiet", "--offline", "--package", "server"])
            .current_dir(&self.root)
            .env("CARGO_BUILD_BUILD_DIR", shared)
            .env("CARGO_TARGET_DIR", &built)
            .output()
            .expect("cargo starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let name = format!("zero-memory{}", std::env::consts::EXE_SUFFIX);
        built.join("debug").join(name)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Decides what the stub leaves open.
fn decide(stub: &str) -> String {
    let mut tool: Value = serde_json::from_str(stub).expect("the stub is JSON");
    let title = json!("Count letters");
    tool["title"] = title.clone();
    tool["annotations"]["title"] = title;
    tool["description"] = json!("Count the letters of a text. Pass about.");
    tool["inputSchema"]["properties"]["about"]["description"] = json!("The text.");
    tool["outputSchema"] = json!({
        "type": "object",
        "properties": { "letters": { "description": "How many.", "type": "integer" } },
        "required": ["letters"],
    });
    let counts = |name: &str, text: &str, letters: u64| {
        json!({
            "name": name,
            "input": { "about": text },
            "output": { "letters": letters },
            "expect": { "/letters": letters },
        })
    };
    let refuses = |name: &str, input: Value| {
        let error = json!({ "code": "validation_failed", "refused_by": "schema" });
        json!({ "name": name, "input": input, "error": error })
    };
    tool["examples"] = json!([
        counts("counts_a_word", "word", 4),
        counts("counts_letters_not_bytes", "\u{65e5}\u{672c}", 2),
        refuses("refuses_a_missing_text", json!({})),
        refuses("refuses_a_number", json!({ "about": 4 })),
    ]);
    serde_json::to_string_pretty(&tool).expect("JSON") + "\n"
}

/// Implements the stub: its doc, its names, and the one line that fails.
fn implement(stub: &str) -> String {
    let mut lines: Vec<String> = stub.lines().map(str::to_owned).collect();
    lines[0] = "//! `count_letters`: counts the letters of a text.".to_owned();
    let fails = lines
        .iter()
        .position(|line| line.contains("does nothing yet"));
    lines[fails.expect("the stub fails")] = "    let letters = i64::try_from(input.about.chars().count());\n    Ok(CountLettersOutput { letters: letters.map_err(contract::Error::internal)? })".to_owned();
    lines.join("\n").replace("_input", "input") + "\n"
}

/// A program that is spoken to over its pipes, and killed at the end.
struct Server(std::process::Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs every vector of the new tool; returns how many.
fn serve(program: &Path, vectors: &Path) -> usize {
    let data = TempDir::new().expect("a folder");
    let child = Command::new(program)
        .args(["stdio", "--toolset", "full", "--data"])
        .arg(data.path())
        .current_dir(data.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut server = Server(child.expect("the program starts"));
    let mut input = server.0.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(server.0.stdout.take().expect("a pipe")).lines();
    let mut ask = |id: usize, method: &str, params: Value| -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{message}").expect("it reads");
        loop {
            let line = lines.next().expect("it answers").expect("a line");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == json!(id) {
                return answer["result"].clone();
            }
        }
    };
    ask(
        0,
        "initialize",
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "rehearsal", "version": "0" },
        }),
    );
    let names = files(vectors);
    for (index, name) in names.iter().enumerate() {
        let text = fs::read_to_string(vectors.join(name)).expect("a vector");
        let vector: Value = serde_json::from_str(&text).expect("JSON");
        let params = json!({ "name": NAME, "arguments": vector["input"] });
        let result = ask(index + 1, "tools/call", params);
        if name.ends_with(".valid.json") {
            assert_eq!(
                result["structuredContent"], vector["output"],
                "{name}: {result}"
            );
        } else {
            assert_eq!(result["isError"], true, "{name}: {result}");
            let body = result["content"][0]["text"].as_str().expect("a text");
            let body: Value = serde_json::from_str(body).expect("JSON");
            assert_eq!(body["error"]["code"], vector["error"]["code"], "{name}");
        }
    }
    names.len()
}

#[test]
fn a_new_tool_takes_a_schema_and_a_handler_and_nothing_else() {
    let copy = Copy::new();
    let before = copy.content();
    let made = run(&copy.root, &["new-tool", NAME]);
    assert_eq!(made.code, 0, "{}{}", made.text, made.errors);
    assert!(
        made.text
            .starts_with(&format!("wrote {SCHEMA}\nwrote {HANDLER}\n")),
        "{}",
        made.text
    );
    assert_eq!(run(&copy.root, &["codegen"]).code, 0);

    // A stub has the right form, and is refused for nothing but being one.
    let stub = run(&copy.root, &["check"]);
    assert_eq!(stub.code, 100, "{}", stub.text);
    let findings: Vec<&str> = stub
        .text
        .lines()
        .filter(|line| line.contains("broken["))
        .collect();
    assert!(findings.len() > 3, "{}", stub.text);
    for finding in findings {
        assert!(finding.starts_with("broken[undecided]"), "{finding}");
    }

    copy.edit(SCHEMA, |stub| decide(&stub));
    copy.edit(HANDLER, |stub| implement(&stub));
    assert_eq!(run(&copy.root, &["codegen"]).code, 0);
    let check = run(&copy.root, &["check"]);
    assert_eq!(check.text, "The contract holds.\n");

    let by_hand: Vec<String> = copy
        .content()
        .into_iter()
        .filter(|(name, bytes)| before.get(name) != Some(bytes))
        .map(|(name, _)| name)
        // The Rust client has a folder of its own for what is generated.
        .filter(|name| !name.starts_with("generated/") && !name.contains("/src/generated/"))
        .collect();
    assert_eq!(by_hand, [HANDLER, SCHEMA]);

    let vectors = copy.root.join("generated/vectors").join(NAME);
    assert_eq!(serve(&copy.build(), &vectors), 4);
}

#[test]
fn a_name_that_is_taken_or_no_name_is_refused() {
    let copy = TempDir::new().expect("a folder");
    for name in files(&repository().join("schema")) {
        let to = copy.path().join("schema").join(&name);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a new folder");
        fs::copy(repository().join("schema").join(&name), to).expect("a copied file");
    }
    let taken = "error: schema/tools/recall.json is there already\n";
    let run_of = |name: &str| run(copy.path(), &["new-tool", name]);
    assert_eq!(run_of("recall").errors, taken);
    let long = "a".repeat(65);
    for (name, why) in [
        ("move", "the tool name \"move\" is a keyword of Rust"),
        ("aux", "Windows has no file of the name \"aux\""),
        ("com1", "Windows has no file of the name \"com1\""),
        (&long, "the tool name has 65 bytes of 64"),
    ] {
        let run = run_of(name);
        assert_eq!(run.code, 1, "{name}");
        assert!(
            run.errors.starts_with(&format!("error: {why}; ")),
            "{}",
            run.errors
        );
    }
    for name in [
        "countLetters",
        "../x",
        "__",
        "_x",
        "x_",
        "a__b",
        "self_",
        "\u{e9}",
        "r#type",
    ] {
        let run = run_of(name);
        let why = format!("error: the tool name \"{name}\" is not snake_case; ");
        assert_eq!(run.code, 1, "{name}");
        assert!(run.errors.starts_with(&why), "{}", run.errors);
    }
    for name in ["com", "lpt10", "auxiliary"] {
        assert_eq!(run_of(name).code, 0, "{name}");
    }
}
