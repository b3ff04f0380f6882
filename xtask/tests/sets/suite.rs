//! Verdicts held against the official test suite of JSON Schema: its data
//! say of each schema what is valid, and no verdict may contradict them.

#![expect(clippy::indexing_slicing, reason = "a value of JSON answers any index")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use xtask::sets::{Answer, Document, Options, contained};

/// The package that carries the suite, and the hash of its archive.
const PACKAGE: &str = "jsonschema==4.25.1 --hash=sha256:e4a9655ce0da0c0b67a085847e00a3a51449e1157f4f75e9fb5aa545e122eb85";

/// Returns the folder of the suite, which is unpacked beside the build once.
fn suite() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let folder = target.join("json-schema-test-suite");
    let tests = folder.join("tests");
    if tests.exists() {
        return tests;
    }
    let work = tempfile::tempdir_in(&target).expect("a folder beside the build");
    fs::write(work.path().join("requirements.txt"), PACKAGE).expect("a list of one package");
    let run = |arguments: &[&str]| {
        let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        let done = Command::new(python)
            .current_dir(work.path())
            .args(arguments)
            .output()
            .expect("Python runs");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(
            done.status.success(),
            "the official suite is fetched once, and no registry gives it: {said}"
        );
    };
    run(&[
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--disable-pip-version-check",
        "--no-binary",
        "jsonschema",
        "--require-hashes",
        "-r",
        "requirements.txt",
    ]);
    run(&[
        "-c",
        "import glob, tarfile; tarfile.open(glob.glob('*.tar.gz')[0]).extractall('.', filter='data')",
    ]);
    // Another run may have been faster.
    let _ = fs::rename(work.path().join("jsonschema-4.25.1/json"), folder);
    assert!(tests.exists(), "the package no longer carries the suite");
    tests
}

struct Group {
    name: String,
    schema: Value,
    tests: Vec<Value>,
}

fn groups(folder: &Path) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the suite")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    for path in files {
        let text = fs::read_to_string(&path).expect("a file of the suite");
        // The reader of our tests has no numbers beyond doubles.
        let Ok(read) = serde_json::from_str::<Vec<Value>>(&text) else {
            continue;
        };
        let file = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        for group in read {
            groups.push(Group {
                name: format!("{file}: {}", group["description"]),
                schema: group["schema"].clone(),
                tests: group["tests"].as_array().expect("tests").clone(),
            });
        }
    }
    groups
}

#[test]
fn no_verdict_contradicts_the_official_suite() {
    let suite = suite();
    let mut n_data = 0;
    let mut unknown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for edition in ["draft2020-12", "draft7", "draft4"] {
        let named = match edition {
            "draft7" => json!("http://json-schema.org/draft-07/schema#"),
            "draft4" => json!("http://json-schema.org/draft-04/schema#"),
            _ => json!("https://json-schema.org/draft/2020-12/schema"),
        };
        for group in groups(&suite.join(edition)) {
            let mut schema = group.schema;
            if let Value::Object(members) = &mut schema
                && !members.contains_key("$schema")
            {
                members.insert("$schema".to_owned(), named.clone());
            }
            let document = Document::new(&schema);
            let mut twin = schema.clone();
            if let Value::Object(members) = &mut twin {
                members.insert("$comment".to_owned(), json!("a twin"));
            }
            let twin = contained(&document, &Document::new(&twin), &Options::default());
            assert!(
                !matches!(twin.answer, Answer::Refuted { .. }),
                "{}",
                group.name
            );
            // A datum is valid if and only if the set of it alone is within;
            // all that are valid are within together.
            n_data += group.tests.len();
            let data = |wanted: bool| {
                let tests = group
                    .tests
                    .iter()
                    .filter(move |test| test["valid"] == wanted);
                tests.map(|test| test["data"].clone())
            };
            let together = json!({ "enum": data(true).collect::<Vec<_>>() });
            let apart = data(false).map(|datum| (json!({ "const": datum }), false));
            for (set, valid) in apart.chain([(together, true)]) {
                let set = Document::new(&set);
                let verdict = contained(&set, &document, &Options::default());
                match verdict.answer {
                    Answer::Proven => assert!(valid, "{} {set:?}", group.name),
                    Answer::Refuted { .. } => assert!(!valid, "{} {set:?}", group.name),
                    Answer::Unknown { why } => {
                        let name = format!("{edition} {}", group.name);
                        unknown.entry(why).or_default().push(name);
                    }
                }
            }
        }
    }
    let n_unknown: usize = unknown.values().map(Vec::len).sum();
    println!("{n_data} data, {n_unknown} unknown: {unknown:#?}");
    assert!(n_data > 2_000, "{n_data} data");
    assert!(n_unknown * 20 < n_data, "{n_unknown} of {n_data}");
}
