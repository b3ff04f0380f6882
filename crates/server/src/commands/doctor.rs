//! `doctor`: looks at a data folder, and mends what it is asked to mend.

use anyhow::Result;
use memory::upkeep::{self, Level};
use memory::{Memory, MemoryOptions};

use super::{DONE, FAILED, WARNED, print, print_json};
use crate::cli::DoctorArguments;
use crate::{local, say};

/// Runs the command.
pub fn run(arguments: DoctorArguments) -> Result<u8> {
    let dir = local::data_folder(arguments.place.data)?;
    if arguments.repair || arguments.rebuild_index {
        let options = MemoryOptions {
            handle: arguments.place.handle,
        };
        let memory = Memory::new(dir.clone(), options);
        mend(&memory, arguments.rebuild_index)?;
        memory.close();
    }
    let report = upkeep::examine(&dir);
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&format!("data folder: {}", report.data.display()))?;
        for check in &report.checks {
            print(&format!(
                "{:<8}{:<18}{}",
                check.level.as_str(),
                check.id,
                check.what
            ))?;
            if let Some(remedy) = &check.remedy {
                print(&format!("{:<26}to do: {remedy}", ""))?;
            }
        }
    }
    Ok(match report.level {
        Level::Ok | Level::Info => DONE,
        Level::Warning => WARNED,
        Level::Error => FAILED,
    })
}

/// Does what the next start of a server would do, and what only a person may
/// ask for.
fn mend(memory: &Memory, rebuild_index: bool) -> Result<()> {
    // A folder that cannot be opened is reported below, with what to do.
    if let Err(failure) = upkeep::open(memory) {
        say(&format!("nothing was mended: {failure}"));
        return Ok(());
    }
    if rebuild_index {
        match upkeep::rebuild_index(memory) {
            Ok(n) => say(&format!("the full-text index was made anew: {n} memories")),
            Err(failure) => say(&format!("the index was not made anew: {failure}")),
        }
    }
    match upkeep::finish_erasures(memory) {
        Ok(true) => {}
        Ok(false) => say("another program keeps the folder open, so erased bytes may remain"),
        Err(failure) => say(&format!("erasures were not finished: {failure}")),
    }
    Ok(())
}
