//! Decides what becomes of each item: where it goes, whether it is there
//! already, what it takes the place of; and stores it.
//!
//! A rehearsal runs the very same code and undoes it, so that what it says is
//! what would be done.

mod admit;
mod gone;
mod graph;
mod places;

use std::collections::{BTreeMap, HashMap, HashSet};

use contract::types::Kind;
use store::{Append, MemoryRow, Metric, NewMemory, Provenance, ScopeKey, Visibility};

use admit::{fit, origin};
use places::{Targets, told_of_users};

use super::detect::Format;
use super::item::{Item, Parsed, Reject};
use super::{Options, Progress, Report, Trouble};
use crate::error::Error;
use crate::write_path::name_key;
use crate::{Memory, digest, guard, hints, text, usage, wire};

/// Items in one transaction: enough that the flush to the disk costs little,
/// few enough that a client beside it waits for tens of milliseconds only.
const BATCH: usize = 200;

/// Bytes of a phrase that a memory rests on.
const VERBATIM_BYTES: usize = 4_096;
/// Characters of a path that is kept.
const PATH_CHARACTERS: usize = 1_000;

/// Why an item is not stored.
enum Not {
    Skipped(&'static str),
    Rejected(String),
}

/// What is known across batches.
struct Keeping<'k> {
    memory: &'k Memory,
    options: &'k Options,
    hint: Option<&'k str>,
    now: i64,
    /// What an item is called in its source, and its memory.
    called: HashMap<String, i64>,
    /// Links whose other end may come later.
    links: Vec<Link>,
    /// Texts and names of this run, which a rehearsal does not find stored.
    texts: HashSet<(String, [u8; 32])>,
    names: HashMap<String, Version>,
    /// Names of things that were made in this run.
    named: HashSet<(ScopeKey, String)>,
    /// Names of what is there in a newer version than the source has.
    outdated: HashSet<String>,
    /// How much of what was stored others can read, by scope.
    shared: BTreeMap<String, usize>,
    /// What each name of the source stands for in the end, by its hash: a
    /// history holds older versions before it.
    current: HashMap<&'k str, &'k str>,
}

/// A version of a named item, and the text that it holds a place for.
struct Version {
    hash: String,
    text: (String, [u8; 32]),
}

struct Link {
    from: i64,
    relation: String,
    to: String,
}

/// Stores what was read, or says what that would do.
pub fn keep(
    memory: &Memory,
    parsed: Vec<(Format, Parsed)>,
    options: &Options,
    hint: Option<&str>,
    report: &mut Report,
    progress: Progress<'_>,
) -> Result<(), Trouble> {
    let mut keeping = Keeping {
        memory,
        options,
        hint,
        now: memory.now(),
        called: HashMap::new(),
        links: Vec::new(),
        texts: HashSet::new(),
        names: HashMap::new(),
        named: HashSet::new(),
        outdated: HashSet::new(),
        shared: BTreeMap::new(),
        current: parsed
            .iter()
            .flat_map(|(_, parsed)| &parsed.items)
            .filter_map(|item| Some((item.name.as_deref()?, item.hash.as_str())))
            .collect(),
    };
    if let Some(hint) = hint {
        guard::name("project", &hints::kept(hint)).map_err(Trouble::from)?;
    }
    for (_, parsed) in &parsed {
        report.notes.extend(parsed.notes.iter().cloned());
        parsed
            .rejects
            .iter()
            .for_each(|reject| report.reject(reject.clone()));
        for (why, n) in &parsed.skipped {
            *report.skipped.entry(why.clone()).or_default() += n;
        }
    }
    told_of_users(&parsed, options, report);
    if options.write {
        keeping.ask_first(&parsed, report)?;
    }
    let total = parsed.iter().map(|(_, parsed)| parsed.items.len()).sum();
    let mut done = 0;
    for (format, parsed) in &parsed {
        for batch in parsed.items.chunks(BATCH) {
            keeping.run(report, |keeping, view, report| {
                keeping.batch(view, *format, batch, report)
            })?;
            done += batch.len();
            progress(done, Some(total));
        }
        for batch in parsed.things.chunks(BATCH) {
            keeping.run(report, |keeping, view, report| {
                keeping.things(view, batch, report)
            })?;
        }
        for batch in parsed.relations.chunks(BATCH) {
            keeping.run(report, |keeping, view, report| {
                keeping.relations(view, batch, report)
            })?;
        }
    }
    let links = std::mem::take(&mut keeping.links);
    for batch in links.chunks(BATCH) {
        keeping.run(report, |keeping, view, report| {
            keeping.link(view, batch, report)
        })?;
    }
    keeping.retire_gone(&parsed, report)?;
    for (scope, n) in &keeping.shared {
        report.notes.push(format!(
            "{n} of these memories can be read by whoever is in {scope}, because what is new there is shared"
        ));
    }
    Ok(())
}

impl Keeping<'_> {
    /// Runs one transaction, which a rehearsal undoes.
    fn run(
        &mut self,
        report: &mut Report,
        body: impl FnOnce(&mut Self, &mut Append<'_>, &mut Report) -> Result<(), Error>,
    ) -> Result<(), Trouble> {
        let memory = self.memory;
        if self.options.write {
            memory.append_own(|view| body(self, view, report))?;
        } else {
            memory.rehearse(|view| body(self, view, report))?;
        }
        Ok(())
    }

    fn batch(
        &mut self,
        view: &mut Append<'_>,
        format: Format,
        batch: &[Item],
        report: &mut Report,
    ) -> Result<(), Error> {
        let targets = self.targets(view)?;
        let (mut n_added, mut n_loops) = (0, 0);
        for item in batch {
            match self.item(view, &targets, format, item, report)? {
                Ok(kind) => {
                    n_added += 1;
                    n_loops += usage::loops(kind).1;
                }
                Err(Not::Skipped(why)) => report.skip(why),
                Err(Not::Rejected(why)) => report.reject(Reject::at(&item.path, item.line, why)),
            }
        }
        let counts = vec![(Metric::Imported, n_added), (Metric::LoopsOpened, n_loops)];
        usage::count_write(self.memory, view, counts)
    }

    fn item(
        &mut self,
        view: &mut Append<'_>,
        targets: &Targets,
        format: Format,
        item: &Item,
        report: &mut Report,
    ) -> Result<Result<Kind, Not>, Error> {
        if let Err(not) = self.admit(item) {
            return Ok(Err(not));
        }
        let content = item.content.trim();
        let old = match self.former(view, item, content)? {
            Ok(old) => old,
            Err(not) => return Ok(Err(not)),
        };
        // A memory that was moved stays where its owner put it.
        let place = match &old {
            None => None,
            Some(row) => view
                .find_scope_by_key(row.scope)?
                .filter(|place| place.role.may_write()),
        };
        let scope = match place {
            Some(place) => place,
            None => match self.scope(view, targets, item)? {
                Ok(scope) => scope,
                Err(not) => return Ok(Err(not)),
            },
        };
        let kind = fit(item.kind.unwrap_or(Kind::Fact), scope.kind);
        let text_key = digest::sha256(&[&text::key(content)]);
        if let Some(row) = view.find_imported(scope.key, Some(&item.hash), &text_key)? {
            // What was superseded is only a former version, and its text may
            // come back under another name.
            let is_former = !row.is_live() && went_with_its_source(&row) && item.name.is_some();
            if !is_former {
                self.call(item, row.seq);
                let same_source = row.provenance.source_hash.as_deref() == Some(item.hash.as_str());
                return Ok(Err(Not::Skipped(there(&row, same_source))));
            }
        }
        let place_of_text = (scope.path.clone(), text_key);
        if !self.texts.insert(place_of_text.clone()) {
            return Ok(Err(Not::Skipped("the text of another item")));
        }
        let version = |text| Version {
            hash: item.hash.clone(),
            text,
        };
        let older = item
            .name
            .as_ref()
            .and_then(|name| self.names.insert(name.clone(), version(place_of_text)));
        let supersedes_in_run = older.is_some();
        // A later version may go back to this text.
        if let Some(older) = older {
            self.texts.remove(&older.text);
        }
        let moment = item
            .created_at
            .or(item.updated_at)
            .unwrap_or(self.now)
            .min(self.now);
        let author = item
            .author
            .as_ref()
            .map(|author| wire::beginning(author.trim(), 128));
        let provenance = Provenance {
            verbatim: item
                .verbatim
                .clone()
                .filter(|phrase| phrase.len() <= VERBATIM_BYTES),
            source_tool: Some(format.as_str().to_owned()),
            source_path: Some(wire::beginning(&item.path, PATH_CHARACTERS)),
            source_hash: Some(item.hash.clone()),
            scope_source: if self.options.into.is_some() {
                "explicit"
            } else {
                "hint"
            }
            .to_owned(),
            ..Provenance::default()
        };
        let visibility = match &old {
            Some(row) => row.visibility,
            None if item.is_private => Visibility::Private,
            None => scope.default_visibility,
        };
        let (seq, _) = view.add_memory(&NewMemory {
            scope: &scope,
            visibility,
            kind: &kind.to_string(),
            content,
            tokens: None,
            text_key: &text_key,
            author_kind: "import",
            agent: author.as_deref(),
            provenance: &provenance,
            created_at: moment,
            stored_at: self.now,
        })?;
        view.add_origin(seq, &origin(item, kind))?;
        self.anchor(view, seq, &scope, item)?;
        if let Some(old) = &old {
            view.supersede(old, seq, self.now)?;
        }
        if old.is_some() || supersedes_in_run {
            report.superseding += 1;
        }
        self.call(item, seq);
        for (relation, target) in &item.links {
            self.links.push(Link {
                from: seq,
                relation: super::item::relation_word(relation),
                to: target.clone(),
            });
        }
        if visibility == Visibility::Shared {
            *self.shared.entry(scope.path.clone()).or_default() += 1;
        }
        report.imported += 1;
        report.rule_candidates += usize::from(item.is_candidate);
        *report.by_kind.entry(kind.to_string()).or_default() += 1;
        *report.by_scope.entry(scope.path).or_default() += 1;
        Ok(Ok(kind))
    }

    /// Returns the live memory that an older version of an item became; an
    /// item that is there already is not stored again.
    fn former(
        &mut self,
        view: &Append<'_>,
        item: &Item,
        content: &str,
    ) -> Result<Result<Option<MemoryRow>, Not>, Error> {
        if let Some(id) = &item.own_id
            && let Some(row) = view
                .find_memory(&crate::ids::normalise(id))?
                .filter(|row| row.owned)
        {
            self.call(item, row.seq);
            if !row.is_served() {
                return Ok(Err(Not::Skipped("exported from here and retired since")));
            }
            if text::key(&row.content) == text::key(content) {
                return Ok(Err(Not::Skipped("exported from here and unchanged")));
            }
            return Ok(Ok(Some(row)));
        }
        let Some(name) = &item.name else {
            return Ok(Ok(None));
        };
        if self
            .names
            .get(name)
            .is_some_and(|version| version.hash == item.hash)
        {
            return Ok(Err(Not::Skipped("the same item of the same source")));
        }
        let newest = view.find_named_origin(name)?.filter(MemoryRow::is_served);
        if let Some(row) = view.find_same_origin(name, &item.hash)? {
            // A version that another one took the place of may come back: its
            // source says so. What a person retired stays away.
            let is_current = self.current.get(name.as_str()) == Some(&item.hash.as_str());
            let is_former = is_current
                && went_with_its_source(&row)
                && newest.as_ref().is_none_or(|newest| newest.seq != row.seq);
            if !is_former {
                self.call(item, row.seq);
                return Ok(Err(Not::Skipped(there(&row, true))));
            }
        }
        if let Some(newest) = &newest
            && let Some(at) = item.updated_at.or(item.created_at)
        {
            let origins = view.origins(&[newest.seq])?;
            let known = origins.first().and_then(|(_, origin)| origin.updated_at);
            if known.is_some_and(|known| at < known) {
                self.call(item, newest.seq);
                self.outdated.insert(name.clone());
                return Ok(Err(Not::Skipped("older than the version that is there")));
            }
        }
        Ok(Ok(newest))
    }

    /// Remembers what links of the source call a memory.
    fn call(&mut self, item: &Item, seq: i64) {
        for name in &item.called {
            self.called.entry(name_key(name)).or_insert(seq);
        }
    }
}

/// Returns whether a memory is out because its source said something else
/// then, and not because a person retired it.
fn went_with_its_source(row: &MemoryRow) -> bool {
    let reasons = [gone::REASON, crate::ended::REASON];
    let reason = row.retired_reason.as_deref();
    row.superseded_by.is_some() || reason.is_some_and(|reason| reasons.contains(&reason))
}

/// Returns why a memory that is there stands for an item.
fn there(row: &MemoryRow, same_source: bool) -> &'static str {
    match (row.is_served(), same_source) {
        (false, _) => "retired or closed since it was imported",
        (true, true) => "the same item of the same source",
        (true, false) => "the text of a memory that is there",
    }
}
