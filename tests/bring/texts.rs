//! Folders of Markdown in which not everything is memory, or is everybody's,
//! and notes that change.

use serde_json::{Value, json};

use super::sources::{PERSONAL, live};
use super::{Bench, lines};
use crate::harness::Door;

#[test]
fn a_private_file_stays_private_where_a_project_shares() {
    let bench = Bench::new();
    let hint = "https://example.com/birds/ibis.git";
    let mut door = bench.door();
    let first = door.ok(
        "remember",
        json!({ "content": "The ibis is here", "project_hint": hint }),
    );
    let scope = first["scope"].as_str().expect("a path").to_owned();
    door.close();
    // A folder whose project shares comes out of a dump: no tool sets it.
    let dump = String::from_utf8(bench.export(&bench.data())).expect("UTF-8");
    let shared: Vec<String> = dump
        .lines()
        .map(|line| {
            let mut row: Value = serde_json::from_str(line).expect("JSON");
            if row["type"] == "scope" && row["path"] == json!(scope) {
                row["default_visibility"] = json!("shared");
            }
            row.to_string()
        })
        .collect();
    let path = bench.file("shared.jsonl", shared.join("\n"));
    let other = bench.source.path().join("other");
    let (code, done) = bench.import_to(&other, &path, &["--write", "--strict"]);
    assert_eq!(code, 0, "{done}");
    bench.file("repo/CLAUDE.md", "- The ibis is everybody's\n\n@both.md\n");
    bench.file(
        "repo/CLAUDE.local.md",
        "- The ibis bites me\n\n@mine.md\n@both.md\n",
    );
    bench.file("repo/mine.md", "- The ibis is afraid of me\n");
    bench.file("repo/both.md", "- The ibis eats\n");
    let folder = bench.source.path().join("repo");
    let (_, done) = bench.import_to(&other, &folder, &["--project", hint, "--write"]);
    assert_eq!(done["imported"], 4, "{done}");
    assert!(
        done["notes"]
            .to_string()
            .contains("2 of these memories can be read by"),
        "{done}"
    );
    let visibility = |text: &str| {
        let rows = lines(&bench.export(&other));
        let row = rows
            .iter()
            .find(|row| row["content"] == text)
            .expect("a memory")
            .clone();
        row["visibility"].as_str().expect("a word").to_owned()
    };
    assert_eq!(visibility("The ibis is everybody's"), "shared");
    assert_eq!(visibility("The ibis eats"), "shared");
    assert_eq!(visibility("The ibis bites me"), "private");
    assert_eq!(visibility("The ibis is afraid of me"), "private");
}

const MARKED: &str = "---\nname: m\ndescription: d\ntype: project\n---\nThe ibis is marked\n";

#[test]
fn one_topic_file_makes_no_memory_of_the_rest_of_a_repository() {
    let bench = Bench::new();
    bench.file("repo/CLAUDE.md", "- The ibis is named\n");
    bench.file("repo/.claude/memory/m.md", MARKED);
    bench.file(
        "repo/.claude/memory/more/plain.md",
        "The ibis lies beside\n",
    );
    for other in [
        "README.md",
        "CHANGELOG.md",
        "docs/a.md",
        "docs/MEMORY.md",
        ".claude/skills/s/SKILL.md",
        ".claude/agents/a.md",
        ".claude/commands/c.md",
    ] {
        bench.file(
            &format!("repo/{other}"),
            format!("- The ibis is no memory in {other}\n"),
        );
    }
    bench.file(
        "repo/.clinerules/01.md",
        "- The ibis is a rule of one editor\n",
    );
    bench.file(
        "repo/.windsurf/rules/a.md",
        "- The ibis is a rule of another\n",
    );
    let folder = bench.source.path().join("repo");
    let (_, done) = bench.import(&folder, &["--project", "/code/ibis", "--write"]);
    assert_eq!(
        done["formats"],
        json!({ "agents-md": 2, "claude-code": 2, "claude-md": 1 }),
        "{done}"
    );
    assert_eq!(done["imported"], 5, "{done}");
    assert_eq!(
        (
            &done["skipped"]["a skill, agent, command or plugin, which is no memory"],
            &done["skipped"]["a text of the folder that nothing says is memory"],
        ),
        (&json!(3), &json!(4)),
        "{done}"
    );
    // The folder of a client, by itself.
    let (_, done) = bench.import(&folder.join(".claude"), &["--project", "/code/ibis2"]);
    assert_eq!(
        (&done["imported"], &done["formats"]),
        (&json!(2), &json!({ "claude-code": 2 })),
        "{done}"
    );
    let (_, done) = bench.import(&folder.join(".clinerules"), &["--project", "/code/ibis3"]);
    assert_eq!(done["formats"], json!({ "agents-md": 1 }), "{done}");
    #[cfg(unix)]
    {
        bench.file("rules/r.md", "- The ibis is elsewhere\n");
        std::os::unix::fs::symlink("../../rules", folder.join(".claude/rules")).expect("a link");
        let (_, done) = bench.import(&folder, &["--project", "/code/ibis"]);
        assert_eq!(done["rejected"][0]["path"], ".claude/rules", "{done}");
    }
}

#[test]
fn a_note_takes_along_the_observations_that_it_lost() {
    let bench = Bench::new();
    let folder = bench.source.path().join("notes");
    let note = |name: &str, says: &[&str]| {
        let says: String = says
            .iter()
            .map(|said| format!("- [fact] {said}\n"))
            .collect();
        bench.file(
            &format!("notes/{name}.md"),
            format!("---\ntitle: {name}\npermalink: {name}\n---\n# {name}\n{says}"),
        );
    };
    let facts = || -> Vec<String> {
        let all = live(&bench);
        all.into_iter()
            .filter(|text| !text.starts_with('#'))
            .collect()
    };
    note("ibis", &["It wades", "It dives", "It moved out"]);
    note("egret", &["It sings"]);
    let (_, done) = bench.import(&folder, &PERSONAL);
    assert_eq!(
        (&done["imported"], &done["retired"]),
        (&json!(6), &json!(0)),
        "{done}"
    );
    // One is gone, and one moved to another note.
    note("ibis", &["It wades"]);
    note("egret", &["It sings", "It moved out"]);
    let (_, tried) = bench.import(&folder, &PERSONAL[..2]);
    let (_, done) = bench.import(&folder, &PERSONAL);
    assert_eq!(
        (&done["retired"], &tried["retired"]),
        (&json!(1), &json!(1)),
        "{done}"
    );
    assert_eq!(facts(), ["It moved out", "It sings", "It wades"]);
    // What comes back at its source comes back here, and what a person forgot
    // does not.
    let mut door = bench.door();
    let id = door
        .rows("sings")
        .into_iter()
        .find(|row| row["content"] == "It sings")
        .expect("a row")["id"]
        .clone();
    door.ok("forget", json!({ "memory_id": id }));
    door.close();
    note("ibis", &["It wades", "It dives"]);
    let (_, done) = bench.import(&folder, &PERSONAL);
    assert_eq!(facts(), ["It dives", "It moved out", "It wades"], "{done}");
    let exported = bench.export(&bench.data());
    let (_, again) = bench.import(&folder, &PERSONAL);
    assert_eq!(
        (&again["imported"], &again["retired"]),
        (&json!(0), &json!(0)),
        "{again}"
    );
    assert_eq!(bench.export(&bench.data()), exported);
}

#[test]
fn a_note_of_one_observation_is_both_a_note_and_a_fact() {
    let bench = Bench::new();
    bench.file("notes/one.md", "- [fact] The ibis wades alone");
    let (_, done) = bench.import(&bench.source.path().join("notes"), &PERSONAL);
    assert_eq!(
        done["by_kind"],
        json!({ "fact": 1, "reference": 1 }),
        "{done}"
    );
}
