//! An entry of ours that stands already and is written anew: what a person
//! added to it stays, or it is said that it goes.

use std::process::Command;

use serde_json::{Value, json};

use super::text;
use crate::harness::{Person, binary};

/// Comments of a person in an entry of ours.
const COMMENTS: [&str; 5] = ["// keep me", "// cmd", "// within", "/* e */", "// none"];

/// Returns an entry without comments, as a client reads it.
fn entry(text: &str, key: &str) -> Value {
    let lines = text
        .lines()
        .map(|line| line.split(" //").next().unwrap_or(line));
    let bare: String = lines.map(|line| line.replace("/* e */", "")).collect();
    let all: Value = serde_json::from_str(&bare).unwrap_or_else(|error| panic!("{error}: {text}"));
    all[key]["zero-memory"].clone()
}

#[test]
fn arguments_that_a_person_added_stay() {
    let person = Person::new();
    let data = person.data();
    let data = data.to_str().expect("text");
    let old = r#"{ "mcpServers": { "zero-memory": {
        "command": "/old/zero-memory",
        "args": ["stdio", // what it does
            "--toolset", "full", // all of it
            "--data", "/mnt/old"],
        "env": { "A": "b" }
    } } }"#;
    let path = person.write(".cursor/mcp.json", old);
    let written = person.run(&["connect", "cursor", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(
        written.err.contains("led to the memory in /mnt/old"),
        "{}",
        written.err
    );
    let new = text(&path);
    assert_eq!(
        entry(&new, "mcpServers"),
        json!({
            "command": binary(),
            "args": ["stdio", "--toolset", "full", "--data", data],
            "env": { "A": "b" },
        })
    );
    assert!(
        new.contains("// what it does") && new.contains("// all of it"),
        "{new}"
    );
    let again = person.run(&["connect", "cursor", "--write"]);
    assert_eq!(again.out, "nothing to do: it is so already\n");
    assert!(!again.err.contains("led to"), "{}", again.err);
    // A folder that is named in one word is one, too.
    let one_word = format!("{:?}", "--data=/mnt/old");
    let two_words = format!("\"--data\", {data:?}");
    person.write(".cursor/mcp.json", &new.replace(&two_words, &one_word));
    let told = person.run(&["connect", "cursor", "--write"]).err;
    assert!(told.contains("led to the memory in /mnt/old"), "{told}");
    let as_work = new
        .replace(&two_words, &one_word)
        .replace("zero-memory\": {", "work\": {");
    person.write(".cursor/mcp.json", &as_work);
    let beside = person.run(&["connect", "cursor", "--write"]);
    assert_eq!(beside.code, 0, "{}", beside.err);

    let old = "[mcp_servers.zero-memory]\ncommand = \"/old/zero-memory\" # mine\nargs = [\n  \"stdio\", # what it does\n  \"--toolset\", \"full\",\n]\n";
    let path = person.write(".codex/config.toml", old);
    person.run(&["connect", "codex", "--write"]);
    let new = text(&path);
    for kept in ["# mine", "# what it does", "\"--toolset\", \"full\"", data] {
        assert!(new.contains(kept), "{kept}: {new}");
    }
    // The folder stands behind the word that starts the program.
    let folder = new.find("--data").expect("it is named");
    assert!(folder < new.find("--toolset").expect("it is kept"), "{new}");
}

#[test]
fn comments_outlive_the_arguments_that_they_stand_beside() {
    let person = Person::new();
    let old = r#"{ "mcpServers": { "zero-memory": {
        "command": "/old/zero-memory",
        "args": ["stdio", // its way
            "--data=/mnt/old" // the old one
        ]
    } } }"#;
    let path = person.write(".cursor/mcp.json", old);
    // In the usual folder: no argument names another one.
    let run = |client: &str| {
        let written = Command::new(binary())
            .args(["connect", client, "--write"])
            .current_dir(person.work())
            .env_clear()
            .env("HOME", person.home())
            .output();
        assert!(written.expect("it starts").status.success());
    };
    run("cursor");
    let new = text(&path);
    assert!(
        new.contains("// its way") && new.contains("// the old one"),
        "{new}"
    );
    assert_eq!(entry(&new, "mcpServers")["args"], json!(["stdio"]));

    // The lines of a file end as they did, the last one too.
    let old = "# mine\r\n[mcp_servers.zero-memory]\r\ncommand = \"/old/zero-memory\"\r\nargs = [\r\n  \"stdio\", # its way\r\n  \"--data=/mnt/old\", # the old one\r\n]\r\n[x]\r\ny = 1";
    let path = person.write(".codex/config.toml", old);
    run("codex");
    let new = text(&path);
    assert!(
        new.contains("# its way") && new.contains("# the old one"),
        "{new}"
    );
    assert!(
        !new.contains("--data") && new.ends_with("[x]\r\ny = 1"),
        "{new:?}"
    );
    assert!(!new.replace("\r\n", "").contains('\n'), "{new:?}");
    let old = "a = 1\r\nb = 2";
    let path = person.write(".codex/config.toml", old);
    run("codex");
    let new = text(&path);
    assert!(new.starts_with("a = 1\r\nb = 2\r\n"), "{new:?}");
}

#[test]
fn comments_in_our_entry_outlive_the_way_it_is_reached() {
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_0123456789");
    let old = r#"{ "mcpServers": { "zero-memory": {
        // keep me
        "command": "zero-memory", // cmd
        "args": [ // within
            "stdio", "--toolset", "full"], /* e */
        "env": {} // none
    } } }"#;
    let path = person.write(".cursor/mcp.json", old);
    let there = person.run(&["connect", "cursor", "--url", "--write"]);
    assert_eq!(there.code, 0, "{}", there.err);
    assert!(
        there.err.contains("arguments of zero-memory in"),
        "{}",
        there.err
    );
    let new = text(&path);
    for comment in COMMENTS {
        assert!(new.contains(comment), "{comment}: {new}");
    }
    let bearer = "Bearer tok_0123456789";
    let wanted = json!({
        "url": "http://127.0.0.1:8787/mcp",
        "headers": { "Authorization": bearer },
    });
    assert_eq!(entry(&new, "mcpServers"), wanted);
    let back = person.run(&["connect", "cursor", "--write"]);
    assert!(!back.err.contains("go with the way"), "{}", back.err);
    let new = text(&path);
    for comment in COMMENTS {
        assert!(new.contains(comment), "{comment}: {new}");
    }
    assert_eq!(entry(&new, "mcpServers")["args"][0], "stdio");

    let old = "a = 1\n\n[mcp_servers.zero-memory] # ours\n# keep me\ncommand = \"zero-memory\" # cmd\nargs = [\n  \"stdio\", # what it does\n]\nstartup_timeout_sec = 9 # slow\n\n# apart\n[mcp_servers.zero-memory.env]\n# inner\nA = \"b\" # why\n\n# last\n[x]\ny = 1\n";
    let path = person.write(".codex/config.toml", old);
    let there = person.run(&["connect", "codex", "--url", "--write"]);
    assert_eq!(there.code, 0, "{}", there.err);
    let new = text(&path);
    for kept in [
        "# ours",
        "# keep me",
        "# cmd",
        "# what it does",
        "startup_timeout_sec = 9 # slow",
        "# apart",
        "# inner",
        "# why",
        "# last\n[x]",
        bearer,
    ] {
        assert!(new.contains(kept), "{kept}: {new}");
    }
    assert!(!new.contains("command") && !new.contains("args"), "{new}");
    let listed = person.run(&["connect", "--json"]).json().to_string();
    assert!(!listed.contains("unreadable"), "{listed}");
}

#[test]
fn headers_of_a_person_stay_and_a_second_token_does_not() {
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_new");
    let url = "http://127.0.0.1:8787/mcp";
    let old = json!({ "mcpServers": { "zero-memory": {
        "url": url,
        "headers": { "authorization": "Bearer tok_old", "X-Team": "a" },
    } } });
    let path = person.write(".cursor/mcp.json", &old.to_string());
    let written = person.run(&["connect", "cursor", "--url", "--write"]);
    assert_eq!(written.code, 0, "{}", written.err);
    let headers = json!({ "X-Team": "a", "Authorization": "Bearer tok_new" });
    let new = text(&path);
    assert_eq!(entry(&new, "mcpServers")["headers"], headers);
    let copy = person.home().join(".cursor/mcp.json.before-zero-memory");
    assert!(!text(&copy).contains("tok_old"), "{}", text(&copy));
    let away = person.run(&["connect", "cursor", "--write"]);
    assert!(
        away.err.contains("the headers and log-ins of zero-memory"),
        "{}",
        away.err
    );
    let elsewhere = new.replace(url, "https://memory.example.com/mcp");
    person.write(
        ".cursor/mcp.json",
        &elsewhere.replace("tok_new", "${env:ZERO_MEMORY_TOKEN}"),
    );
    let away = person.run(&["connect", "cursor", "--write"]);
    assert!(
        away.err.contains("the address of another server"),
        "{}",
        away.err
    );

    for (headers, kept) in [
        ("{ \"X-Team\" = \"a\" }", "X-Team"),
        (
            "{ \"X-Team\" = \"a\", AUTHORIZATION = \"Bearer tok_old\" }",
            "X-Team",
        ),
        ("{ Authorization = \"Bearer tok_old\" }", "url"),
    ] {
        let old = format!("[mcp_servers.zero-memory]\nurl = \"{url}\"\nhttp_headers = {headers}\n");
        let path = person.write(".codex/config.toml", &old);
        let env = ["connect", "codex", "--url", "--token-in", "env", "--write"];
        assert_eq!(person.run(&env).code, 0);
        let new = text(&path);
        assert!(
            new.contains(kept) && !new.to_lowercase().contains("authorization"),
            "{new}"
        );
        assert!(new.contains("bearer_token_env_var"), "{new}");
        assert_eq!(new.contains("http_headers"), kept == "X-Team", "{new}");
        assert_eq!(
            person.run(&["connect", "codex", "--url", "--write"]).code,
            0
        );
        let new = text(&path);
        assert_eq!(
            new.to_lowercase().matches("authorization").count(),
            1,
            "{new}"
        );
        assert!(
            new.contains(kept) && !new.contains("bearer_token_env_var"),
            "{new}"
        );
    }

    for own in [
        "\"cwd\": \"/x\"",
        "\"envFile\": \"/x\"",
        "\"env\": { \"A\": \"b\" }",
    ] {
        let old = format!(
            "{{\"mcpServers\":{{\"zero-memory\":{{\"command\":\"/old/zero-memory\",\"args\":[\"stdio\"],{own}}}}}}}"
        );
        person.write(".cursor/mcp.json", &old);
        let there = person.run(&["connect", "cursor", "--url", "--write"]);
        assert!(
            there.err.contains("the variables and arguments of"),
            "{}",
            there.err
        );
    }
    let old = "{\"mcpServers\":{\"zero-memory\":{\"command\":\"/old/zero-memory\",\"args\":[\"stdio\"],\"env\":{\"ZERO_MEMORY_DATA\":\"/d\"}}}}";
    person.write(".cursor/mcp.json", old);
    let moved = person.run(&["connect", "cursor", "--data", "/e", "--write"]);
    assert!(
        moved.err.contains("led to the memory in /d"),
        "{}",
        moved.err
    );
}

#[test]
fn what_is_said_afterwards_is_true() {
    let mut person = Person::new();
    person.run(&["connect", "cursor", "--write"]);
    let gone = person.run(&["connect", "cursor", "--remove", "--write"]);
    assert!(gone.err.contains("Cursor lets go of it"), "{}", gone.err);
    assert!(!gone.err.contains("switch"), "{}", gone.err);

    // In the home folder the settings of a person and of the project are one.
    person.run_with(&person.home(), &["connect", "cursor", "--write"], "");
    let same = person.run_with(&person.home(), &["connect", "cursor", "--write"], "");
    assert!(!same.err.contains("has it too"), "{}", same.err);
    let other = [
        "connect", "cursor", "--name", "other", "--data", "/other", "--write",
    ];
    person.run_with(&person.home(), &other, "");
    let two = person.run_with(&person.home(), &["connect", "cursor", "--write"], "");
    assert_eq!(
        two.err.matches("has it too, as other").count(),
        1,
        "{}",
        two.err
    );

    // Zed reads no variable in a header.
    let zed = person.run(&["connect", "zed", "--url", "--print"]);
    assert!(zed.out.contains("Bearer TOKEN"), "{}", zed.out);
    assert!(zed.err.contains("in the place of TOKEN"), "{}", zed.err);
    assert!(!zed.err.contains("set ZERO_MEMORY_TOKEN"), "{}", zed.err);

    // A relative folder of settings is none, by the specification.
    person.set("XDG_CONFIG_HOME", "settings");
    let vscode = person.run(&["connect", "vscode", "--write"]);
    let usual = person.home().join(".config/Code/User/mcp.json");
    assert!(usual.exists(), "{vscode:?}");
}

#[test]
fn a_folder_is_written_as_a_whole_path() {
    let person = Person::new();
    for (given, whole) in [
        ("../mem", "mem"),
        ("./a/../../mem/.", "mem"),
        ("mem", "work/mem"),
    ] {
        let written = person.run(&["connect", "cursor", "--data", given, "--write"]);
        assert_eq!(written.code, 0, "{}", written.err);
        let entry = entry(&text(&person.home().join(".cursor/mcp.json")), "mcpServers");
        let root = person.work();
        let root = root.parent().expect("a folder").join(whole);
        assert_eq!(entry["args"][2], root.to_str().expect("text"), "{given}");
    }
    // Behind a link a step back leads to where the link leads.
    #[cfg(unix)]
    {
        let deep = person.home().join("deep/deeper");
        std::fs::create_dir_all(&deep).expect("a folder can be made");
        std::os::unix::fs::symlink(&deep, person.work().join("link")).expect("a link");
        person.run(&["connect", "cursor", "--data", "link/../mem", "--write"]);
        let entry = entry(&text(&person.home().join(".cursor/mcp.json")), "mcpServers");
        let deep = std::fs::canonicalize(person.home()).expect("it is there");
        let whole = deep.join("deep/mem");
        assert_eq!(entry["args"][2], whole.to_str().expect("text"));
    }
}

#[cfg(unix)]
#[test]
fn a_client_starts_the_program_by_the_link_that_it_was_called_by() {
    let mut person = Person::new();
    let link = person.home().join("bin/zero-memory");
    std::fs::create_dir(person.home().join("bin")).expect("a folder can be made");
    std::os::unix::fs::symlink(binary(), &link).expect("a link can be made");
    let path = std::env::var("PATH").expect("there is a path");
    person.set(
        "PATH",
        format!("{}:{path}", person.home().join("bin").display()),
    );
    let link = link.to_str().expect("text");
    for called in [link, "zero-memory", "../home/bin/zero-memory"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{called} connect cursor --write")]);
        let written = person.finish(shell, &person.work(), "");
        assert_eq!(written.code, 0, "{}", written.err);
        let path = person.home().join(".cursor/mcp.json");
        assert_eq!(
            entry(&text(&path), "mcpServers")["command"],
            link,
            "{called}"
        );
        std::fs::remove_file(path).expect("it is ours");
    }
}

#[test]
fn what_a_difference_shows_cannot_move_the_cursor() {
    let person = Person::new();
    person.write(".cursor/mcp.json", "{\"a\u{202e}\u{9b}31mb\": 1}");
    let shown = person.run(&["connect", "cursor"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(!shown.out.contains(['\u{202e}', '\u{9b}']), "{}", shown.out);
    assert!(shown.out.contains("a\\u{202e}\\u{9b}31mb"), "{}", shown.out);
    // Nor can a name in a file that came with a project, or that of a folder.
    let folder = person.home().join("\u{1b}[31mred");
    std::fs::create_dir(&folder).expect("a folder can be made");
    let name = json!({ "mcpServers": { "\u{1b}[31mevil\u{7}": {
        "command": "zero-memory", "args": ["stdio"],
    } } });
    std::fs::write(folder.join(".mcp.json"), name.to_string()).expect("a file can be made");
    for scope in ["user", "project"] {
        let connect = ["connect", "claude-code", "--scope", scope];
        let told = person.run_with(&folder, &connect, "");
        let told = format!("{}{}", told.out, told.err);
        assert!(!told.contains(['\u{1b}', '\u{7}']), "{told}");
        assert!(told.contains("\\u{1b}[31mevil"), "{told}");
    }
}
