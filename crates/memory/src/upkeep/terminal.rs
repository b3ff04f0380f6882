//! What changes a data folder, told to the person at the terminal: which file
//! it is about and what to do, where an agent is told neither.

use contract::types::{EraseRequest, Erasure};

use super::{Failure, of_folder};
use crate::Memory;
use crate::error::Error;

/// Opens the folder.
pub fn open(memory: &Memory) -> Result<(), Failure> {
    told(memory, memory.read_own(|_| Ok(())))
}

/// Erases memories, all or none; a dry run counts only.
pub fn erase(memory: &Memory, request: &EraseRequest) -> Result<Erasure, Failure> {
    told(memory, memory.erase_or_count(request))
}

/// Ends erasures whose bytes are not yet gone. Returns false while somebody
/// stands in the way.
pub fn finish_erasures(memory: &Memory) -> Result<bool, Failure> {
    told(memory, memory.finish_if_due())
}

/// The same, and gives up soon.
pub fn retry_erasures(memory: &Memory) -> Result<bool, Failure> {
    told(memory, memory.retry_if_due())
}

/// Makes the full-text index anew. Returns how many memories are in it.
pub fn rebuild_index(memory: &Memory) -> Result<usize, Failure> {
    let rebuild = || -> Result<usize, Error> {
        let (store, _) = memory.whole()?;
        Ok(store.rebuild_index()?)
    };
    told(memory, rebuild())
}

fn told<R>(memory: &Memory, outcome: Result<R, Error>) -> Result<R, Failure> {
    outcome.map_err(|error| match error {
        Error::Store(cause) => of_folder(cause, memory.dir()),
        refused => {
            let answer = contract::Error::from(refused);
            let hint = match answer.code {
                contract::ErrorCode::NotFound => {
                    "nothing was changed; zero-memory recall finds ids"
                }
                code => code.remedy(),
            };
            Failure::new(answer.message, hint)
        }
    })
}
