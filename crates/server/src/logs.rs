//! Structured logs on stderr: one line a call, never content, query text or a
//! token.

use std::time::Instant;

use contract::{Access, Error, ErrorCode, ToolName};
use memory::Call;
use serde_json::Value;
use tokio::sync::Semaphore;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Writes that may hold a thread at once; of the 64 threads, the others are
/// for reads.
const WRITING: usize = 48;

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
        .with_writer(std::io::stderr)
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
pub async fn observed(
    call: Call,
    tool: ToolName,
    body: impl FnOnce(&Call) -> Result<Value, Error> + Send + 'static,
) -> Result<Value, Error> {
    // Writes wait for each other; they must not keep the threads from reads.
    static WRITES: Semaphore = Semaphore::const_new(WRITING);
    let _turn = match tool.access() {
        Access::Read => None,
        Access::Append | Access::Write => WRITES.acquire().await.ok(),
    };
    blocking(call, tool.as_str(), body).await
}

/// The same for a method of the protocol that only reads.
pub async fn observed_method<T: Send + 'static>(
    call: Call,
    method: &'static str,
    body: impl FnOnce(&Call) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    blocking(call, method, body).await
}

async fn blocking<T: Send + 'static>(
    call: Call,
    name: &'static str,
    body: impl FnOnce(&Call) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let request_id = call.request_id.clone();
    let started = Instant::now();
    let outcome = tokio::task::spawn_blocking(move || body(&call))
        .await
        .unwrap_or_else(|error| Err(Error::internal(error)));
    let duration_us = started.elapsed().as_micros();
    let outcome = outcome.map_err(|error| named(error, &request_id));
    match &outcome {
        Ok(_) => {
            tracing::info!(target: "zero_memory", request_id, tool = name, duration_us, outcome = "ok")
        }
        Err(error) if error.code == ErrorCode::Internal => {
            let cause = error.cause().unwrap_or_default();
            tracing::error!(target: "zero_memory", request_id, tool = name, duration_us, outcome = "internal", cause = ?cause);
        }
        Err(error) => {
            let code = error.code.as_str();
            tracing::info!(target: "zero_memory", request_id, tool = name, duration_us, outcome = code);
        }
    }
    outcome
}

/// Returns the error; an internal one names the request to look for.
fn named(mut error: Error, request_id: &str) -> Error {
    if error.code == ErrorCode::Internal {
        error.message = format!("{}; report request {request_id}", error.message);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_panics_is_answered_and_the_next_one_works() {
        let call = || Call {
            request_id: "req_1".to_owned(),
            ..Call::default()
        };
        let outcome = observed(call(), ToolName::Recall, |_| panic!("boom")).await;
        let error = outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal);
        assert_eq!(error.message, "the server failed; report request req_1");
        let outcome = observed(call(), ToolName::Recall, |_| Ok(Value::Null)).await;
        assert_eq!(outcome.unwrap(), Value::Null);
    }
}
