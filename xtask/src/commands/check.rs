//! `cargo xtask check`: shows every broken promise of the contract at once.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use crate::check::{self, Subject};

/// Prints the report; changes nothing.
pub fn run(root: &Path, out: &mut dyn Write) -> Result<u8> {
    let report = check::check(&Subject::load(root)?);
    write!(out, "{}", report.render())?;
    Ok(report.exit_code())
}
