//! Keeps memories in SQLite, and is the only crate that knows SQL.
//!
//! Two files stand in the data folder: `memory.db` holds everything that is
//! someone's memory, `bookkeeping.db` what the server notes for itself (which
//! project a conversation works in, how often what is done). Each is at a version of an append-only
//! list of migrations; a file of a newer program, of another program, or a
//! damaged one is refused and left as it is.
//!
//! # The map
//!
//! | module | holds |
//! |---|---|
//! | `open`, `migrate` | opening a file, versions |
//! | `writer`, `readers` | group commit; snapshots on read-only connections |
//! | `checkpoints`, `stop` | keeping the log short; when a call has to stop |
//! | `limited` | a folder that can only be read |
//! | `views` | `Read`, `Append`, `Write`: what a closure may do |
//! | `accounts`, `scopes` | who there is; where memories live, members, hints |
//! | `memories`, `lists`, `lifecycle`, `audience`, `history` | rows, one and many; what happens to them; who reads them; the record of it |
//! | `links`, `entities`, `disputes`, `rules` | what is said about memories |
//! | `erase` | single memories or everything of an account, without a trace; the ledger of it |
//! | `origin` | what another program said of an imported memory |
//! | `dump`, `load` | every row as a record, and back |
//! | `foreign` | tables of other programs' files, read within bounds |
//! | `backup` | copies of the memory file while it is written to, and the way back |
//! | `health` | what is wrong with a folder, found without touching it |
//! | `index`, `postponed`, `search`, `alike`, `rarity` | full text: keeping it, once a commit, asking it |
//! | `threads`, `usage` | the bookkeeping file |
//!
//! # Who may read what
//!
//! A row is visible to its owner, and, when it is shared, to the owner and
//! the members of its scope. Every query takes the caller from its view, and
//! the predicate stands in the SQL (`visible!`, `readable!`). Lists and
//! searches walk *partitions*: a partition is one audience, either the shared
//! rows of a scope or one person's private rows in it, and a [`Reach`] names
//! the partitions that one caller may read. Absent and hidden are both `None`.
//!
//! # Writing
//!
//! [`Store::append`] and [`Store::write`] return `Ok` after the commit, and
//! leave nothing behind otherwise. Calls that arrive together share a commit.
//! A closure runs on the thread of its caller while the writing connection is
//! held, so it must not write through the store again, nor wait for anything slow.
//!
//! What a view does not offer does not compile. A handler that reads and
//! stores, or forgets:
//!
//! ```compile_fail,E0599
//! fn handler(view: &mut store::Read<'_>, old: &store::MemoryRow) -> Result<bool, store::Error> {
//!     view.restore(old, 0)
//! }
//! ```
//!
//! ```compile_fail,E0308
//! fn handler(view: &mut store::Read<'_>, old: &store::MemoryRow) -> Result<bool, store::Error> {
//!     fn writes(view: &mut store::Write<'_>, old: &store::MemoryRow) -> Result<bool, store::Error> {
//!         view.retire(old, None, 0)
//!     }
//!     writes(view, old)
//! }
//! ```
//!
//! A handler that adds and forgets, or shares:
//!
//! ```compile_fail,E0599
//! fn handler(view: &mut store::Append<'_>, old: &store::MemoryRow) -> Result<bool, store::Error> {
//!     view.retire(old, None, 0)
//! }
//! ```
//!
//! ```compile_fail,E0599
//! fn handler(
//!     view: &mut store::Append<'_>,
//!     old: &store::MemoryRow,
//!     scope: &store::ScopeRow,
//! ) -> Result<bool, store::Error> {
//!     view.share(old, scope, 0)
//! }
//! ```
//!
//! The same calls on the views that offer them:
//!
//! ```
//! fn adds(view: &mut store::Append<'_>, old: &store::MemoryRow) -> Result<bool, store::Error> {
//!     view.restore(old, 0)
//! }
//! fn writes(
//!     view: &mut store::Write<'_>,
//!     old: &store::MemoryRow,
//!     scope: &store::ScopeRow,
//! ) -> Result<bool, store::Error> {
//!     Ok(view.retire(old, None, 0)? || view.share(old, scope, 0)?)
//! }
//! ```
//!
//! # Full text
//!
//! The caller of [`Store::open`] brings the function that cuts a text into
//! words; this crate indexes what it returns. Beside the words of an episode
//! stand those of the episodes next to it in the same thread and partition, in
//! a column that weighs less. The row number of an index entry says its partition,
//! memory and length, so that a search reads only the postings of its caller's
//! partitions and scores them without looking anything up.

mod accounts;
mod alike;
mod audience;
mod backup;
mod checkpoints;
mod disputes;
pub mod dump;
mod entities;
mod erase;
mod error;
mod foreign;
mod health;
mod history;
pub mod ids;
mod index;
#[cfg(feature = "inspect")]
pub mod inspect;
mod lifecycle;
mod limited;
mod links;
mod lists;
mod load;
mod memories;
mod migrate;
mod open;
mod origin;
mod postponed;
mod rarity;
mod readers;
mod rules;
mod scopes;
mod search;
mod sql;
mod stop;
mod threads;
mod usage;
mod views;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use accounts::Caller;
pub use backup::{
    BackupFacts, BackupRow, IsWhole, Restored, abandon_backup, backup, begin_backup, forget_backup,
    is_under_way, known_backups, lay_ledger, note_backup, restore, verify as verify_backup,
};
pub use disputes::{Cause, Dispute, DisputeRow, DisputeStatus, NewDispute, SideRow, Together};
pub use entities::{AnchorRow, EdgeRow, EntityRow, EntityUse};
pub use erase::{DataFile, Erased, ErasedWith, LEDGER_FILE, Ledger, LedgerEntry, data_files};
pub use error::Error;
pub use foreign::{ForeignFile, Value};
pub use health::{Finding, Severity, examine};
pub use history::{Event, HistoryRow, VersionRow};
pub use links::{Direction, LinkRow, Neighbour};
pub use lists::{Stub, Summary};
pub use load::{Load, Loader, Refusal};
pub use memories::{MemoryRow, NewMemory, Provenance};
pub use open::{Upkeep, is_mark, waits_for_upkeep};
pub use origin::{Origin, PART};
pub use rules::{NewRule, RuleRow};
pub use scopes::{HintKind, Role, ScopeKey, ScopeKind, ScopeRow, ScopeUse, Visibility};
pub use search::{Corpus, Found, Hit, Reach};
pub use stop::{Stop, Why};
pub use threads::ThreadRow;
pub use usage::{DayCount, Metric};
use views::Traces;
pub use views::{Append, Read, Write};
pub use writer::Commits;

/// Cuts a text into the words to index, joined by single blanks.
///
/// The same function must cut queries. A change of what it returns needs the
/// index rebuilt.
pub type Tokenise = fn(&str) -> String;

/// An open data folder.
///
/// Any number of threads may use one, and any number of processes may have
/// the same folder open.
pub struct Store {
    dir: PathBuf,
    readers: readers::Readers,
    checkpoints: Option<checkpoints::Checkpoints>,
    /// Absent in a folder that can only be read. Dropped after the readers:
    /// the last connection that closes cuts the log, and a reader cannot.
    writer: Option<Arc<writer::Writer>>,
    threads: threads::Threads,
    rarity: rarity::Rarity,
    tokenise: Tokenise,
    tightened: Vec<String>,
}

impl Store {
    /// Opens the data folder, making it and its files if they are not there.
    pub fn open(dir: &Path, tokenise: Tokenise) -> Result<Self, Error> {
        Self::open_with(dir, tokenise, Upkeep::Done)
    }

    /// The same, which may leave the upkeep of the folder to others.
    pub fn open_with(dir: &Path, tokenise: Tokenise, upkeep: Upkeep) -> Result<Self, Error> {
        open::folder(dir)?;
        let tightened = open::own_folder(dir)?;
        let path = dir.join("memory.db");
        let is_left = upkeep == Upkeep::Left;
        if is_left {
            open::only_newest(&path, &open::MEMORY)?;
        }
        let present = stop::Present::default();
        let opened = open::writer_for(&path, &open::MEMORY, &present);
        let opened = opened.and_then(|mut conn| {
            // Before anybody reads: an older copy of the file may have come back.
            erase::replay(&conn, dir, tokenise)?;
            if !is_left {
                open::scrub_if_due(&mut conn, dir, &present)?;
            }
            Ok(conn)
        });
        let writer = match opened {
            Ok(conn) => Some(Arc::new(writer::Writer::new(conn, present))),
            Err(error) if limited::is_denied(&error) => {
                // What stands there may still be worth reading.
                match limited::readable(&path, &open::MEMORY) {
                    Ok(()) => None,
                    Err(cause) if limited::is_denied(&cause) => return Err(error.of_folder()),
                    Err(cause) => return Err(cause),
                }
            }
            Err(error) => return Err(error),
        };
        let threads = if writer.is_some() {
            threads::Threads::open(&dir.join("bookkeeping.db")).map_err(Error::of_bookkeeping)?
        } else {
            threads::Threads::unwritten()?
        };
        Ok(Self {
            dir: dir.to_owned(),
            readers: readers::Readers::new(path.clone(), writer.is_none()),
            checkpoints: writer
                .clone()
                .map(|writer| checkpoints::Checkpoints::new(path, writer)),
            writer,
            threads,
            rarity: rarity::Rarity::default(),
            tokenise,
            tightened,
        })
    }

    /// Returns the names of files that others could read until this store was
    /// opened; `.` is the folder itself.
    pub fn tightened(&self) -> &[String] {
        &self.tightened
    }

    /// Returns whether the folder can only be read.
    pub fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    /// Returns how many transactions were committed here, and how many calls
    /// shared them.
    pub fn commits(&self) -> Commits {
        self.writer
            .as_ref()
            .map_or_else(Commits::default, |writer| writer.commits())
    }

    fn note_commit(&self) {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.note();
        }
    }

    /// Returns what writes, where anything can.
    pub(crate) fn writer(&self) -> Result<&writer::Writer, Error> {
        self.writer.as_deref().ok_or(Error::ReadOnly)
    }

    /// Runs `look` on one snapshot, with a view that cannot write.
    pub fn read<R, E: From<Error>>(
        &self,
        caller: &Caller,
        look: impl FnOnce(&mut Read<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        self.read_until(&Stop::default(), caller, look)
    }

    /// The same, until the call has to stop: then also in the middle of a query.
    pub fn read_until<R, E: From<Error>>(
        &self,
        stop: &Stop,
        caller: &Caller,
        look: impl FnOnce(&mut Read<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        self.readers.run_until(stop, |conn| {
            let mut view = Read::new(conn, caller);
            view.until(stop);
            view.know(&self.rarity);
            view.admit()?;
            look(&mut view)
        })
    }

    /// Runs `work` with a view that can add; `Ok` means that it is on disk.
    pub fn append<R, E: From<Error>>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&mut Append<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        self.append_until(&Stop::default(), caller, work)
    }

    /// The same, until the call has to stop: then nothing of it is stored.
    pub fn append_until<R, E: From<Error>>(
        &self,
        stop: &Stop,
        caller: &Caller,
        work: impl FnOnce(&mut Append<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        let (result, after) = self.writer()?.run_until(stop, |conn, postponed| {
            let mut view = Append::new(conn, caller, self.tokenise);
            view.postpone(postponed);
            view.until(stop);
            view.know(&self.rarity);
            view.admit()?;
            let result = work(&mut view)?;
            Ok::<_, E>((result, view.into_after()))
        })?;
        self.note_commit();
        after.into_iter().for_each(|action| action());
        Ok(result)
    }

    /// Runs `work` with a view that can do everything; `Ok` means that it is
    /// on disk.
    pub fn write<R, E: From<Error>>(
        &self,
        caller: &Caller,
        work: impl FnOnce(&mut Write<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        self.write_until(&Stop::default(), caller, work)
    }

    /// The same, until the call has to stop: then nothing of it is stored.
    pub fn write_until<R, E: From<Error>>(
        &self,
        stop: &Stop,
        caller: &Caller,
        work: impl FnOnce(&mut Write<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        let (result, traces, after) = self.writer()?.run_until(stop, |conn, postponed| {
            let mut view = Write::new(conn, caller, self.tokenise);
            view.postpone(postponed);
            view.until(stop);
            view.know(&self.rarity);
            view.admit()?;
            let result = work(&mut view)?;
            Ok::<_, E>((result, view.traces, view.into_after()))
        })?;
        match traces {
            Traces::Nothing => {}
            // Whoever erases single memories asks whether this came to its
            // end; what did not is done later.
            Traces::Memories => drop(self.finish_erasure()),
            Traces::Account => {
                self.threads.forget_account(caller)?;
                if !self.finish_erasure()? {
                    return Err(E::from(Error::Busy));
                }
            }
        }
        self.note_commit();
        after.into_iter().for_each(|action| action());
        Ok(result)
    }
}
