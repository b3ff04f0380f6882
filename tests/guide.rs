//! The pages for people: the front page (`guide/readme.rs`), the guide for those
//! who connect a client, and the page for those who write one. Every command
//! that is shown is run as it stands there, and every fact is held against a
//! server.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{
    Era, NEWEST_LEGACY, Person, Pipes, Site, binary, fresh, json_file, repository,
};

mod readme;

#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let guide = page_of("crates/server/CLIENTS.md");
    let mut person = Person::new();
    person.set("ZERO_MEMORY_TOKEN", "tok_of_the_guide");
    let folder = binary().parent().expect("it lies in a folder");
    let path = std::env::var("PATH").expect("there is a path");
    let path = format!("{}:{path}", folder.display());
    person.set("PATH", &path);
    let mut n_commands = 0;
    for block in guide.split("```sh\n").skip(1) {
        let (block, _) = block.split_once("```").expect("the block ends");
        for line in block.lines() {
            assert!(line.contains("zero-memory "), "{line}");
            let mut shell = Command::new("sh");
            shell.args(["-c", line]);
            let run = person.finish(shell, &person.work(), "");
            assert_eq!(run.code, 0, "{line}: {}", run.err);
            n_commands += 1;
        }
    }
    assert!(n_commands > 15, "the guide shows {n_commands} commands");
    for id in [
        "claude-code",
        "claude-desktop",
        "cursor",
        "codex",
        "vscode",
        "gemini-cli",
        "zed",
        "windsurf",
    ] {
        assert!(guide.contains(&format!("connect {id} ")), "{id}");
    }
    let listed = person.run(&["connect", "--json"]).json();
    for client in listed["clients"].as_array().expect("a list") {
        let state = if client["client"] == "cursor" {
            "http"
        } else {
            "stdio"
        };
        assert_eq!(client["user"]["state"], state, "{client}");
    }
    let found = person.run(&["recall", "cents"]).json();
    assert_eq!(found["memories"].as_array().map(Vec::len), Some(1));
}

/// Returns a page of the generated documentation.
pub(crate) fn page(name: &str) -> String {
    page_of(&format!("generated/docs/{name}"))
}

/// Returns a page of the repository.
fn page_of(path: &str) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_page_on_writing_a_client_says_what_a_server_does() {
    let page = page("write_a_client.md");
    let data = fresh();
    let mut codes = Vec::new();
    for era in [Era::Legacy, Era::Modern] {
        let mut pipes = Pipes::open(data.path(), era);
        let uri = "zm://memory/mem_00000000000000000000000000";
        let absent = pipes.ask("resources/read", json!({ "uri": uri }));
        assert_eq!(absent["error"]["data"]["uri"], uri, "{absent}");
        codes.push(absent["error"]["code"].to_string());
    }
    let absent = format!(
        "`{}` with a handshake and `{}` without one, with `data.uri`",
        codes[0], codes[1]
    );
    assert!(page.contains(&absent), "{absent}");
    let errors = json_file("schema/errors.json");
    for (name, code) in errors["codes"].as_object().expect("a table") {
        let repeat = if code["retryable"] == true {
            "yes"
        } else {
            "no"
        };
        let status = &code["http_status"];
        let remedy = code["remedy"].as_str().expect("text");
        let row = format!("| `{name}` | {status} | {repeat} | {remedy} |");
        assert!(page.contains(&row), "{row}");
    }
    // As often as every SDK tries unless it is told otherwise.
    let options = zero_memory_client::Options::new();
    assert_eq!(options.max_attempts, 3);
    assert!(page.contains("Three attempts are enough"));
    let contract = json_file("schema/contract.json");
    for fact in ["version", "capability", "version_header"] {
        let fact = contract[fact].as_str().expect("text");
        assert!(page.contains(fact), "{fact}");
    }
}

/// Returns the rows of a table of a page below its head, as their cells.
pub(crate) fn rows(page: &str, head: &str) -> Vec<Vec<String>> {
    let (_, below) = page.split_once(head).expect("the table is there");
    let lines = below
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

/// Returns the call that a page shows.
fn example(page: &str) -> Value {
    let (_, call) = page.split_once("```json\n").expect("an example");
    let (call, _) = call.split_once("\n```").expect("its end");
    serde_json::from_str(call).expect("the example is JSON")
}

#[test]
fn a_request_without_a_handshake_carries_what_the_page_says() {
    let page = page("write_a_client.md");
    let person = Person::new();
    let data = person.data();
    std::fs::create_dir(&data).expect("a folder can be made");
    let site = Site::start(&data);
    let whole = example(&page);
    let token = format!("Bearer {}", site.token());
    let revision = whole["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].clone();
    let said = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
        ("MCP-Protocol-Version", revision.as_str().expect("text")),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "recall"),
    ];
    let over_http = |call: &Value, left_out: &str| {
        let mut headers = vec![("Authorization", token.as_str())];
        headers.extend(said.into_iter().filter(|(name, _)| *name != left_out));
        let answer = site.send("POST", "/mcp", &headers, call.to_string().as_bytes());
        answer.json()
    };
    let mut pipes = Pipes::start(&data);
    let mut over_pipes = |call: &Value| {
        pipes.send(call);
        pipes.response(1)
    };
    assert!(over_http(&whole, "")["result"]["content"].is_array());
    assert!(over_pipes(&whole)["result"]["content"].is_array());
    let rows = rows(&page, "| where | what | if it is missing |");
    assert_eq!(rows.len(), 3 + said.len());
    for row in rows {
        let name = row[2].split('`').nth(1).expect("a name");
        let fault = row[3].trim_matches('`').parse::<i64>().ok();
        if row[1].starts_with("header") {
            assert!(said.iter().any(|(known, _)| *known == name), "{name}");
            let code = over_http(&whole, name)["error"]["code"].as_i64();
            assert_eq!(code, fault, "{name}");
            continue;
        }
        let mut less = whole.clone();
        let gone = less["params"]["_meta"]
            .as_object_mut()
            .expect("a table")
            .remove(name);
        assert!(gone.is_some(), "{name}");
        for answer in [over_http(&less, ""), over_pipes(&less)] {
            assert_eq!(answer["error"]["code"].as_i64(), fault, "{name}: {answer}");
        }
        if fault.is_some() {
            continue;
        }
        assert_eq!(row[3], "a memory is noted as written by the person");
        for (mut call, author) in [(whole.clone(), "agent"), (less, "human")] {
            call["params"]["name"] = json!("remember");
            call["params"]["arguments"] = json!({ "content": author, "scope": "core" });
            over_pipes(&call);
            let dump = person.run(&["export"]).out;
            let stored = dump
                .lines()
                .find(|line| line.contains(&format!("\"content\":\"{author}\"")));
            let kind = format!("\"author_kind\":\"{author}\"");
            assert!(stored.is_some_and(|line| line.contains(&kind)), "{dump}");
        }
    }
}

/// Collects the open enums in a schema: the property, and its values.
fn open_enums(schema: &Value, property: &str, found: &mut BTreeSet<(String, String)>) {
    if schema["x-open-enum"] == true {
        let values = schema["enum"].as_array().expect("values").iter();
        let values: Vec<String> = values
            .map(|value| format!("`{}`", value.as_str().expect("text")))
            .collect();
        found.insert((property.to_owned(), values.join(", ")));
    }
    match schema {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let is_keyword = ["properties", "items", "output", "input", "oneOf", "anyOf"];
                let property = if is_keyword.contains(&name.as_str()) {
                    property
                } else {
                    name
                };
                open_enums(inner, property, found);
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| open_enums(item, property, found)),
        _ => {}
    }
}

#[test]
fn the_tables_of_the_page_are_those_of_the_contract() {
    let page = page("write_a_client.md");
    let contract = json_file("schema/contract.json");
    let prefixes = contract["message_prefixes"].as_object().expect("a table");
    let wanted = prefixes.iter().map(|(prefix, facts)| {
        let (code, remedy) = (facts["code"].as_str(), facts["remedy"].as_str());
        let cells = [
            format!("`{prefix}`"),
            format!("`{}`", code.expect("text")),
            remedy.expect("text").to_owned(),
        ];
        cells.to_vec()
    });
    let inner = |row: Vec<String>| row[1..row.len() - 1].to_vec();
    let told = rows(&page, "| prefix | code | what to do |")
        .into_iter()
        .map(inner);
    assert_eq!(told.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());

    let resources = json_file("schema/resources.json");
    let lists = ["resources", "templates"].into_iter();
    let all = lists.flat_map(|list| resources[list].as_array().expect("a list"));
    let wanted = all.map(|resource| {
        let address = resource["uri"]
            .as_str()
            .or(resource["uri_template"].as_str());
        let words = resource["description"].as_str().expect("text");
        vec![
            format!("`{}`", address.expect("an address")),
            words.to_owned(),
        ]
    });
    let told = rows(&page, "| resource | what it is |")
        .into_iter()
        .map(inner);
    assert_eq!(told.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());

    let routes = json_file("schema/routes.json");
    let wanted = routes["routes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|route| {
            let text = |name: &str| route[name].as_str().expect("text");
            format!("`{} {}`", text("method"), text("path"))
        });
    let told = rows(&page, "| without MCP | what it is |").into_iter();
    let told: Vec<String> = told.map(|row| row[1].clone()).collect();
    assert_eq!(told, wanted.collect::<Vec<_>>());

    let mut wanted = BTreeSet::new();
    for folder in ["schema/tools", "schema/shapes"] {
        for entry in std::fs::read_dir(repository().join(folder)).expect("a folder") {
            let name = entry.expect("a file").file_name();
            let schema = json_file(format!("{folder}/{}", name.to_str().expect("text")));
            open_enums(&schema, "", &mut wanted);
        }
    }
    let told = rows(&page, "| open enum | values so far |")
        .into_iter()
        .map(|row| {
            let place = row[1].trim_end_matches('`').to_owned();
            let property = place.rsplit(['.', '`']).next().expect("a name").to_owned();
            (property, row[2].clone())
        });
    assert_eq!(told.collect::<BTreeSet<_>>(), wanted);
}

#[test]
fn what_the_page_says_of_calls_and_answers_is_so() {
    let page = page("write_a_client.md");
    let says = |sentence: &str| assert!(page.contains(sentence), "{sentence}");
    let data = fresh();
    let mut pipes = Pipes::start(data.path());
    pipes.initialize(NEWEST_LEGACY);
    let mut call = |tool: &str, arguments: Value| {
        let given = json!({ "name": tool, "arguments": arguments });
        pipes.ask("tools/call", given)
    };
    says(
        "everything else is refused. Leave an optional argument out, or send `null`: both mean absent.",
    );
    for content in ["A heron came first.", "A heron came last."] {
        let given = json!({ "content": content, "scope": "core", "kind": null });
        assert!(call("remember", given)["result"]["structuredContent"].is_object());
    }
    let refused = call("recall", json!({ "query": "heron", "nonsense": 1 }));
    says("A failed call is a result with `isError: true` whose first text block is");
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let body = refused["result"]["content"][0]["text"]
        .as_str()
        .expect("text");
    let body: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!(body["error"]["code"], "validation_failed");
    let violations = body["error"]["details"]["violations"]
        .as_array()
        .expect("a list");
    says("as `{pointer, rule, message}`");
    for field in ["pointer", "rule", "message"] {
        assert!(violations[0][field].is_string(), "{body}");
    }
    says("parse the first text block, which is the same as compact JSON");
    says(
        "`next_cursor` of a page goes into `cursor` of the next call with the other arguments unchanged; null means that this was the last one.",
    );
    let mut given = json!({ "query": "heron", "k": 1 });
    let mut n_found = 0;
    loop {
        let answer = call("recall", given.clone());
        let first = answer["result"]["content"][0]["text"]
            .as_str()
            .expect("text");
        let whole = answer["result"]["structuredContent"].clone();
        assert_eq!(first, whole.to_string());
        n_found += whole["memories"].as_array().expect("a list").len();
        if whole["next_cursor"].is_null() {
            break;
        }
        given["cursor"] = whole["next_cursor"].clone();
    }
    assert_eq!(n_found, 2);
    says("An unknown tool, an unknown method or a malformed request is a JSON-RPC error");
    let unknown = call("nonsense", json!({}));
    assert!(
        unknown["error"]["code"].is_i64() && unknown["error"]["data"].is_null(),
        "{unknown}"
    );
    // Those that are offered unless more are asked for.
    let mut list: Value = example(&page);
    list["method"] = json!("tools/list");
    let person = Person::new();
    let answer = person.run_with(&person.work(), &["stdio"], &format!("{list}\n"));
    let listed: Value = serde_json::from_str(&answer.out).expect("one answer");
    let offered = listed["result"]["tools"].as_array().expect("a list").iter();
    let offered: BTreeSet<&str> = offered.filter_map(|tool| tool["name"].as_str()).collect();
    let default = json_file("schema/contract.json")["default_toolset"].clone();
    says(&format!(
        "Without `--toolset`, the tools of the set `{}` are offered.",
        default.as_str().expect("text")
    ));
    for entry in std::fs::read_dir(repository().join("schema/tools")).expect("a folder") {
        let name = entry.expect("a file").file_name();
        let name = name.to_str().expect("text");
        let tool = json_file(format!("schema/tools/{name}"));
        let name = name.strip_suffix(".json").expect("a schema");
        assert_eq!(offered.contains(name), tool["toolset"] == default, "{name}");
    }
}
