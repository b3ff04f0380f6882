//! The npm package: one method per tool, resource and prompt over the official
//! client, and what makes the folder a package. What is the same for every
//! contract is hand-written beside this file and copied as it is.

use std::fmt::Write as _;

use serde_json::json;

use super::{deprecated, document};
use crate::contract::{Address, Contract, Form, Resource, Schema, Tool, prompts, type_name};
use crate::emit::docs::mark;
use crate::emit::{header, places};
use crate::write::Files;

mod promises;

/// Hand-written sources by name.
const RUNTIME: [(&str, &str); 12] = [
    ("answers.ts", include_str!("answers.ts")),
    ("failures.ts", include_str!("failures.ts")),
    ("http.ts", include_str!("http.ts")),
    ("index.ts", include_str!("index.ts")),
    ("opening.ts", include_str!("opening.ts")),
    ("pauses.ts", include_str!("pauses.ts")),
    ("promised.ts", include_str!("promised.ts")),
    ("raised.ts", include_str!("raised.ts")),
    ("runtime.ts", include_str!("runtime.ts")),
    ("sendable.ts", include_str!("sendable.ts")),
    ("versions.ts", include_str!("versions.ts")),
    ("words.ts", include_str!("words.ts")),
];

/// Emits everything of the package but the types of the contract.
pub fn emit(contract: &Contract) -> Files {
    let head = header(contract, "//") + "\n";
    let written = RUNTIME.map(|(name, text)| (name, text.to_owned()));
    let made = [
        ("additions.ts", additions(contract)),
        ("client.ts", client(contract)),
        ("errors.ts", errors(contract)),
        ("info.ts", info(contract)),
        ("promises.ts", promises::source(contract)),
    ];
    let sources = written.into_iter().chain(made);
    let mut files: Files = sources
        .map(|(name, text)| (format!("typescript/{name}"), head.clone() + &text))
        .collect();
    let mut add = |name: &str, text: String| files.insert(format!("typescript/{name}"), text);
    add(
        "LICENSE-APACHE",
        include_str!("../../../../LICENSE-APACHE").to_owned(),
    );
    add(
        "LICENSE-MIT",
        include_str!("../../../../LICENSE-MIT").to_owned(),
    );
    add("README.md", mark(contract) + include_str!("README.md"));
    add("package.json", package());
    add("tsconfig.json", include_str!("tsconfig.json").to_owned());
    files
}

fn package() -> String {
    let official = |major: &str| format!("@modelcontextprotocol/{major}");
    let (first, second) = (official("sdk"), official("client"));
    let package = json!({
        "name": "zero-memory-client",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Typed client of a zero-memory server, over the official MCP client.",
        "keywords": ["mcp", "memory", "modelcontextprotocol"],
        "license": "MIT OR Apache-2.0",
        "type": "module",
        "sideEffects": false,
        "engines": { "node": ">=20" },
        "exports": { ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" } },
        "files": ["dist", "LICENSE-*"],
        "scripts": { "build": "tsc -p .", "prepack": "npm run build" },
        "peerDependencies": { first.as_str(): "^1.32.0", second.as_str(): "^2.4.0" },
        "peerDependenciesMeta": {
            first.as_str(): { "optional": true },
            second.as_str(): { "optional": true },
        },
        "devDependencies": {
            first.as_str(): "1.32.2",
            second.as_str(): "2.4.0",
            "@types/node": "^20.0.0",
            "typescript": "7.0.2",
        },
    });
    format!("{package:#}\n")
}

fn info(contract: &Contract) -> String {
    format!(
        "/** How this package names itself to a server. */\nexport const CLIENT_INFO = {{ name: {:?}, version: {:?} }};\n",
        format!("{}-client", contract.settings.name),
        env!("CARGO_PKG_VERSION"),
    )
}

fn errors(contract: &Contract) -> String {
    let mut text = "/**\n * One class per code of the closed error vocabulary.\n */\n\nimport type { ErrorCode } from './contract.js';\nimport { type Refusal, ZeroMemoryError } from './failures.js';\n".to_owned();
    let classes: Vec<String> = contract
        .errors
        .iter()
        .map(|entry| type_name(&entry.code) + "Error")
        .collect();
    for (entry, class) in contract.errors.iter().zip(&classes) {
        text.push('\n');
        document(
            &mut text,
            "",
            &[
                entry.meaning.clone(),
                format!("What to do: {}", entry.remedy),
            ],
        );
        let _ = writeln!(
            text,
            "export class {class} extends ZeroMemoryError {{\n  declare readonly code: {:?};\n}}",
            entry.code
        );
    }
    let _ = write!(
        text,
        "\n/** Every failure that a server of this contract answers; a switch over its `code` is complete. */\nexport type Failure = {};\n\nconst CLASSES: Record<ErrorCode, new (refusal: Refusal) => ZeroMemoryError> = {{\n",
        classes.join(" | ")
    );
    for (entry, class) in contract.errors.iter().zip(&classes) {
        let _ = writeln!(text, "  {}: {class},", entry.code);
    }
    text + "};\n\n/** Returns the error of the class that its code has. */\nexport function failureOf(refusal: Refusal): ZeroMemoryError {\n  return new CLASSES[refusal.code](refusal);\n}\n"
}

fn client(contract: &Contract) -> String {
    let mut text = "/**\n * One typed method for everything that a server offers.\n */\n\nimport type * as contract from './contract.js';\nimport { kept } from './promised.js';\nimport * as PROMISES from './promises.js';\nimport { type CallOptions, type PromptMessage, Runtime } from './runtime.js';\nimport { quoted } from './sendable.js';\n\n/**\n * A connection to a zero-memory server.\n *\n * Tools have their own names; a resource is read by its name, and a prompt is\n * filled in by `prompt_` and its name.\n */\nexport class ZeroMemory extends Runtime {\n".to_owned();
    let methods: Vec<String> = contract
        .tools
        .values()
        .map(tool)
        .chain(contract.resources.iter().map(resource))
        .chain(contract.prompts.iter().map(prompt))
        .collect();
    text.push_str(&methods.join("\n"));
    text + "}\n"
}

fn tool(tool: &Tool) -> String {
    let mut text = String::new();
    let mut notes = vec![format!("{}.", tool.title), tool.description.clone()];
    notes.extend(tool.deprecated.as_ref().map(deprecated));
    document(&mut text, "  ", &notes);
    let (name, types) = (&tool.name, type_name(&tool.name));
    let absent = if needs_nothing(&tool.input) {
        " = {}"
    } else {
        ""
    };
    let _ = writeln!(
        text,
        "  {name}(input: contract.{types}Input{absent}, options?: CallOptions): Promise<contract.{types}Output> {{\n    return kept(this, {name:?}, PROMISES.{types}Output, this.call({name:?}, input, options)) as Promise<contract.{types}Output>;\n  }}"
    );
    text
}

fn needs_nothing(input: &Schema) -> bool {
    match &input.form {
        Form::Object { properties, .. } => properties.iter().all(|property| !property.required),
        _ => false,
    }
}

fn resource(resource: &Resource) -> String {
    let mut text = String::new();
    document(&mut text, "  ", std::slice::from_ref(&resource.description));
    let shape = type_name(&resource.shape);
    let (parameters, uri) = match &resource.address {
        Address::Uri(uri) => (String::new(), format!("{uri:?}")),
        Address::Template(template) => (
            places(template)
                .iter()
                .map(|place| format!("{place}: string, "))
                .collect(),
            spelled(template),
        ),
    };
    let _ = writeln!(
        text,
        "  async {}({parameters}options?: CallOptions): Promise<contract.{shape}> {{\n    return kept(this, {:?}, PROMISES.{shape}, this.read({uri}, options)) as Promise<contract.{shape}>;\n  }}",
        resource.name, resource.name
    );
    text
}

fn spelled(template: &str) -> String {
    let filled = places(template)
        .iter()
        .fold(template.to_owned(), |filled, name| {
            filled.replace(
                &format!("{{{name}}}"),
                &format!("${{quoted({name}, '{name}')}}"),
            )
        });
    format!("`{filled}`")
}

fn prompt(prompt: &prompts::Prompt) -> String {
    let mut text = String::new();
    document(
        &mut text,
        "  ",
        &[format!("{}.", prompt.title), prompt.description.clone()],
    );
    let name = &prompt.name;
    let is_needed = prompt.arguments.iter().any(|argument| argument.required);
    let absent = if is_needed { "" } else { " = {}" };
    let _ = writeln!(
        text,
        "  prompt_{name}(given: contract.Prompts[{name:?}]{absent}, options?: CallOptions): Promise<PromptMessage[]> {{\n    return this.prompt({name:?}, given, options);\n  }}"
    );
    text
}

fn additions(contract: &Contract) -> String {
    let mut text = "/**\n * What the contract gained since its first release, by which a client knows\n * what an older server may lack.\n */\n\n/** Something that was added to the contract. */\nexport interface Addition {\n  /** The version of the contract that has it first. */\n  since: string;\n  /** What it is, or where it stands. */\n  place: 'tool' | 'resource' | 'prompt' | 'input' | 'output';\n  /** Name of the tool, the resource or the prompt. */\n  name: string;\n  /** Path of the field, such as `memories[].score`; empty for the whole. */\n  field: string;\n}\n\n/** Every addition, the oldest first. */\nexport const ADDITIONS: readonly Addition[] = [\n".to_owned();
    for addition in crate::additions::additions(contract) {
        let _ = writeln!(
            text,
            "  {{ since: {:?}, place: {:?}, name: {:?}, field: {:?} }},",
            addition.since,
            addition.place.as_str(),
            addition.name,
            addition.field
        );
    }
    text + "];\n"
}
