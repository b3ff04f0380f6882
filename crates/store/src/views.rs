//! What a closure gets to work with: `Read`, `Append`, `Write`.
//!
//! Each view carries its caller, and every query takes the caller from there:
//! there is no way to name another. `Append` can do all that `Read` can, and
//! `Write` all that `Append` can.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

use rusqlite::{Connection, named_params};

use crate::Tokenise;
use crate::accounts::Caller;
use crate::error::Error;
use crate::postponed::Postponed;
use crate::rarity::Rarity;
use crate::stop::Stop;

/// Looks, and cannot change anything: outside of a write, its connection was
/// opened so that SQLite itself refuses.
pub struct Read<'v> {
    pub(crate) conn: &'v Connection,
    pub(crate) caller: &'v Caller,
    stop: Option<&'v Stop>,
    /// What the full-text index does not hold yet; nothing on a connection
    /// that only reads, or whose changes are written at once.
    pub(crate) postponed: Option<&'v Postponed>,
    /// How rare words are, where that is known.
    pub(crate) rarity: Option<&'v Rarity>,
    /// Scopes that were looked into or written to, by key.
    touched: RefCell<BTreeSet<i64>>,
}

/// Adds: rows, links, successors, closings. Takes nothing away.
pub struct Append<'v> {
    read: Read<'v>,
    pub(crate) tokenise: Tokenise,
    after: Vec<AfterCommit>,
}

/// Something to do once the work is on disk.
pub(crate) type AfterCommit = Box<dyn FnOnce() + Send>;

/// Does everything, retiring without a successor included.
pub struct Write<'v> {
    append: Append<'v>,
    /// What the files may hold no trace of once the work is done.
    pub(crate) traces: Traces,
}

/// What was erased, of which the files may hold no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traces {
    /// Nothing was erased.
    Nothing,
    /// Single memories.
    Memories,
    /// The account of the caller, with what the bookkeeping notes of it.
    Account,
}

impl<'v> Read<'v> {
    pub(crate) fn new(conn: &'v Connection, caller: &'v Caller) -> Self {
        Self {
            conn,
            caller,
            stop: None,
            postponed: None,
            rarity: None,
            touched: RefCell::default(),
        }
    }

    /// Has every query refused once the call should stop.
    pub(crate) fn until(&mut self, stop: &'v Stop) {
        self.stop = Some(stop);
    }

    /// Tells the view how rare words were when they were last looked for.
    pub(crate) fn know(&mut self, rarity: &'v Rarity) {
        self.rarity = Some(rarity);
    }

    /// Has changes of the full-text index wait for the end of the transaction.
    pub(crate) fn postpone(&mut self, postponed: &'v Postponed) {
        self.postponed = Some(postponed);
    }

    /// Brings the full-text index up to date, for whoever asks it on this
    /// connection.
    pub(crate) fn catch_up(&self) -> Result<(), Error> {
        self.postponed
            .map_or(Ok(()), |postponed| postponed.settle(self.conn))
            .map_err(Error::from)
    }

    /// Refuses to go on when the call should stop.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.stop.map_or(Ok(()), Stop::check)
    }

    /// Notes that a scope is looked into or written to.
    pub(crate) fn touch(&self, scope: i64) {
        self.touched.borrow_mut().insert(scope);
    }

    /// Returns how many scopes were looked into or written to.
    pub fn n_scopes(&self) -> usize {
        self.touched.borrow().len()
    }

    /// Refuses an account that was erased since it was looked up.
    pub(crate) fn admit(&self) -> Result<(), Error> {
        let alive = self.find(
            "SELECT 1 FROM account WHERE key = :me AND erased_at IS NULL",
            named_params! {":me": self.caller.key},
            |_| Ok(()),
        )?;
        alive.ok_or(Error::Erased)
    }

    /// Returns on whose behalf this view reads.
    pub fn caller(&self) -> &Caller {
        self.caller
    }
}

impl<'v> Append<'v> {
    pub(crate) fn new(conn: &'v Connection, caller: &'v Caller, tokenise: Tokenise) -> Self {
        Self {
            read: Read::new(conn, caller),
            tokenise,
            after: Vec::new(),
        }
    }

    /// Has something done once the work of this view is on disk, and not at
    /// all if it does not get there.
    pub fn after_commit(&mut self, action: impl FnOnce() + Send + 'static) {
        self.after.push(Box::new(action));
    }

    pub(crate) fn into_after(self) -> Vec<AfterCommit> {
        self.after
    }
}

impl<'v> Write<'v> {
    pub(crate) fn new(conn: &'v Connection, caller: &'v Caller, tokenise: Tokenise) -> Self {
        Self {
            append: Append::new(conn, caller, tokenise),
            traces: Traces::Nothing,
        }
    }

    pub(crate) fn into_after(self) -> Vec<AfterCommit> {
        self.append.into_after()
    }
}

impl<'v> Deref for Append<'v> {
    type Target = Read<'v>;

    fn deref(&self) -> &Read<'v> {
        &self.read
    }
}

impl<'v> DerefMut for Append<'v> {
    fn deref_mut(&mut self) -> &mut Read<'v> {
        &mut self.read
    }
}

impl<'v> Deref for Write<'v> {
    type Target = Append<'v>;

    fn deref(&self) -> &Append<'v> {
        &self.append
    }
}

impl<'v> DerefMut for Write<'v> {
    fn deref_mut(&mut self) -> &mut Append<'v> {
        &mut self.append
    }
}
