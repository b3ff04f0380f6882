//! `restore`: brings a backup back into an empty folder.

use anyhow::Result;
use memory::upkeep;

use super::{DONE, print, print_json};
use crate::cli::RestoreArguments;
use crate::{local, say};

/// Runs the command.
pub fn run(arguments: RestoreArguments) -> Result<u8> {
    let dir = local::data_folder(arguments.data)?;
    let done = upkeep::restore(&arguments.file, &dir, arguments.ledger.as_deref())?;
    if arguments.json {
        print_json(&done)?;
    } else {
        print(&format!(
            "{} memories are in {}, verified",
            done.memories,
            dir.display()
        ))?;
        if done.erased_again > 0 {
            print(&format!(
                "{} erasures were newer than the backup and were done again",
                done.erased_again
            ))?;
        }
    }
    if !done.scrubbed {
        say(
            "another program keeps the folder open, so erased bytes may remain; run zero-memory doctor --repair",
        );
    }
    Ok(DONE)
}
