//! What a person sees at a terminal: every part of an answer that is for
//! people, and every option that reaches the call.

use serde_json::json;

use super::{NOBODY, remembered};
use crate::harness::{Door as _, Era, Person, Pipes, json_file, python};

/// Returns what a command prints as tables.
fn table(person: &Person, arguments: &[&str]) -> String {
    let run = person.run(&[arguments, &["--table"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    run.out
}

#[test]
fn every_option_reaches_the_call() {
    let person = Person::new();
    let fact = remembered(&person, &["The roof is red.", "--scope", "core"]);
    let task = remembered(&person, &["Paint the roof.", "--kind", "task"]);
    let found = |arguments: &[&str]| -> Vec<String> {
        let answer = person.run(arguments).json();
        let memories = answer["memories"].as_array().expect("a list").clone();
        let ids = memories.iter().map(|memory| memory["id"].as_str());
        ids.map(|id| id.expect("an id").to_owned()).collect()
    };
    assert_eq!(
        found(&["recall", "roof", "--kind", "task"]),
        [task.as_str()]
    );
    assert_eq!(
        found(&["recall", "roof", "--scope", "core"]),
        [fact.as_str()]
    );
    assert_eq!(found(&["recall", "roof"]).len(), 2);
    let loops = |more: &[&str]| {
        let answer = person.run(&[&["loops"], more].concat()).json();
        answer["open_loops"].as_array().expect("a list").len()
    };
    assert_eq!((loops(&[]), loops(&["--scope", "core"])), (1, 0));
    let there = ["loops", "--scope", "proj.me.work"];
    let elsewhere = person.run_with(&person.home(), &there, "").json();
    assert_eq!(elsewhere["open_loops"][0]["id"], task.as_str());

    let stored = person.run(&[
        "remember",
        "The roof leaks.",
        "--scope",
        "core",
        "--about",
        "barn",
        "--verbatim",
        "it drips",
    ]);
    let stored = stored.json();
    assert_eq!(stored["anchors"][0]["name"], "barn");
    let id = stored["memory_id"].as_str().expect("an id");
    let dump = person.run(&["export"]).out;
    assert!(dump.contains("it drips"), "{dump}");
    person
        .run(&["forget", id, "--reason", "it was mended"])
        .json();
    assert!(table(&person, &["history", id]).contains("it was mended"));

    for number in 0..40 {
        let text = format!("Rafter {number} of the roof is sound and dry and old.");
        remembered(&person, &[&text, "--scope", "core"]);
    }
    let n_shown = |tokens: &str| {
        let answer = person
            .run(&["brief", "roof", "--max-tokens", tokens])
            .json();
        answer["memories"].as_array().expect("a list").len()
    };
    assert!(n_shown("400") < n_shown("1200"));
    let cut = table(&person, &["brief", "roof", "--max-tokens", "400"]);
    assert!(cut.contains("raise --max-tokens"), "{cut}");
    let page = table(&person, &["recall", "roof", "-k", "2"]);
    let cursor = page.split("more: --cursor ").nth(1).expect("a next page");
    let next = table(
        &person,
        &["recall", "roof", "-k", "2", "--cursor", cursor.trim()],
    );
    assert!(next.starts_with("ID") && next != page, "{next}");
}

#[test]
fn what_happened_is_told_whole() {
    let person = Person::new();
    let told = |arguments: &[&str]| table(&person, arguments);
    let first = told(&["remember", "The tiles are of clay.", "--scope", "core"]);
    let id = first.trim().strip_prefix("remembered: ").expect("an id");
    let (id, place) = id.split_once(" in ").expect("its place");
    let again = told(&["remember", "The tiles are of clay.", "--scope", "core"]);
    assert_eq!(again.trim(), format!("known already: {id} in {place}"));
    let close = told(&["remember", "The tiles are of red clay.", "--scope", "core"]);
    assert!(
        close.contains("similar, already there:") && close.contains(id),
        "{close}"
    );
    let newer = told(&[
        "remember",
        "The tiles are of slate \u{1b}[31m now.",
        "--scope",
        "core",
        "--supersedes",
        id,
    ]);
    assert!(newer.contains(&format!("superseded: {id}")), "{newer}");
    let new = newer.split([' ', '\n']).nth(1).expect("an id");
    let history = told(&["history", new]);
    assert!(
        history.contains(&format!("{new} fact {place} served")),
        "{history}"
    );
    assert!(
        history.contains(&format!("{id} fact {place} retired")),
        "{history}"
    );
    assert!(history.contains("created by me"), "{history}");
    assert!(
        !history.contains('\u{1b}') && history.contains("\\u{1b}"),
        "{history}"
    );
    assert_eq!(told(&["forget", new]).trim(), format!("forgotten: {new}"));
    assert_eq!(
        told(&["forget", new]).trim(),
        format!("forgotten before: {new}")
    );

    let task = remembered(&person, &["Lay the tiles.", "--kind", "task"]);
    assert_eq!(told(&["close", &task]).trim(), format!("closed: {task}"));
    assert_eq!(
        told(&["close", &task]).trim(),
        format!("closed before: {task}")
    );
    let decision = told(&["remember", "We lay them in May.", "--kind", "decision"]);
    assert!(
        decision.contains("note: This decision is anchored to nothing"),
        "{decision}"
    );
    assert!(decision.contains("with --about ("), "{decision}");
    let scopes = told(&["scopes"]);
    assert!(
        scopes.contains("proj.me.work") && scopes.contains("owner"),
        "{scopes}"
    );
}

#[test]
fn rules_and_loops_are_shown_to_the_last() {
    let person = Person::new();
    let id = remembered(&person, &["Sums are in cents.", "--kind", "convention"]);
    assert_eq!(table(&person, &["rules"]), "no rule stands\n");
    let mut pipes = Pipes::open(&person.data(), Era::Modern);
    pipes.ok("promote_rule", json!({ "memory_id": id, "pinned": true }));
    for arguments in [&["rules"][..], &["brief", "sums"]] {
        let shown = table(&person, arguments);
        assert!(
            shown.contains("Sums are in cents.") && shown.contains("yes"),
            "{shown}"
        );
    }
    let long = "from the north gate to the south gate and back ".repeat(14);
    for number in 0..60 {
        let text = format!("Count the beams of hall {number} {long}.");
        remembered(&person, &[&text, "--kind", "task"]);
    }
    let shown = table(&person, &["loops"]);
    assert_eq!(shown.matches("mem_").count(), 60, "{shown}");
    assert!(!shown.contains("more"), "{shown}");
    // More than the longest briefing holds.
    for number in 0..200 {
        let text = format!("Count the beams of tower {number} {long}.");
        let given = json!({ "content": text, "kind": "task", "project_hint": person.work() });
        pipes.ok("remember", given);
    }
    let shown = table(&person, &["loops"]);
    let n_shown = shown.matches("mem_").count();
    assert!((150..260).contains(&n_shown), "{n_shown}");
    let rest = format!(
        "and {} more than a briefing holds: close some",
        260 - n_shown
    );
    assert!(shown.contains(&rest), "{shown}");
}

#[test]
fn a_project_that_was_named_and_is_not_known_is_told() {
    let person = Person::new();
    remembered(&person, &["Count the beams.", "--kind", "task"]);
    for arguments in [&["loops"][..], &["recall", "beams"], &["brief"]] {
        let named = |project: &str| {
            let mut arguments = arguments.to_vec();
            arguments.extend(["--project", project]);
            let run = person.run(&arguments);
            assert_eq!(run.code, 0, "{run:?}");
            run.err
        };
        let told = named("nosuchproject");
        assert!(
            told.contains("nothing is known of a project of that name"),
            "{told}"
        );
        assert_eq!(named("work"), "");
        assert_eq!(person.run(arguments).err, "");
    }
}

#[test]
fn a_terminal_gets_tables_and_everybody_else_json() {
    let person = Person::new();
    let id = remembered(&person, &["The roof is red.", "--scope", "core"]);
    let script = "import os, pty, sys
pid, end = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out = b''
while True:
    try:
        part = os.read(end, 65536)
    except OSError:
        break
    if not part:
        break
    out += part
sys.stdout.buffer.write(out)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))";
    let at_terminal = |arguments: &[&str]| {
        let mut command = python();
        command
            .args(["-c", script])
            .arg(crate::harness::binary())
            .args(arguments);
        person.finish(command, &person.work(), "")
    };
    let shown = at_terminal(&["recall", "roof"]);
    assert!(
        shown.out.starts_with("ID") && shown.out.contains(&id),
        "{shown:?}"
    );
    let json = at_terminal(&["recall", "roof", "--json"]);
    assert!(json.out.starts_with('{'), "{json:?}");
    assert!(person.run(&["recall", "roof"]).out.starts_with('{'));
    let refused = at_terminal(&["history", NOBODY]);
    assert_eq!(refused.code, 13, "{refused:?}");
    assert!(
        !refused.out.contains('{') && refused.out.contains("hint: "),
        "{refused:?}"
    );
}

#[test]
fn exit_codes_are_documented_as_they_are() {
    let person = Person::new();
    let codes = json_file("schema/errors.json");
    let manual = person.run(&["man"]).out;
    let help = person.run(&["recall", "--help"]).out;
    // In the order of the contract, from ten on, as scripts were told.
    for (exit, name) in (10..).zip([
        "validation_failed",
        "unauthorized",
        "forbidden",
        "not_found",
        "conflict",
        "rate_limited",
        "internal",
    ]) {
        assert!(codes["codes"][name].is_object(), "{name}");
        assert!(help.contains(&format!("{exit} {name}")), "{help}");
        let entry = format!("\\fB{exit}\\fR\nRefused with {name}: ");
        assert!(manual.contains(&entry), "{manual}");
    }
    assert!(manual.contains("man COMMAND prints the page"), "{manual}");
    for (shell, mark) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef zero-memory"),
        ("fish", "complete -c zero-memory"),
    ] {
        let script = person.run(&["completions", shell]).out;
        assert!(script.contains(mark), "{shell}");
    }
}

#[test]
fn what_is_longer_than_any_statement_is_not_read_on() {
    let person = Person::new();
    let long = "x".repeat((1 << 20) + 1);
    let refused = person.run_with(&person.work(), &["remember", "-"], &long);
    assert!(
        refused.failed(1).contains("send one statement"),
        "{}",
        refused.err
    );
}
