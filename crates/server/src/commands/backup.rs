//! `backup`: copies the memory while it is used.

use anyhow::Result;
use memory::upkeep;

use super::{DONE, Progress, print, print_json};
use crate::cli::BackupArguments;
use crate::local;

/// Runs the command.
pub fn run(arguments: BackupArguments) -> Result<u8> {
    let dir = local::data_folder(arguments.place.data)?;
    let target = match (arguments.file, arguments.to) {
        (Some(file), _) => file,
        (None, folder) => {
            let folder = folder.unwrap_or_else(|| dir.join(local::BACKUPS));
            folder.join(upkeep::backup_name(now()))
        }
    };
    let mut progress = Progress::new("copied");
    let made = upkeep::backup(&dir, &target, false, &mut |done, total| {
        progress.note(done, total);
    })?;
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

/// Returns the time in milliseconds since the epoch.
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
