//! Everything that can go wrong in the store, in one enum.
//!
//! No message holds SQL, a path or stored text: messages may travel up to a
//! log line, and the cause that SQLite gave travels only as `source`.

use std::sync::Arc;

use rusqlite::ErrorCode;

/// Why the store could not do what it was asked.
///
/// A thing that is absent, or that the caller may not see, is never an error
/// here: it is a `None`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process held the file for longer than a caller should wait.
    #[error("another process holds the store")]
    Busy,
    /// The file was written by a newer program and was left untouched.
    #[error("the store file has version {found}, and this program knows versions up to {known}")]
    NewerFile {
        /// Version found in the file.
        found: i64,
        /// Newest version that this program knows.
        known: i64,
    },
    /// The file is of an older version and was to be taken as it is; it was
    /// left untouched.
    #[error("the store file is of an older version")]
    OlderFile,
    /// The file exists and is not one of ours; it was left untouched.
    #[error("the store file belongs to another program")]
    ForeignFile,
    /// A link, a folder or a pipe stands where the file should be, or one that
    /// SQLite keeps beside it; it was left untouched.
    #[error("the store file, or one beside it, is a link or a folder or a pipe")]
    NotAFile,
    /// The file is empty, although it was in use; it was left untouched.
    #[error("the store file was in use and is empty now")]
    Emptied,
    /// There is a file already where one was to be made; it was left untouched.
    #[error("there is a file of that name already")]
    Exists,
    /// Somebody is making a file of that name; this one was not begun, or came
    /// second.
    #[error("somebody is making a file of that name")]
    UnderWay,
    /// A memory comes back into an empty folder only.
    #[error("the folder is not empty")]
    NotEmpty,
    /// The file is no backup that this program can take; nothing came of it.
    #[error("the file cannot be taken: {0}")]
    Unfit(&'static str),
    /// A ledger of erasures is not readable to its end, so what was erased
    /// could come back; nothing was done.
    #[error("a ledger of erasures cannot be used: {why}")]
    Ledger {
        /// Where it is: for the person at the terminal, and in no message.
        path: std::path::PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file is damaged; it was left untouched.
    #[error("the store file is damaged")]
    Corrupt(#[source] Option<Arc<rusqlite::Error>>),
    /// The full-text index in the file is damaged. It holds nothing that the
    /// rows do not say, so it can be made anew.
    #[error("the full-text index is damaged")]
    Index(#[source] Arc<rusqlite::Error>),
    /// The bookkeeping beside the memory cannot be used; the memory was left
    /// untouched.
    #[error("the bookkeeping file cannot be used")]
    Bookkeeping(#[source] Box<Error>),
    /// The disk is full; nothing of the call was stored.
    #[error("the disk is full")]
    DiskFull,
    /// The disk refused to read or write; nothing of the call was stored.
    #[error("the disk failed")]
    Disk(#[source] Arc<rusqlite::Error>),
    /// The data folder or a file in it can be read and not written to.
    #[error("the store can only be read")]
    ReadOnly,
    /// The call had to stop before its end; nothing of it was stored.
    #[error("the call was stopped")]
    Stopped,
    /// The data folder or a file in it could not be made or read.
    #[error("the data folder cannot be used")]
    Folder(#[source] std::io::Error),
    /// A migration failed; the file is as it was before.
    #[error("the store file could not be brought to version {to}")]
    Migration {
        /// Version that the failed step leads to.
        to: i64,
        /// What SQLite said.
        #[source]
        cause: rusqlite::Error,
    },
    /// The commit that this call shared failed; nothing of it was stored.
    #[error("the commit failed")]
    Commit(#[source] Arc<rusqlite::Error>),
    /// The commit failed through what another call in it did to the index;
    /// nothing of this one was stored, and it may come again.
    #[error("the commit failed through another call in it")]
    Dragged,
    /// The caller's role does not allow it; whoever called this crate should
    /// have asked first.
    #[error("the caller may not do this")]
    NotAllowed,
    /// The account was erased.
    #[error("the account was erased")]
    Erased,
    /// Anything else that SQLite refused.
    #[error("the store refused an operation")]
    Sqlite(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(cause: rusqlite::Error) -> Self {
        // SQLite's list of codes is open; whatever is not ours to tell apart is
        // one thing.
        let code = cause.sqlite_error_code();
        let is = |one| code == Some(one);
        if is(ErrorCode::DatabaseBusy) || is(ErrorCode::DatabaseLocked) {
            Self::Busy
        } else if is_of_index(&cause) {
            Self::Index(Arc::new(cause))
        } else if is(ErrorCode::DatabaseCorrupt) {
            Self::Corrupt(Some(Arc::new(cause)))
        } else if is(ErrorCode::NotADatabase) {
            Self::ForeignFile
        } else if is(ErrorCode::DiskFull) {
            Self::DiskFull
        } else if is(ErrorCode::SystemIoFailure) {
            Self::Disk(Arc::new(cause))
        } else if is(ErrorCode::ReadOnly) {
            Self::ReadOnly
        } else if is(ErrorCode::OperationInterrupted) {
            Self::Stopped
        } else {
            Self::Sqlite(cause)
        }
    }
}

/// Returns whether it was a virtual table that SQLite found damaged: the index
/// is the only one that is stored.
fn is_of_index(cause: &rusqlite::Error) -> bool {
    let damaged = rusqlite::ffi::SQLITE_CORRUPT_VTAB;
    matches!(cause, rusqlite::Error::SqliteFailure(found, _) if found.extended_code == damaged)
}

impl Error {
    /// Returns what a file that is not what it should be is when it is the
    /// bookkeeping's: losing it loses no memory.
    pub(crate) fn of_bookkeeping(self) -> Self {
        let is_of_the_file = matches!(
            self,
            Self::Corrupt(_) | Self::ForeignFile | Self::NotAFile | Self::NewerFile { .. }
        );
        if is_of_the_file {
            Self::Bookkeeping(Box::new(self))
        } else {
            self
        }
    }

    /// Returns what a file that cannot be opened says about its folder.
    pub(crate) fn of_folder(self) -> Self {
        if let Self::Sqlite(cause) = self {
            Self::Folder(std::io::Error::other(cause))
        } else {
            self
        }
    }

    /// Returns what a failed commit is to every call that shared it.
    pub(crate) fn of_commit(cause: Arc<rusqlite::Error>) -> Self {
        let code = cause.sqlite_error_code();
        let is = |one| code == Some(one);
        if is(ErrorCode::DiskFull) {
            Self::DiskFull
        } else if is(ErrorCode::SystemIoFailure) {
            Self::Disk(cause)
        } else if is(ErrorCode::ReadOnly) {
            Self::ReadOnly
        } else if is_of_index(&cause) {
            Self::Index(cause)
        } else if is(ErrorCode::DatabaseCorrupt) {
            Self::Corrupt(Some(cause))
        } else {
            Self::Commit(cause)
        }
    }
}
