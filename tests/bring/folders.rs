//! Folders of Markdown that are written and read back.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::dumps::fill;
use super::{Bench, TOPIC, bytes_of};

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
    let told = bench.run(
        &bench.data(),
        &["export", "--format", "markdown", "--out", out, "--json"],
    );
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(
        told["rows"]["files unchanged"],
        json!(first.len()),
        "{told}"
    );
    assert!(told["rows"].get("files written").is_none(), "{told}");
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
    // The file of what was erased goes with the next export, and no other.
    let gone = first
        .keys()
        .find(|path| {
            fs::read_to_string(path).is_ok_and(|text| text.contains("Ibises are everywhere"))
        })
        .expect("a file");
    let id = gone
        .file_stem()
        .and_then(|stem| stem.to_str())
        .expect("an id");
    let beside = gone.with_file_name("mine.md");
    fs::write(&beside, "mine").expect("it can be written");
    let erased = bench.run(&bench.data(), &["erase", id, "--yes"]);
    assert!(erased.status.success(), "{erased:?}");
    assert!(export(&bench).status.success());
    assert!(!gone.exists() && beside.exists());
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
