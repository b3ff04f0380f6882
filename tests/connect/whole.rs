//! Nothing of a file is lost: put in and taken out, it is what it was, to the
//! byte; and what must not be changed is refused with the true reason.

use serde_json::Value;

use super::{names, text};
use crate::harness::Person;

/// Where a client keeps its settings, and under which key.
const CLIENTS: [(&str, &str, &str); 8] = [
    ("claude-code", ".claude.json", "mcpServers"),
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "mcpServers",
    ),
    ("cursor", ".cursor/mcp.json", "mcpServers"),
    ("codex", ".codex/config.toml", "mcp_servers"),
    ("vscode", ".config/Code/User/mcp.json", "servers"),
    ("gemini-cli", ".gemini/settings.json", "mcpServers"),
    ("zed", ".config/zed/settings.json", "context_servers"),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "mcpServers",
    ),
];

const JSON: [&str; 25] = [
    "",
    "\n",
    "{}",
    "{ }\n",
    "{\n}\n",
    "// only a comment\n",
    "/* only\n   this */",
    "{\"KEY\":{}}",
    "{ \"KEY\": {} }",
    "{\"KEY\":{\"o\":{\"command\":\"x\"}}}",
    "{\"KEY\":{\"o\":{\"command\":\"x\"},},}",
    "{\"a\":1,\"KEY\":{\"o\":{}},\"b\":[1,2]}\n",
    "{\n\t\"a\": 1\n}",
    "{\n    \"a\": 1, // one\n    /* two */ \"KEY\": { // three\n    }\n}\n",
    "{\n  \"KEY\": {\n    \"o\": { \"command\": \"x\" }, // last\n  },\n}\n",
    "{\r\n  \"a\": 1,\r\n  \"KEY\": {\r\n    \"o\": {}\r\n  }\r\n}\r\n",
    "\u{feff}{ \"a\": 1 }\n",
    "{\"a\":\"屋根 \\ud83d\\ude00 \\u00e9\"}",
    "{ \"KEY\": { /* none */ } }",
    "{\n  \"KEY\": {\n    \"x\": {\"command\": \"y\"} /* mine */ }\n}\n",
    "{\n  \"KEY\": {\n\n    \"x\": {\"k\": null /* a */} // b\n    // c\n  } // d\n}\n",
    "{\"a\": [1, /* 2 */ 3 /* 4 */], \"KEY\": {\"x\": {}, /* 5 */ }, /* 6 */}",
    "{\n  \"a\": 1 /* c */ }\n",
    "{\n  \"a\": 1, // c\n  \"b\": 2 /* d */, /* e */ }",
    "{ /* c */ }\n",
];

const TOML: [&str; 15] = [
    "",
    "\n",
    "# only a comment\n",
    "# only a comment",
    "a = 1",
    "a = 1\n\n\n",
    "mcp_servers = {}\n",
    "mcp_servers = { o = { command = \"x\" } }",
    "[mcp_servers]\n",
    "[mcp_servers]\n# none\n\n[x]\ny = 1",
    "[mcp_servers.o]\ncommand = \"x\"\n\n# mine\n[other]\na = 1 # one",
    "[mcp_servers.s3]\ncommand = \"y\"\n[[a]]\nv=\"1\"\n# mine\n",
    "# a\n[x] # b\ny = [ # c\n  1, # d\n] # e\n  # f",
    "a = 1\r\n[mcp_servers.o]\r\ncommand = 'x'\r\n",
    "[mcp_servers.o]\ncommand = 'x'\n\n[[s.c]]\np = \"/b\"\ne = false # one\n# two\n# three\n",
];

#[test]
fn what_is_put_in_and_taken_out_leaves_every_byte() {
    let person = Person::new();
    for (client, file, key) in CLIENTS {
        let texts = if file.ends_with("toml") {
            &TOML[..]
        } else {
            &JSON
        };
        for old in texts {
            let old = old.replace("KEY", key);
            let path = person.write(file, &old);
            let folder = path.parent().expect("a folder");
            let written = person.run(&["connect", client, "--write"]);
            assert_eq!(written.code, 0, "{client} {old:?}: {}", written.err);
            assert_ne!(text(&path), old);
            person.run(&["connect", client, "--remove", "--write"]);
            assert_eq!(text(&path), old, "{client}");
            for name in names(folder) {
                if name.contains("before-zero-memory") {
                    std::fs::remove_file(folder.join(name)).expect("it is ours");
                }
            }
        }
    }
}

#[test]
fn hooks_that_come_and_go_leave_every_byte() {
    let person = Person::new();
    for old in [
        "{}",
        "{\"model\":\"opus\"}",
        "{\"hooks\":{}}",
        "{\"hooks\":{\"Stop\":[]},\"a\":[1,2]}",
        "// mine\n",
        "",
        "{\"hooks\":{\"SessionStart\":[]}}",
        "{\"hooks\":{\"SessionStart\":[ // to come\n ], // soon\n \"PreToolUse\":[]}}",
        "{\"hooks\":{\"SessionEnd\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"} /* a */]} /* b */] /* c */}}",
    ] {
        let path = person.write(".claude/settings.json", old);
        let connect = ["connect", "claude-code", "--hooks", "--write"];
        assert_eq!(person.run(&connect).code, 0, "{old}");
        assert!(text(&path).contains("SessionStart"));
        person.run(&[&connect[..], &["--remove"]].concat());
        assert_eq!(text(&path), old);
        let folder = path.parent().expect("a folder");
        for name in names(folder) {
            std::fs::remove_file(folder.join(name)).expect("it is ours");
        }
    }
}

#[test]
fn comments_around_our_hooks_stay_when_they_go() {
    let person = Person::new();
    // No copy lies beside it that could say what it was.
    let ours = "{\"type\":\"command\",\"command\":\"/old/zero-memory hook session-start\"}";
    let old = "{\"hooks\":{ // a\n\"SessionStart\":[ // b\n{\"hooks\":[OURS, // c\n{\"type\":\"command\",\"command\":\"x\"}]}, // d\n{\"hooks\":[ // e\nOURS]}\n// f\n], // g\n\"Stop\":[]}}".replace("OURS", ours);
    let path = person.write(".claude/settings.json", &old);
    let gone = person.run(&["connect", "claude-code", "--hooks", "--remove", "--write"]);
    assert_eq!(gone.code, 0, "{}", gone.err);
    let left = text(&path);
    for comment in ["// a", "// b", "// c", "// d", "// e", "// f", "// g"] {
        assert!(left.contains(comment), "{comment}: {left}");
    }
    assert!(
        !left.contains("zero-memory") && left.contains("\"x\""),
        "{left}"
    );
    assert!(
        left.contains("SessionStart") && left.contains("Stop"),
        "{left}"
    );
}

#[test]
fn what_others_wrote_meanwhile_stays_when_ours_goes() {
    let person = Person::new();
    let path = person.write(
        ".cursor/mcp.json",
        "{\"mcpServers\":{\"o\":{\"a\":\"b c\"}}}",
    );
    person.run(&["connect", "cursor", "--write"]);
    let new = text(&path)
        .replace("b c", "bc")
        .replacen('{', "{ // mine\n", 1);
    std::fs::write(&path, new).expect("it is ours");
    person.run(&["connect", "cursor", "--remove", "--write"]);
    let left = text(&path);
    assert!(
        left.contains("// mine") && left.contains("\"bc\""),
        "{left}"
    );
    assert!(!left.contains("zero-memory"), "{left}");
    // Nor does a comment beside ours go with it where no copy helps.
    let beside = |text: &str| {
        let path = person.write(".cursor/mcp.json", text);
        person.run(&["connect", "cursor", "--remove", "--write"]);
        self::text(&path)
    };
    let ours = "\"zero-memory\": {\"command\": \"zero-memory\", \"args\": [\"stdio\"]}";
    let left = beside(&format!("{{\"mcpServers\": {{/* mine */ {ours}}}}}"));
    assert!(
        left.contains("mine") && !left.contains("zero-memory"),
        "{left}"
    );
    for (before, after) in [
        ("\"o\": {} /* mine */, ", ""),
        ("\"o\": {}, /* mine */ ", ""),
        ("\"o\": {}, ", " /* mine */"),
        ("\"o\": {}, ", " // mine\n"),
        ("", " /* mine */, \"o\": {}"),
        ("/* mine */ ", ", \"o\": {}"),
    ] {
        let left = beside(&format!("{{\"mcpServers\": {{{before}{ours}{after}}}}}"));
        assert!(
            left.contains("mine") && !left.contains("zero-memory"),
            "{left}"
        );
        assert!(left.contains("\"o\": {}"), "{left}");
        let again = person.run(&["connect", "cursor"]);
        assert_eq!(again.code, 0, "{left}: {}", again.err);
    }
}

/// A copy says the same of another order and layout, and of comments that stand
/// elsewhere by now; it is not what a person made of the file.
#[test]
fn an_order_a_layout_and_places_of_comments_stay_when_ours_goes() {
    let lists = |first: &str, second: &str| {
        format!(
            "{{\n  \"mcpServers\": {{\n    // keep for Anna\n    {first},\n    // broken since May\n    {second}\n  }}\n}}\n"
        )
    };
    let servers = [
        "\"a\": { \"command\": \"a\" }",
        "\"b\": { \"command\": \"b\" }",
    ];
    let bare = "{\"mcpServers\":{\"a\":{\"command\":\"a\"},\"b\":{\"command\":\"b\"}}}";
    let wide = |text: &str| {
        let value: Value = serde_json::from_str(text).expect("JSON");
        serde_json::to_string_pretty(&value).expect("JSON") + "\n"
    };
    let swap = |text: &str| {
        text.replace(servers[0], "FIRST")
            .replace(servers[1], servers[0])
            .replace("FIRST", servers[1])
    };
    let hooks =
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"date\"}]}]}}";
    type Change<'a> = &'a dyn Fn(&str) -> String;
    let cases: [(&[&str], &str, &str, Change<'_>, String); 4] = [
        (
            &["cursor"],
            ".cursor/mcp.json",
            &lists(servers[0], servers[1]),
            &swap,
            lists(servers[1], servers[0]),
        ),
        (&["cursor"], ".cursor/mcp.json", bare, &wide, wide(bare)),
        (
            &["codex"],
            ".codex/config.toml",
            "a=1\n[mcp_servers.x]\ncommand=\"n\"\n",
            &|text| {
                text.replace("a=1", "a = 1")
                    .replace("command=\"n", "command = \"n")
            },
            "a = 1\n[mcp_servers.x]\ncommand = \"n\"\n".to_owned(),
        ),
        (
            &["claude-code", "--hooks"],
            ".claude/settings.json",
            hooks,
            &wide,
            wide(hooks),
        ),
    ];
    for (words, file, before, change, after) in cases {
        let person = Person::new();
        let path = person.write(file, before);
        let connect = [&["connect", "--write"], words].concat();
        assert_eq!(person.run(&connect).code, 0, "{before}");
        let changed = change(&text(&path));
        assert_ne!(changed, text(&path), "{before}");
        std::fs::write(&path, &changed).expect("it is ours");
        let removed = person.run(&[&connect[..], &["--remove"]].concat());
        assert_eq!(removed.code, 0, "{}", removed.err);
        assert_eq!(text(&path), after, "{before} {changed}");
    }
}

#[test]
fn comments_above_ours_stay_where_ours_was() {
    const OURS: &str = "command = \"/old/zero-memory\"\nargs = [\"stdio\"]\n";
    let dotted = OURS
        .lines()
        .map(|line| format!("mcp_servers.zero-memory.{line}\n"))
        .collect::<String>();
    let inline = "zero-memory = { command = \"/old/zero-memory\", args = [\"stdio\"] }\n";
    let table = format!("[mcp_servers.zero-memory]\n{OURS}");
    let person = Person::new();
    for (old, left) in [
        (format!("# a\n\n{dotted}b = 1\n"), "# a\n\nb = 1\n"),
        (
            format!("x = 1\n# a\n{dotted}# b\n[c]\n"),
            "x = 1\n# a\n# b\n[c]\n",
        ),
        (
            format!("[mcp_servers]\n# a\n{inline}"),
            "[mcp_servers]\n# a\n",
        ),
        (
            format!("[mcp_servers]\n# a\n{inline}# b\no.command = \"x\"\n"),
            "[mcp_servers]\n# a\n# b\no.command = \"x\"\n",
        ),
        (format!("# a\n{table}# b\n"), "# a\n# b\n"),
        (format!("# a\n{table}"), "# a\n"),
        (format!("# a\n{table}# b\n[c]\n"), "# a\n# b\n[c]\n"),
    ] {
        let path = person.write(".codex/config.toml", &old);
        let gone = person.run(&["connect", "codex", "--remove", "--write"]);
        assert_eq!(gone.code, 0, "{}", gone.err);
        assert_eq!(text(&path), left, "{old}");
    }
}

#[test]
fn what_is_no_json_is_told_by_its_line_and_its_true_reason() {
    let person = Person::new();
    for (old, told) in [
        (
            "{\n  \"a\": \"\\ud8 SECRET\"\n}",
            "line 2 does not end, or holds an escape that stands for no character",
        ),
        (
            "{ \"a\": \"\\x SECRET\" }",
            "line 1 does not end, or holds an escape that stands for no character",
        ),
        ("{\n  \"a\": SECRET\n}", "unexpected word on line 2"),
        ("{ \"a\": 1", "on line 1"),
        ("[]", "it should begin with {"),
        ("{} {}", "more than one"),
    ] {
        let path = person.write(".cursor/mcp.json", old);
        let refused = person.run(&["connect", "cursor", "--write"]);
        let said = refused.failed(1);
        assert!(
            said.contains(told) && said.contains("was left as it is"),
            "{said}"
        );
        assert!(!said.contains("SECRET"), "{said}");
        assert_eq!(text(&path), old);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_only_be_read_is_refused_before_anything_is_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let person = Person::new();
    let settings = person.write(".claude/settings.json", "{}");
    let only_read = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(&settings, only_read).expect("it is ours");
    let connect = ["connect", "claude-code", "--hooks", "--write"];
    let refused = person.run(&connect);
    assert!(refused.failed(1).contains("chmod u+w"), "{}", refused.err);
    assert_eq!(text(&settings), "{}");
    assert!(!person.home().join(".claude.json").exists());
    assert_eq!(names(&person.home().join(".claude")), ["settings.json"]);
}

#[cfg(unix)]
#[test]
fn a_file_with_another_name_is_told_of() {
    let person = Person::new();
    let path = person.write(".cursor/mcp.json", "{}");
    let other = person.home().join("kept.json");
    std::fs::hard_link(&path, &other).expect("a link can be made");
    let written = person.run(&["connect", "cursor", "--write"]);
    assert!(written.err.contains("hard links"), "{}", written.err);
    assert_eq!(text(&other), "{}");
    let again = person.run(&["connect", "cursor", "--remove", "--write"]);
    assert!(!again.err.contains("hard links"), "{}", again.err);
}

#[test]
fn a_name_that_some_client_would_refuse_is_refused_here() {
    let person = Person::new();
    let long = "n".repeat(33);
    for name in [" ", "a b", "a.b", "ä", "a/b", "\"", long.as_str()] {
        for more in ["--write", "--print"] {
            let refused = person.run(&["connect", "cursor", "--name", name, more]);
            let told = refused.failed(1);
            assert!(told.contains("letters, digits"), "{told}");
        }
    }
    person.run(&["connect", "cursor", "--name", ""]).failed(2);
    // One that is there is renewed and taken away, whatever it is called.
    let old =
        "{\"mcpServers\":{\"my memory\":{\"command\":\"/old/zero-memory\",\"args\":[\"stdio\"]}}}";
    let path = person.write(".cursor/mcp.json", old);
    let mine = ["connect", "cursor", "--name", "my memory", "--write"];
    assert_eq!(person.run(&mine).code, 0);
    assert!(!text(&path).contains("/old/"));
    person.run(&[&mine[..], &["--remove"]].concat());
    assert!(!text(&path).contains("my memory"));
    let none = person.run(&["connect", "cursor", "--command", "", "--write"]);
    assert!(none.failed(2).contains("--command"), "{}", none.err);
    let named = person.run(&["connect", "cursor", "--name", "My_memory-2", "--write"]);
    assert_eq!(named.code, 0, "{}", named.err);
    let new = text(&person.home().join(".cursor/mcp.json"));
    let new: Value = serde_json::from_str(&new).expect("JSON");
    assert!(new["mcpServers"]["My_memory-2"].is_object());
}

#[test]
fn a_path_is_never_broken() {
    let mut person = Person::new();
    person.set("COLUMNS", "40");
    let far = person.home().join("a long way/that does not fit in a row");
    person.set("XDG_CONFIG_HOME", &far);
    let table = person.run(&["connect"]).out;
    let path = far.join("Claude").join("claude_desktop_config.json");
    assert!(table.contains(path.to_str().expect("text")), "{table}");
}

#[test]
fn copies_that_say_the_same_do_not_pile_up_and_keep_a_variable() {
    let person = Person::new();
    let folder = person.home().join(".cursor");
    let path = person.write(".cursor/mcp.json", "{}\n");
    let url = ["connect", "cursor", "--url", "--token-in", "env", "--write"];
    let mut counts = Vec::new();
    for _ in 0..3 {
        assert_eq!(person.run(&url).code, 0);
        assert!(text(&path).contains("${env:ZERO_MEMORY_TOKEN}"));
        person.run(&["connect", "cursor", "--remove", "--write"]);
        counts.push(names(&folder).len());
    }
    assert_eq!(counts, [3, 3, 3]);
    // No secret stands there, so the copy says what the file said.
    let copy = text(&folder.join("mcp.json.before-zero-memory.2"));
    assert!(copy.contains("Bearer ${env:ZERO_MEMORY_TOKEN}"), "{copy}");
}
