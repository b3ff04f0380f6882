//! Makes the ids that leave this crate: a prefix and a lower-case ULID.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use ulid::Generator;

/// Prefix of a memory id.
pub const MEMORY: &str = "mem_";
/// Prefix of an entity id.
pub const ENTITY: &str = "ent_";
/// Prefix of an edge id.
pub const EDGE: &str = "edg_";
/// Prefix of an account id.
pub const USER: &str = "usr_";
/// Prefix of a thread token.
pub const THREAD: &str = "thr_";
/// Prefix of a dispute id.
pub const DISPUTE: &str = "dsp_";
/// Prefix of a rule id.
pub const RULE: &str = "rul_";

static GENERATOR: Mutex<Generator> = Mutex::new(Generator::new());

/// Returns a fresh id with the given prefix, dated `at` milliseconds after
/// the epoch. Ids of one process rise in the order they were made.
pub fn fresh(prefix: &str, at: i64) -> String {
    let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(at.max(0).unsigned_abs());
    let mut generator = GENERATOR.lock().unwrap_or_else(PoisonError::into_inner);
    let ulid = match generator.generate_from_datetime(moment) {
        Ok(ulid) => ulid,
        Err(overflow) => overflow.commit_overflow_random(),
    };
    let mut id = ulid.to_string();
    id.make_ascii_lowercase();
    id.insert_str(0, prefix);
    id
}
