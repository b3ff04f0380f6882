//! What only the owner of a memory may do, and what stands in the way of it.

use store::{MemoryRow, Read, ScopeKey};

use crate::error::Error;
use crate::ids;

/// Returns a memory of the caller's own.
pub(crate) fn get(view: &Read<'_>, id: &str) -> Result<MemoryRow, Error> {
    let id = ids::normalise(id);
    let Some(row) = view.find_memory(&id)? else {
        return Err(Error::Hidden { what: "memory", id });
    };
    if row.owned {
        Ok(row)
    } else {
        Err(Error::NotOwner(id))
    }
}

/// The same, if default reads serve it.
pub(crate) fn get_served(view: &Read<'_>, id: &str) -> Result<MemoryRow, Error> {
    let row = get(view, id)?;
    if !row.is_live() {
        Err(Error::Retired(row.id))
    } else if !row.is_served() {
        Err(Error::Closed(row.id))
    } else {
        Ok(row)
    }
}

/// Refuses to serve a memory where another one of the caller's holds the same
/// text.
pub(crate) fn refuse_double(
    view: &Read<'_>,
    row: &MemoryRow,
    scope: ScopeKey,
    path: &str,
) -> Result<(), Error> {
    match view.find_double(row.seq, scope)? {
        None => Ok(()),
        Some(double) => Err(Error::Double {
            id: row.id.clone(),
            double,
            scope: path.to_owned(),
        }),
    }
}
