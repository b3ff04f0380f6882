//! Rust: types, error vocabulary, constants, the handler trait and dispatch;
//! and for the client, its own types and one method per tool.

use anyhow::{Context, Result};

use crate::contract::Contract;
use crate::emit::header;
use crate::write::Files;

mod client;
mod constants;
mod errors;
mod methods;
mod prompts;
mod routes;
mod tools;
mod types;

/// Emits `rust/*.rs`.
pub fn emit(contract: &Contract) -> Result<Files> {
    let mut files = Files::new();
    let sources = [
        ("constants", constants::source(contract)),
        ("errors", errors::source(contract)),
        ("every_type", types::every(contract)),
        ("prompts", prompts::source(contract)),
        ("routes", routes::source(contract)),
        ("tools", tools::source(contract)),
        ("types", types::source(contract)?),
    ];
    for (name, source) in sources {
        files.insert(
            format!("rust/{name}.rs"),
            laid_out(contract, name, &source)?,
        );
    }
    Ok(files)
}

/// Emits what the Rust client is made of besides its hand-written part.
pub fn client(contract: &Contract) -> Result<Files> {
    let mut files = Files::new();
    let sources = [
        ("additions", client::additions(contract)),
        ("contract", client::constants(contract)),
        ("errors", client::errors(contract)?),
        ("methods", methods::source(contract)),
        ("prompts", methods::prompts(contract)),
        ("types", client::types(contract)?),
    ];
    for (name, source) in sources {
        files.insert(format!("{name}.rs"), laid_out(contract, name, &source)?);
    }
    Ok(files)
}

/// Returns a source as it is written.
fn laid_out(contract: &Contract, name: &str, source: &str) -> Result<String> {
    let syntax = syn::parse_file(source)
        .with_context(|| format!("the emitter of {name}.rs wrote no Rust"))?;
    Ok(header(contract, "//") + "\n" + &prettyplease::unparse(&syntax))
}

/// Returns the name in upper case, as constants are spelled.
fn constant(name: &str) -> String {
    name.to_ascii_uppercase().replace('-', "_")
}
