//! `backup`: copies the memory while it is used.

use anyhow::Result;
use memory::upkeep;

use super::{DONE, Progress, print, print_json};
use crate::cli::BackupArguments;
use crate::local;

/// Runs the command.
pub fn run(arguments: BackupArguments) -> Result<u8> {
    let dir = local::data_folder(arguments.place.data)?;
    let mut progress = Progress::new("copied");
    let mut note = |done, total| progress.note(done, total);
    let made = match arguments.file {
        Some(file) => upkeep::backup(&dir, &file, &mut note)?,
        None => {
            let folder = arguments.to.unwrap_or_else(|| dir.join(local::BACKUPS));
            upkeep::backup_into(&dir, &folder, &mut note)?
        }
    };
    if arguments.json {
        print_json(&made)?;
    } else {
        print(&format!(
            "{}: {} memories, {} bytes, verified\nsha256 {}",
            made.path.display(),
            made.memories,
            made.bytes,
            made.sha256
        ))?;
    }
    Ok(DONE)
}
