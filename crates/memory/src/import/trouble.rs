//! Why an import or an export did not take place, for the person at the
//! terminal.

use std::path::Path;

use crate::error::{Error, chain};
use crate::upkeep;

/// Why an import or an export did not take place. It is for the person at the
/// terminal and may name paths.
#[derive(Debug)]
pub enum Trouble {
    /// What is wrong and what to do.
    Said(String),
    /// The data folder could not be used.
    Store(store::Error),
}

impl Trouble {
    /// Says of the store's own words what they mean for a data folder.
    pub(crate) fn of(self, dir: &Path) -> Self {
        match self {
            Self::Said(text) => Self::Said(text),
            Self::Store(error) => Self::Said(upkeep::of_folder(error, dir).to_string()),
        }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Said(text) => formatter.write_str(text),
            Self::Store(error) => formatter.write_str(&chain(error)),
        }
    }
}

impl std::error::Error for Trouble {}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        // What went wrong in the store is the operator's to know.
        if let Error::Store(cause) = error {
            return Self::Store(cause);
        }
        Self::Said(contract::Error::from(error).message)
    }
}

impl From<store::Error> for Trouble {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}
