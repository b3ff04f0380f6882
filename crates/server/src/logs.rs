//! Structured logs on stderr: one line a call, never content, query text or a
//! token.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use contract::{Access, Error, ErrorCode, ToolName};
use memory::{Call, Stop, Why};
use serde_json::Value;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::crowd::Crowd;

mod lines;

pub use lines::finish;

/// Starts logging at this level.
///
/// rmcp stays at warnings: its debug lines print whole requests, and these
/// hold somebody's memories.
pub fn start(level: LevelFilter) {
    let quiet = level.min(LevelFilter::WARN);
    let targets = Targets::new()
        .with_default(quiet)
        .with_target("zero_memory", level)
        .with_target("memory", level)
        .with_target("rmcp", LevelFilter::ERROR.min(level));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(lines::stderr())
        .with_ansi(false)
        .with_target(false);
    // A second start, as in tests, keeps the first.
    let _ = tracing_subscriber::registry()
        .with(targets)
        .with(lines)
        .try_init();
    // The message of a panic may hold somebody's memory; its place does not.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(target: "zero_memory", place, "panic");
    }));
}

/// Returns a new id for a request.
pub fn request_id() -> String {
    let id = ulid::Ulid::generate().to_string().to_ascii_lowercase();
    format!("{}{id}", contract::constants::REQUEST_ID_PREFIX)
}

/// Runs a blocking call off the asynchronous threads and logs how it ended.
///
/// It is called off when `gone` resolves, and when nobody waits for it any
/// more because this future was dropped.
pub async fn observed(
    crowd: &Arc<Crowd>,
    call: Call,
    tool: ToolName,
    gone: impl Future<Output = ()>,
    body: impl FnOnce(&Call) -> Result<Value, Error> + Send + 'static,
) -> Result<Value, Error> {
    blocking(crowd, call, tool.as_str(), tool.access(), gone, body).await
}

/// The same for a method of the protocol that only reads.
pub async fn observed_method<T: Send + 'static>(
    crowd: &Arc<Crowd>,
    call: Call,
    method: &'static str,
    gone: impl Future<Output = ()>,
    body: impl FnOnce(&Call) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    blocking(crowd, call, method, Access::Read, gone, body).await
}

async fn blocking<T: Send + 'static>(
    crowd: &Arc<Crowd>,
    call: Call,
    name: &'static str,
    access: Access,
    gone: impl Future<Output = ()>,
    body: impl FnOnce(&Call) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let mut line = Line::begin(&call, name);
    let stop = call.stop.clone();
    let work = async {
        let place = crowd.enter()?;
        let _turn = match access {
            Access::Read => None,
            Access::Append | Access::Write => crowd.writes.acquire().await.ok(),
        };
        // The thread keeps the place: it may be at work longer than anybody
        // waits for it.
        let work = move || {
            let _place = place;
            body(&call)
        };
        tokio::task::spawn_blocking(work)
            .await
            .unwrap_or_else(|error| Err(Error::internal(error)))
    };
    tokio::pin!(work);
    let outcome = tokio::select! {
        biased;
        outcome = &mut work => outcome,
        () = gone => {
            stop.ask();
            work.await
        }
    };
    let outcome = outcome.map_err(|error| named(error, &line.request_id));
    line.end(outcome.as_ref().err());
    outcome
}

/// Returns the error; an internal one names the request to look for.
fn named(mut error: Error, request_id: &str) -> Error {
    if error.code == ErrorCode::Internal {
        error.message = format!("{}; report request {request_id}", error.message);
    }
    error
}

/// Logs an HTTP request that reached no tool: what was asked for is not told,
/// because anything may stand in a path.
pub fn unobserved(request_id: &str, started: Instant, status: u16) {
    let duration_us = started.elapsed().as_micros();
    tracing::info!(target: "zero_memory", request_id, tool = "-", n_scopes = 0, duration_us, outcome = status);
}

/// Logs a request of the protocol that was answered from what the program
/// itself knows: no memory was asked.
pub fn answered(request_id: &str, method: &'static str, started: Instant, outcome: &'static str) {
    let duration_us = started.elapsed().as_micros();
    tracing::info!(target: "zero_memory", request_id, tool = method, n_scopes = 0, duration_us, outcome);
}

/// The one log line of a request, written when it is over or given up.
struct Line {
    request_id: String,
    tool: &'static str,
    started: Instant,
    n_scopes: Arc<AtomicUsize>,
    stop: Stop,
    outcome: &'static str,
    cause: Option<String>,
}

impl Line {
    fn begin(call: &Call, tool: &'static str) -> Self {
        Self {
            request_id: call.request_id.clone(),
            tool,
            started: Instant::now(),
            n_scopes: Arc::clone(&call.n_scopes),
            stop: call.stop.clone(),
            // Unless it comes to an end.
            outcome: "cancelled",
            cause: None,
        }
    }

    fn end(&mut self, error: Option<&Error>) {
        self.outcome = match error {
            None => "ok",
            Some(error) if error.code == ErrorCode::RateLimited => match self.stop.why() {
                Some(Why::Asked) => "cancelled",
                Some(Why::Late) => "deadline",
                None => error.code.as_str(),
            },
            Some(error) => error.code.as_str(),
        };
        self.cause = error.and_then(Error::cause).map(str::to_owned);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let (request_id, tool, outcome) = (&self.request_id, self.tool, self.outcome);
        let n_scopes = self.n_scopes.load(Ordering::SeqCst);
        let duration_us = self.started.elapsed().as_micros();
        match &self.cause {
            None => {
                tracing::info!(target: "zero_memory", request_id, tool, n_scopes, duration_us, outcome);
            }
            Some(cause) => {
                tracing::error!(target: "zero_memory", request_id, tool, n_scopes, duration_us, outcome, cause);
            }
        }
        // Nobody waits for what is not done by now.
        self.stop.ask();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_call_that_panics_is_answered_and_the_next_one_works() {
        let call = || Call {
            request_id: "req_1".to_owned(),
            ..Call::default()
        };
        let crowd = Arc::new(Crowd::new(1, Duration::from_secs(60)));
        let never = std::future::pending::<()>;
        let outcome = observed(&crowd, call(), ToolName::Recall, never(), |_| {
            panic!("boom")
        })
        .await;
        let error = outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal);
        assert_eq!(error.message, "the server failed; report request req_1");
        let work = |_: &Call| Ok(Value::Null);
        let outcome = observed(&crowd, call(), ToolName::Recall, never(), work).await;
        assert_eq!(outcome.unwrap(), Value::Null);
    }
}
