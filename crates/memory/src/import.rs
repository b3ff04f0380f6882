//! Brings in what other programs kept, and what another folder of ours holds.
//!
//! A source is detected by what is in it. Each importer is a pure function
//! from bytes to items and rejects; what an item becomes is decided in one
//! place (`keep`), through the same guard, duplicates and index as
//! `remember`. Nothing is stored unless asked for, nothing ever becomes a
//! standing rule, and what was imported once is known the next time by its
//! name in the source and the hash of what it was.
//!
//! This is for the command line: no path comes here from a client.

mod basic_memory;
mod claude_code;
mod database;
mod detect;
mod document;
mod folder;
mod front_matter;
mod item;
mod json;
mod keep;
mod markdown;
mod mem0;
mod memory_service;
mod own_markdown;
mod server_memory;
mod text_files;
mod times;
mod trouble;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Serialize;

pub(crate) use claude_code::OWN_KEY;
pub use detect::Format;
pub(crate) use front_matter::{fields, split, word};
use item::Parsed;
pub use item::Reject;
pub use trouble::Trouble;

use crate::{Memory, dump};

/// Bytes that the text of a memory takes at most, however it comes.
pub(crate) const CONTENT_BYTES: usize = 65_536;

/// Bytes of one object of a document: read, it may take sixteen times as many.
const RAW_BYTES: usize = 4 << 20;

/// What is said of a longer one.
const TOO_LONG: &str =
    "this is longer than 4 MiB, which is more than is read of one object; split it at its source";

/// What a strict run says that would reject something.
pub(crate) const STRICT: &str =
    "something was rejected, and --strict stores all or nothing: nothing was stored";

/// Rejects that a report lists; all of them are counted.
const LISTED: usize = 1_000;

/// A file of a folder that is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path below the folder, with `/`.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// When it was last changed: milliseconds since the epoch.
    pub modified: Option<i64>,
}

/// Where everything goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Into {
    /// What the person knows in every project.
    Core,
    /// What is about the person.
    Personal,
    /// The project of the hint.
    Project,
}

/// What to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The format; detected when there is none.
    pub format: Option<Format>,
    /// Where everything goes; where the source says, when there is none.
    pub into: Option<Into>,
    /// The project, as a hint.
    pub project: Option<String>,
    /// Where what belongs to a user of the source goes: a scope path,
    /// `personal`, `core`, `project` or `skip`; for a dump of ours, `me`.
    pub map: BTreeMap<String, String>,
    /// Whether anything is stored.
    pub write: bool,
    /// Whether nothing is stored when something is rejected.
    pub strict: bool,
    /// Whether the standing rules of a dump of ours are taken too.
    pub with_rules: bool,
}

/// What was done, or would be.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Whether it was stored.
    pub written: bool,
    /// What was read, by format.
    pub formats: BTreeMap<String, usize>,
    /// Memories that were added.
    pub imported: usize,
    /// How many of them took the place of an older version.
    pub superseding: usize,
    /// Memories that were retired, because their note does not say them any
    /// more.
    pub retired: usize,
    /// By kind.
    pub by_kind: BTreeMap<String, usize>,
    /// By scope.
    pub by_scope: BTreeMap<String, usize>,
    /// Other rows that were added, by sort.
    pub rows: BTreeMap<String, usize>,
    /// What a person may want to make a rule of.
    pub rule_candidates: usize,
    /// What was left out, by the reason.
    pub skipped: BTreeMap<String, usize>,
    /// How much was rejected.
    pub n_rejected: usize,
    /// What was rejected, the first thousand.
    pub rejected: Vec<Reject>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

impl Report {
    pub(crate) fn skip(&mut self, why: &str) {
        *self.skipped.entry(why.to_owned()).or_default() += 1;
    }

    pub(crate) fn reject(&mut self, reject: Reject) {
        self.n_rejected += 1;
        if self.rejected.len() < LISTED {
            self.rejected.push(reject);
        }
    }

    pub(crate) fn added(&mut self, sort: &str) {
        *self.rows.entry(sort.to_owned()).or_default() += 1;
    }
}

/// Tells how far it is: what is done, of how much if that is known.
pub type Progress<'p> = &'p mut dyn FnMut(usize, Option<usize>);

impl Memory {
    /// Imports a file or a folder, or says what that would do.
    pub fn import(
        &self,
        path: &Path,
        options: &Options,
        progress: Progress<'_>,
    ) -> Result<Report, Trouble> {
        let found = self.import_from(path, options, progress);
        found.map_err(|trouble| trouble.of(self.dir()))
    }

    fn import_from(
        &self,
        path: &Path,
        options: &Options,
        progress: Progress<'_>,
    ) -> Result<Report, Trouble> {
        if !options.write && !self.is_there() {
            return self.in_a_rehearsal_folder(|memory| memory.import(path, options, progress));
        }
        let mut report = Report {
            written: options.write,
            ..Report::default()
        };
        let source = folder::open(path)?;
        if detect::is_dump(&source, options.format)? {
            report.formats.insert(Format::Dump.as_str().to_owned(), 1);
            return dump::import(self, path, options, report, progress);
        }
        let (parsed, found) = detect::parse(&source, options, self.now(), &mut report)?;
        if found.is_empty() {
            return Err(Trouble::Said(format!(
                "{} holds nothing that is known; name its --format if it should",
                path.display()
            )));
        }
        let hint = options.project.clone().or_else(|| source.project_hint());
        match keep::keep(
            self,
            parsed,
            options,
            hint.as_deref(),
            &mut report,
            progress,
        ) {
            // The report says what was rejected.
            Err(Trouble::Said(why)) if why == STRICT => report.notes.push(why),
            outcome => outcome?,
        }
        Ok(report)
    }
}

/// Leaves out copies: files whose bytes another one has.
fn without_copies(files: Vec<SourceFile>, parsed: &mut Parsed) -> Vec<SourceFile> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut kept = Vec::new();
    for file in files {
        if seen.insert(item::hash(&file.bytes)) {
            kept.push(file);
        } else {
            parsed.skip("a copy of another file");
        }
    }
    kept
}

/// Reads one file as each importer would, whatever it is.
#[cfg(any(test, feature = "seams"))]
pub(crate) fn by_each(path: &str, bytes: &[u8], now: i64) -> Vec<(Format, Parsed)> {
    let file = || {
        [SourceFile {
            path: path.to_owned(),
            bytes: bytes.to_vec(),
            modified: None,
        }]
    };
    let project = item::Belongs::Project;
    vec![
        (Format::Markdown, own_markdown::parse(&file())),
        (Format::ClaudeCode, claude_code::parse("folder", &file())),
        (
            Format::ClaudeMd,
            markdown::instructions(path, bytes, project).0,
        ),
        (Format::Cursor, markdown::editor_rule(path, bytes)),
        (Format::ServerMemory, server_memory::parse(path, bytes)),
        (Format::BasicMemory, basic_memory::parse("folder", &file())),
        (Format::Mem0, mem0::parse(path, bytes, now)),
        (Format::MemoryService, memory_service::parse(path, bytes)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that no importer was made for.
    fn hostile() -> Vec<Vec<u8>> {
        let texts = [
            "",
            "\u{feff}",
            "---",
            "---\n---",
            "---\n: \n---\n- [\u{200b}] x",
            "{\"a\":",
            "[[[[",
            "{\"type\":\"entity\",\"name\":7,\"observations\":{}}",
            "- [a](b\n- [[\n- [x\n\n```\n",
            "<!--",
            "[{\"memory\":\"a\",\"metadata\":[],\"categories\":{},\"created_at\":{}}]",
            "{\"memories\":[null,1,\"x\",{\"content\":\"a\",\"tags\":\"chunk:0/3\"}]}",
            "#\n##\n###### \n#######\n1.\n1) \n- \n* a\n\t* b\n",
            "a\r\rb\u{2028}c\u{0}d",
        ];
        let mut found: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        found.push(b"\xff\xfe\x00---\n\xc3(\n".to_vec());
        found.push("- [é] ü\n".as_bytes().get(..4).unwrap().to_vec());
        found.push("é".repeat(70_000).into_bytes());
        found.push("- x\n  ".repeat(20_000).into_bytes());
        found.push("[".repeat(300_000).into_bytes());
        found.push(format!("---\n{}\n---\n", "a: &a [*a]\n".repeat(2_000)).into_bytes());
        found
    }

    #[test]
    fn no_importer_panics_and_every_place_is_in_its_file() {
        for bytes in hostile() {
            for path in ["MEMORY.md", "a.md", "x.json", "", "a/b/../c.mdc"] {
                for (format, parsed) in by_each(path, &bytes, 0) {
                    for item in parsed.items {
                        let (first, end) = item.bytes.unwrap_or_default();
                        assert!(
                            first <= end && end <= bytes.len(),
                            "{format:?} {path} {item:?}"
                        );
                        assert!(!item.content.is_empty(), "{format:?} {path} {item:?}");
                    }
                }
            }
        }
    }
}
