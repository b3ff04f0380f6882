//! The front page: every command of the program that it shows is run as it
//! stands there, by a person who has what it speaks of.

use std::process::Command;

use serde_json::Value;

use super::page_of;
use crate::harness::{Person, Site, binary};

/// Returns the commands of a block, each with the lines that belong to it.
fn commands(block: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in block.lines() {
        let line = line.trim_start();
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(command.to_owned()),
            // A text in quotes goes on; anything else is what was answered.
            (None, Some(open)) if open.matches('\'').count() % 2 == 1 => {
                open.push('\n');
                open.push_str(line);
            }
            (None, _) => {}
        }
    }
    commands
}

/// Returns a person who has what the page imports, and the program on the path.
fn reader() -> Person {
    let mut person = Person::new();
    let folder = binary().parent().expect("it lies in a folder");
    let path = std::env::var("PATH").expect("there is a path");
    person.set("PATH", format!("{}:{path}", folder.display()));
    person.write("code/app/main.rs", "");
    person.write(
        ".claude/projects/SLUG/memory/MEMORY.md",
        "- Totals are in cents.\n",
    );
    let graph = "{\"type\":\"entity\",\"name\":\"Nile\",\"entityType\":\"river\",\"observations\":[\"Herons fish there.\"]}\n";
    std::fs::write(person.work().join("memory.jsonl"), graph).expect("a file can be made");
    person
}

fn in_shell(person: &Person, script: &str) -> String {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]);
    let run = person.finish(shell, &person.work(), "");
    assert_eq!(run.code, 0, "{script}: {} {}", run.out, run.err);
    run.out
}

#[test]
fn every_command_of_the_front_page_does_what_it_says() {
    let readme = page_of("README.md");
    let mut person = reader();
    let mut n_commands = 0;
    for block in readme.split("```console\n").skip(1) {
        let (block, _) = block.split_once("```").expect("the block ends");
        for command in commands(block) {
            n_commands += 1;
            if command.starts_with("cargo xtask ") || command.starts_with("call") {
                // The workshop has tests of its own, the calls one below.
                continue;
            }
            let (command, _) = command.split_once("  #").unwrap_or((&command, ""));
            if let Some(options) = command.strip_prefix("zero-memory serve ") {
                let options: Vec<&str> = options.split_whitespace().collect();
                Site::start_with(&person.data(), &options);
                continue;
            }
            let found = |pattern: &str| {
                let found = in_shell(&person, pattern);
                found.trim().to_owned()
            };
            let mut command = command.to_owned();
            if command.contains("/FILE ") {
                let file = found("cd ~/backups && ls *.db");
                command = command.replace("/FILE ", &format!("/{file} "));
            }
            if command.contains("mem_…") {
                let told = person.run(&["recall", "retries"]).json();
                let id = told["memories"][0]["id"].as_str().expect("it was stored");
                command = command.replace("mem_…", id);
            }
            if command.contains(" erase ") {
                // Nobody is at a terminal to agree.
                command.push_str(" --yes");
            }
            in_shell(&person, &command);
        }
    }
    assert!(n_commands > 25, "the page shows {n_commands} commands");
    // What the commands were for.
    assert!(person.home().join(".cursor/mcp.json").exists());
    let hooks = person.home().join(".claude/settings.json");
    let hooks = std::fs::read_to_string(hooks).expect("the hooks are set");
    assert!(hooks.contains("hook session-start"), "{hooks}");
    let n_found = |person: &Person, words: &str| {
        let found = person.run(&["recall", words, "--scope", "*"]).json();
        found["memories"].as_array().expect("a list").len()
    };
    assert_eq!(n_found(&person, "retries"), 0, "it was erased");
    assert_eq!(n_found(&person, "herons"), 1);
    assert_eq!(n_found(&person, "cents"), 1);
    for made in ["everything.jsonl", "notes", "NEW/memory.db"] {
        assert!(person.work().join(made).exists(), "{made}");
    }
    person.set("ZERO_MEMORY_DATA", person.work().join("NEW"));
    assert_eq!(n_found(&person, "retries"), 1, "the backup is older");
}

#[test]
fn the_calls_of_the_front_page_are_answered() {
    let readme = page_of("README.md");
    let mut person = reader();
    std::fs::create_dir(person.data()).expect("a folder can be made");
    let site = Site::start_with(&person.data(), &[]);
    person.set("TOKEN", site.token());
    // What a server says when it starts is what the page says.
    let said = site.log_line();
    let said = said.replace(site.address(), "127.0.0.1:8787");
    let said = said.replace(site.token(), "tok_…");
    assert!(readme.contains(&said), "{said}");
    let blocks = readme.split("```console\n").skip(1);
    let mut blocks = blocks.map(|block| commands(block.split("```").next().unwrap_or_default()));
    let block = blocks.find(|block| block.iter().any(|line| line.starts_with("call()")));
    let script = block.expect("the page shows calls").join("\n");
    let script = script.replace("127.0.0.1:8787", site.address());
    let answers = in_shell(&person, &script);
    let answers: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).expect("an answer is JSON"))
        .collect();
    let [stored, found, briefing] = &answers[..] else {
        panic!("{answers:?}");
    };
    let id = stored["memory_id"].as_str().expect("it is stored");
    assert_eq!(found["memories"][0]["id"], id, "{found}");
    assert!(
        briefing.to_string().contains("retries a failed payment"),
        "{briefing}"
    );
}
