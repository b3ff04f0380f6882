//! The Python package: one method per tool, resource and prompt over the
//! official client, and what makes the folder a package. What is the same for
//! every contract is hand-written beside this file and copied as it is.

use std::fmt::Write as _;

use super::{docs, literal, note, spelled};
use crate::additions;
use crate::contract::{
    Address, Contract, Form, Property, Resource, Schema, Tool, prompts, type_name,
};
use crate::emit::docs::mark;
use crate::emit::places;

/// Name of the package to import.
pub const MODULE: &str = "zero_memory_client";

/// Hand-written sources by name.
pub const RUNTIME: [(&str, &str); 10] = [
    ("answers.py", include_str!("answers.py")),
    ("failures.py", include_str!("failures.py")),
    ("http.py", include_str!("http.py")),
    ("opening.py", include_str!("opening.py")),
    ("raised.py", include_str!("raised.py")),
    ("runtime.py", include_str!("runtime.py")),
    ("sendable.py", include_str!("sendable.py")),
    ("versions.py", include_str!("versions.py")),
    ("wire.py", include_str!("wire.py")),
    ("words.py", include_str!("words.py")),
];

/// Returns the sources that follow from the contract, by name.
pub fn made(contract: &Contract) -> [(&'static str, String); 4] {
    [
        ("additions.py", additions(contract)),
        ("client.py", client(contract)),
        ("info.py", info(contract)),
        ("refusals.py", refusals(contract)),
    ]
}

/// Returns what stands beside the module, by name.
pub fn beside(contract: &Contract) -> [(&'static str, String); 4] {
    let licence = |text: &str| text.to_owned();
    [
        (
            "LICENSE-APACHE",
            licence(include_str!("../../../../LICENSE-APACHE")),
        ),
        (
            "LICENSE-MIT",
            licence(include_str!("../../../../LICENSE-MIT")),
        ),
        ("README.md", mark(contract) + include_str!("README.md")),
        ("pyproject.toml", project(contract)),
    ]
}

fn project(contract: &Contract) -> String {
    let name = format!("{}-client", contract.settings.name);
    let about = format!(
        "Typed client of a {} server, over the official MCP client.",
        contract.settings.name
    );
    format!(
        "{}
[build-system]
requires = [\"flit-core>=3.11,<5\"]
build-backend = \"flit_core.buildapi\"

[project]
name = {}
version = {}
description = {}
readme = \"README.md\"
requires-python = \">=3.11\"
license = \"MIT OR Apache-2.0\"
license-files = [\"LICENSE-APACHE\", \"LICENSE-MIT\"]
keywords = [\"mcp\", \"memory\", \"modelcontextprotocol\"]
classifiers = [\"Framework :: AsyncIO\", \"Framework :: Pydantic :: 2\", \"Typing :: Typed\"]
dependencies = [\"mcp>=1.26,<3\", \"pydantic>=2.11,<3\", \"typing-extensions>=4.12\", \"anyio>=4.5\"]

[tool.flit.module]
name = {}
",
        crate::emit::header(contract, "#"),
        literal(&name),
        literal(env!("CARGO_PKG_VERSION")),
        literal(&about),
        literal(MODULE),
    )
}

fn info(contract: &Contract) -> String {
    let settings = &contract.settings;
    let constants = [
        (
            "CONTRACT_VERSION",
            settings.version.as_str(),
            "Version of the contract that this package was made from.",
        ),
        (
            "CONTRACT_CAPABILITY",
            settings.capability.as_str(),
            "Slot of capabilities.experimental that announces the contract version.",
        ),
        (
            "CONTRACT_VERSION_HEADER",
            settings.version_header.as_str(),
            "HTTP header that announces the contract version.",
        ),
        (
            "CLIENT_NAME",
            &format!("{}-client", settings.name),
            "How this package names itself to a server.",
        ),
        (
            "CLIENT_VERSION",
            env!("CARGO_PKG_VERSION"),
            "Version of this package.",
        ),
    ];
    let names: Vec<String> = constants.iter().map(|(name, ..)| literal(name)).collect();
    let mut text = format!(
        "\"\"\"What this package is, and what it was made from.\"\"\"\n\n__all__ = [{}]\n",
        names.join(", ")
    );
    for (name, value, about) in constants {
        let _ = write!(text, "\n{name} = {}\n{}", literal(value), docs("", about));
    }
    text
}

fn refusals(contract: &Contract) -> String {
    let classes: Vec<String> = contract
        .errors
        .iter()
        .map(|entry| type_name(&entry.code) + "Error")
        .collect();
    let names: Vec<String> = classes.iter().map(|name| literal(name)).collect();
    let mut text = format!(
        "\"\"\"One class per code of the closed error vocabulary.\"\"\"\n\nfrom collections.abc import Mapping\nfrom typing import Any\n\nfrom .failures import UnknownCodeError, ZeroMemoryError\n\n__all__ = [{}, \"failure_of\"]\n",
        names.join(", ")
    );
    for (entry, class) in contract.errors.iter().zip(&classes) {
        let about = format!(
            "{}\n\n    What to do: {}\n    ",
            entry.meaning, entry.remedy
        );
        let _ = write!(
            text,
            "\n\nclass {class}(ZeroMemoryError):\n{}",
            docs("    ", &about)
        );
    }
    text.push_str("\n\n_CLASSES: dict[str, type[ZeroMemoryError]] = {\n");
    for (entry, class) in contract.errors.iter().zip(&classes) {
        let _ = writeln!(text, "    {}: {class},", literal(&entry.code));
    }
    text + "}\n\n\ndef failure_of(\n    code: str, message: str, details: Mapping[str, Any] | None\n) -> ZeroMemoryError | UnknownCodeError:\n    \"\"\"Return the error of the class that its code has.\"\"\"\n    return _CLASSES.get(code, UnknownCodeError)(code, message, details)\n"
}

fn additions(contract: &Contract) -> String {
    let mut text = "\"\"\"What the contract gained since its first release, by which a client knows what an older server may lack.\"\"\"\n\nfrom dataclasses import dataclass\n\n__all__ = [\"ADDITIONS\", \"Addition\"]\n\n\n@dataclass(frozen=True)\nclass Addition:\n    \"\"\"Something that was added to the contract.\"\"\"\n\n    since: str\n    \"\"\"The version of the contract that has it first.\"\"\"\n    place: str\n    \"\"\"What it is, or where it stands: tool, resource, prompt, input or output.\"\"\"\n    name: str\n    \"\"\"Name of the tool, the resource or the prompt.\"\"\"\n    field: str\n    \"\"\"Path of the field, such as ``memories[].score``; empty for the whole.\"\"\"\n\n\nADDITIONS: tuple[Addition, ...] = (\n".to_owned();
    for addition in additions::additions(contract) {
        let _ = writeln!(
            text,
            "    Addition({}, {}, {}, {}),",
            literal(&addition.since),
            literal(addition.place.as_str()),
            literal(&addition.name),
            literal(&addition.field)
        );
    }
    text + ")\n\"\"\"Every addition, the oldest first.\"\"\"\n"
}

fn client(contract: &Contract) -> String {
    let mut text = "\"\"\"One typed method for everything that a server offers.\"\"\"\n\nfrom collections.abc import Mapping, Sequence\nfrom typing import Any, Literal\n\nfrom . import types as _t\nfrom .runtime import PromptMessage, Runtime\nfrom .sendable import quoted\n\n__all__ = [\"ZeroMemory\"]\n\n\nclass ZeroMemory(Runtime):\n    \"\"\"A connection to a zero-memory server.\n\n    Tools have their own names; a resource is read by its name, and a prompt is\n    filled in by ``prompt_`` and its name.\n    \"\"\"\n".to_owned();
    for each in contract.tools.values() {
        text.push_str(&tool(contract, each));
    }
    for each in &contract.resources {
        text.push_str(&resource(each));
    }
    for each in &contract.prompts {
        text.push_str(&prompt(each));
    }
    text
}

/// Returns the name of a parameter beside those that every method has.
fn parameter(name: &str) -> String {
    match name {
        "self" | "timeout_s" => format!("{name}_"),
        _ => spelled(name),
    }
}

fn tool(contract: &Contract, tool: &Tool) -> String {
    let types = type_name(&tool.name);
    let properties: &[Property] = match &tool.input.form {
        Form::Object { properties, .. } => properties,
        _ => &[],
    };
    let (needed, free): (Vec<_>, Vec<_>) =
        properties.iter().partition(|property| property.required);
    let mut parameters = String::new();
    let mut given = String::new();
    let mut told = String::new();
    for property in needed.into_iter().chain(free) {
        let name = parameter(&property.name);
        let inner = format!("{types}Input{}", type_name(&property.name));
        let kind = argument(contract, &property.schema, &inner);
        if property.required {
            let _ = writeln!(parameters, "        {name}: {kind},");
        } else {
            let _ = writeln!(parameters, "        {name}: {kind} | None = None,");
        }
        let _ = write!(given, "{}: {name}, ", literal(&property.name));
        let shape = contract.resolve(&property.schema);
        let about = property
            .schema
            .description
            .as_ref()
            .or(shape.description.as_ref());
        let _ = writeln!(
            told,
            "            {name}: {}",
            about.map_or("", String::as_str)
        );
    }
    let mut about = format!("{}.\n\n        {}\n", tool.title, tool.description);
    if let Some(known) = &tool.deprecated {
        let _ = writeln!(about, "\n        Deprecated {}.", note(known));
    }
    if !told.is_empty() {
        let _ = write!(about, "\n        Args:\n{told}");
    }
    about.push_str("        ");
    format!(
        "\n    async def {}(\n        self,\n        *,\n{parameters}        timeout_s: float | None = None,\n    ) -> _t.{types}Output:\n{}        given: dict[str, Any] = {{{}}}\n        return await self._tool(_t.{types}Output, {}, given, timeout_s)\n",
        tool.name,
        docs("        ", &about),
        given.trim_end_matches(", "),
        literal(&tool.name),
    )
}

/// Returns the type of an argument: what a caller writes down, which only the
/// server judges.
fn argument(contract: &Contract, schema: &Schema, name: &str) -> String {
    match &schema.form {
        Form::Shape(shape) => match &contract.resolve(schema).form {
            Form::Object { .. } | Form::Tagged { .. } => {
                format!("_t.{} | Mapping[str, Any]", type_name(shape))
            }
            Form::Array { .. } => argument(contract, contract.resolve(schema), &type_name(shape)),
            Form::Enum { .. }
            | Form::String { .. }
            | Form::Integer { .. }
            | Form::Number { .. }
            | Form::Boolean
            | Form::Shape(_) => argument(contract, contract.resolve(schema), name),
        },
        Form::Object { .. } => format!("_t.{name} | Mapping[str, Any]"),
        Form::Tagged { .. } => "Mapping[str, Any]".to_owned(),
        Form::Array { items, .. } => {
            format!(
                "Sequence[{}]",
                argument(contract, items, &format!("{name}Item"))
            )
        }
        Form::Enum { members, open } => {
            let members: Vec<String> = members.iter().map(|member| literal(member)).collect();
            let known = format!("Literal[{}]", members.join(", "));
            if *open { known + " | str" } else { known }
        }
        Form::String { .. } => "str".to_owned(),
        Form::Integer { .. } => "int".to_owned(),
        Form::Number { .. } => "float".to_owned(),
        Form::Boolean => "bool".to_owned(),
    }
}

fn resource(resource: &Resource) -> String {
    let shape = type_name(&resource.shape);
    let (parameters, uri) = match &resource.address {
        Address::Uri(uri) => (String::new(), literal(uri)),
        Address::Template(template) => {
            let names = places(template);
            let parameters = names.iter().map(|name| format!("{name}: str, ")).collect();
            let filled = names.iter().fold(template.clone(), |filled, name| {
                filled.replace(
                    &format!("{{{name}}}"),
                    &format!("{{quoted({name}, '{name}')}}"),
                )
            });
            (parameters, format!("f{}", literal(&filled)))
        }
    };
    format!(
        "\n    async def {}(self, {parameters}*, timeout_s: float | None = None) -> _t.{shape}:\n{}        return await self._resource(_t.{shape}, {uri}, timeout_s)\n",
        resource.name,
        docs("        ", &resource.description),
    )
}

fn prompt(prompt: &prompts::Prompt) -> String {
    let mut parameters = String::new();
    let mut given = String::new();
    let mut told = String::new();
    let (needed, free): (Vec<_>, Vec<_>) = prompt
        .arguments
        .iter()
        .partition(|argument| argument.required);
    for argument in needed.into_iter().chain(free) {
        let name = parameter(&argument.name);
        let kind = if argument.required {
            "str"
        } else {
            "str | None = None"
        };
        let _ = writeln!(parameters, "        {name}: {kind},");
        let _ = write!(given, "{}: {name}, ", literal(&argument.name));
        let _ = writeln!(told, "            {name}: {}", argument.description);
    }
    let mut about = format!("{}.\n\n        {}\n", prompt.title, prompt.description);
    if !told.is_empty() {
        let _ = write!(about, "\n        Args:\n{told}");
    }
    about.push_str("        ");
    format!(
        "\n    async def prompt_{}(\n        self,\n        *,\n{parameters}        timeout_s: float | None = None,\n    ) -> list[PromptMessage]:\n{}        return await self._prompt({}, {{{}}}, timeout_s)\n",
        prompt.name,
        docs("        ", &about),
        literal(&prompt.name),
        given.trim_end_matches(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_argument_takes_the_name_of_what_every_method_has() {
        let package = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().expect("it lies in the repository");
        let loaded = crate::load::load(root).expect("the schema is there");
        let mut contract = loaded.contract.expect("the contract is whole");
        let known = contract.tools.get_mut("recall").expect("the tool");
        let Form::Object { properties, .. } = &mut known.input.form else {
            panic!("an object");
        };
        for name in ["self", "timeout_s", "class"] {
            let mut more = properties.last().expect("a property").clone();
            name.clone_into(&mut more.name);
            properties.push(more);
        }
        let method = tool(&contract, contract.tools.get("recall").expect("the tool"));
        for (name, spelling) in [
            ("self", "self_"),
            ("timeout_s", "timeout_s_"),
            ("class", "class_"),
        ] {
            assert!(
                method.contains(&format!("        {spelling}: ")),
                "{method}"
            );
            assert!(
                method.contains(&format!("\"{name}\": {spelling}")),
                "{method}"
            );
        }
        assert_eq!(method.matches("        timeout_s: ").count(), 1, "{method}");
    }
}
