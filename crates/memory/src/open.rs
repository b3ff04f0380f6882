//! The open store, which nothing outside this module reaches.
//!
//! [`Memory`] hands out views, and is what a server holds. A handler gets a
//! [`Keeper`] instead: `store` is private here, so what is not offered by its
//! view or its bookkeeping does not compile.

use std::convert::Infallible;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use contract::Views;
use store::{Caller, Commits, Store, Upkeep};

use crate::clock::{self, Clock};
use crate::error::Error;
use crate::import::Trouble;
use crate::write_path::{Foreseen, RecentWords};
use crate::{Call, ended, hints, text};

mod bookkeeping;
mod views;

pub(crate) use bookkeeping::Bookkeeping;

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
    keeper: Keeper,
}

/// What a handler may reach beside its view: the time and the bookkeeping.
#[derive(Clone)]
pub struct Keeper {
    shared: Arc<Shared>,
    account: Account,
    /// What the present call found out before it got its view.
    foreseen: Arc<Mutex<Option<Foreseen>>>,
}

impl Deref for Memory {
    type Target = Keeper;

    fn deref(&self) -> &Keeper {
        &self.keeper
    }
}

struct Shared {
    dir: PathBuf,
    clock: Clock,
    /// What becomes of the upkeep when the folder is opened.
    upkeep: Upkeep,
    store: Mutex<Opening>,
    /// The account of the last call, looked up once.
    caller: Mutex<Option<(Account, Caller)>>,
    /// Words of texts that were cut lately.
    words: RecentWords,
}

/// The store, once it is open.
#[derive(Default)]
struct Opening {
    store: Option<Arc<Store>>,
    /// When a call last gave up on another process that holds the file. Those
    /// who queued behind it give up with it.
    gave_up: Option<Instant>,
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

    /// The same for a process that has no time: it answers from a folder as it
    /// is, and not from one of an older version.
    pub fn in_passing(dir: PathBuf, options: MemoryOptions) -> Self {
        Self::with(dir, options, clock::system(), Upkeep::Left)
    }

    /// The same with another clock.
    pub fn with_clock(dir: PathBuf, options: MemoryOptions, clock: Clock) -> Self {
        Self::with(dir, options, clock, Upkeep::Done)
    }

    fn with(dir: PathBuf, options: MemoryOptions, clock: Clock, upkeep: Upkeep) -> Self {
        let shared = Shared {
            dir,
            clock,
            upkeep,
            store: Mutex::default(),
            caller: Mutex::new(None),
            words: RecentWords::default(),
        };
        Self {
            keeper: Keeper {
                shared: Arc::new(shared),
                account: Account::Owner(label(&options.handle)),
                foreseen: Arc::default(),
            },
        }
    }

    /// Returns the same memory on behalf of the account with a handle, which
    /// is made when there is none.
    #[must_use]
    pub fn for_account(&self, handle: &str) -> Self {
        Self {
            keeper: Keeper {
                shared: Arc::clone(&self.shared),
                account: Account::Named(label(handle)),
                foreseen: Arc::default(),
            },
        }
    }

    /// Opens the files now, before the first call needs them.
    pub fn open(&self) -> Result<(), contract::Error> {
        self.read(&Call::default(), |_| Ok(()))
    }

    /// Does the upkeep that a folder waits for, such as that of an older version
    /// or after an erasure, for a process that looks from time to time: opens no
    /// other. Returns whether there was any.
    pub fn bring_up_to_date(&self) -> Result<bool, contract::Error> {
        let waits = self.whole_if_open().is_none() && store::waits_for_upkeep(&self.shared.dir);
        if waits {
            self.open()?;
        }
        Ok(waits)
    }

    /// Lets go of the files; calls that still run finish first. A later call
    /// opens them again.
    pub fn close(&self) {
        let open = self
            .shared
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .store
            .take();
        if let Some(store) = open {
            let Commits { n_commits, n_calls } = store.commits();
            tracing::debug!(n_commits, n_calls, "the store is closed");
        }
        self.shared
            .caller
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    /// Returns the open store and the account on whose behalf calls are made:
    /// for what is done to the folder as a whole, never for a handler.
    pub(crate) fn whole(&self) -> Result<(Arc<Store>, Caller), Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        Ok((store, caller))
    }

    /// Returns the store if it is open; never waits for one that is being
    /// opened.
    pub(crate) fn whole_if_open(&self) -> Option<Arc<Store>> {
        self.shared.store.try_lock().ok()?.store.clone()
    }

    /// Returns the same memory for one call that found something out.
    pub(crate) fn with_foreseen(&self, foreseen: Foreseen) -> Self {
        let mut keeper = self.keeper.clone();
        keeper.foreseen = Arc::new(Mutex::new(Some(foreseen)));
        Self { keeper }
    }

    /// Reads for a call that is about to write.
    pub(crate) fn look_ahead<R>(
        &self,
        call: &Call,
        look: impl FnOnce(&mut store::Read<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        store.read_until(&call.stop, &caller, look)
    }

    /// Returns the data folder.
    pub(crate) fn dir(&self) -> &Path {
        &self.shared.dir
    }

    /// Returns the moment so many seconds ago, as RFC 3339.
    pub fn moment_ago(&self, seconds: u32) -> String {
        clock::rfc3339(
            self.now()
                .saturating_sub(i64::from(seconds) * clock::SECOND_MS),
        )
    }

    /// Returns whether the data folder holds a memory file.
    pub fn is_there(&self) -> bool {
        self.shared.dir.join("memory.db").exists()
    }

    /// Runs `work` on the memory of a folder that is gone afterwards, for what
    /// must leave no trace where nothing is yet.
    pub(crate) fn in_a_rehearsal_folder<R>(
        &self,
        work: impl FnOnce(&Memory) -> Result<R, Trouble>,
    ) -> Result<R, Trouble> {
        let unique = store::ids::fresh("zero-memory-", self.now());
        let dir = std::env::temp_dir().join(unique);
        let handle = match &self.account {
            Account::Owner(handle) | Account::Named(handle) => handle.clone(),
        };
        let memory = Self::with_clock(
            dir.clone(),
            MemoryOptions { handle },
            Arc::clone(&self.shared.clock),
        );
        let opened = memory.open().map_err(|error| Trouble::Said(error.message));
        let result = opened.and_then(|()| work(&memory));
        memory.close();
        // What stays behind holds nothing.
        let _ = std::fs::remove_dir_all(&dir);
        result
    }

    /// Adds on behalf of the account, outside of any call.
    pub(crate) fn append_own<R>(
        &self,
        body: impl FnOnce(&mut store::Append<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        store.append(&caller, body)
    }

    /// Reads on behalf of the account, outside of any call.
    pub(crate) fn read_own<R>(
        &self,
        body: impl FnOnce(&mut store::Read<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        store.read(&caller, body)
    }

    /// Changes what is the account's, outside of any call.
    pub(crate) fn write_own<R>(
        &self,
        body: impl FnOnce(&mut store::Write<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        store.write(&caller, body)
    }

    /// Adds on behalf of the account, and undoes it.
    pub(crate) fn rehearse<R>(
        &self,
        body: impl FnOnce(&mut store::Append<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        let undone = store.append(&caller, |view| -> Result<Infallible, Rehearsal<R>> {
            Err(body(view).map_or_else(Rehearsal::Failed, Rehearsal::Done))
        });
        match undone {
            Ok(never) => match never {},
            Err(Rehearsal::Done(value)) => Ok(value),
            Err(Rehearsal::Failed(error)) => Err(error),
        }
    }

    /// Runs `work` on the open store: for dumps, which ask for no caller.
    pub(crate) fn with_store<R>(
        &self,
        work: impl FnOnce(&Store) -> Result<R, Trouble>,
    ) -> Result<R, Trouble> {
        let store = self.store()?;
        work(&store)
    }

    /// Returns the account on whose behalf calls are made.
    pub(crate) fn own_account(&self) -> Result<Caller, Error> {
        let store = self.store()?;
        self.caller(&store)
    }

    /// Forgets which account calls are made for, since rows came in that may
    /// have changed it.
    pub(crate) fn forget_account(&self) {
        let mut known = self.shared.caller.lock();
        known
            .as_mut()
            .map_or_else(|poisoned| poisoned.get_mut().take(), |known| known.take());
    }

    /// Reads if the store and the account are at hand: never waits for a
    /// store that is being opened.
    pub(crate) fn read_if_open<R>(
        &self,
        body: impl FnOnce(&mut store::Read<'_>) -> Result<R, Error>,
    ) -> Option<Result<R, Error>> {
        let store = self.shared.store.try_lock().ok()?.store.clone()?;
        let known = self.shared.caller.try_lock().ok()?.clone();
        let (account, caller) = known?;
        (account == self.account).then(|| store.read(&caller, body))
    }
}

/// How a rehearsal ends: always so that nothing is kept.
enum Rehearsal<R> {
    Done(R),
    Failed(Error),
}

impl<R> From<store::Error> for Rehearsal<R> {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Keeper {
    pub(crate) fn now(&self) -> i64 {
        (self.shared.clock)()
    }

    /// Returns what this call found out before it got its view, once.
    pub(crate) fn take_foreseen(&self) -> Option<Foreseen> {
        self.foreseen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Returns the words of texts that were cut lately.
    pub(crate) fn recent_words(&self) -> &RecentWords {
        &self.shared.words
    }

    /// Returns the bookkeeping, opening the store if this is the first call.
    pub(crate) fn bookkeeping(&self) -> Result<Bookkeeping, Error> {
        Ok(Bookkeeping(self.store()?))
    }

    /// Returns the store, opening it if this is the first call.
    fn store(&self) -> Result<Arc<Store>, Error> {
        let entered = Instant::now();
        let mut open = self
            .shared
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = open.store.as_ref() {
            return Ok(Arc::clone(store));
        }
        if open.gave_up.is_some_and(|moment| entered < moment) {
            return Err(Error::Store(store::Error::Busy));
        }
        match Store::open_with(&self.shared.dir, tokenise, self.shared.upkeep) {
            Ok(store) => {
                let store = Arc::new(store);
                if store.is_read_only() {
                    tracing::warn!(
                        "the data folder can only be read: nothing is stored until it can be written to and the server is started again"
                    );
                }
                if !store.tightened().is_empty() {
                    let files = store.tightened().join(", ");
                    tracing::warn!(files, "others could read these; now only their owner can");
                }
                open.store = Some(Arc::clone(&store));
                Ok(store)
            }
            Err(error) => {
                open.gave_up = matches!(error, store::Error::Busy).then(Instant::now);
                Err(Error::Store(error))
            }
        }
    }

    /// Returns the account on whose behalf calls are made.
    fn caller(&self, store: &Store) -> Result<Caller, Error> {
        let known = || {
            self.shared
                .caller
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some((account, caller)) = known().as_ref()
            && *account == self.account
        {
            return Ok(caller.clone());
        }
        // Not while the lock is held: it may wait long for another process.
        let caller = match &self.account {
            Account::Owner(handle) => store.get_or_create_owner(handle, self.now())?,
            Account::Named(handle) => store.get_or_create_account(handle, self.now())?,
        };
        // Before the first call is answered.
        if let Err(error) = ended::retire(store, &caller, self.now()) {
            tracing::warn!(error = %error, "what has ended is still served");
        }
        *known() = Some((self.account.clone(), caller.clone()));
        Ok(caller)
    }
}

/// Returns a handle as a label.
fn label(handle: &str) -> String {
    hints::slug(handle).unwrap_or_else(|| "me".to_owned())
}

/// Cuts a text into the words of the index.
pub(crate) fn tokenise(text: &str) -> String {
    text::index_tokens(text).join(" ")
}

#[cfg(test)]
mod tests {
    use super::Path;

    /// Privacy keeps the open store in; this keeps another from being opened.
    #[test]
    fn no_handler_names_the_store_or_what_hands_out_views() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tools");
        let mut n_files = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let source = std::fs::read_to_string(&path).unwrap();
            let source = source.replace("Error::Store(", "");
            let mut words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
            let named = words.find(|word| ["Store", "Views", "MemoryOptions"].contains(word));
            assert_eq!(named, None, "{}", path.display());
            n_files += 1;
        }
        assert_eq!(n_files, contract::ToolName::ALL.len());
    }
}
