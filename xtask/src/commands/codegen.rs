//! `cargo xtask codegen`: makes what is generated agree with `schema/`.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use crate::problem::{EXIT_CLEAN, Report};
use crate::{deprecations, emit, load, write};

/// Writes what differs and says so; a second run writes nothing.
pub fn run(root: &Path, out: &mut dyn Write) -> Result<u8> {
    let loaded = load::load(root)?;
    let Some(contract) = loaded.whole() else {
        let report = Report::new(loaded.problems);
        write!(out, "{}", report.render())?;
        return Ok(report.exit_code());
    };
    let files = emit::emit(contract)?;
    let written = write::write(root, emit::FOLDERS, &files)?;
    let page = deprecations::page(contract);
    let path = root.join(deprecations::PAGE);
    if std::fs::read_to_string(&path).ok().as_ref() != Some(&page) {
        write::replace(&path, &page)?;
        writeln!(out, "wrote {}", deprecations::PAGE)?;
    }
    for name in &written.changed {
        writeln!(out, "wrote {name}")?;
    }
    for name in &written.removed {
        writeln!(out, "removed {name}")?;
    }
    writeln!(
        out,
        "{} files, {} written, {} removed.",
        files.len(),
        written.changed.len(),
        written.removed.len()
    )?;
    Ok(EXIT_CLEAN)
}
