//! `cargo xtask new-tool`: the two files of a new tool, and what comes next.
//!
//! What a person has to decide is marked, and `cargo xtask check` refuses the
//! mark.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::check::name_malformed::unfit;
use crate::check::undecided::MARK;
use crate::contract::{Access, Contract, Toolset, find_named, name_of, type_name};
use crate::lower::access_word;
use crate::problem::EXIT_CLEAN;
use crate::{load, write};

/// The name of the tool, and what decides its signature.
#[derive(Args)]
pub struct NewTool {
    /// Its name, in `snake_case`.
    name: String,
    /// What its handler may touch.
    #[arg(long, default_value = "read", value_parser = ["read", "append", "write"])]
    access: String,
    /// The set that it is offered in.
    #[arg(long, default_value = "full", value_parser = ["core", "full"])]
    toolset: String,
}

/// Writes the stubs and says what to do next.
pub fn run(root: &Path, tool: &NewTool, out: &mut dyn Write) -> Result<u8> {
    let name = &tool.name;
    let loaded = load::load(root)?;
    let contract = loaded.whole();
    let contract = contract
        .ok_or_else(|| anyhow::anyhow!("run cargo xtask check and mend what it shows first"))?;
    if let Some((what, fix)) = unfit(contract, name) {
        bail!("{what}; {fix}");
    }
    let access = find_named(&Access::ALL, &tool.access).unwrap_or(Access::Read);
    let toolset = find_named(&Toolset::ALL, &tool.toolset).unwrap_or(Toolset::Full);
    let schema = format!("schema/tools/{name}.json");
    let handler = format!("crates/memory/src/tools/{name}.rs");
    for file in [&schema, &handler] {
        ensure!(!root.join(file).exists(), "{file} is there already");
    }
    let stub = serde_json::to_string_pretty(&stub(contract, name, access, toolset))? + "\n";
    write::replace(&root.join(&schema), &stub)?;
    write::replace(&root.join(&handler), &source(name, access))?;
    writeln!(
        out,
        "wrote {schema}\nwrote {handler}\n\n1. Decide everything in {schema} that says {MARK}: texts, arguments, answer,\n   errors, and two examples that succeed and two that fail.\n2. Run cargo xtask codegen.\n3. Write the handler; the compiler says what is missing.\n4. Run cargo xtask check, and cargo xtask test.\n\nNothing else is edited: server, documents, vectors and clients follow."
    )?;
    Ok(EXIT_CLEAN)
}

/// Returns a tool file of the right form.
fn stub(contract: &Contract, name: &str, access: Access, toolset: Toolset) -> Value {
    let title = format!("{MARK} {name}");
    let reads = access == Access::Read;
    let fails = |sentence: &str| {
        json!({
            "name": sentence,
            "input": {},
            "error": { "code": "validation_failed", "refused_by": "schema" },
        })
    };
    let succeeds = |sentence: &str| json!({ "name": sentence, "input": { "about": "text" }, "output": { "done": true }, "expect": { "/done": true } });
    json!({
        "$schema": "../meta/tool.json",
        "name": name,
        "title": title,
        "description": format!("{MARK}: when to call it, what to pass, what comes back."),
        "toolset": name_of(&Toolset::ALL, &toolset),
        "since": contract.settings.version,
        "access": access_word(access),
        "annotations": {
            "title": title,
            "readOnlyHint": reads,
            "destructiveHint": access == Access::Write,
            "idempotentHint": true,
            "openWorldHint": false,
        },
        "inputSchema": {
            "type": "object",
            "properties": {
                "about": {
                    "description": format!("{MARK}."),
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 256,
                    "x-max-bytes": 256,
                },
            },
            "required": ["about"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": { "done": { "description": format!("{MARK}."), "type": "boolean" } },
            "required": ["done"],
        },
        "errors": [{ "code": "validation_failed", "when": "An argument breaks the schema." }],
        "examples": [
            succeeds("undecided_first"),
            succeeds("undecided_second"),
            fails("refuses_a_missing_argument"),
            fails("undecided_refusal"),
        ],
    })
}

/// Returns a handler that compiles and fails.
fn source(name: &str, access: Access) -> String {
    let types = type_name(name);
    let view = type_name(access_word(access));
    format!(
        "//! `{name}`: {MARK}.\n\nuse contract::types::{{{types}Input, {types}Output}};\nuse store::{view};\n\nuse crate::{{Call, Keeper}};\n\npub(crate) fn {name}(\n    _memory: &Keeper,\n    _call: &Call,\n    _view: &mut {view}<'_>,\n    _input: {types}Input,\n) -> Result<{types}Output, contract::Error> {{\n    Err(contract::Error::internal(\"{name} does nothing yet\"))\n}}\n"
    )
}
