//! How a transaction ends that keeps nothing.

use crate::import::Trouble;

/// How a run that keeps nothing ends.
pub(super) enum Undo {
    Done,
    Failed(Trouble),
}

impl From<store::Error> for Undo {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}
