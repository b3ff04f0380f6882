//! Bad input through every door: a clear coded answer, nothing stored, and
//! nothing of the inside in the words.

use serde_json::{Value, json};

use crate::harness::{Door, Era, Pipes, Reply, each_door_alone, every_door, fresh};
use crate::hostile::insides::slipped;

/// Stands in every content that must not be stored.
const MARK: &str = "quagga";

fn assert_says_nothing_of_the_inside(what: &str, answer: &str) {
    let found = slipped(answer, |_| false);
    assert_eq!(found, None, "{what}: in {answer:.600}");
}

/// Sends one bad call; the answer must be the code, in words fit to show.
fn check(door: &mut dyn Door, tool: &str, arguments: &str, code: &str) -> Value {
    let what = format!("{}: {tool} {arguments:.200}", door.name());
    match door.call_text(tool, arguments) {
        Reply::Refused(error) if error["code"] == code => {
            assert_says_nothing_of_the_inside(&what, &error.to_string());
            error
        }
        other => panic!("{what} answers {other:.600?} in place of {code}"),
    }
}

fn assert_nothing_stored(door: &mut dyn Door) {
    assert_eq!(door.found(MARK), Vec::<String>::new(), "{}", door.name());
    let listed = door.ok("entities", json!({ "limit": 100 }));
    assert_eq!(listed["entities"], json!([]), "{}", door.name());
}

/// Every argument that takes text, as `tool`, argument and the rest.
fn text_arguments() -> Vec<(&'static str, &'static str, Value)> {
    let id = "mem_00000000000000000000000000";
    vec![
        ("remember", "content", json!({ "scope": "core" })),
        ("remember", "scope", json!({ "content": MARK })),
        ("remember", "project_hint", json!({ "content": MARK })),
        (
            "remember",
            "verbatim",
            json!({ "scope": "core", "content": MARK }),
        ),
        (
            "remember",
            "kind",
            json!({ "scope": "core", "content": MARK }),
        ),
        ("recall", "query", json!({})),
        ("build_context", "topic", json!({})),
        ("build_context", "conversation_id", json!({ "topic": "x" })),
        ("entities", "query", json!({})),
        ("forget", "reason", json!({ "memory_id": id })),
        ("close_loop", "resolution", json!({ "memory_id": id })),
        ("challenge", "reason", json!({ "memory_id": id })),
        ("link", "type", json!({ "src": id, "dst": id })),
    ]
}

#[test]
fn w26_text_that_shows_nothing_is_refused_everywhere() {
    let data = fresh();
    for mut door in every_door(data.path()) {
        for (tool, argument, rest) in text_arguments() {
            for nothing in [
                "",
                " ",
                " \t\r\n",
                "\u{200b}",
                "\u{2060}\u{feff}\u{ad}",
                "\u{7}\u{1b}",
                "\u{3000}\u{2007}",
                "\u{e0041}",
            ] {
                let mut arguments = rest.clone();
                arguments[argument] = json!(nothing);
                let error = check(
                    door.as_mut(),
                    tool,
                    &arguments.to_string(),
                    "validation_failed",
                );
                assert!(
                    error.to_string().contains(argument),
                    "{tool} {nothing:?}: {error}"
                );
            }
        }
        let unnamed =
            json!({ "scope": "core", "entities": ["Quagga", "\u{200b}"], "content": MARK });
        check(
            door.as_mut(),
            "remember",
            &unnamed.to_string(),
            "validation_failed",
        );
        assert_nothing_stored(door.as_mut());
    }
}

#[test]
fn w30_lone_surrogates_and_nul_are_refused() {
    let data = fresh();
    for mut door in every_door(data.path()) {
        for text in [
            r"\ud800",
            r"\udc00 quagga",
            r"quagga \ud83d",
            r"\ud83dx\ude00",
            r"\ude00\ud83d",
            r"\u0000",
            r"quagga\u0000quagga",
        ] {
            for (tool, argument, rest) in text_arguments() {
                let rest = rest.to_string();
                let rest = rest.trim_end_matches('}');
                let comma = if rest.ends_with('{') { "" } else { "," };
                let arguments = format!("{rest}{comma}\"{argument}\":\"{text}\"}}");
                check(door.as_mut(), tool, &arguments, "validation_failed");
            }
        }
        assert_nothing_stored(door.as_mut());
        // A pair is one character, and special words are only words.
        let pair = format!(
            r#"{{"scope":"core","content":"zebu \ud83d\ude00 <|endoftext|> {}"}}"#,
            door.name()
        );
        let Reply::Done(_) = door.call_text("remember", &pair) else {
            panic!("{pair} is refused")
        };
        let expected = format!("zebu 😀 <|endoftext|> {}", door.name());
        assert!(door.found("zebu endoftext").contains(&expected));
    }
}

#[test]
fn c59_an_unknown_argument_names_the_nearest_one() {
    let data = fresh();
    for mut door in every_door(data.path()) {
        for (tool, arguments, nearest) in [
            ("recall", json!({ "query": "x", "kinks": [] }), "kinds"),
            ("recall", json!({ "query": "x", "scope": "core" }), "scopes"),
            ("recall", json!({ "querry": "x" }), "query"),
            (
                "remember",
                json!({ "scope": "core", "content": MARK, "projecthint": "x" }),
                "project_hint",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": MARK, "Kind": "fact" }),
                "kind",
            ),
            (
                "forget",
                json!({ "memoryId": "mem_00000000000000000000000000" }),
                "memory_id",
            ),
        ] {
            let error = check(
                door.as_mut(),
                tool,
                &arguments.to_string(),
                "validation_failed",
            );
            let hint = format!("\"{nearest}\"").replace('"', "");
            assert!(
                error.to_string().contains(&hint),
                "{tool} {arguments}: {error}"
            );
        }
        // W39: who calls is never an argument.
        for stray in [
            "user_id",
            "owner",
            "id",
            "__proto__",
            "created_at",
            "visibility",
        ] {
            let arguments =
                format!("{{\"scope\":\"core\",\"content\":\"{MARK}\",\"{stray}\":\"other\"}}");
            let error = check(door.as_mut(), "remember", &arguments, "validation_failed");
            assert!(error.to_string().contains(stray), "{error}");
        }
        assert_nothing_stored(door.as_mut());
    }
}

#[test]
fn an_unknown_tool_is_an_error_of_the_protocol() {
    let data = fresh();
    for mut door in every_door(data.path()) {
        for (tool, nearest) in [
            ("remeber", Some("remember")),
            ("memory_recall", None),
            ("Recall", Some("recall")),
            ("save", None),
        ] {
            let plain = door.name() == "plain HTTP";
            match door.call(tool, json!({ "scope": "core", "content": MARK })) {
                Reply::Protocol(error) if !plain && error["code"] == -32602 => {
                    let named = nearest
                        .is_none_or(|nearest| error["message"].to_string().contains(nearest));
                    assert!(named, "{error}");
                }
                Reply::Refused(error) if plain && error["code"] == "not_found" => {}
                other => panic!("{}: {tool} answers {other:?}", door.name()),
            }
        }
        assert_nothing_stored(door.as_mut());
    }
}

#[test]
fn w38_values_of_another_type_are_refused_with_their_place() {
    let data = fresh();
    for mut door in every_door(data.path()) {
        for (tool, arguments, pointer) in [
            (
                "remember",
                json!({ "scope": "core", "content": 7 }),
                "/content",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": [MARK] }),
                "/content",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": { "text": MARK } }),
                "/content",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": true }),
                "/content",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": null }),
                "/content",
            ),
            (
                "remember",
                json!({ "scope": ["core"], "content": MARK }),
                "/scope",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": MARK, "entities": [1] }),
                "/entities/0",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": MARK, "entities": { "a": 1 } }),
                "/entities",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": MARK, "links": [{ "type": "supersedes" }] }),
                "/links/0/target",
            ),
            (
                "remember",
                json!({ "scope": "core", "content": MARK, "links": ["supersedes"] }),
                "/links/0",
            ),
            ("recall", json!({ "query": "x", "k": "ten" }), "/k"),
            ("recall", json!({ "query": "x", "k": 1.5 }), "/k"),
            ("recall", json!({ "query": "x", "k": -1 }), "/k"),
            (
                "recall",
                json!({ "query": "x", "k": 9_007_199_254_740_993_i64 }),
                "/k",
            ),
            (
                "recall",
                json!({ "query": "x", "include_graph": "yes" }),
                "/include_graph",
            ),
            (
                "recall",
                json!({ "query": "x", "kinds": ["fact", "foo"] }),
                "/kinds/1",
            ),
            ("forget", json!({ "memory_id": 41 }), "/memory_id"),
            (
                "link",
                json!({ "src": "a", "dst": "b", "type": "relates_to" }),
                "/src",
            ),
        ] {
            let error = check(
                door.as_mut(),
                tool,
                &arguments.to_string(),
                "validation_failed",
            );
            let violations = error["details"]["violations"]
                .as_array()
                .unwrap_or_else(|| panic!("{error}"));
            let named = violations
                .iter()
                .any(|violation| violation["pointer"] == pointer);
            assert!(named, "{tool} {arguments}: {pointer} is not in {error}");
        }
        // W35: the members that would do are listed.
        let error = check(
            door.as_mut(),
            "remember",
            &json!({ "scope": "core", "kind": "foo", "content": MARK }).to_string(),
            "validation_failed",
        );
        assert!(
            error.to_string().contains("gotcha") && error.to_string().contains("open-question"),
            "{error}"
        );
        // All violations, not the first.
        let error = check(
            door.as_mut(),
            "recall",
            "{\"k\":0,\"kinds\":[\"foo\"],\"include_graph\":1}",
            "validation_failed",
        );
        assert!(
            error["details"]["violations"]
                .as_array()
                .is_some_and(|all| all.len() >= 4),
            "{error}"
        );
        assert_nothing_stored(door.as_mut());
    }
}

#[test]
fn w37_lists_as_text_and_null_for_an_optional_are_understood() {
    for (_data, mut door) in each_door_alone() {
        door.ok("remember", json!({ "scope": "core", "kind": "gotcha", "content": "An okapi hides well.", "entities": "[\"Okapi\", \"forest\"]" }));
        let listed = door.ok(
            "entities",
            json!({ "query": null, "scope": null, "limit": null, "cursor": null }),
        );
        let names: Vec<&Value> = listed["entities"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|entity| &entity["name"])
            .collect();
        assert_eq!(names.len(), 2, "{}: {listed}", door.name());
        for kinds in [
            json!("[\"gotcha\"]"),
            json!(null),
            json!("null"),
            json!(["gotcha"]),
        ] {
            let page = door.ok("recall", json!({ "query": "okapi", "kinds": kinds, "scopes": null, "k": null, "cursor": null, "include_graph": null, "project_hint": null, "thread": null }));
            assert_eq!(
                page["memories"].as_array().map(Vec::len),
                Some(1),
                "{}: {kinds}",
                door.name()
            );
        }
        let page = door.ok("recall", json!({ "query": "okapi", "kinds": "[\"fact\"]" }));
        assert_eq!(page["memories"], json!([]));
        // W36: a bare text is never taken apart into letters.
        for (tool, arguments) in [
            (
                "remember",
                json!({ "scope": "core", "content": MARK, "entities": "a,b" }),
            ),
            (
                "remember",
                json!({ "scope": "core", "content": MARK, "entities": "[\"a\"" }),
            ),
            ("recall", json!({ "query": "okapi", "kinds": "gotcha" })),
            ("recall", json!({ "query": "okapi", "kinds": ["null"] })),
        ] {
            check(
                door.as_mut(),
                tool,
                &arguments.to_string(),
                "validation_failed",
            );
        }
        assert_eq!(door.found(MARK), Vec::<String>::new());
    }
}

#[test]
fn w28_content_over_the_limit_is_refused_in_bytes() {
    const LIMIT: usize = 65_536;
    let data = fresh();
    for mut door in every_door(data.path()) {
        for content in [
            "q".repeat(LIMIT + 1),
            "é".repeat(LIMIT / 2 + 1),
            "クアッガ".repeat(LIMIT / 12 + 1),
            format!("{MARK} ").repeat(10 << 20 >> 3),
        ] {
            let arguments = json!({ "scope": "core", "content": content }).to_string();
            let error = check(door.as_mut(), "remember", &arguments, "validation_failed");
            assert!(
                error.to_string().contains("65536") || error.to_string().contains("65,536"),
                "{error:.400}"
            );
            assert!(
                error.to_string().len() < 4096,
                "the error repeats the content"
            );
        }
        assert_nothing_stored(door.as_mut());
        let long = json!({ "query": "q".repeat(4097) }).to_string();
        check(door.as_mut(), "recall", &long, "validation_failed");
        // As long as may be is stored whole.
        let longest = format!(
            "{} {}",
            door.name(),
            "y".repeat(LIMIT - door.name().len() - 1)
        );
        let payload = door.ok("remember", json!({ "scope": "core", "content": longest }));
        assert!(payload["length_directive"].is_string(), "{payload}");
    }
}

#[test]
fn deep_and_twisted_json_is_answered() {
    let data = fresh();
    let nested = |depth: usize| format!("{{\"query\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth: usize| {
        format!(
            "{{\"query\":{}1{}}}",
            "{\"a\":".repeat(depth),
            "}".repeat(depth)
        )
    };
    for mut door in every_door(data.path()) {
        for arguments in [nested(50), objects(50)] {
            check(door.as_mut(), "recall", &arguments, "validation_failed");
        }
        for arguments in [nested(200), objects(200), nested(100_000), objects(100_000)] {
            match door.call_text("recall", &arguments) {
                Reply::Refused(error) => {
                    assert_eq!(error["code"], "validation_failed", "{error}");
                    assert_says_nothing_of_the_inside(door.name(), &error.to_string());
                }
                Reply::Protocol(error) => assert!(
                    [-32700, -32600, -32602].contains(&error["code"].as_i64().unwrap_or(0)),
                    "{error}"
                ),
                Reply::Done(payload) => panic!("{} answers {payload}", door.name()),
            }
        }
        // Twice the same key: one of them counts, or it is refused; never both.
        let twice = format!("{{\"query\":\"x\",\"query\":\"{MARK}\"}}");
        assert!(
            !matches!(door.call_text("recall", &twice), Reply::Protocol(_)),
            "{}",
            door.name()
        );
        assert!(door.found("anything").is_empty());
    }
}

#[test]
fn whatever_comes_in_only_json_rpc_goes_out() {
    // Every line of output is checked by the client as it is read. The noisiest
    // logs are asked for, by every name a library might listen to.
    let data = fresh();
    let noisy = [
        ("RUST_LOG", "trace"),
        ("ZERO_MEMORY_LOG", "debug"),
        ("RUST_BACKTRACE", "full"),
        ("NO_COLOR", ""),
    ];
    let mut pipes = Pipes::start_with(data.path(), &noisy);
    pipes.initialize("2025-11-25");
    let seeds = [
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"remember","arguments":{"scope":"core","content":"A tapir walks."}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"recall","arguments":{"query":"tapir","k":3}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"zm://rules"}}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#,
    ];
    // A fixed sequence: a failure can be seen again.
    let mut state: u64 = 0x2545_f491_4f6c_dd1d;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap_or(0) % below.max(1)
    };
    for _ in 0..600 {
        let mut line = seeds[random(seeds.len())].as_bytes().to_vec();
        for _ in 0..=random(4) {
            let at = random(line.len());
            match random(5) {
                0 => line[at] = u8::try_from(random(256)).unwrap_or(0),
                1 => drop(line.remove(at)),
                2 => line.insert(at, b"{}[]\",:\\0\xff"[random(10)]),
                3 => line.truncate(at.max(1)),
                _ => {
                    let tail = line.split_off(at);
                    line.extend_from_slice(b"\"\\ud800\"");
                    line.extend(tail);
                }
            }
        }
        line.retain(|byte| *byte != b'\n');
        pipes.line(line);
    }
    pipes.speak(Era::Legacy);
    let id = pipes.send_call("recall", "{\"query\":\"tapir\"}");
    assert!(pipes.response(id)["result"].is_object());
    assert!(!pipes.log().contains("panicked"), "{}", pipes.log());
    let (status, _, rest) = pipes.close();
    assert_eq!(status.code(), Some(0));
    drop(rest);
}

#[test]
fn t24_credentials_are_refused_wherever_they_stand() {
    let key = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let texts = [
        format!("the token is {key}"),
        format!("postgres://app:{}@db.internal/shop", "s3cr3tW0rd"),
        format!(
            "curl https://api.example.com/v1?api_key={}",
            "9f8e7d6c5b4a39281706"
        ),
        format!("x-api-key: {}", "9f8e7d6c5b4a39281706"),
        format!("Authorization: Bearer {}", "9f8e7d6c5b4a39281706"),
        format!("m0-{}", "a1B2c3D4e5F6".repeat(3)),
        format!(
            "-----BEGIN PRIVATE KEY-----\n{}",
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(2)
        ),
    ];
    let data = fresh();
    for mut door in every_door(data.path()) {
        let spare = door.remember(&format!("A harmless line by {}.", door.name()));
        for text in &texts {
            for (tool, arguments) in [
                ("remember", json!({ "scope": "core", "content": text })),
                (
                    "remember",
                    json!({ "scope": "core", "content": MARK, "verbatim": text }),
                ),
                (
                    "remember",
                    json!({ "scope": "core", "content": MARK, "entities": ["Quagga", text] }),
                ),
                ("forget", json!({ "memory_id": spare, "reason": text })),
                (
                    "challenge",
                    json!({ "memory_id": spare, "reason": "x", "evidence": text }),
                ),
            ] {
                let error = check(
                    door.as_mut(),
                    tool,
                    &arguments.to_string(),
                    "validation_failed",
                );
                let message = error["message"].as_str().unwrap_or_default();
                assert!(
                    message.starts_with("secret_content_rejected:"),
                    "{tool} {text}: {error}"
                );
                let secret: String = text
                    .chars()
                    .rev()
                    .take(10)
                    .collect::<Vec<char>>()
                    .into_iter()
                    .rev()
                    .collect();
                assert!(
                    !error.to_string().contains(&secret),
                    "{error} shows the credential"
                );
            }
        }
        assert_nothing_stored(door.as_mut());
        assert!(
            door.found("harmless line")
                .iter()
                .any(|content| content.contains(door.name()))
        );
    }
}
