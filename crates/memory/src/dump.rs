//! Dumps: every row of a data folder as JSON lines, and back.
//!
//! The first line says what the file is; each other one is a row, after those
//! that it refers to. Nothing in a dump depends on when it was made, so a
//! folder that was filled from a dump gives the same bytes again. What each
//! line may hold is said in `dump.schema.json` beside this crate's manifest.
//!
//! A folder that nobody used yet takes everything. One in use takes the rows
//! of the account that imports, by their ids: what is there stays as it is,
//! and standing rules stay out unless they are asked for.

mod check;
mod gone;
mod intake;
mod rename;
mod undo;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde_json::json;

use crate::Memory;
use crate::import::{Options, Progress, Report, STRICT, Trouble};
use intake::Intake;

/// Version of the format; a newer one is refused.
const FORMAT: u64 = 1;

/// Bytes of a line that is read: the longest memory, escaped, and all that is
/// kept beside it.
const LINE_BYTES: u64 = 1 << 20;

/// Lines between two signs of progress.
const STEP: usize = 500;

/// Writes a dump: of every scope, or of those at some paths. Returns how many
/// rows of each sort it holds.
pub(crate) fn export(
    memory: &Memory,
    paths: Option<&[String]>,
    out: &mut dyn Write,
    progress: Progress<'_>,
) -> Result<BTreeMap<String, i64>, Trouble> {
    let mut counts = BTreeMap::new();
    let total = std::cell::Cell::new(0);
    let mut done = 0;
    let out = std::cell::RefCell::new(out);
    let unwritten =
        |error: std::io::Error| Trouble::Said(format!("cannot write the export: {error}"));
    memory.with_store(|store| {
        store.dump(
            paths,
            |counted| {
                counts = counted
                    .iter()
                    .map(|(name, n)| ((*name).to_owned(), *n))
                    .collect();
                total
                    .set(usize::try_from(counted.iter().map(|(_, n)| n).sum::<i64>()).unwrap_or(0));
                let counted: serde_json::Map<_, _> = counted
                    .iter()
                    .map(|(name, n)| ((*name).to_owned(), json!(n)))
                    .collect();
                let header = json!({
                    "type": "zero-memory", "format": FORMAT,
                    "contract": contract::constants::CONTRACT_VERSION, "counts": counted,
                });
                writeln!(out.borrow_mut(), "{header}").map_err(unwritten)
            },
            |record| {
                let line = serde_json::to_string(&record)
                    .map_err(|error| Trouble::Said(error.to_string()))?;
                writeln!(out.borrow_mut(), "{line}").map_err(unwritten)?;
                done += 1;
                if done % STEP == 0 {
                    progress(done, Some(total.get()));
                }
                Ok(())
            },
        )
    })?;
    out.into_inner().flush().map_err(unwritten)?;
    Ok(counts)
}

/// Imports a dump, or says what that would do.
pub(crate) fn import(
    memory: &Memory,
    path: &Path,
    options: &Options,
    mut report: Report,
    progress: Progress<'_>,
) -> Result<Report, Trouble> {
    let me = memory.own_account()?;
    let unused = memory.with_store(|store| Ok(store.is_unused()?))?;
    let erased = memory.with_store(|store| Ok(store.erased_memories()?))?;
    // A folder in use takes records by and by, so a strict run tries first.
    let tries_first = options.strict && options.write && !unused;
    if tries_first {
        let mut trial = Intake::new(path, options, &me, unused, &erased, memory.now(), progress)?;
        let tried = trial.rehearse(memory)?;
        if tried.n_rejected > 0 {
            return Ok(undone(tried));
        }
    }
    let mut intake = Intake::new(path, options, &me, unused, &erased, memory.now(), progress)?;
    let found = if !options.write {
        intake.rehearse(memory)?
    } else if unused {
        intake.at_once(memory)?
    } else {
        intake.by_and_by(memory)?
    };
    if options.write {
        memory.forget_account();
    }
    report.written = options.write && found.written;
    report.imported = found.imported;
    report.rows = found.rows;
    report.by_kind = found.by_kind;
    report.by_scope = found.by_scope;
    report.skipped = found.skipped;
    report.n_rejected = found.n_rejected;
    report.rejected = found.rejected;
    report.notes.extend(found.notes);
    Ok(report)
}

fn undone(mut report: Report) -> Report {
    report.written = false;
    report.notes.push(STRICT.to_owned());
    report
}

/// How a dump begins whose first row is longer than what is looked at.
const MEMORY_START: &[u8] = br#"{"type":"memory","id":"mem_"#;

/// Lines that are looked at for a row.
const LOOKED_AT: usize = 100;

/// Returns whether the beginning of a file holds rows of a dump, whatever its
/// first line is.
pub(crate) fn holds_rows(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').take(LOOKED_AT);
    head.starts_with(MEMORY_START)
        || lines.any(|line| {
            line.starts_with(b"{") && serde_json::from_slice::<store::dump::Record>(line).is_ok()
        })
}

/// Returns whether a line is a row that a folder could take.
#[cfg(feature = "seams")]
pub(crate) fn is_sound(line: &[u8], now: i64) -> bool {
    let record: Result<store::dump::Record, _> = serde_json::from_slice(line);
    record.is_ok_and(|record| check::check(&record, now).is_ok())
}
