//! A memory in a folder of its own, made quickly and thrown away.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use memory::{Call, ClientInfo, Memory, MemoryOptions};
use tempfile::TempDir;

/// 2026-12-01T09:00:00Z.
const START: i64 = 1_796_115_600_000;

/// A folder in memory, where there is one: what is tried here is not the disk.
const IN_MEMORY: &str = "/dev/shm";

/// Returns a fresh folder.
pub fn folder() -> TempDir {
    let quick = Path::new(IN_MEMORY);
    let made = if quick.is_dir() {
        tempfile::tempdir_in(quick)
    } else {
        tempfile::tempdir()
    };
    made.or_else(|_| tempfile::tempdir())
        .expect("a folder can be made")
}

/// Returns the memory of a data folder; its clock moves by one second a look.
pub fn memory(data: &Path) -> Memory {
    let clock = AtomicI64::new(START);
    Memory::with_clock(
        data.to_owned(),
        MemoryOptions {
            handle: "me".to_owned(),
        },
        Arc::new(move || clock.fetch_add(1_000, Ordering::SeqCst)),
    )
}

/// Returns a call without a session.
pub fn call() -> Call {
    Call {
        session: None,
        client: Some(ClientInfo {
            name: "fuzz".to_owned(),
            version: "0".to_owned(),
        }),
        request_id: "req_fuzz".to_owned(),
        ..Call::default()
    }
}
