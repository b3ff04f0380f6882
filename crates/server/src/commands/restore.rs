//! `restore`: brings a backup back into an empty folder.

use anyhow::Result;
use memory::upkeep::{self, Seal};

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
            "{} memories are in {}, verified: {}pages, references and full-text index hold together",
            done.memories,
            dir.display(),
            match done.digest {
                Seal::Matched => "the backup is unchanged since it was made; ",
                Seal::Absent => "",
            }
        ))?;
        if done.erased_again > 0 {
            print(&format!(
                "{} erasures were newer than the backup and were done again",
                done.erased_again
            ))?;
        }
    }
    if done.digest == Seal::Absent {
        say(
            "no digest stands beside the backup (its name with .sha256), so nobody can tell whether texts in it were changed",
        );
    }
    if done.index_rebuilt {
        say(
            "warning: the full-text index in the backup did not agree with its memories and was made anew; if no older version of zero-memory made the backup, its texts may have been changed",
        );
    }
    if done.ledgers.is_empty() {
        say(
            "warning: no erasures.jsonl was found beside the backup, one folder above or in the data folder; what was erased after the backup was made is back. If there is such a ledger, restore again into a new folder with --ledger",
        );
    }
    if !done.scrubbed {
        say(
            "another program keeps the folder open, so erased bytes may remain; run zero-memory doctor --repair",
        );
    }
    Ok(DONE)
}
