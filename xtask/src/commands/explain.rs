//! `cargo xtask explain`: the manual page of a rule, or the list of rules.

use std::io::Write;

use anyhow::{Result, bail};

use crate::check::{RULES, Rule};
use crate::problem::EXIT_CLEAN;

/// Prints the page of a rule; without a rule, every rule with its purpose.
pub fn run(id: Option<&str>, out: &mut dyn Write) -> Result<u8> {
    match id {
        None => {
            let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
            for rule in RULES {
                writeln!(out, "{:width$}  {}", rule.id, rule.purpose())?;
            }
        }
        Some(id) => match Rule::find(id) {
            Some(rule) => write!(out, "# {}\n\n{}", rule.id, rule.manual())?,
            None => bail!("no rule is named \"{id}\"; cargo xtask explain lists them"),
        },
    }
    Ok(EXIT_CLEAN)
}
