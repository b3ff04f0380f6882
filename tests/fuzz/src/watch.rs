//! Ends a process that hangs on an input, and keeps what it was given.
//!
//! A thread that hangs cannot be ended, only its process can.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long one input may take. No target needs a thousandth of it, and the
/// machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Exit code of a process that hung.
pub const EXIT_HUNG: i32 = 70;

/// Since when which input is read, if one is.
type Present = Option<(Instant, Vec<u8>)>;

/// Watches over one target.
pub struct Watch {
    present: Arc<Mutex<Present>>,
}

impl Watch {
    /// Starts to watch; an input that hangs is written to this file.
    pub fn start(find: PathBuf) -> Self {
        let present: Arc<Mutex<Present>> = Arc::default();
        let watched = Arc::downgrade(&present);
        std::thread::spawn(move || {
            // Ends with the watch.
            while let Some(present) = watched.upgrade() {
                let held = present.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((since, input)) = held.as_ref()
                    && since.elapsed() > PATIENCE
                {
                    keep(&find, input);
                    let why = format!(
                        "an input of {} bytes hangs: {}\n",
                        input.len(),
                        find.display()
                    );
                    let _ = std::io::Write::write_all(&mut std::io::stderr(), why.as_bytes());
                    std::process::exit(EXIT_HUNG);
                }
                drop(held);
                drop(present);
                std::thread::sleep(Duration::from_millis(500));
            }
        });
        Self { present }
    }

    /// Runs a target on an input under watch.
    pub fn over(&self, run: fn(&[u8]), input: &[u8]) {
        self.set(Some((Instant::now(), input.to_vec())));
        run(input);
        self.set(None);
    }

    fn set(&self, value: Present) {
        *self.present.lock().unwrap_or_else(PoisonError::into_inner) = value;
    }
}

/// Writes an input to a file, making its folder.
pub fn keep(find: &std::path::Path, input: &[u8]) {
    if let Some(folder) = find.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = std::fs::write(find, input);
}
