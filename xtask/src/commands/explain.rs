//! `cargo xtask explain`: the manual page of a rule, or the list of rules.

use std::io::Write;

use anyhow::{Result, bail};

use crate::check::Page;
use crate::problem::EXIT_CLEAN;

/// Prints the page of a rule; without a rule, every rule with its purpose.
pub fn run(id: Option<&str>, out: &mut dyn Write) -> Result<u8> {
    let pages = Page::all();
    match id {
        None => {
            let width = pages.iter().map(|page| page.id.len()).max().unwrap_or(0);
            for page in pages {
                writeln!(out, "{:width$}  {}", page.id, page.purpose())?;
            }
        }
        Some(id) => match pages.iter().find(|page| page.id == id) {
            Some(page) => write!(out, "# {}\n\n{}", page.id, page.manual())?,
            None => bail!("no rule is named \"{id}\"; cargo xtask explain lists them"),
        },
    }
    Ok(EXIT_CLEAN)
}
