//! What the tools mean: scopes, threads, the write path, recall, briefings.
//!
//! Plain synchronous code over the store. Nothing here knows of a protocol, a
//! transport or SQL. A handler gets the call, a view of the store that its
//! tool's `access` allows, and its input; one handler is one file in `tools/`.
//!
//! # Decisions that the contract leaves open
//!
//! **Targets.** A write goes to its explicit scope, else the project of its
//! hint, else that of its live thread, else that of its session; otherwise it
//! is refused. A path `proj.<own handle>.<slug>` that does not exist is made
//! by a write; any other unknown path is hidden. A hint beside an explicit
//! scope makes nothing, unless the kind does not fit and goes to the project.
//!
//! **Hints.** A git remote is bound to one project for ever. If the caller has
//! exactly one project of that name and no remote leads to it, the remote is
//! bound to it; otherwise a new project is made, and when the name is taken
//! its slug gets four base 32 digits that follow from the remote. A folder
//! whose name is that of exactly one visible project is bound to it. A bare
//! name only finds what exists; so does the full path of a project. Reads bind
//! and make nothing, and take a hint that leads nowhere as absent.
//!
//! **Sessions and threads.** A session attaches to the project it was started
//! with, or to the first one that a hint or a thread of a call pins. It keeps
//! one thread per project. Every other call that pins a project and echoes no
//! live token gets a new thread. What a write pins takes effect once the write
//! is on disk. Bookkeeping that fails is logged and never fails a call.
//!
//! **Duplicates.** Same owner, scope and text, compared after composition,
//! line ends and trimming; case counts. A retired memory is no duplicate, and
//! neither is a closed loop: a task that is asked for again is open again.
//! Links and entities of a call that meets a duplicate apply to the existing
//! memory. A duplicate that the same call supersedes is none: that is how a
//! kind is corrected.
//!
//! **Links.** Links to retired memories are refused (`conflict`), whatever
//! their type. Read from its far end, `contradicts` and `relates_to` keep their
//! name, `supersedes` is `superseded_by`, and any other is `inverse_of_<type>`.
//!
//! **Order.** Recall cuts the lexical order in windows of 200 and ranks each
//! one by fused score, kind, age and links. A cursor carries the numbers that
//! the first page was cut from, so later additions and links do not move a
//! page; a memory that is retired meanwhile moves those behind it up by one.
//!
//! **Owners.** Only the owner shares, moves, restores and promotes. What is
//! shared or moved takes its names along, as far as its owner could see them,
//! and leaves those of the old scope behind; links, disputes and successors
//! stay as they are. Two memories of one owner with one text never end up in
//! one scope: the later call is refused (`conflict`), and moving says so per
//! id. A moved memory keeps its visibility, but is private in a scope that
//! nobody else can be in. A project that a move asks for is made for the first
//! memory that can move. Restoring what was superseded leaves the successor
//! live and the row of successors in the history; a shared memory comes back
//! only where its owner may still write.
//!
//! **Disputes.** A pending dispute rests while too few of its memories are
//! served, a challenge's one and two of any other: it marks nothing and is not
//! listed, but can be read and settled by its id, and a restored memory wakes
//! it. What was settled otherwise than keep_both may be raised again once the
//! loser is restored. A memory is never kept at the price of one that others
//! read if they could not read what stays.
//!
//! **History.** What happened to a memory before it was last shared or moved
//! is told to its owner only.
//!
//! **Rules.** A memory carries one rule at a time, and the rule holds while
//! the memory is served: forgetting or superseding it ends the rule, restoring
//! brings it back, and a successor is no rule until a person promotes it. A
//! rule of a project is read by its members where new memories are shared, or
//! where its memory is. Personal rules hold wherever a briefing looks. When a
//! memory leaves the project that its rule holds in, a rule for members ends,
//! for nobody made it for those elsewhere; one for the owner alone goes along
//! to another project, and ends in personal and core, where it would hold
//! everywhere. Coming back revives none. A rule that holds elsewhere stays.
//!
//! **Audience.** A memory gets the default visibility of its scope. Private
//! rows in a shared scope are its owner's alone, and so are the names that
//! only they are anchored to.

mod briefing;
mod call;
mod clock;
mod cursor;
mod digest;
mod disputes;
mod error;
mod guard;
mod hints;
mod hygiene;
mod ids;
mod owned;
mod rank;
mod recall;
mod resources;
mod routing;
mod scopes;
mod secrets;
mod text;
mod threads;
mod tools;
mod usage;
mod wire;
mod write_path;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use contract::Views;
use store::{Caller, Store};

pub use call::{Call, ClientInfo, Session};
pub use clock::Clock;

use error::Error;

/// How a memory is opened.
#[derive(Clone, Debug)]
pub struct MemoryOptions {
    /// Handle of the owner, used when the data folder is first made. What is
    /// no label of `[a-z0-9_]` is made one: it stands in scope paths.
    pub handle: String,
}

/// The memory of a data folder, on behalf of one account.
///
/// Making one is cheap: the folder is opened by the first call. Clones share
/// what is open.
#[derive(Clone)]
pub struct Memory {
    shared: Arc<Shared>,
    account: Account,
}

struct Shared {
    dir: PathBuf,
    clock: Clock,
    store: Mutex<Option<Arc<Store>>>,
    /// The account of the last call, looked up once.
    caller: Mutex<Option<(Account, Caller)>>,
}

/// On whose behalf calls are made.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Account {
    /// The owner of a folder that serves one person; made with this handle.
    Owner(String),
    /// The account with this handle.
    Named(String),
}

impl Memory {
    /// Returns the memory of a data folder on behalf of its owner.
    pub fn new(dir: PathBuf, options: MemoryOptions) -> Self {
        Self::with_clock(dir, options, clock::system())
    }

    /// The same with another clock.
    pub fn with_clock(dir: PathBuf, options: MemoryOptions, clock: Clock) -> Self {
        Self {
            shared: Arc::new(Shared {
                dir,
                clock,
                store: Mutex::new(None),
                caller: Mutex::new(None),
            }),
            account: Account::Owner(label(&options.handle)),
        }
    }

    /// Returns the same memory on behalf of the account with a handle, which
    /// is made when there is none.
    #[must_use]
    pub fn for_account(&self, handle: &str) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            account: Account::Named(label(handle)),
        }
    }

    /// Opens the files now, before the first call needs them.
    pub fn open(&self) -> Result<(), contract::Error> {
        self.read(&Call::default(), |_| Ok(()))
    }

    /// Lets go of the files; calls that still run finish first. A later call
    /// opens them again.
    pub fn close(&self) {
        self.shared
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.shared
            .caller
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    pub(crate) fn now(&self) -> i64 {
        (self.shared.clock)()
    }

    /// Returns the moment so many seconds ago, as RFC 3339.
    pub fn moment_ago(&self, seconds: u32) -> String {
        clock::rfc3339(
            self.now()
                .saturating_sub(i64::from(seconds) * clock::SECOND_MS),
        )
    }

    /// Returns the store, opening it if this is the first call.
    pub(crate) fn store(&self) -> Result<Arc<Store>, Error> {
        let mut open = self
            .shared
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = open.as_ref() {
            return Ok(Arc::clone(store));
        }
        let store = Arc::new(Store::open(&self.shared.dir, tokenise)?);
        *open = Some(Arc::clone(&store));
        Ok(store)
    }

    /// Returns the store and the account if both are at hand: never waits for
    /// a store that is being opened.
    pub(crate) fn at_hand(&self) -> Option<(Arc<Store>, Caller)> {
        let store = self.shared.store.try_lock().ok()?.clone()?;
        let known = self.shared.caller.try_lock().ok()?.clone();
        let (account, caller) = known?;
        (account == self.account).then_some((store, caller))
    }

    /// Returns the account on whose behalf calls are made.
    pub(crate) fn caller(&self, store: &Store) -> Result<Caller, Error> {
        let mut known = self
            .shared
            .caller
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((account, caller)) = known.as_ref()
            && *account == self.account
        {
            return Ok(caller.clone());
        }
        let caller = match &self.account {
            Account::Owner(handle) => store.get_or_create_owner(handle, self.now())?,
            Account::Named(handle) => store.get_or_create_account(handle, self.now())?,
        };
        *known = Some((self.account.clone(), caller.clone()));
        Ok(caller)
    }
}

impl Views for Memory {
    type Call = Call;
    type Read<'v> = store::Read<'v>;
    type Append<'v> = store::Append<'v>;
    type Write<'v> = store::Write<'v>;

    fn read<R>(
        &self,
        _call: &Call,
        body: impl FnOnce(&mut store::Read<'_>) -> Result<R, contract::Error>,
    ) -> Result<R, contract::Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        Ok(store.read(&caller, |view| body(view).map_err(Error::Answer))?)
    }

    fn append<R>(
        &self,
        _call: &Call,
        body: impl FnOnce(&mut store::Append<'_>) -> Result<R, contract::Error>,
    ) -> Result<R, contract::Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        Ok(store.append(&caller, |view| body(view).map_err(Error::Answer))?)
    }

    fn write<R>(
        &self,
        _call: &Call,
        body: impl FnOnce(&mut store::Write<'_>) -> Result<R, contract::Error>,
    ) -> Result<R, contract::Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        Ok(store.write(&caller, |view| body(view).map_err(Error::Answer))?)
    }
}

/// Returns a handle as a label.
fn label(handle: &str) -> String {
    hints::slug(handle).unwrap_or_else(|| "me".to_owned())
}

/// Cuts a text into the words of the index.
fn tokenise(text: &str) -> String {
    text::index_tokens(text).join(" ")
}
