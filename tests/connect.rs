//! Settings of clients from outside: what is shown, what is changed, and that
//! nothing of anybody is lost.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Person, binary, names};

mod halves;
mod hooks;
mod kept;
mod odd;
mod present;
mod renewed;
mod shared;
mod tokens;
mod whole;

/// What a person keeps in the settings of Cursor.
const CURSOR: &str =
    "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  }\n}\n";

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn nothing_is_changed_until_it_is_asked_for() {
    let person = Person::new();
    let path = person.write(".cursor/mcp.json", CURSOR);
    let shown = person.run(&["connect", "cursor"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(
        shown.out.contains("+     \"zero-memory\": {"),
        "{}",
        shown.out
    );
    assert!(!shown.out.contains("mine"), "{}", shown.out);
    assert!(shown.err.contains("--write"));
    assert_eq!(text(&path), CURSOR);
    person.run(&["connect", "cursor", "--remove"]);
    person.run(&["connect", "cursor", "--print"]);
    assert_eq!(names(&person.home().join(".cursor")), ["mcp.json"]);
}

#[test]
fn it_is_put_in_once_and_taken_out_without_a_trace() {
    let person = Person::new();
    let path = person.write(".cursor/mcp.json", CURSOR);
    let written = person.run(&["connect", "cursor", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let new = text(&path);
    assert!(new.contains("// mine") && new.contains("\"other\": { \"command\": \"x\" }"));
    let program = binary().to_str().expect("text");
    assert!(new.contains(program), "{new}");
    assert!(new.contains(person.data().to_str().expect("text")), "{new}");
    let copy = person.home().join(".cursor/mcp.json.before-zero-memory");
    assert_eq!(text(&copy), CURSOR);

    let again = person.run(&["connect", "cursor", "--write"]);
    assert_eq!(again.out, "nothing to do: it is so already\n");
    assert_eq!(text(&path), new);

    person.run(&["connect", "cursor", "--remove", "--write"]);
    assert_eq!(text(&path), CURSOR);
    let over = person.run(&["connect", "cursor", "--remove", "--write"]);
    assert_eq!(over.out, "nothing to do: it is so already\n");
    assert_eq!(
        names(&person.home().join(".cursor")),
        [
            "mcp.json",
            "mcp.json.before-zero-memory",
            "mcp.json.before-zero-memory.2"
        ]
    );
}

#[test]
fn every_client_is_connected_listed_and_left() {
    let person = Person::new();
    let clients = person.run(&["connect", "--json"]).json();
    let clients = clients["clients"].as_array().expect("a list").clone();
    assert_eq!(clients.len(), 8);
    for client in &clients {
        let id = client["client"].as_str().expect("an id");
        assert_eq!(client["user"]["state"], "no", "{id}");
        assert_eq!(client["installed"], false, "{id}");
        let written = person.run(&["connect", id, "--write"]);
        assert_eq!(written.code, 0, "{id}: {}", written.err);
    }
    let state = |client: &str| -> Value {
        let all = person.run(&["connect", "--json"]).json();
        let all = all["clients"].as_array().expect("a list").clone();
        let found = all.into_iter().find(|entry| entry["client"] == client);
        found.expect("it is listed")
    };
    for client in &clients {
        let id = client["client"].as_str().expect("an id");
        let now = state(id);
        assert_eq!(now["user"]["state"], "stdio", "{id}");
        // What we have made ourselves is no sign of the client.
        assert_eq!(now["installed"], false, "{id}");
        person.run(&["connect", id, "--remove", "--write"]);
        assert_eq!(state(id)["user"]["state"], "no", "{id}");
        assert_eq!(state(id)["installed"], false, "{id}");
        person.run(&["connect", id, "--write"]);
        let path = now["user"]["path"].as_str().expect("a path");
        let text = std::fs::read_to_string(path).expect("it is there");
        let theirs = match id {
            "codex" => format!("model = \"x\"\n{text}"),
            _ => text.replacen('{', "{ \"theirs\": 1,", 1),
        };
        std::fs::write(path, theirs).expect("it is written");
        assert_eq!(state(id)["installed"], true, "{id}");
    }
    let another = Person::new();
    another.write(".cursor/argv.json", "{}");
    let all = another.run(&["connect", "--json"]).json();
    let all = all["clients"].as_array().expect("a list").clone();
    let installed = all.iter().filter(|client| client["installed"] == true);
    let ids: Vec<_> = installed.map(|client| client["client"].clone()).collect();
    assert_eq!(ids, ["cursor"]);
    let table = person.run(&["connect"]);
    assert!(table.out.starts_with("CLIENT"), "{}", table.out);
    assert!(table.out.contains("windsurf"), "{}", table.out);
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    for (path, client, broken) in [
        (".cursor/mcp.json", "cursor", "{ \"mcpServers\": {"),
        (".cursor/mcp.json", "cursor", "{ \"mcpServers\": [] }"),
        (".codex/config.toml", "codex", "[mcp_servers"),
        (".claude.json", "claude-code", "{ \"a\": 1, }}"),
    ] {
        let person = Person::new();
        let path = person.write(path, broken);
        for more in [vec!["--write"], vec!["--remove", "--write"], vec![]] {
            let mut arguments = vec!["connect", client];
            arguments.extend(more);
            let refused = person.run(&arguments);
            let told = refused.failed(1);
            assert!(
                told.contains("was left as it is") && told.contains("--print"),
                "{told}"
            );
        }
        assert_eq!(text(&path), broken);
        let folder = path.parent().expect("it lies in a folder");
        assert!(names(folder).iter().all(|name| !name.contains("before")));
        let listed = person.run(&["connect", "--json"]).json().to_string();
        assert!(listed.contains("\"state\":\"unreadable\""), "{listed}");
    }
    // Hooks that cannot be put in keep the server out, too.
    let person = Person::new();
    let settings = person.write(".claude/settings.json", "{ \"hooks\": 1 }");
    person
        .run(&["connect", "claude-code", "--hooks", "--write"])
        .failed(1);
    assert_eq!(text(&settings), "{ \"hooks\": 1 }");
    assert!(!person.home().join(".claude.json").exists());
}

#[test]
fn what_is_shown_of_other_programs_is_never_a_secret() {
    let person = Person::new();
    let secrets = "{\"mcpServers\":{\"o\":{\"headers\":{\"Authorization\":\"Bearer SECRET1\"}},\"b\":{\"headers\":{\"Authorization\":\"Bearer SECRET2\"},\"env\":{\"OPENAI_API_KEY\":\"sk-SECRET3\",\"PIN\":4711}}}} // SECRET4";
    person.write(".cursor/mcp.json", secrets);
    person.write(
        ".codex/config.toml",
        "mcp_servers = { o = { command = \"x\", env = { K = 'SECRET5' } } } # SECRET6\n",
    );
    person.write(".gemini/settings.json", "{ \"a\": SECRET7 }");
    person.write(
        ".claude/settings.json",
        "{ \"env\": { \"K\": \"SECRET8\" }, \"hooks\": {} }",
    );
    for arguments in [
        vec!["connect", "cursor"],
        vec!["connect", "cursor", "--name", "o", "--remove"],
        vec!["connect", "codex"],
        vec!["connect", "codex", "--name", "o", "--remove"],
        vec!["connect", "gemini-cli"],
        vec!["connect", "claude-code", "--hooks"],
    ] {
        let shown = person.run(&arguments);
        let shown = format!("{}{}", shown.out, shown.err);
        assert!(
            !shown.contains("SECRET") && !shown.contains("4711"),
            "{shown}"
        );
    }
    // What is ours is shown, and where it goes.
    let shown = person.run(&["connect", "cursor"]).out;
    assert!(shown.contains("OPENAI_API_KEY"), "{shown}");
    assert!(shown.contains(binary().to_str().expect("text")), "{shown}");
}

#[cfg(unix)]
#[test]
fn rights_and_links_stay_as_they_were() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let person = Person::new();
    let real = person.write("dotfiles/cursor.json", CURSOR);
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("it is ours");
    let link = person.home().join(".cursor/mcp.json");
    std::fs::create_dir(person.home().join(".cursor")).expect("a folder can be made");
    symlink("../dotfiles/cursor.json", &link).expect("a link can be made");
    let written = person.run(&["connect", "cursor", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let about = std::fs::symlink_metadata(&link).expect("it is there");
    assert!(about.is_symlink());
    assert!(text(&real).contains("zero-memory"));
    let mode = |path: &Path| {
        let about = std::fs::metadata(path).expect("it is there");
        about.permissions().mode() & 0o777
    };
    assert_eq!(mode(&real), 0o640);
    assert_eq!(
        mode(
            &person
                .home()
                .join("dotfiles/cursor.json.before-zero-memory")
        ),
        0o640
    );

    std::fs::remove_file(&real).expect("it is ours");
    let lost = person.run(&["connect", "cursor", "--write"]);
    assert!(lost.failed(1).contains("leads nowhere"));
}

#[test]
fn what_is_asked_wrongly_is_refused_with_a_way_out() {
    let person = Person::new();
    for (arguments, code, told) in [
        (vec!["connect", "emacs"], 2, "claude-code"),
        (vec!["connect", "--write"], 2, "CLIENT"),
        (
            vec!["connect", "cursor", "--hooks"],
            1,
            "leave --hooks away",
        ),
        (
            vec!["connect", "windsurf", "--scope", "project"],
            1,
            "leave --scope away",
        ),
        (
            vec!["connect", "cursor", "--url", "127.0.0.1"],
            1,
            "http://127.0.0.1:8787/mcp",
        ),
        (
            vec!["connect", "cursor", "--url", "http://example.com/mcp"],
            1,
            "forward a port",
        ),
        (
            vec!["connect", "--print", "--url", "http://example.com/mcp"],
            1,
            "forward a port",
        ),
    ] {
        let refused = person.run(&arguments);
        assert!(
            refused.failed(code).contains(told),
            "{arguments:?}: {}",
            refused.err
        );
    }
    let hooks = person.run(&[
        "connect",
        "claude-code",
        "--hooks",
        "--url",
        "--token-in",
        "env",
    ]);
    assert!(
        hooks
            .err
            .contains("hooks read the data folder of this machine")
    );
    let placeholder = person.run(&["connect", "--print", "--url"]);
    assert!(
        placeholder.out.contains("Bearer TOKEN"),
        "{}",
        placeholder.out
    );
    assert!(
        placeholder.err.contains("in the place of TOKEN"),
        "{}",
        placeholder.err
    );
    let any = person.run(&["connect", "--print"]).json();
    assert_eq!(any["mcpServers"]["zero-memory"]["args"][0], "stdio");
}
