//! Reads a dump line by line and takes its rows in.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use store::dump::Record;
use store::{Load, Loader, Refusal};

use super::rename::Rename;
use super::undo::Undo;
use super::{FORMAT, LINE_BYTES, STEP, check, gone, undone};
use crate::import::{Options, Progress, Reject, Report, Trouble};
use crate::{Memory, digest, text};

/// Lines in one transaction, in a folder in use.
const BATCH: usize = 200;

/// What is known of a file while it is read.
pub(super) struct Intake<'i> {
    file_name: String,
    lines: BufReader<File>,
    n_lines: usize,
    /// A first line that turned out to be a row.
    first: Option<Vec<u8>>,
    options: &'i Options,
    me: &'i store::Caller,
    unused: bool,
    now: i64,
    progress: Progress<'i>,
    rename: Rename,
    report: Report,
    said: BTreeMap<String, u64>,
    found: BTreeMap<String, u64>,
    /// Ids of memories and entities that were left out, and with them what is
    /// said about them.
    left_out: HashSet<String>,
    /// Entities whose names went with what was erased.
    gone: HashSet<String>,
    successors: Vec<Succession>,
}

/// What a row says took its place.
struct Succession {
    line: usize,
    is_memory: bool,
    /// Whether this run added the row; one that was there may have got its
    /// successor before.
    is_added: bool,
    id: String,
    successor: String,
}

fn text_key(content: &str) -> [u8; 32] {
    digest::sha256(&[&text::key(content)])
}

impl<'i> Intake<'i> {
    pub(super) fn new(
        path: &Path,
        options: &'i Options,
        me: &'i store::Caller,
        unused: bool,
        erased: &HashSet<String>,
        now: i64,
        progress: Progress<'i>,
    ) -> Result<Self, Trouble> {
        let unread = |error: std::io::Error| {
            Trouble::Said(format!("cannot read {}: {error}", path.display()))
        };
        let file = File::open(path).map_err(unread)?;
        let name = path.file_name().unwrap_or_default();
        let mut intake = Self {
            file_name: name.to_string_lossy().into_owned(),
            lines: BufReader::with_capacity(1 << 16, file),
            n_lines: 0,
            first: None,
            options,
            me,
            unused,
            now,
            progress,
            rename: Rename::new(me, &options.map),
            report: Report {
                written: true,
                ..Report::default()
            },
            said: BTreeMap::new(),
            found: BTreeMap::new(),
            left_out: HashSet::new(),
            gone: gone::names(path, erased).map_err(unread)?,
            successors: Vec::new(),
        };
        intake.header()?;
        Ok(intake)
    }

    /// Reads the first line.
    fn header(&mut self) -> Result<(), Trouble> {
        let line = self.line()?.unwrap_or(Ok(Vec::new())).unwrap_or_default();
        let (text, _) = (String::from_utf8_lossy(&line), 0);
        let header: serde_json::Value =
            serde_json::from_str(text.trim_start_matches('\u{feff}').trim()).unwrap_or_default();
        let format = header.get("format").and_then(serde_json::Value::as_u64);
        match format {
            Some(FORMAT) => {}
            Some(newer) => {
                return Err(Trouble::Said(format!(
                    "the dump is of format {newer}, and this program reads format {FORMAT}: use the program that made it, or a newer one"
                )));
            }
            None => return self.without_header(line),
        }
        if let Some(counts) = header.get("counts").and_then(serde_json::Value::as_object) {
            self.said = counts
                .iter()
                .filter_map(|(sort, n)| Some((sort.clone(), n.as_u64()?)))
                .collect();
        }
        Ok(())
    }

    /// Goes on with a file whose first line does not say what it is, if its
    /// rows do.
    fn without_header(&mut self, line: Vec<u8>) -> Result<(), Trouble> {
        let unread = |error: std::io::Error| Trouble::Said(format!("cannot read on: {error}"));
        let is_row = super::holds_rows(&line);
        if !is_row && !super::holds_rows(self.lines.fill_buf().map_err(unread)?) {
            return Err(Trouble::Said(
                "the first line is not that of a dump of zero-memory; export it again, or put that line back".to_owned(),
            ));
        }
        self.reject(1, "the line that every dump begins with is missing or damaged; the rows were read, and nobody can tell whether some are missing");
        if is_row {
            self.first = Some(line);
            self.n_lines = 0;
        }
        Ok(())
    }

    /// Returns the next line without its end; an error is one that is too long.
    fn line(&mut self) -> Result<Option<Result<Vec<u8>, ()>>, Trouble> {
        let unread = |error: std::io::Error| Trouble::Said(format!("cannot read on: {error}"));
        if let Some(line) = self.first.take() {
            self.n_lines += 1;
            return Ok(Some(Ok(line)));
        }
        let mut line = Vec::new();
        let mut within = (&mut self.lines).take(LINE_BYTES);
        let n_read = within.read_until(b'\n', &mut line).map_err(unread)?;
        if n_read == 0 {
            return Ok(None);
        }
        self.n_lines += 1;
        if n_read as u64 == LINE_BYTES && !line.ends_with(b"\n") {
            // The rest of it is passed over, a piece at a time.
            loop {
                let piece = self.lines.fill_buf().map_err(unread)?;
                if piece.is_empty() {
                    break;
                }
                let end = piece.iter().position(|byte| *byte == b'\n');
                let n_passed = end.map_or(piece.len(), |end| end + 1);
                self.lines.consume(n_passed);
                if end.is_some() {
                    break;
                }
            }
            return Ok(Some(Err(())));
        }
        Ok(Some(Ok(line)))
    }

    fn reject(&mut self, line: usize, why: impl Into<String>) {
        let reject = Reject::at(&self.file_name, line, why);
        self.report.reject(reject);
    }

    /// Returns the next record that is wanted, and its line.
    fn next(&mut self) -> Result<Option<(usize, Record)>, Trouble> {
        loop {
            let Some(line) = self.line()? else {
                return Ok(None);
            };
            let number = self.n_lines;
            if number.is_multiple_of(STEP) {
                (self.progress)(number, None);
            }
            let Ok(line) = line else {
                self.reject(
                    number,
                    format!("the line has more than the {LINE_BYTES} bytes that are read of one"),
                );
                continue;
            };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let record: Record = match serde_json::from_slice(&line) {
                Ok(record) => record,
                Err(error) if error.is_eof() && !line.ends_with(b"\n") => {
                    self.reject(
                        number,
                        "the last line is cut off; what came before it is read",
                    );
                    continue;
                }
                Err(error) if error.is_data() => {
                    self.reject(number, format!("the line is no row that is known: a field is missing, too many or of another type, near character {}", error.column()));
                    continue;
                }
                Err(error) => {
                    self.reject(
                        number,
                        format!("the line is no JSON from character {} on", error.column()),
                    );
                    continue;
                }
            };
            *self
                .found
                .entry(check::sort(&record).to_owned())
                .or_default() += 1;
            let Some(record) = self.rename.apply(record) else {
                self.report.skip("an account that the map makes yours");
                continue;
            };
            if matches!(record, Record::Rule(_)) && !self.unused && !self.options.with_rules {
                self.report
                    .skip("a standing rule; pass --with-rules to take rules too");
                continue;
            }
            return Ok(Some((number, record)));
        }
    }

    fn leave_out(&mut self, record: &Record) {
        match record {
            Record::Memory(memory) => self.left_out.insert(memory.id.clone()),
            Record::Entity(entity) => self.left_out.insert(entity.id.clone()),
            _ => false,
        };
    }

    fn take(
        &mut self,
        loader: &mut Loader<'_>,
        line: usize,
        record: &Record,
    ) -> Result<(), store::Error> {
        // Not while it is read: a batch is read before its rows are taken, and
        // a trial would tell otherwise.
        if check::refers_to(record)
            .iter()
            .any(|id| self.left_out.contains(*id))
        {
            self.leave_out(record);
            self.report.skip("said about what was left out");
            return Ok(());
        }
        if matches!(record, Record::Entity(entity) if self.gone.contains(&entity.id)) {
            self.leave_out(record);
            self.report.skip("a name of nothing but what was erased");
            return Ok(());
        }
        if let Err(why) = check::check(record, self.now) {
            self.leave_out(record);
            self.reject(line, why);
            return Ok(());
        }
        let load = loader.add(record)?;
        let sort = check::sort(record);
        match load {
            Load::Added | Load::Present => {
                match record {
                    Record::Memory(memory) => {
                        if let Some(successor) = &memory.superseded_by {
                            self.successors.push(Succession {
                                line,
                                is_memory: true,
                                is_added: load == Load::Added,
                                id: memory.id.clone(),
                                successor: successor.clone(),
                            });
                        }
                        if load == Load::Added {
                            self.report.imported += 1;
                            *self.report.by_kind.entry(memory.kind.clone()).or_default() += 1;
                            *self
                                .report
                                .by_scope
                                .entry(memory.scope.clone())
                                .or_default() += 1;
                        }
                    }
                    Record::Rule(rule) => {
                        if let Some(successor) = &rule.replaced {
                            self.successors.push(Succession {
                                line,
                                is_memory: false,
                                is_added: load == Load::Added,
                                id: rule.id.clone(),
                                successor: successor.clone(),
                            });
                        }
                    }
                    _ => {}
                }
                if load == Load::Added {
                    self.report.added(sort);
                } else {
                    self.report.skip("there already");
                }
            }
            Load::Refused(Refusal::Double) => {
                self.leave_out(record);
                self.report.skip("the text of a memory that is there");
            }
            Load::Refused(refusal) => {
                self.leave_out(record);
                let why = check::why(refusal);
                self.reject(line, why);
            }
        }
        Ok(())
    }

    /// Says what took whose place, now that all are there.
    fn succeed(&mut self, loader: &mut Loader<'_>) -> Result<(), store::Error> {
        for succession in std::mem::take(&mut self.successors) {
            let Succession {
                line,
                is_memory,
                is_added,
                id,
                successor,
            } = succession;
            if self.left_out.contains(&id) {
                continue;
            }
            let done = if is_memory {
                loader.succeed(&id, &successor)?
            } else {
                loader.replace(&id, &successor)?
            };
            if !done && is_added {
                self.reject(line, "its successor is not there, or leads back to it; the row was taken without one");
            }
        }
        Ok(())
    }

    fn everything(&mut self, loader: &mut Loader<'_>) -> Result<(), Trouble> {
        while let Some((line, record)) = self.next()? {
            self.take(loader, line, &record)?;
        }
        self.succeed(loader)?;
        Ok(())
    }

    fn only(&self) -> Option<&'i store::Caller> {
        (!self.unused).then_some(self.me)
    }

    /// Does everything in one transaction and undoes it.
    pub(super) fn rehearse(&mut self, memory: &Memory) -> Result<Report, Trouble> {
        let only = self.only();
        let undone = memory.with_store(|store| {
            Ok(store.load(only, text_key, |loader| -> Result<(), Undo> {
                Err(self
                    .everything(loader)
                    .map_or_else(Undo::Failed, |()| Undo::Done))
            }))
        })?;
        match undone {
            Ok(()) | Err(Undo::Done) => Ok(self.finish()),
            Err(Undo::Failed(trouble)) => Err(trouble),
        }
    }

    /// Fills an unused folder, as a whole or not at all.
    pub(super) fn at_once(&mut self, memory: &Memory) -> Result<Report, Trouble> {
        let only = self.only();
        let strict = self.options.strict;
        let done = memory.with_store(|store| {
            Ok(store.load(only, text_key, |loader| -> Result<(), Undo> {
                self.everything(loader).map_err(Undo::Failed)?;
                if strict && self.report.n_rejected > 0 {
                    return Err(Undo::Done);
                }
                Ok(())
            }))
        })?;
        match done {
            Ok(()) => Ok(self.finish()),
            Err(Undo::Done) => Ok(undone(self.finish())),
            Err(Undo::Failed(trouble)) => Err(trouble),
        }
    }

    /// Adds to a folder in use, some lines at a time.
    pub(super) fn by_and_by(&mut self, memory: &Memory) -> Result<Report, Trouble> {
        loop {
            let mut batch = Vec::with_capacity(BATCH);
            while batch.len() < BATCH {
                match self.next()? {
                    Some(next) => batch.push(next),
                    None => break,
                }
            }
            let is_last = batch.is_empty();
            let only = self.only();
            memory.with_store(|store| {
                store.load(only, text_key, |loader| -> Result<(), Trouble> {
                    for (line, record) in &batch {
                        self.take(loader, *line, record)?;
                    }
                    if is_last {
                        self.succeed(loader)?;
                    }
                    Ok(())
                })
            })?;
            if is_last {
                return Ok(self.finish());
            }
        }
    }

    fn finish(&mut self) -> Report {
        let mut report = std::mem::take(&mut self.report);
        for (sort, said) in &self.said {
            let found = self.found.get(sort).copied().unwrap_or(0);
            if found != *said {
                report.notes.push(format!(
                    "the first line says {said} rows of type {sort}, and there were {found}"
                ));
            }
        }
        report
    }
}
