//! Why an import or an export did not take place, for the person at the
//! terminal.

use crate::error::{Error, chain};

/// Why an import or an export did not take place. It is for the person at the
/// terminal and may name paths.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Trouble(pub(crate) String);

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        // What went wrong in the store is the operator's to know.
        if let Error::Store(cause) = error {
            return Self(chain(&cause));
        }
        Self(contract::Error::from(error).message)
    }
}

impl From<store::Error> for Trouble {
    fn from(error: store::Error) -> Self {
        Self::from(Error::Store(error))
    }
}
