//! Standard error as a place for log lines that nobody waits for.
//!
//! A supervisor may start a server with a pipe that it never reads. When that
//! pipe is full, a line that is written to it stands still for ever, and a call
//! that logs its end would stand still with it. So lines are handed to a thread
//! of their own; what it cannot take is counted and left out.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Lines that wait to be written at most: a few MB, seconds of a busy server.
const N_WAITING: usize = 8_192;

/// How long the end of the process waits for lines that are not yet written.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// The lines of this process.
static LINES: OnceLock<Lines> = OnceLock::new();

/// A way to the thread that writes.
#[derive(Clone)]
pub struct Lines {
    waiting: SyncSender<Item>,
    n_lost: Arc<AtomicU64>,
}

/// What the thread is handed.
enum Item {
    /// Bytes to write.
    Line(Vec<u8>),
    /// Tells that everything before it is written.
    Mark(SyncSender<()>),
}

/// Returns the lines of standard error.
pub fn stderr() -> Lines {
    LINES.get_or_init(|| Lines::to(io::stderr())).clone()
}

/// Waits for a moment until what was logged is written.
pub fn finish() {
    if let Some(lines) = LINES.get() {
        lines.finish(LAST_WORDS);
    }
}

impl Lines {
    fn to(target: impl Write + Send + 'static) -> Self {
        let (waiting, items) = sync_channel(N_WAITING);
        let n_lost = Arc::new(AtomicU64::new(0));
        let lost = Arc::clone(&n_lost);
        // Without a thread nothing is logged, and the server serves.
        let _ = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write(target, &items, &lost));
        Self { waiting, n_lost }
    }

    fn finish(&self, patience: Duration) {
        let (written, wait) = sync_channel(1);
        if self.waiting.try_send(Item::Mark(written)).is_ok() {
            // Nobody reads it, or there is no thread: then it is not waited for.
            let _ = wait.recv_timeout(patience);
        }
    }
}

fn write(mut target: impl Write, items: &Receiver<Item>, n_lost: &AtomicU64) {
    for item in items {
        match item {
            Item::Line(line) => {
                // Nobody may be listening any more, and that is fine.
                let _ = target.write_all(&line);
            }
            Item::Mark(written) => {
                let _ = written.send(());
            }
        }
        let n_lost = n_lost.swap(0, Ordering::SeqCst);
        if n_lost > 0 {
            tracing::warn!(target: "zero_memory", n_lost, "log lines were left out: nobody read standard error in time");
        }
    }
}

impl Write for &Lines {
    /// Takes a line, or leaves it out; it never waits.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let sent = self.waiting.try_send(Item::Line(line.to_vec()));
        if let Err(TrySendError::Full(_)) = sent {
            self.n_lost.fetch_add(1, Ordering::SeqCst);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Lines;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex};

    use super::*;

    /// A pipe that nobody reads until it is opened.
    #[derive(Clone, Default)]
    struct Pipe(Arc<(Mutex<Taken>, Condvar)>);

    /// Whether it is open, and what was written to it.
    type Taken = (bool, Vec<u8>);

    impl Pipe {
        fn open(&self) {
            self.0.0.lock().unwrap().0 = true;
            self.0.1.notify_all();
        }
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let state = self.0.0.lock().unwrap();
            let mut state = self.0.1.wait_while(state, |state| !state.0).unwrap();
            state.1.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_nobody_reads_are_left_out_and_counted_and_the_others_come_in_order() {
        const N_SENT: usize = N_WAITING + 100;
        let pipe = Pipe::default();
        let lines = Lines::to(pipe.clone());
        for number in 0..N_SENT {
            let line = format!("{number}\n");
            (&lines).write_all(line.as_bytes()).unwrap();
        }
        let n_lost = lines.n_lost.load(Ordering::SeqCst);
        // The end does not wait for somebody who never reads.
        lines.finish(Duration::ZERO);
        pipe.open();
        let n_kept = N_SENT - usize::try_from(n_lost).unwrap();
        assert!((N_WAITING..=N_WAITING + 1).contains(&n_kept), "{n_kept}");
        let whole: String = (0..n_kept).map(|number| format!("{number}\n")).collect();
        let written = || String::from_utf8(pipe.0.0.lock().unwrap().1.clone()).unwrap();
        while written().len() < whole.len() {
            std::thread::yield_now();
        }
        assert_eq!(written(), whole);
    }
}
