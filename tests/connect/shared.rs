//! Files of a project: people commit them, so what is for this machine or for
//! one person alone is told.

use std::process::Command;

use crate::harness::{Person, binary};

/// Every client that reads settings in a project, and where.
const IN_PROJECT: [(&str, &str); 6] = [
    ("claude-code", ".mcp.json"),
    ("cursor", ".cursor/mcp.json"),
    ("codex", ".codex/config.toml"),
    ("vscode", ".vscode/mcp.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("zed", ".zed/settings.json"),
];

/// Writes a file of the project.
fn write(person: &Person, file: &str, text: &str) {
    let path = person.work().join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    std::fs::write(path, text).expect("it is written");
}

fn connect(person: &Person, client: &str, more: &[&str]) -> String {
    let words = ["connect", client, "--scope", "project", "--write"];
    let written = person.run(&[&words[..], more].concat());
    assert_eq!(written.code, 0, "{client}: {}", written.err);
    written.err
}

#[test]
fn a_copy_in_a_project_is_not_to_be_committed() {
    const TOLD: &str = "do not commit it unless the file is committed";
    let person = Person::new();
    for (client, file) in IN_PROJECT {
        // Where nothing was there is no copy.
        let told = connect(&person, client, &[]);
        assert!(!told.contains(TOLD), "{client}: {told}");
        let told = connect(&person, client, &["--remove"]);
        let path = person.work().join(file);
        let path = path.to_str().expect("text");
        assert!(told.contains(TOLD) && told.contains(path), "{told}");
        let told = connect(&person, client, &[]);
        assert!(told.contains(TOLD) && told.contains(path), "{told}");
        // A copy beside a file of the person is nobody else's to see.
        for _ in 0..2 {
            let own = person.run(&["connect", client, "--write"]);
            assert_eq!(own.code, 0, "{}", own.err);
            assert!(!own.err.contains("commit"), "{client}: {}", own.err);
            person.run(&["connect", client, "--write", "--remove"]);
        }
    }
    write(&person, ".claude/settings.local.json", "{ \"env\": {} }\n");
    let told = connect(&person, "claude-code", &["--hooks"]);
    assert!(
        told.contains(TOLD) && told.contains("settings.local.json"),
        "{told}"
    );
}

#[test]
fn a_token_in_a_file_of_a_project_is_not_to_be_committed() {
    const TOLD: &str = "it is a file of the project: do not commit it\n";
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_0123456789");
    for (client, _) in IN_PROJECT {
        let told = connect(&person, client, &["--url", "--token-in", "file"]);
        assert!(told.contains(TOLD), "{client}: {told}");
        connect(&person, client, &["--remove"]);
        let own = person.run(&["connect", client, "--url", "--write"]);
        assert_eq!(own.code, 0, "{client}: {}", own.err);
        assert!(!own.err.contains("commit"), "{client}: {}", own.err);
    }
    let told = connect(&person, "cursor", &["--url"]);
    assert!(!told.contains(TOLD), "{told}");
}

#[test]
fn a_path_of_this_machine_in_a_file_of_a_project_is_told() {
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_0123456789");
    for (client, file) in IN_PROJECT {
        let path = person.work().join(file);
        let path = path.display();
        let told = connect(&person, client, &[]);
        let both = format!(
            "{path} names the program and the data folder by their paths on this machine: where others use that file, pass --command zero-memory and name no data folder\n"
        );
        assert!(told.contains(&both), "{client}: {told}");
        // It is said of what was written, and not again.
        let told = connect(&person, client, &[]);
        assert!(!told.contains("on this machine"), "{client}: {told}");
        let told = connect(&person, client, &["--remove"]);
        assert!(!told.contains("on this machine"), "{client}: {told}");
        let told = connect(&person, client, &["--command", "zero-memory"]);
        let folder = format!(
            "{path} names the data folder by its path on this machine: where others use that file, name no data folder\n"
        );
        assert!(told.contains(&folder), "{client}: {told}");
        let told = connect(&person, client, &["--url", "--token-in", "file"]);
        assert!(!told.contains("on this machine"), "{client}: {told}");
        let own = person.run(&["connect", client, "--write"]);
        assert!(
            !own.err.contains("on this machine"),
            "{client}: {}",
            own.err
        );
    }
    let usual = |more: &[&str]| {
        let mut command = Command::new("env");
        command.args(["-u", "ZERO_MEMORY_DATA"]).arg(binary());
        command
            .args(["connect", "zed", "--scope", "project"])
            .args(more);
        person.finish(command, &person.work(), "").err
    };
    person.run(&[
        "connect", "zed", "--scope", "project", "--remove", "--write",
    ]);
    let told = usual(&[]);
    let program = "names the program by its path on this machine: where others use that file, pass --command zero-memory\n";
    assert!(told.contains(program), "{told}");
    let told = usual(&["--command", "zero-memory", "--write"]);
    assert!(!told.contains("on this machine"), "{told}");
    // The hooks of a project lie in a file that is nobody else's.
    let hooks = connect(
        &person,
        "claude-code",
        &["--hooks", "--command", "/new/zero-memory"],
    );
    assert_eq!(hooks.matches("on this machine").count(), 1, "{hooks}");
    let hooks = connect(&person, "claude-code", &["--hooks", "--remove"]);
    assert!(!hooks.contains("on this machine"), "{hooks}");
    let hooks = connect(
        &person,
        "claude-code",
        &["--hooks", "--command", "/new/zero-memory"],
    );
    assert!(!hooks.contains("on this machine"), "{hooks}");
}
