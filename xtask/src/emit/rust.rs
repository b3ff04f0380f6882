//! Rust: types, error vocabulary, constants, the handler trait and dispatch.

use anyhow::{Context, Result};

use crate::contract::Contract;
use crate::emit::header;
use crate::write::Files;

mod constants;
mod errors;
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
        let syntax = syn::parse_file(&source)
            .with_context(|| format!("the emitter of {name}.rs wrote no Rust"))?;
        files.insert(
            format!("rust/{name}.rs"),
            header(contract, "//") + "\n" + &prettyplease::unparse(&syntax),
        );
    }
    Ok(files)
}

/// Returns the name in upper case, as constants are spelled.
fn constant(name: &str) -> String {
    name.to_ascii_uppercase().replace('-', "_")
}
