//! MCP over standard input and output, one JSON message a line.
//!
//! rmcp's own transport drops what it cannot parse and dies of an early
//! notification; this one answers the first and forgives the second. Nothing
//! but JSON-RPC is ever written.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::Instant;

use crate::wire::{MAX_MESSAGE_BYTES, Outline, has_misshapen_cursor, id_of, mark_lone_surrogates};

/// How long answers may still be written after the input has ended. The whole
/// process has to be gone within a second.
const DRAIN: Duration = Duration::from_millis(700);

/// Requests that are worked on at once; more wait in the pipe.
const MAX_PENDING: usize = 1024;

/// Bytes of requests that are worked on at once; more wait in the pipe. What is
/// made of a request takes several times that.
const MAX_PENDING_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// A line-based transport over any pair of streams.
pub struct Lines<R, W> {
    reader: R,
    writer: Arc<Mutex<W>>,
    line: Vec<u8>,
    /// The present line is too long; no more than its top is kept.
    discarding: Option<Outline>,
    /// A lifecycle was chosen: before that, rmcp ends at a notification.
    opened: bool,
    pending: Arc<Pending>,
    /// Becomes true when the process is asked to end, which is as if the input
    /// had ended.
    stop: watch::Receiver<bool>,
    /// When the input had ended; answers are owed for a while after.
    ended: Option<Instant>,
    /// What is to be done when that while is over.
    at_end: Option<Box<dyn FnOnce() + Send + Sync>>,
}

/// Requests handed over and not yet answered, with their lengths in bytes.
#[derive(Default)]
struct Pending {
    requests: std::sync::Mutex<HashMap<RequestId, usize>>,
    /// Lines that could not be handed over, and whose refusal is on its way.
    refusals: AtomicUsize,
    answered: Notify,
}

impl Pending {
    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, usize>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) -> usize {
        self.requests().len() + self.refusals.load(Ordering::SeqCst)
    }

    fn n_bytes(&self) -> usize {
        self.requests().values().sum()
    }

    /// Waits until fewer than `most` answers are owed.
    async fn below(&self, most: usize) {
        self.until(|| self.count() < most).await;
    }

    /// Waits until another request can be taken.
    async fn takes_more(&self) {
        self.until(|| self.count() < MAX_PENDING && self.n_bytes() < MAX_PENDING_BYTES)
            .await;
    }

    async fn until(&self, is_so: impl Fn() -> bool) {
        loop {
            let answered = self.answered.notified();
            if is_so() {
                return;
            }
            answered.await;
        }
    }

    /// Notes that a request was answered, or that nobody waits for it.
    fn settle(&self, id: &RequestId) {
        self.requests().remove(id);
        self.answered.notify_waiters();
    }
}

impl<R, W> Lines<R, W>
where
    R: AsyncBufRead + Unpin + Send + Sync,
    W: AsyncWrite + Unpin + Send + 'static,
{
    /// Returns the transport over these streams.
    pub fn new(reader: R, writer: W, stop: watch::Receiver<bool>) -> Self {
        Self {
            reader,
            writer: Arc::new(Mutex::new(writer)),
            line: Vec::new(),
            discarding: None,
            opened: false,
            pending: Arc::default(),
            stop,
            ended: None,
            at_end: None,
        }
    }

    /// Has something done once no answer will be written any more: rmcp waits
    /// for handlers far longer than a process may take to end.
    #[must_use]
    pub fn at_end(mut self, action: impl FnOnce() + Send + Sync + 'static) -> Self {
        self.at_end = Some(Box::new(action));
        self
    }

    /// Returns the next line, the outline of one over [`MAX_MESSAGE_BYTES`], or
    /// `None` at the end of the input.
    ///
    /// Safe to cancel: what was read stays in `self.line`.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, Outline>> {
        loop {
            let buffer = match self.reader.fill_buf().await {
                Ok([]) | Err(_) => {
                    // A last line without a line feed counts.
                    let rest = std::mem::take(&mut self.line);
                    return (!rest.is_empty() && self.discarding.is_none()).then_some(Ok(rest));
                }
                Ok(buffer) => buffer,
            };
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let part = buffer
                .get(..end.unwrap_or(buffer.len()))
                .unwrap_or_default();
            if let Some(outline) = &mut self.discarding {
                outline.add(part);
            } else if self.line.len() + part.len() > MAX_MESSAGE_BYTES {
                let outline = self.discarding.insert(Outline::default());
                outline.add(&std::mem::take(&mut self.line));
                outline.add(part);
            } else {
                self.line.extend_from_slice(part);
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if let Some(outline) = self.discarding.take() {
                    return Some(Err(outline));
                }
                return Some(Ok(line));
            }
        }
    }

    /// Answers what is no request that could be handed over.
    ///
    /// Must not be awaited: rmcp drops the future of `receive` whenever
    /// something else is ready, and the answer would be lost with it.
    fn refuse(&self, id: Value, code: i32, message: &str) {
        let answer = json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": { "code": code, "message": message },
        });
        let writer = Arc::clone(&self.writer);
        let pending = Arc::clone(&self.pending);
        pending.refusals.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(async move {
            // A client that has gone cannot be told anything.
            let _ = write_line(&writer, answer.to_string().into_bytes()).await;
            pending.refusals.fetch_sub(1, Ordering::SeqCst);
            pending.answered.notify_waiters();
        });
    }

    /// Returns the message of a line, or answers why there is none.
    fn admit(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let line = mark_lone_surrogates(line);
        let message = match serde_json::from_slice::<ClientJsonRpcMessage>(&line) {
            Ok(message) => message,
            Err(_) => {
                self.explain(&line);
                return None;
            }
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                if is_list(&request.request) && !self.list_is_shaped(&line) {
                    return None;
                }
                if !self.opened {
                    self.opened = opens(&line, &request.request);
                }
                self.pending
                    .requests()
                    .insert(request.id.clone(), line.len());
            }
            JsonRpcMessage::Notification(notification) if self.opened => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                {
                    // It may still be worked on, but is not answered.
                    if let Some(id) = &cancelled.params.request_id {
                        self.pending.settle(id);
                    }
                }
            }
            _ if !self.opened => {
                tracing::debug!("dropped a message that came before any request");
                return None;
            }
            _ => {}
        }
        Some(message)
    }

    /// Answers a request for a list whose cursor is no string.
    fn list_is_shaped(&self, line: &[u8]) -> bool {
        let message = serde_json::from_slice::<Value>(line).unwrap_or_default();
        let is_shaped = !has_misshapen_cursor(&message);
        if !is_shaped {
            let id = message.get("id").cloned().unwrap_or_default();
            self.refuse(id, INVALID_PARAMS, "the cursor is no string");
        }
        is_shaped
    }

    /// Answers a line that is no message, as far as it can be understood.
    fn explain(&self, line: &[u8]) {
        match serde_json::from_slice::<Value>(line) {
            Err(error) => {
                let why = format!("the line is no JSON that can be read: {error}");
                self.refuse(id_of(line), PARSE_ERROR, &why);
            }
            Ok(Value::Array(_)) => {
                let why = "batches are not supported; send one message a line";
                self.refuse(Value::Null, INVALID_REQUEST, why);
            }
            // A notification gets no answer, whatever it holds.
            Ok(Value::Object(fields))
                if fields.contains_key("method") && !fields.contains_key("id") => {}
            Ok(value) => {
                let id = id_of(value.to_string().as_bytes());
                let why = "the line is no JSON-RPC 2.0 message";
                self.refuse(id, INVALID_REQUEST, why);
            }
        }
    }

    /// Waits for the answers that are still owed, but not for ever.
    async fn drain(&mut self) {
        // Kept, because this future may be dropped and asked for again.
        let ended = *self.ended.get_or_insert_with(Instant::now);
        let _ = tokio::time::timeout_at(ended + DRAIN, self.pending.below(1)).await;
    }
}

/// Resolves when the process is asked to end.
async fn asked(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|is_asked| *is_asked).await.is_err() {
        // Nobody is left who could ask.
        std::future::pending::<()>().await;
    }
}

/// Whether a request makes rmcp choose a lifecycle.
fn opens(line: &[u8], request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => serde_json::from_slice::<Value>(line).is_ok_and(|value| {
            let known = |version: &Value| {
                rmcp::model::ProtocolVersion::KNOWN_VERSIONS
                    .iter()
                    .any(|known| version == known.as_str())
            };
            let meta = value.pointer("/params/_meta");
            let entry = |name: &str| {
                meta.and_then(|meta| meta.get(format!("io.modelcontextprotocol/{name}")))
            };
            entry("protocolVersion").is_some_and(known)
                && entry("clientCapabilities").is_some_and(Value::is_object)
        }),
    }
}

/// Whether the answer comes in pages.
fn is_list(request: &ClientRequest) -> bool {
    matches!(
        request,
        ClientRequest::ListToolsRequest(_)
            | ClientRequest::ListResourcesRequest(_)
            | ClientRequest::ListResourceTemplatesRequest(_)
            | ClientRequest::ListPromptsRequest(_)
    )
}

async fn write_line<W: AsyncWrite + Unpin>(writer: &Mutex<W>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncBufRead + Unpin + Send + Sync + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        let pending = Arc::clone(&self.pending);
        let answers = match &item {
            ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
            ServerJsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        async move {
            let line = serde_json::to_vec(&item).map_err(io::Error::other)?;
            let written = write_line(&writer, line).await;
            if let Some(id) = answers {
                pending.settle(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // A client that does not read its answers has to wait with its
            // next request.
            self.pending.takes_more().await;
            let mut stop = self.stop.clone();
            let line = tokio::select! {
                biased;
                () = asked(&mut stop) => None,
                line = self.next_line() => line,
            };
            match line {
                None => {
                    self.drain().await;
                    if let Some(action) = self.at_end.take() {
                        action();
                    }
                    return None;
                }
                Some(Err(outline)) => {
                    let why = format!("a message may have at most {MAX_MESSAGE_BYTES} bytes");
                    self.refuse(outline.id(), INVALID_REQUEST, &why);
                }
                Some(Ok(line)) => {
                    if let Some(message) = self.admit(&line) {
                        return Some(message);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.flush().await
    }
}

#[cfg(test)]
mod tests;
