//! The token of a server: where it may stand, where it must not, and who is
//! told of it.

use serde_json::{Value, json};

use super::{CURSOR, names, text};
use crate::harness::Person;

#[test]
fn a_token_goes_only_where_others_cannot_read_it() {
    let mut person = Person::new();
    let none = person.run(&["connect", "cursor", "--url", "--write"]);
    assert!(none.failed(1).contains("ZERO_MEMORY_TOKEN"));
    // The token of this machine is not for a server elsewhere.
    std::fs::create_dir(person.data()).expect("a folder can be made");
    std::fs::write(person.data().join("token"), "tok_of_this_machine").expect("a file");
    let far = [
        "connect",
        "cursor",
        "--url",
        "https://example.com",
        "--write",
    ];
    let told = person.run(&far);
    assert!(told.failed(1).contains("ZERO_MEMORY_TOKEN"), "{}", told.err);
    assert!(!person.home().join(".cursor/mcp.json").exists());
    let near = person.run(&["connect", "cursor", "--url", "--write"]);
    assert_eq!(near.code, 0, "{}", near.err);
    let made = person.home().join(".cursor/mcp.json");
    assert!(text(&made).contains("tok_of_this_machine"));
    // Nobody else could read it at any time.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let rights = std::fs::metadata(&made).expect("it is there").permissions();
        assert_eq!(rights.mode() & 0o777, 0o600);
    }

    person.set("ZERO_MEMORY_TOKEN", "tok_0123456789");
    let path = person.write(".cursor/mcp.json", CURSOR);
    let shown = person.run(&["connect", "cursor", "--url"]);
    assert!(
        !format!("{shown:?}").contains("tok_0123456789"),
        "{shown:?}"
    );
    let printed = person.run(&["connect", "cursor", "--url", "--print"]);
    assert!(
        !format!("{printed:?}").contains("tok_0123456789"),
        "{printed:?}"
    );

    // It is closed to others when the token comes, and not before.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&path, open).expect("it is ours");
    }
    let written = person.run(&["connect", "cursor", "--url", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(
        written.err.contains("the token of the server goes into"),
        "{}",
        written.err
    );
    assert!(!written.out.contains("tok_") && !written.err.contains("tok_"));
    let new: Value = serde_json::from_str(&text(&path).replace("// mine", "")).expect("JSON");
    assert_eq!(
        new["mcpServers"]["zero-memory"],
        json!({
            "url": "http://127.0.0.1:8787/mcp",
            "headers": { "Authorization": "Bearer tok_0123456789" },
        })
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&path)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    // In a project the file names the variable.
    let project = person.run(&[
        "connect", "cursor", "--url", "--scope", "project", "--write",
    ]);
    assert_eq!(project.code, 0, "{}", project.err);
    let new = text(&person.work().join(".cursor/mcp.json"));
    assert!(new.contains("Bearer ${env:ZERO_MEMORY_TOKEN}"), "{new}");
    let refused = person.run(&["connect", "zed", "--url", "--scope", "project", "--write"]);
    assert!(refused.failed(1).contains("--token-in file"));
    let desktop = person.run(&["connect", "claude-desktop", "--url", "--write"]);
    assert!(desktop.failed(1).contains("leave --url away"));
}

#[test]
fn no_copy_keeps_a_token_that_was_ours() {
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_0123456789");
    for (client, folder, file) in [
        ("cursor", ".cursor", "mcp.json"),
        ("codex", ".codex", "config.toml"),
    ] {
        let scope = ["connect", client, "--scope", "project", "--write"];
        let url = ["--url", "http://127.0.0.1:8787", "--token-in", "file"];
        let with = [&scope[..], &url[..]].concat();
        assert_eq!(person.run(&with).code, 0);
        let folder = person.work().join(folder);
        let new = text(&folder.join(file));
        assert!(
            new.contains("tok_0123456789") && new.contains("8787/mcp"),
            "{new}"
        );
        person.run(&scope);
        person.run(&with);
        person.run(&[&scope[..], &["--remove"]].concat());
        let names = names(&folder);
        assert!(names.len() > 1, "{names:?}");
        for name in names {
            let kept = text(&folder.join(&name));
            assert!(!kept.contains("tok_0123456789"), "{name}: {kept}");
        }
    }
}

#[test]
fn no_copy_keeps_a_token_however_it_is_spelled() {
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_new");
    let url = "http://127.0.0.1:8787/mcp";
    for (name, value) in [
        ("Authorization", "bearer tok_old"),
        ("authorization", "Bearer tok_old"),
        ("AUTHORIZATION", "tok_old"),
        ("Authorization", "Bearer\\u0020tok_\\u006fld"),
    ] {
        let person_of = |headers: &str| {
            format!(
                "{{\"mcpServers\":{{\"o\":{{\"a\":\"Bearer tok_older\"}},\"zero-memory\":{{\"url\":\"{url}\",\"headers\":{headers}}}}}}}"
            )
        };
        let path = person.write(
            ".cursor/mcp.json",
            &person_of(&format!("{{\"{name}\":\"{value}\"}}")),
        );
        let written = person.run(&["connect", "cursor", "--url", "--write"]);
        assert_eq!(written.code, 0, "{}", written.err);
        let folder = path.parent().expect("a folder");
        let copy = folder.join("mcp.json.before-zero-memory");
        let kept = text(&copy);
        assert!(
            !kept.contains("old\"") && kept.contains("TOKEN\""),
            "{kept}"
        );
        // That of another program, which begins so, is none of ours.
        assert!(kept.contains("\"Bearer tok_older\""), "{kept}");
        std::fs::remove_file(copy).expect("it is ours");
    }
    // Nor that of another entry of ours, or one that is taken away.
    let mut other = Person::new();
    let path = other.write(".cursor/mcp.json", "{}");
    for (name, url) in [
        ("one", "http://127.0.0.1:9001"),
        ("two", "http://127.0.0.1:9002"),
    ] {
        other.set("ZERO_MEMORY_TOKEN", format!("tok_{name}"));
        let connect = ["connect", "cursor", "--write", "--name", name, "--url", url];
        let written = other.run(&connect);
        assert_eq!(written.code, 0, "{}", written.err);
    }
    other.run(&["connect", "cursor", "--name", "one", "--remove", "--write"]);
    for name in names(path.parent().expect("a folder")) {
        if name.contains("before") {
            let kept = text(&path.with_file_name(&name));
            assert!(!kept.contains("Bearer tok_"), "{name}: {kept}");
        }
    }
    let old = format!("[mcp_servers.zero-memory]\nurl = \"{url}\"\nbearer_token = 'tok_old'\n");
    person.write(".codex/config.toml", &old);
    person.run(&["connect", "codex", "--url", "--write"]);
    let kept = text(&person.home().join(".codex/config.toml.before-zero-memory"));
    assert!(
        !kept.contains("tok_old") && kept.contains("\"TOKEN\""),
        "{kept}"
    );
}

#[test]
fn whoever_keeps_the_token_out_of_the_file_is_told_where_to_put_it() {
    let person = Person::new();
    for arguments in [
        vec!["connect", "codex", "--url", "--token-in", "env", "--write"],
        vec![
            "connect", "cursor", "--url", "--scope", "project", "--write",
        ],
        vec!["connect", "vscode", "--url", "--scope", "project"],
    ] {
        let told = person.run(&arguments);
        assert_eq!(told.code, 0, "{}", told.err);
        let place = person.data().join("token");
        let place = place.to_str().expect("text");
        assert!(
            told.err.contains("ZERO_MEMORY_TOKEN") && told.err.contains(place),
            "{}",
            told.err
        );
    }
}

#[test]
fn a_token_that_no_header_carries_is_refused() {
    for token in ["a\nb", "ключ", "a b", "\u{7f}x"] {
        let mut person = Person::new();
        person.set("ZERO_MEMORY_TOKEN", token);
        let refused = person.run(&["connect", "cursor", "--url", "--write"]);
        let told = refused.failed(1);
        assert!(told.contains("ZERO_MEMORY_TOKEN is no token"), "{told}");
        assert!(!person.home().join(".cursor").exists());
    }
}
