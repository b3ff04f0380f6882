//! A server process from its start to its clean end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use contract::served::{TOOLS_LIST_CORE, TOOLS_LIST_FULL};
use memory::upkeep::Schedule;
use memory::{Memory, MemoryOptions, Session};
use rmcp::service::ServerInitializeError;
use rmcp::{ServerHandler, ServiceExt};
use tokio::io::BufReader;
use tokio::sync::watch;

use crate::cli::{Backups, Settings, Toolset};
use crate::crowd::Crowd;
use crate::door::Door;
use crate::mcp::{Handler, Shared};
use crate::{http, local, say, stdio, upkeep};

/// How long a write that is under way may keep the process after its end was
/// asked for: as long as the store waits for another process's lock.
const FINISH: Duration = Duration::from_secs(11);

/// How long a `stdio` process may live after its end was asked for: a little
/// longer than its transport waits for answers that are owed.
const LAST: Duration = Duration::from_millis(900);

/// How long calls may still be worked on after the end was asked for; then
/// they are called off. The whole process has to be gone within a second.
const DRAIN: Duration = Duration::from_millis(600);

/// How long open HTTP streams may linger after that.
const GRACE: Duration = Duration::from_millis(200);

/// Asynchronous threads: they only move bytes.
const WORKERS: usize = 2;

/// Threads for handlers, which block; more calls than that wait their turn.
const BLOCKING: usize = 64;

/// Serves one client on standard input and output.
pub fn over_stdio(settings: &Settings, project: Option<String>) -> Result<()> {
    start(settings, |parts| serve_stdio(parts, project))
}

/// Serves MCP and the plain routes over HTTP; `dressed` may lay something
/// around the handler.
pub fn over_http<S: ServerHandler>(
    settings: &Settings,
    listen: SocketAddr,
    backups: &Backups,
    dressed: impl Fn(Handler) -> S + Send + Sync + 'static,
) -> Result<()> {
    start(settings, |parts| {
        let schedule = upkeep::schedule(backups, &parts.folder);
        serve_http(parts, listen, schedule, dressed)
    })
}

/// What both servers are made of.
struct Parts {
    door: Arc<Door>,
    shared: Arc<Shared>,
    folder: PathBuf,
    /// The version of the contract that is announced.
    contract: String,
}

/// Runs a server on a runtime of its own and ends it cleanly.
fn start<F: Future<Output = Result<()>>>(
    settings: &Settings,
    serve: impl FnOnce(Parts) -> F,
) -> Result<()> {
    let folder = local::data_folder(settings.place.data.clone())?;
    let options = MemoryOptions {
        handle: settings.place.handle.clone(),
    };
    // Opens nothing yet: the first answer must not wait for a database.
    let memory = Memory::new(folder.clone(), options);
    let served = match settings.toolset {
        Toolset::Core => TOOLS_LIST_CORE,
        Toolset::Full => TOOLS_LIST_FULL,
    };
    let crowd = Crowd::new(
        usize::try_from(settings.max_calls).unwrap_or(usize::MAX),
        Duration::from_secs(settings.deadline),
    );
    #[cfg_attr(not(debug_assertions), expect(unused_mut, reason = "see below"))]
    let mut door = Door::new(memory, TOOLS_LIST_FULL, served, crowd)
        .context("the served tools cannot be read")?;
    #[cfg(debug_assertions)]
    door.panic_in(settings.panic_in.as_deref());
    let door = Arc::new(door);
    let toolset = settings.toolset.as_str();
    let shared = Arc::new(Shared::new(
        Arc::clone(&door),
        toolset,
        settings.contract(),
    )?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .max_blocking_threads(BLOCKING)
        .enable_all()
        .build()
        .context("the runtime cannot start")?;
    let parts = Parts {
        door: Arc::clone(&door),
        shared,
        folder,
        contract: settings.contract().to_owned(),
    };
    let outcome = runtime.block_on(async {
        survive_long_files();
        serve(parts).await
    });
    finish(&door);
    // A blocked read of standard input must not hold the process.
    runtime.shutdown_background();
    outcome
}

async fn serve_stdio(parts: Parts, project: Option<String>) -> Result<()> {
    let session = Arc::new(Session::new(project));
    let handler = Handler::new(parts.shared, Some(session));
    let crowd = Arc::clone(parts.door.crowd());
    tokio::spawn(upkeep::keep(parts.door, parts.folder, None));
    let (reader, writer) = rmcp::transport::stdio_pipes();
    let (ask, stop) = watch::channel(false);
    let lines =
        stdio::Lines::new(BufReader::new(reader), writer, stop).at_end(move || crowd.disperse());
    let serve = async {
        match handler.serve(lines).await {
            Ok(running) => running
                .waiting()
                .await
                .map(|_| ())
                .context("the connection broke"),
            // A client that only looked and left is no failure.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error).context("the connection could not be opened"),
        }
    };
    tokio::select! {
        outcome = serve => outcome,
        // Answers that are owed still go out, but nobody waits for ever for a
        // client that does not read them.
        () = async {
            end_asked().await;
            ask.send_replace(true);
            tokio::time::sleep(LAST).await;
        } => Ok(()),
    }
}

async fn serve_http<S: ServerHandler>(
    parts: Parts,
    listen: SocketAddr,
    schedule: Option<Schedule>,
    dressed: impl Fn(Handler) -> S + Send + Sync + 'static,
) -> Result<()> {
    let listener = http::bind(listen).await?;
    let address = listener.local_addr()?;
    let token = local::token(&parts.folder)?;
    say(&format!("listening on http://{address}"));
    say(&format!(
        "connect Claude Code with: claude mcp add --transport http zero-memory http://{address}/mcp --header \"Authorization: Bearer {token}\""
    ));
    let (shared, door) = (parts.shared, parts.door);
    // Nobody waits for it, but those who connect later get their rules.
    let opened = Arc::clone(&door);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = opened.memory().open() {
            let cause = error.cause().unwrap_or_default();
            tracing::error!(target: "zero_memory", error = %error, cause, "the memory could not be opened");
        }
    });
    tokio::spawn(upkeep::keep(Arc::clone(&door), parts.folder, schedule));
    let handler = move || dressed(Handler::new(Arc::clone(&shared), None));
    let (served, version) = (Arc::clone(&door), parts.contract.as_str());
    let serving = http::serve(listener, handler, served, token, version, end_asked());
    // A stream that a client holds open must not hold the process; a call that
    // is worked on may, so that its answer goes out.
    tokio::select! {
        outcome = serving => outcome,
        () = async {
            end_asked().await;
            let _ = tokio::time::timeout(DRAIN, idle(&door)).await;
            door.crowd().disperse();
            tokio::time::sleep(GRACE).await;
        } => Ok(()),
    }
}

/// Resolves when no call is worked on.
async fn idle(door: &Door) {
    while door.crowd().len() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits for the calls that still run: their writes are finished or undone,
/// not cut.
fn finish(door: &Door) {
    // Those that wait for another process have waited long enough.
    door.crowd().disperse();
    let deadline = Instant::now() + FINISH;
    while door.crowd().len() > 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    door.memory().close();
}

/// Has a write beyond the longest file that the system allows fail like one on
/// a full disk; otherwise its signal ends the process.
fn survive_long_files() {
    // The number on every system we know.
    #[cfg(unix)]
    const SIGXFSZ: i32 = 25;
    #[cfg(unix)]
    if tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(SIGXFSZ)).is_err() {
        tracing::debug!(target: "zero_memory", "the signal of files that grow too long is not caught");
    }
}

/// Resolves when the process is asked to end.
async fn end_asked() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut waits = Vec::new();
        for kind in [
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
        ] {
            if let Ok(stream) = signal(kind) {
                waits.push(stream);
            }
        }
        std::future::poll_fn(|context| {
            let asked = waits
                .iter_mut()
                .any(|stream| stream.poll_recv(context).is_ready());
            if asked {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
