//! Completions in the shells themselves, at a terminal: a line is typed, Tab is
//! pressed, and what the shell made of it is read.

use std::process::Command;

use crate::harness::{Person, python};

/// Lines, and what they become.
const LINES: [(&str, &str); 14] = [
    ("rem", "remember"),
    ("recall roof --serv", "recall roof --server"),
    ("recall roof --kind go", "recall roof --kind gotcha"),
    ("recall roof red --ta", "recall roof red --table"),
    ("recall --kind deci", "recall --kind decision"),
    ("brief roof --max", "brief roof --max-tokens"),
    ("erase mem_1 --dry", "erase mem_1 --dry-run"),
    ("connect cur", "connect cursor"),
    ("connect cursor --wr", "connect cursor --write"),
    (
        "connect cursor --scope pro",
        "connect cursor --scope project",
    ),
    ("hook pro", "hook prompt"),
    (
        "hook session-start --dead",
        "hook session-start --deadline-ms",
    ),
    ("import --format basic", "import --format basic-memory"),
    ("completions fi", "completions fish"),
];

/// Types a line, Tab and Enter in a shell at a terminal, and prints what stood
/// behind the program's name then.
const TYPIST: &str = r#"
import os, pty, select, sys
setup, line = sys.argv[1], sys.argv[2]
pid, end = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
def between(first, last):
    seen = b''
    while first not in seen or last not in seen.split(first, 1)[1]:
        if not select.select([end], [], [], 60)[0]:
            sys.exit('it says no more: %r' % seen)
        try:
            seen += os.read(end, 65536)
        except OSError:
            sys.exit('it ended: %r' % seen)
    return seen.split(first, 1)[1].split(last, 1)[0]
# The name is that of a function now, so that nothing of the program is run.
setup += "; zero-memory() { printf '<<%s>>' \"$*\"; }"
os.write(end, setup.encode() + b"; printf '<<%s>>' set\n")
between(b'<<set', b'>>')
os.write(end, b'zero-memory ' + line.encode() + b'\t\n')
print(between(b'<<', b'>>').decode())
os.close(end)
os.waitpid(pid, 0)
"#;

/// Returns what a shell made of a line.
fn typed(person: &Person, shell: &[&str], setup: &str, line: &str) -> String {
    let mut command = python();
    command.args(["-c", TYPIST, setup, line]).args(shell);
    let run = person.finish(command, &person.work(), "");
    assert_eq!(run.code, 0, "{line}: {run:?}");
    run.out.trim().trim_end_matches('=').to_owned()
}

/// Puts completions where a shell finds them.
fn script(person: &Person, shell: &str, place: &str) -> String {
    let run = person.run(&["completions", shell]);
    let path = person.write(place, &run.out);
    path.to_str().expect("text").to_owned()
}

/// Whether a shell is on this machine. README says that completions are tried
/// in those that are.
fn is_there(shell: &str) -> bool {
    let found = Command::new(shell).arg("--version").output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("{shell} is not on this machine: its completions are not tried");
    }
    is_there
}

#[test]
fn bash_completes_at_a_terminal() {
    let person = Person::new();
    let setup = format!("source {}", script(&person, "bash", "zm.bash"));
    for (line, whole) in LINES {
        let shell = ["bash", "--norc", "--noprofile", "-i"];
        assert_eq!(typed(&person, &shell, &setup, line), whole);
    }
}

#[test]
fn zsh_completes_at_a_terminal() {
    if !is_there("zsh") {
        return;
    }
    let person = Person::new();
    script(&person, "zsh", "functions/_zero-memory");
    let setup = "fpath=(~/functions $fpath); autoload -Uz compinit; compinit -u -D";
    for (line, whole) in LINES {
        assert_eq!(typed(&person, &["zsh", "-f", "-i"], setup, line), whole);
    }
}

#[test]
fn fish_completes_every_line() {
    if !is_there("fish") {
        return;
    }
    let person = Person::new();
    let script = script(&person, "fish", "zm.fish");
    for (line, whole) in LINES {
        let mut fish = Command::new("fish");
        let ask = format!("source {script}; complete -C 'zero-memory {line}'");
        fish.args(["--no-config", "-c", &ask]);
        let run = person.finish(fish, &person.work(), "");
        let wanted = whole.rsplit(' ').next().expect("a word");
        let mut offered = run.out.lines().filter_map(|line| line.split('\t').next());
        assert_eq!(offered.next(), Some(wanted), "{line}: {run:?}");
        assert_eq!(offered.next(), None, "{line}: {run:?}");
    }
}
