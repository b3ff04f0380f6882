//! What the shell says when a call is refused or its answer goes nowhere: in
//! the words of the command line, with a way out and an exit code.

use std::process::{Command, Stdio};

use serde_json::json;

use super::{NOBODY, remembered};
use crate::harness::{DEADLINE, Hold, Person, Site, binary};

#[test]
fn a_refusal_speaks_of_commands_and_not_of_tools() {
    let person = Person::new();
    let fine = remembered(&person, &["One.", "--scope", "core"]);
    let task = remembered(&person, &["Two.", "--kind", "task"]);
    person.run(&["close", &task]).json();
    let long = "x".repeat(70_000);
    let secret = format!("AKIA{}", "Q".repeat(16));
    for (arguments, told) in [
        (vec!["forget", "nonsense"], "ids are those"),
        (vec!["history", NOBODY], "zero-memory recall"),
        (
            vec!["remember", "x", "--scope", "nope.nope"],
            "zero-memory scopes",
        ),
        (
            vec!["recall", "x", "-k", "900"],
            "--limit: must be at most 50",
        ),
        (vec!["recall", " "], "QUERY: must hold"),
        (vec!["recall", "x", "--cursor", "x"], "--cursor: "),
        (vec!["brief", "x", "--max-tokens", "1"], "--max-tokens: "),
        (vec!["brief", " "], "TOPIC: "),
        (vec!["remember", " ", "--scope", "core"], "TEXT: must hold"),
        (
            vec!["remember", &long, "--scope", "core"],
            "TEXT: must hold at most",
        ),
        (vec!["remember", "x", "--about", ""], "--about: "),
        (vec!["remember", "x", "--verbatim", &long], "--verbatim: "),
        (vec!["remember", "x", "--supersedes", "x"], "--supersedes: "),
        (
            vec!["remember", "x", "--no-project"],
            "--project (a git remote URL",
        ),
        (
            vec!["remember", "x", "--project", "unheard"],
            "--scope with a path",
        ),
        (
            vec!["remember", "x", "--scope", "personal", "--kind", "decision"],
            "pass another --kind",
        ),
        (vec!["forget", &fine, "--reason", &long], "--reason: "),
        (vec!["close", &fine], "only a task"),
        (
            vec!["close", &task, "--resolution", &long],
            "--resolution: ",
        ),
        (
            vec!["remember", &secret, "--scope", "core"],
            "TEXT holds what",
        ),
        (
            vec!["remember", "x", "--scope", "core", "--about", &secret],
            "--about holds what",
        ),
    ] {
        let refused = person.run(&arguments);
        assert!(
            refused.code >= 10 && refused.err.contains(told),
            "{refused:?}"
        );
        // Words of the protocol, but for what scripts may look for.
        let said = refused.err.replace("project_hint_unresolvable:", "");
        for word in ["details", "entities", "call again", "A-Z", "_hint", "Pass "] {
            assert!(!said.contains(word), "{said}");
        }
        assert!(
            !said.contains(" /") && !said.contains("memory_id"),
            "{said}"
        );
    }
    let both = person.run(&["recall", " ", "-k", "0"]);
    assert!(both.failed(10).contains("QUERY: ") && both.err.contains("--limit: "));
    let note = person.run(&[
        "remember",
        "x",
        "--project",
        "https://example.com/a/b",
        "--table",
    ]);
    assert!(note.out.contains("note: Created project") && !note.out.contains("project_hint"));
}

#[test]
fn a_server_with_fewer_tools_is_told_to_offer_more() {
    let mut person = Person::new();
    let other = Person::new();
    std::fs::create_dir(other.data()).expect("a folder can be made");
    let site = Site::start_with(&other.data(), &[]);
    person.set("ZERO_MEMORY_SERVER", format!("http://{}", site.address()));
    person.set("ZERO_MEMORY_TOKEN", site.token());
    for arguments in [vec!["scopes"], vec!["history", NOBODY]] {
        let refused = person.run(&arguments);
        assert!(
            refused.failed(13).contains("serve --toolset full"),
            "{}",
            refused.err
        );
        let help = person.run(&[arguments[0], "--help"]).out;
        assert!(help.contains("--toolset full"), "{help}");
    }
    site.kill();
}

#[test]
fn every_code_that_can_be_had_has_its_exit_code() {
    let person = Person::new();
    let old = remembered(&person, &["One.", "--scope", "core"]);
    person.run(&["forget", &old]).json();
    let secret = format!("The key is AKIA{}.", "Q".repeat(16));
    for (arguments, exit, code) in [
        (vec!["forget", "nonsense"], 10, "validation_failed"),
        (vec!["remember", &secret], 10, "validation_failed"),
        (vec!["history", NOBODY], 13, "not_found"),
        (
            vec!["remember", "Two.", "--scope", "core", "--supersedes", &old],
            14,
            "conflict",
        ),
    ] {
        let refused = person.run(&arguments);
        let told = refused.failed(exit);
        assert!(told.contains("hint: "), "{told}");
        assert_eq!(refused.document()["error"]["code"], code, "{arguments:?}");
    }
    person.run(&["recall"]).failed(2);
    person.run(&["recall", "x", "--kind", "nonsense"]).failed(2);

    let broken = Person::new();
    std::fs::create_dir(broken.data()).expect("a folder can be made");
    std::fs::write(broken.data().join("memory.db"), "no memory").expect("a file can be made");
    let failed = broken.run(&["scopes"]);
    let told = failed.failed(16);
    assert!(told.contains("zero-memory doctor"), "{told}");
    assert_eq!(failed.document()["error"]["code"], "internal");
}

#[test]
fn a_folder_that_is_not_there_is_no_empty_memory() {
    let person = Person::new();
    let mistyped = person.home().join("mistyped");
    let folder = mistyped.to_str().expect("text");
    let verbs = [
        vec!["recall", "x"],
        vec!["brief"],
        vec!["loops"],
        vec!["forget", NOBODY],
        vec!["close", NOBODY],
        vec!["history", NOBODY],
        vec!["scopes"],
        vec!["rules"],
    ];
    for is_there in [false, true] {
        for verb in &verbs {
            let mut arguments = verb.clone();
            arguments.extend(["--data", folder]);
            let refused = person.run(&arguments);
            let told = refused.failed(1);
            assert!(told.contains(folder) && told.contains("--data"), "{told}");
            let made = std::fs::read_dir(&mistyped).map_or(0, Iterator::count);
            assert_eq!((mistyped.exists(), made), (is_there, 0), "{verb:?}");
        }
        std::fs::create_dir_all(&mistyped).expect("a folder can be made");
    }
    let stored = person.run(&["remember", "x", "--scope", "core", "--data", folder]);
    assert_eq!(stored.code, 0, "{}", stored.err);
    assert_eq!(person.run(&["rules", "--data", folder]).code, 0);
}

#[test]
fn a_place_that_is_empty_is_none_and_no_other_one_is_taken() {
    for (option, variable) in [
        ("--server", "ZERO_MEMORY_SERVER"),
        ("--data", "ZERO_MEMORY_DATA"),
    ] {
        let mut person = Person::new();
        let remember = ["remember", "One.", "--scope", "core"];
        let asked = person.run(&[&remember[..], &[option, ""]].concat());
        assert!(asked.failed(2).contains(option), "{}", asked.err);
        person.set(variable, "");
        let asked = person.run(&remember);
        let told = asked.failed(2);
        assert!(told.contains(option), "{told}");
        assert!(
            told.contains(&format!("{variable} is set to nothing: unset it")),
            "{told}"
        );
        assert!(!person.data().exists());
    }
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOOLSET", "most");
    let asked = person.run(&["serve"]);
    let told = asked.failed(2);
    assert!(
        told.contains("the value is that of ZERO_MEMORY_TOOLSET: change it"),
        "{told}"
    );
    let asked = person.run(&["serve", "--toolset", "more"]);
    assert!(
        !asked.failed(2).contains("ZERO_MEMORY_TOOLSET:"),
        "{}",
        asked.err
    );
    // No option is read from it.
    person.set("ZERO_MEMORY_LIMIT", "3");
    let asked = person.run(&["recall", "x", "--limit", "few"]);
    assert!(!asked.failed(2).contains("ZERO_MEMORY"), "{}", asked.err);
}

#[test]
fn a_wait_that_is_asked_for_is_told_in_seconds() {
    let mut person = Person::new();
    remembered(&person, &["One.", "--scope", "core"]);
    let site = Site::start_with(&person.data(), &["--max-calls", "1"]);
    person.set("ZERO_MEMORY_SERVER", format!("http://{}", site.address()));
    person.set("ZERO_MEMORY_TOKEN", site.token());
    let hold = Hold::writes(&person.data());
    let (said, heard) = std::sync::mpsc::channel();
    let waiting: Vec<_> = ["Two.", "Three."]
        .into_iter()
        .map(|text| {
            let arguments = json!({ "content": text, "scope": "core" });
            let call = site.begin_call("close", "remember", &arguments);
            let mut stream = call.expect("it is taken");
            let said = said.clone();
            std::thread::spawn(move || {
                let mut answer = String::new();
                let _ = std::io::Read::read_to_string(&mut stream, &mut answer);
                let _ = said.send(answer);
            })
        })
        .collect();
    // Of the two one is worked on, once the other was refused.
    let answer = heard.recv_timeout(DEADLINE).expect("one is refused");
    assert!(answer.contains("rate_limited"), "{answer}");
    let refused = person.run(&["recall", "x"]);
    let told = refused.failed(15);
    assert!(told.contains("hint: wait a second and try again"), "{told}");
    drop(hold);
    for thread in waiting {
        thread.join().expect("it is answered");
    }
    site.kill();
}

#[test]
fn words_without_quotes_are_refused_with_a_way_out() {
    let person = Person::new();
    let told = person.run(&["remember", "The", "roof", "is", "red."]);
    assert!(
        told.failed(2).contains("put quotes around the statement"),
        "{}",
        told.err
    );
    // An option that nobody knows is no word of a statement.
    let told = person.run(&["remember", "Red.", "--kinds", "fact"]);
    assert!(!told.failed(2).contains("quotes"), "{}", told.err);
    assert!(!person.data().exists());
}

/// Runs a command whose result cannot be taken by what stands behind its
/// standard output.
fn ended(person: &Person, arguments: &[&str], out: Stdio) -> (Option<i32>, String) {
    let output = Command::new(binary())
        .args(arguments)
        .env("ZERO_MEMORY_DATA", person.data())
        .stdout(out)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("it starts");
    let told = String::from_utf8(output.stderr).expect("text");
    (output.status.code(), told)
}

#[test]
fn whoever_reads_no_result_makes_no_failure_of_what_was_done() {
    let person = Person::new();
    for arguments in [
        vec!["remember", "One.", "--scope", "core"],
        vec!["recall", "one"],
        vec!["scopes", "--table"],
        vec!["doctor"],
        vec!["man"],
        vec!["completions", "bash"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ended = ended(&person, &arguments, writer.into());
        assert_eq!(ended, (Some(0), String::new()), "{arguments:?}");
    }
    let found = person.run(&["recall", "one"]).json();
    assert_eq!(found["memories"][0]["content"], "One.");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_told_as_that() {
    let person = Person::new();
    remembered(&person, &["One.", "--scope", "core"]);
    for arguments in [
        vec!["recall", "one"],
        vec!["man"],
        vec!["export"],
        vec!["--help"],
        vec!["recall", "--help"],
        vec!["--version"],
    ] {
        let full = std::fs::File::create("/dev/full").expect("every Linux has it");
        let (code, told) = ended(&person, &arguments, full.into());
        assert_eq!(code, Some(1), "{arguments:?}");
        assert!(
            told.contains("No space left") && !told.contains("closed"),
            "{told}"
        );
    }
}

#[cfg(unix)]
#[test]
fn words_that_are_no_text_are_refused_like_others() {
    use std::os::unix::ffi::OsStrExt as _;

    let odd = std::ffi::OsStr::from_bytes(b"/tmp/\xff");
    for (verb, option) in [
        ("recall", "--data"),
        ("doctor", "--data"),
        ("backup", "--to"),
    ] {
        let mut command = Command::new(binary());
        command.args([verb, option]).arg(odd).arg("--bogus");
        let person = Person::new();
        let refused = person.finish(command, &person.work(), "");
        let told = refused.failed(2);
        assert!(told.contains("--bogus"), "{verb}: {told}");
    }
}
