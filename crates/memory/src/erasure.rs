//! Erases memories for ever, and proves it.
//!
//! The store takes the rows out and rewrites its file; what is proven here is
//! proven on the bytes: pieces of the erased texts are looked for in every
//! file of the data folder.

mod scan;

use contract::types::{ByteScan, EraseRequest, Erasure};
use store::{Caller, ErasedWith, Store, Write};

use crate::error::Error;
use crate::{Call, Memory, clock, ids};
use scan::Needles;

/// What a request comes to once its ids are looked up.
struct Plan {
    seqs: Vec<i64>,
    ids: Vec<String>,
    erased_before: Vec<String>,
    needles: Needles,
}

/// How a dry run ends its transaction: with what it saw, and nothing kept.
enum Stop {
    Seen(Box<(Plan, ErasedWith)>),
    Failed(Error),
}

impl From<store::Error> for Stop {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Memory {
    /// Erases memories of the caller's, all or none; a dry run counts only.
    pub fn erase(&self, _call: &Call, request: &EraseRequest) -> Result<Erasure, contract::Error> {
        Ok(self.erase_or_count(request)?)
    }

    /// The same, told in this crate's own errors.
    pub(crate) fn erase_or_count(&self, request: &EraseRequest) -> Result<Erasure, Error> {
        let (store, caller) = self.whole()?;
        let dry_run = request.dry_run.unwrap_or_default();
        let now = self.now();
        // What cannot be told about backups afterwards is told before anything
        // is gone.
        older_backups(&store, now)?;
        let mut until = now;
        let outcome = store.write::<_, Stop>(&caller, |view| {
            let plan = plan(view, &request.memory_ids)?;
            let gone = if plan.seqs.is_empty() {
                ErasedWith::default()
            } else {
                view.erase_memories(&plan.seqs, now)?
            };
            // What is copied from now on does not hold them; the turn to write
            // may have been long in coming.
            until = self.now();
            if dry_run {
                Err(Stop::Seen(Box::new((plan, gone))))
            } else {
                Ok((plan, gone))
            }
        });
        let (plan, gone) = match outcome {
            Ok(done) => done,
            Err(Stop::Seen(seen)) => *seen,
            Err(Stop::Failed(error)) => return Err(error),
        };
        let (is_done, scan) = if dry_run {
            (false, nothing_read(&plan.needles))
        } else {
            self.prove(&store, &caller, &plan)?
        };
        let n_older = older_backups(&store, until)?;
        Ok(Erasure {
            dry_run,
            erased_at: clock::rfc3339(now),
            memory_ids: plan.ids,
            erased_before: plan.erased_before,
            history: gone.history,
            links: gone.links,
            entities: gone.entities,
            rules: gone.rules,
            disputes: gone.disputes,
            scrub: if is_done { "done" } else { "pending" }.to_owned(),
            scan,
            older_backups: n_older,
        })
    }

    /// Ends what an erasure left undone, if it did, and looks at the bytes.
    fn prove(
        &self,
        store: &Store,
        _caller: &Caller,
        plan: &Plan,
    ) -> Result<(bool, ByteScan), Error> {
        if store.scrub_is_due()? && !(plan.seqs.is_empty() && store.finish_erasure()?) {
            return Ok((false, nothing_read(&plan.needles)));
        }
        // The bytes are proof; a file that cannot be read proves nothing.
        let scan = scan::files(self.dir(), &plan.needles)
            .map_err(|error| Error::Store(store::Error::Folder(error)))?;
        let mut n_found = 0;
        for piece in &scan.found {
            let is_held = store.holds(piece)?
                || std::str::from_utf8(piece)
                    .ok()
                    .filter(|word| !word.contains(char::is_whitespace))
                    .is_some_and(|word| store.holds_word(word).unwrap_or(false));
            n_found += i64::from(!is_held);
        }
        Ok((
            true,
            ByteScan {
                files: scan.n_files,
                bytes: scan.n_bytes,
                needles: plan.needles.count(),
                too_short: plan.needles.n_too_short(),
                found: n_found,
            },
        ))
    }

    /// Ends erasures that are on disk and whose bytes are not yet gone.
    /// Returns false while somebody still stands in the way.
    pub fn finish_erasures(&self) -> Result<bool, contract::Error> {
        Ok(self.finish_if_due()?)
    }

    /// The same, told in this crate's own errors.
    pub(crate) fn finish_if_due(&self) -> Result<bool, Error> {
        let (store, _) = self.whole()?;
        Ok(!store.scrub_is_due()? || store.finish_erasure()?)
    }

    /// The same for a process that looks from time to time: opens nothing, and
    /// keeps nobody waiting for long.
    pub fn retry_erasures(&self) -> Result<bool, contract::Error> {
        Ok(self.retry_if_due()?)
    }

    /// The same, told in this crate's own errors.
    pub(crate) fn retry_if_due(&self) -> Result<bool, Error> {
        let Some(store) = self.whole_if_open() else {
            return Ok(true);
        };
        // A folder that can only be read is mended by who can write to it.
        Ok(store.is_read_only() || !store.scrub_is_due()? || store.retry_erasure()?)
    }
}

fn plan(view: &mut Write<'_>, wanted: &[String]) -> Result<Plan, Error> {
    let (mut seqs, mut found, mut erased_before) = (Vec::new(), Vec::new(), Vec::new());
    for id in wanted {
        let id = ids::normalise(id);
        if found.contains(&id) || erased_before.contains(&id) {
            continue;
        }
        match view.find_memory(&id)? {
            Some(row) if row.owned => {
                seqs.push(row.seq);
                found.push(id);
            }
            Some(_) => return Err(Error::NotOwner(id)),
            None if view.erased_at(&id)?.is_some() => erased_before.push(id),
            None => return Err(Error::Hidden { what: "memory", id }),
        }
    }
    let needles = Needles::of(&view.texts_that_go(&seqs)?);
    Ok(Plan {
        seqs,
        ids: found,
        erased_before,
        needles,
    })
}

fn nothing_read(needles: &Needles) -> ByteScan {
    ByteScan {
        files: 0,
        bytes: 0,
        needles: needles.count(),
        too_short: needles.n_too_short(),
        found: 0,
    }
}

/// Counts the backups that are still there, or on their way, and were begun no
/// later than a moment.
fn older_backups(store: &Store, at: i64) -> Result<i64, Error> {
    let rows = store.backups()?;
    let n = rows
        .iter()
        .filter(|row| row.at <= at && row.is_there())
        .count();
    Ok(i64::try_from(n).unwrap_or(i64::MAX))
}
