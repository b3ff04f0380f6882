//! A folder that can only be read: what is there is read, nothing is made
//! beside it, and books are kept in memory.

use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use crate::error::Error;
use crate::migrate;
use crate::open::{self, Kind};

/// Returns whether a file could not be opened for writing because the system
/// does not let us write there.
pub(crate) fn is_denied(error: &Error) -> bool {
    let is_code = |cause: &rusqlite::Error| {
        let denied = [
            ErrorCode::CannotOpen,
            ErrorCode::PermissionDenied,
            ErrorCode::ReadOnly,
        ];
        let code = cause.sqlite_error_code();
        code.is_some_and(|code| denied.contains(&code))
    };
    match error {
        Error::ReadOnly => true,
        Error::Folder(cause) => {
            use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
            [PermissionDenied, ReadOnlyFilesystem].contains(&cause.kind())
        }
        Error::Sqlite(cause) | Error::Migration { cause, .. } => is_code(cause),
        _ => false,
    }
}

/// Makes sure that a file which can only be read is one that we can read.
pub(crate) fn readable(path: &Path, kind: &Kind) -> Result<(), Error> {
    // An older file, or an empty one, would have to be written to first.
    if open::look(path, kind)? < migrate::newest(kind.steps) {
        return Err(Error::ReadOnly);
    }
    Ok(())
}

/// Opens a file for reading. A log that lies beside it is read; without one,
/// SQLite would make one, unless it is told that nobody changes the file.
/// Nobody can, as far as we know.
pub(crate) fn reader(path: &Path) -> Result<Connection, Error> {
    if open::is_filled(&open::beside(path, "-wal")) {
        open::reader(path)
    } else {
        open::reading(open::alone(path)?)
    }
}

/// Makes a store of a kind that lies in memory.
pub(crate) fn unwritten(kind: &Kind) -> Result<Connection, Error> {
    let mut conn = Connection::open_in_memory()?;
    open::keep_statements(&conn)?;
    migrate::run(&mut conn, kind.application_id, kind.steps)?;
    Ok(conn)
}
