//! The guide for people who connect a client: every command that it shows is
//! run as it stands there.

use std::process::Command;

use crate::harness::{Person, binary, repository};

#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let guide = repository().join("crates/server/CLIENTS.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_of_the_guide");
    let folder = binary().parent().expect("it lies in a folder");
    let path = std::env::var("PATH").expect("there is a path");
    let path = format!("{}:{path}", folder.display());
    person.set("PATH", &path);
    let mut n_commands = 0;
    for block in guide.split("```sh\n").skip(1) {
        let (block, _) = block.split_once("```").expect("the block ends");
        for line in block.lines() {
            assert!(line.contains("zero-memory "), "{line}");
            let mut shell = Command::new("sh");
            shell.args(["-c", line]);
            let run = person.finish(shell, &person.work(), "");
            assert_eq!(run.code, 0, "{line}: {}", run.err);
            n_commands += 1;
        }
    }
    assert!(n_commands > 15, "the guide shows {n_commands} commands");
    for id in [
        "claude-code",
        "claude-desktop",
        "cursor",
        "codex",
        "vscode",
        "gemini-cli",
        "zed",
        "windsurf",
    ] {
        assert!(guide.contains(&format!("connect {id} ")), "{id}");
    }
    let listed = person.run(&["connect", "--json"]).json();
    for client in listed["clients"].as_array().expect("a list") {
        let state = if client["client"] == "cursor" {
            "http"
        } else {
            "stdio"
        };
        assert_eq!(client["user"]["state"], state, "{client}");
    }
    let found = person.run(&["recall", "cents"]).json();
    assert_eq!(found["memories"].as_array().map(Vec::len), Some(1));
}
