//! Files that were made to be too large, too deep or somebody else's.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::Bench;
use crate::harness::repository;

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
        // It is the source that is damaged, and not the data folder.
        assert!(
            said.contains(name) && !said.contains("zero-memory doctor"),
            "{name}: {said}"
        );
    }
}

#[test]
fn folders_that_nest_without_end_and_files_without_end_are_refused() {
    let bench = Bench::new();
    bench.file("deep/CLAUDE.md", "- The ibis wades\n");
    let below = "a/".repeat(20);
    bench.file(
        &format!("deep/{below}CLAUDE.md"),
        "- The ibis is far down\n",
    );
    let folder = bench.source.path().join("deep");
    let (code, report) = bench.import(&folder, &["--project", "/x/y"]);
    assert_eq!((code, &report["imported"]), (0, &json!(1)), "{report}");
    let why = report["rejected"][0]["why"].as_str().expect("words");
    assert!(why.contains("folders deep"), "{report}");
    // A file with a hole in it takes no room, and is as long as any other.
    let path = bench.file("long.json", "[{\"memory\":\"The ibis wades\"}]");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .expect("a file");
    file.set_len((256 << 20) + 1).expect("it has room");
    let (code, refused) = bench.import(&path, &["--into", "personal"]);
    assert_eq!(code, 1, "{refused}");
    let said = refused["error"].as_str().expect("words");
    assert!(said.contains("bytes that are read"), "{said}");
}

/// A limit on the memory of the process stands in for a machine without end.
#[cfg(target_os = "linux")]
#[test]
fn what_a_file_repeats_in_each_of_its_items_is_bounded() {
    let bench = Bench::new();
    let long = "x".repeat(200_000);
    let entries = |n: usize, indent: &str| -> String {
        (0..n).map(|i| format!("{indent}- e{i}\n")).collect()
    };
    let observations: Vec<String> = (0..20_000).map(|n| format!("\"o{n}\"")).collect();
    let observations = observations.join(",");
    let cases = [
        (
            "heading/CLAUDE.md",
            format!("# {long}\n{}", entries(20_000, "")),
            vec!["--project", "/x/y"],
        ),
        (
            "nested/CLAUDE.md",
            format!("- {long}\n{}", entries(20_000, "  ")),
            vec!["--project", "/x/y"],
        ),
        (
            "extra.jsonl",
            format!(
                "{{\"type\":\"entity\",\"name\":\"n\",\"entityType\":\"t\",\"more\":\"{long}\",\"observations\":[{observations}]}}\n"
            ),
            vec!["--into", "personal"],
        ),
    ];
    for (name, text, options) in cases {
        let path = bench.file(name, text);
        let output = Command::new("sh")
            .args(["-c", "ulimit -v 4000000 && exec \"$0\" \"$@\""])
            .arg(crate::harness::binary())
            .arg("import")
            .arg(&path)
            .args(&options)
            .args(["--json", "--data"])
            .arg(bench.data())
            .output()
            .expect("the shell starts");
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.contains("import it in parts"), "{name}: {report}");
    }
}

#[test]
fn no_credential_comes_in_beside_the_text() {
    let bench = Bench::new();
    let secret = format!("ghp{}", "_0123456789abcdefghijABCDEFGHIJ456789");
    let graph = bench.file(
        "g.jsonl",
        format!("{{\"type\":\"relation\",\"from\":\"ibis\",\"to\":\"nile\",\"relationType\":\"{secret}\"}}\n"),
    );
    let items = bench.file(
        "m.json",
        json!([
            { "id": secret, "memory": "The ibis wades" },
            { "id": "1", "memory": "The ibis dives", "user_id": secret },
        ])
        .to_string(),
    );
    let options = ["--into", "personal", "--write"];
    let (_, done) = bench.import(&graph, &options);
    assert_eq!(done["rows"]["relations"], 1, "{done}");
    let (_, done) = bench.import(&items, &options);
    assert_eq!(
        (&done["imported"], &done["n_rejected"]),
        (&json!(0), &json!(2)),
        "{done}"
    );
    assert!(!done.to_string().contains(&secret[..12]));
    let dump = bench.export(&bench.data());
    let dump = String::from_utf8_lossy(&dump).to_lowercase();
    assert!(!dump.contains(&secret[..12].to_lowercase()), "{dump}");
}
