//! How the work on a record ends early.

use super::{Load, Refusal};
use crate::error::Error;

/// What became of a record, while it is worked on.
pub(super) type Outcome = Result<Load, Stop>;

/// Why the work on a record ended early.
pub(super) enum Stop {
    Refused(Refusal),
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Demands that something was found.
pub(super) fn missing<T>(found: Option<T>, what: &'static str) -> Result<T, Stop> {
    found.ok_or(Stop::Refused(Refusal::Missing(what)))
}

/// Demands that something holds.
pub(super) fn demand(holds: bool, refusal: Refusal) -> Result<(), Stop> {
    if holds {
        Ok(())
    } else {
        Err(Stop::Refused(refusal))
    }
}
