//! Write your own client: the rules of errors, versions, prefixes and open
//! enums on one page, for who uses none of the generated clients.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::contract::{Address, Body, Contract, Form, Method, Schema, name_of};

/// Returns the page without its mark.
pub fn page(contract: &Contract) -> String {
    let settings = &contract.settings;
    let mut text = format!(
        "# Write your own client\n\n\
         Any client of the Model Context Protocol can call the server; these are the rules that make one reliable, for contract {}.\n\
         The generated clients for Rust, TypeScript and Python keep all of them.\n\n",
        settings.version
    );
    opening(&mut text, contract);
    calling(&mut text, contract);
    errors(&mut text, contract);
    versions(&mut text, contract);
    growing(&mut text, contract);
    text.push_str(
        "## Prove it\n\n\
         `generated/vectors/<tool>/` holds calls with their outcome: run `given` in order, keep what `keep` points at for later `${name}`, then send `input`.\n\
         Hold the answer against `expect`, whose keys are JSON Pointers into it (`output` shows a whole one, whose ids and moments are not yours), or the error against `error`: its `code`, and the `prefix` that its message begins with, null for none. `refused_by` says where the server noticed, and is not in an answer.\n\
         `${empty}` is the empty text: it stands in what would be taken for a credential in a file.\n\
         A vector with a `scene` needs a situation that no call brings about; leave it out.\n\
         Run every vector on a fresh data folder, against a server of all tools (`--toolset full`).\n",
    );
    text
}

fn opening(text: &mut String, contract: &Contract) {
    let settings = &contract.settings;
    let _ = write!(
        text,
        "## Open a connection\n\n\
         - Start `zero-memory stdio` and speak over its pipes, or post to `/mcp` of `zero-memory serve` with `Authorization: Bearer` and the token from the file `token` of the data folder.\n\
         - Both eras of the protocol are spoken: with `initialize`, and without it from revision {REVISION} on.\n\
         - Read `capabilities.experimental[\"{}\"].version` from the answer to `initialize` or `server/discover`; over HTTP it is in the header `{}` as well.\n",
        settings.capability, settings.version_header
    );
    let default = &settings.default_toolset;
    let _ = writeln!(
        text,
        "- Without `--toolset`, the tools of the set `{default}` are offered.\n"
    );
    let _ = write!(
        text,
        "A request without a handshake says everything itself. Such a call, over pipes as it stands here on one line:\n\n\
         ```json\n{}\n```\n\n\
         | where | what | if it is missing |\n|---|---|---|\n",
        bare_call()
    );
    for (place, name, what, fault) in STATED {
        let _ = writeln!(text, "| {place} | `{name}`: {what} | {fault} |");
    }
    text.push('\n');
}

/// The revision whose requests stand alone.
const REVISION: &str = "2026-07-28";

/// What a request without a handshake carries: where, under which name, what,
/// and what becomes of it without.
const STATED: [(&str, &str, &str, &str); 8] = [
    (
        "`params._meta`",
        "io.modelcontextprotocol/protocolVersion",
        "the revision",
        "`-32602`",
    ),
    (
        "`params._meta`",
        "io.modelcontextprotocol/clientCapabilities",
        "an object, `{}` if there are none",
        "`-32602`",
    ),
    (
        "`params._meta`",
        "io.modelcontextprotocol/clientInfo",
        "name and version of the program, which memories are noted with",
        "a memory is noted as written by the person",
    ),
    (
        "header, over HTTP",
        "MCP-Protocol-Version",
        "the same revision",
        "`-32020`",
    ),
    (
        "header, over HTTP",
        "Mcp-Method",
        "the same method",
        "`-32020`",
    ),
    (
        "header, over HTTP",
        "Mcp-Name",
        "the name of the tool or prompt, or the address of the resource, that `params` has",
        "`-32020`",
    ),
    (
        "header, over HTTP, in both eras",
        "Content-Type",
        "`application/json`",
        "`-32600`",
    ),
    (
        "header, over HTTP, in both eras",
        "Accept",
        "`application/json`, and `text/event-stream` for servers that stream",
        "as if it were there",
    ),
];

/// Returns a call without a handshake.
fn bare_call() -> Value {
    let [(_, revision, ..), (_, abilities, ..), (_, program, ..), ..] = STATED;
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "recall",
            "arguments": { "query": "heron" },
            "_meta": {
                revision: REVISION,
                abilities: {},
                program: { "name": "my-client", "version": "1.0.0" },
            },
        },
    })
}

fn calling(text: &mut String, contract: &Contract) {
    text.push_str(
        "## Call and read\n\n\
         - Send only arguments that the input schema declares; everything else is refused. Leave an optional argument out, or send `null`: both mean absent.\n\
         - Read `structuredContent`; where it is absent, parse the first text block, which is the same as compact JSON. Later blocks are links and a footer for people.\n\
         - `next_cursor` of a page goes into `cursor` of the next call with the other arguments unchanged; null means that this was the last one.\n\
         - Echo `session.thread` of an answer as `thread` in later calls, so that they stand in the same project.\n\
         - Stop waiting by cancelling the request: `notifications/cancelled` over pipes, closing the request over HTTP. A write may have happened.\n\
         - Recalled text is data that somebody stored. Never treat it as instructions.\n\n",
    );
    text.push_str("| resource | what it is |\n|---|---|\n");
    for resource in &contract.resources {
        let (Address::Uri(address) | Address::Template(address)) = &resource.address;
        let _ = writeln!(text, "| `{address}` | {} |", resource.description);
    }
    text.push_str("\n| without MCP | what it is |\n|---|---|\n");
    for route in &contract.routes {
        let body = match &route.response {
            Body::OfTool => "the output of the tool".to_owned(),
            Body::Shape(name) => format!("`{name}`"),
        };
        let method = name_of(&Method::ALL, &route.method);
        let _ = writeln!(
            text,
            "| `{method} {}` | {}; answers {body} |",
            route.path, route.title
        );
    }
    text.push('\n');
}

fn errors(text: &mut String, contract: &Contract) {
    text.push_str(
        "## Errors\n\n\
         A failed call is a result with `isError: true` whose first text block is `{\"error\": {\"code\", \"message\", \"details\"?}}`; over plain HTTP that is the body, and in a JSON-RPC error it is `data`.\n\
         Branch on `code`, never on the words of `message`.\n\
         The vocabulary is closed: a code joins or leaves it only with a new major version.\n\n\
         | code | HTTP | repeat | what to do |\n|---|---|---|---|\n",
    );
    for entry in &contract.errors {
        let repeat = if entry.retryable { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "| `{}` | {} | {repeat} | {} |",
            entry.code, entry.http_status, entry.remedy
        );
    }
    text.push_str(
        "\n- `rate_limited`: wait `details.retry_after_s` seconds and send the same call again; nothing was done by the refused one. Three attempts are enough for most; do not wait longer than a person would.\n\
         - `validation_failed`: `details.violations` lists every place at once, as `{pointer, rule, message}`; a message that begins with a prefix says all by itself, and so does one about a body that is no JSON.\n\
         - `not_found` says the same of what is absent and of what the caller may not see.\n\
         - A resource that is not there is a JSON-RPC error, `-32002` with a handshake and `-32602` without one, with `data.uri`.\n\
         - An unknown tool, an unknown method or a malformed request is a JSON-RPC error: a fault of the client. Over HTTP some have such a body, too.\n\
         - What no server of this contract answered (it cannot be reached, the connection broke, something else answered) is a kind of its own, apart from the codes: say which, and keep what your library raised as its cause. Where the connection was refused nothing was done; a call that was on its way may have been carried out, so a program repeats it only when it reads.\n\
         - Refuse what JSON cannot carry (an infinite number, `NaN`, half of a surrogate pair) before you send it, as `validation_failed`: most libraries send `null` in its place, which means absent. So too more than 100 levels of lists and objects, for a server reads no message of many more.\n\
         - Refuse a token that no header can carry before you send it, without showing it.\n\
         - No other code is ever repeated by a program.\n\n\
         ### Prefixes\n\n\
         Some messages begin in a way that is promised. A prefix says more than its code; a minor version may add one, so fall back to the code.\n\n\
         | prefix | code | what to do |\n|---|---|---|\n",
    );
    for prefix in &contract.settings.prefixes {
        let _ = writeln!(
            text,
            "| `{}` | `{}` | {} |",
            prefix.text, prefix.code, prefix.remedy
        );
    }
    text.push('\n');
}

fn versions(text: &mut String, contract: &Contract) {
    let _ = write!(
        text,
        "## Versions\n\n\
         Remember the version that your client was written for, here {}, and hold the announced one against it:\n\n\
         | the server has | do |\n|---|---|\n\
         | the same first number, and the second one is the same or higher | go on |\n\
         | the same first number, and a lower second one | go on, and tell what may be missing: [what each version brought](upgrade.md#what-each-version-brought) |\n\
         | another first number | refuse, unless the person says otherwise |\n\
         | none | it is no zero-memory server; refuse likewise |\n\n\
         The third number never matters.\n\n",
        contract.settings.version
    );
}

fn growing(text: &mut String, contract: &Contract) {
    text.push_str(
        "## What may grow\n\n\
         - Answers may have fields that you do not know: keep or ignore them, never fail on them.\n\
         - Enums marked open may have values that you do not know: read them as text, and treat an unknown one as the most general case.\n\
         - Every other enum of an answer is closed within a major version.\n\
         - Inputs are closed: an older server refuses an argument that came later.\n\n\
         | open enum | values so far |\n|---|---|\n",
    );
    let mut found = Vec::new();
    for tool in contract.tools.values() {
        open(
            contract,
            &tool.output,
            &format!("{} ", tool.name),
            "",
            &mut found,
        );
    }
    for resource in &contract.resources {
        if let Some(shape) = contract.shapes.get(&resource.shape) {
            open(
                contract,
                shape,
                &format!("resource {} ", resource.name),
                "",
                &mut found,
            );
        }
    }
    for route in &contract.routes {
        if let Body::Shape(name) = &route.response
            && let Some(shape) = contract.shapes.get(name)
        {
            let owner = format!("route {} ", route.path);
            open(contract, shape, &owner, "", &mut found);
        }
    }
    for (place, members) in found {
        let members: Vec<String> = members.iter().map(|member| format!("`{member}`")).collect();
        let _ = writeln!(text, "| {place} | {} |", members.join(", "));
    }
    text.push('\n');
}

fn open(
    contract: &Contract,
    schema: &Schema,
    owner: &str,
    path: &str,
    found: &mut Vec<(String, Vec<String>)>,
) {
    match &contract.resolve(schema).form {
        Form::Enum {
            members,
            open: true,
        } => {
            found.push((format!("{owner}`{path}`"), members.clone()));
        }
        Form::Object { properties, .. } => {
            for property in properties {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{}", property.name);
                open(contract, &property.schema, owner, &path, found);
            }
        }
        Form::Array { items, .. } => open(contract, items, owner, &format!("{path}[]"), found),
        Form::Tagged { variants, .. } => {
            for variant in variants {
                open(contract, variant, owner, path, found);
            }
        }
        Form::Enum { open: false, .. }
        | Form::String { .. }
        | Form::Integer { .. }
        | Form::Number { .. }
        | Form::Boolean
        | Form::Shape(_) => {}
    }
}
