//! What a server does by itself while it runs: a folder of an older version is
//! brought to this one, called or not, for hooks do not; backups by schedule,
//! erasures whose bytes could not go at once, and the end of what has one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use memory::upkeep::Schedule;

use crate::cli::Backups;
use crate::door::Door;
use crate::local;

/// Time between two looks when nothing is scheduled more often.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Returns the schedule that was asked for, if any.
pub fn schedule(backups: &Backups, folder: &std::path::Path) -> Option<Schedule> {
    Some(Schedule {
        every: backups.backup_every?,
        keep: usize::try_from(backups.backup_keep).unwrap_or(usize::MAX),
        folder: backups
            .backup_dir
            .clone()
            .unwrap_or_else(|| folder.join(local::BACKUPS)),
    })
}

/// Returns the time between two looks.
fn time_between(schedule: Option<&Schedule>) -> Duration {
    let often = schedule.map_or(LOOK_EVERY, |schedule| schedule.every);
    LOOK_EVERY.min(often)
}

/// Looks after the folder until the runtime ends.
pub async fn keep(door: Arc<Door>, folder: PathBuf, schedule: Option<Schedule>) {
    let mut ticks = tokio::time::interval(time_between(schedule.as_ref()));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let (door, folder, schedule) = (Arc::clone(&door), folder.clone(), schedule.clone());
        let look = tokio::task::spawn_blocking(move || {
            if let Some(schedule) = schedule {
                back_up(&schedule, &folder);
            }
            match door.memory().bring_up_to_date() {
                Ok(false) => {}
                Ok(true) => {
                    tracing::info!(target: "zero_memory", "the memory is up to date now")
                }
                Err(error) => {
                    let cause = error.cause().unwrap_or_default();
                    tracing::error!(target: "zero_memory", error = %error, cause, "the memory could not be brought up to date");
                }
            }
            if let Err(error) = door.memory().retire_ended() {
                let cause = error.cause().unwrap_or_default();
                tracing::warn!(target: "zero_memory", error = %error, cause, "what has ended is still served");
            }
            match door.memory().retry_erasures() {
                Ok(true) => {}
                Ok(false) => {
                    tracing::warn!(target: "zero_memory", "erased bytes remain: another program looks at the past");
                }
                Err(error) => {
                    let cause = error.cause().unwrap_or_default();
                    tracing::error!(target: "zero_memory", error = %error, cause, "erasures could not be finished");
                }
            }
        });
        // A panic in it was logged where it happened; the next look comes.
        let _ = look.await;
    }
}

fn back_up(schedule: &Schedule, folder: &std::path::Path) {
    match schedule.run(folder) {
        Ok(None) => {}
        Ok(Some(kept)) => {
            let (bytes, memories) = (kept.made.bytes, kept.made.memories);
            let deleted = kept.n_deleted;
            tracing::info!(target: "zero_memory", bytes, memories, deleted, "backup made");
        }
        Err(failure) => {
            let cause = failure.to_string();
            tracing::error!(target: "zero_memory", cause = ?cause, "no backup was made");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_is_looked_for_every_minute_at_least() {
        let every = |seconds| Schedule {
            every: Duration::from_secs(seconds),
            keep: 1,
            folder: PathBuf::new(),
        };
        let minute = Duration::from_secs(60);
        assert_eq!(time_between(None), minute);
        assert_eq!(time_between(Some(&every(24 * 3600))), minute);
        assert_eq!(time_between(Some(&every(1))), Duration::from_secs(1));
    }
}
