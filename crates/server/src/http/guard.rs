//! What every request passes before a route sees it: names for the log, the
//! DNS rebinding check, the token, and a message that a parser can read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use contract::Error;
use contract::constants::CONTRACT_VERSION_HEADER;
use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

use super::bodies::Unread;
use super::{Site, error_response, json_response, of_unread};
use crate::logs;
use crate::wire::{has_misshapen_cursor, id_of, mark_lone_surrogates};

/// Bytes of a refused request that are read, and how long they may take.
const MAX_REFUSED_BYTES: usize = 64 * 1024;
const REFUSED_PATIENCE: Duration = Duration::from_millis(500);

/// JSON-RPC code of a request without a valid token. It lies outside the range
/// that the protocol keeps for itself.
const UNAUTHORIZED: i32 = -31001;
/// JSON-RPC code of a request from a place that may not call.
const FORBIDDEN: i32 = -31003;
/// JSON-RPC code of a message that was not read because of others.
const RATE_LIMITED: i32 = -31029;
/// Bytes of a refusal in plain text that are passed on.
const MAX_REFUSAL_BYTES: usize = 4096;
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// The id that a response and its log lines share.
#[derive(Clone)]
pub struct RequestId {
    id: String,
    is_observed: Arc<AtomicBool>,
}

impl RequestId {
    /// Returns the id, for a call that writes its own log line.
    pub fn observed(&self) -> String {
        self.is_observed.store(true, Ordering::SeqCst);
        self.id.clone()
    }
}

/// Names the request and the contract on every response.
pub async fn announce(State(site): State<Site>, mut request: Request, next: Next) -> Response {
    let id = logs::request_id();
    let started = Instant::now();
    let named = RequestId {
        id: id.clone(),
        is_observed: Arc::default(),
    };
    request.extensions_mut().insert(named.clone());
    let mut response = next.run(request).await;
    if !named.is_observed.load(Ordering::SeqCst) {
        logs::unobserved(&id, started, response.status().as_u16());
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert("x-request-id", value);
    }
    if let Ok(name) = header::HeaderName::from_bytes(CONTRACT_VERSION_HEADER.as_bytes()) {
        headers.insert(name, site.version);
    }
    response
}

/// Refuses what a page of another site can send: a foreign `Host` (DNS
/// rebinding) or a foreign `Origin`. A program sends no `Origin`.
pub async fn origin(State(site): State<Site>, request: Request, next: Next) -> Response {
    let Some(what) = foreign(&site, &request) else {
        return next.run(request).await;
    };
    let is_message = request.uri().path() == "/mcp";
    leave_whole(request).await;
    let error = Error::forbidden(format!(
        "the header {what} names another site; call this server as 127.0.0.1 or localhost"
    ));
    if is_message {
        return rpc_error(StatusCode::FORBIDDEN, FORBIDDEN, &error);
    }
    error_response(&error)
}

/// Returns the header that names another site.
fn foreign(site: &Site, request: &Request) -> Option<&'static str> {
    let texts = |name| -> Vec<String> {
        let values = request.headers().get_all(name).iter();
        values
            .map(|value| value.to_str().unwrap_or_default().to_ascii_lowercase())
            .collect()
    };
    let port = site.address.port();
    let ours = |host: &str| {
        ["127.0.0.1", "localhost", "[::1]"]
            .iter()
            .any(|name| host == *name || host == format!("{name}:{port}"))
    };
    let mut hosts = texts(header::HOST);
    let authority = request.uri().authority();
    hosts.extend(authority.map(|authority| authority.as_str().to_ascii_lowercase()));
    if hosts.is_empty() || !hosts.iter().all(|host| ours(host)) {
        return Some("Host");
    }
    // A browser leaves the port out only where it is the usual one.
    let is_own_page = |origin: &String| {
        let host = origin.strip_prefix("http://").unwrap_or_default();
        ours(host) && (port == 80 || host.ends_with(&format!(":{port}")))
    };
    let origins = texts(header::ORIGIN);
    (!origins.iter().all(is_own_page)).then_some("Origin")
}

/// Asks for the token with the error body of the contract.
pub async fn api_token(State(site): State<Site>, request: Request, next: Next) -> Response {
    match authorised(&site, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => {
            leave_whole(request).await;
            challenge(error_response(&error))
        }
    }
}

/// Asks for the token with the error body of JSON-RPC.
pub async fn mcp_token(State(site): State<Site>, request: Request, next: Next) -> Response {
    match authorised(&site, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => {
            leave_whole(request).await;
            challenge(rpc_error(StatusCode::UNAUTHORIZED, UNAUTHORIZED, &error))
        }
    }
}

/// Takes the rest of a short request that is refused. A connection with half of
/// one in it would have to be closed, and a client that sends its next request
/// on it hears nothing.
async fn leave_whole(request: Request) {
    let rest = to_bytes(request.into_body(), MAX_REFUSED_BYTES);
    // A longer or a slow one costs its connection.
    let _ = tokio::time::timeout(REFUSED_PATIENCE, rest).await;
}

fn authorised(site: &Site, request: &Request) -> Result<(), Error> {
    let sent = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim());
    match sent {
        Some(token) if same(token.as_bytes(), site.token.as_bytes()) => Ok(()),
        Some(_) => Err(Error::unauthorized(
            "the token is not the one of this server; its data folder holds it in the file \"token\"",
        )),
        None => Err(Error::unauthorized(
            "send \"Authorization: Bearer …\" with the token from the file \"token\" of the data folder",
        )),
    }
}

/// Compares in a time that does not depend on where the two differ.
fn same(left: &[u8], right: &[u8]) -> bool {
    let difference = left
        .iter()
        .zip(right)
        .fold(left.len() ^ right.len(), |sum, (left, right)| {
            sum | usize::from(left ^ right)
        });
    std::hint::black_box(difference) == 0
}

fn challenge(mut response: Response) -> Response {
    let value = HeaderValue::from_static("Bearer realm=\"zero-memory\"");
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, value);
    response
}

/// Hands only readable JSON on, and answers the rest as JSON-RPC says.
pub async fn readable_message(State(site): State<Site>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        let error = Error::validation("this endpoint takes POST only; it keeps no stream open");
        let mut response = rpc_error(StatusCode::METHOD_NOT_ALLOWED, INVALID_REQUEST, &error);
        let allowed = HeaderValue::from_static("POST");
        response.headers_mut().insert(header::ALLOW, allowed);
        return response;
    }
    let (mut parts, body) = request.into_parts();
    // The share is kept until the response is made.
    let read = match site.bodies.read(body).await {
        Ok(read) => read,
        Err(unread) => return refusal(unread),
    };
    let bytes = mark_lone_surrogates(&read.bytes).into_owned();
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(message @ Value::Object(_)) if has_misshapen_cursor(&message) => {
            let error = Error::validation("the cursor is no string");
            let id = message.get("id").cloned().unwrap_or_default();
            return rpc_answer(StatusCode::BAD_REQUEST, &id, INVALID_PARAMS, &error);
        }
        Ok(Value::Object(_)) => {}
        Ok(_) => {
            let error = Error::validation("send one JSON-RPC message; batches are not supported");
            return rpc_error(StatusCode::BAD_REQUEST, INVALID_REQUEST, &error);
        }
        Err(error) => {
            let id = id_of(&bytes);
            let error = Error::validation(format!("the body is no JSON that can be read: {error}"));
            return rpc_answer(StatusCode::BAD_REQUEST, &id, PARSE_ERROR, &error);
        }
    }
    if serde_json::from_slice::<ClientJsonRpcMessage>(&bytes).is_err() {
        let error = Error::validation("the body is no JSON-RPC 2.0 message");
        return rpc_answer(
            StatusCode::BAD_REQUEST,
            &id_of(&bytes),
            INVALID_REQUEST,
            &error,
        );
    }
    let id = id_of(&bytes);
    // Replies are JSON: a client that takes JSON need not also take a stream.
    let accept = parts.headers.get(header::ACCEPT);
    let takes_json = accept.is_none_or(|value| {
        let text = value.to_str().unwrap_or_default();
        text.contains("application/json") || text.contains("*/*")
    });
    if takes_json {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        parts.headers.insert(header::ACCEPT, both);
    }
    parts
        .headers
        .insert(header::CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    let response = next
        .run(Request::from_parts(parts, Body::from(bytes)))
        .await;
    as_json_rpc(response, &id).await
}

/// Answers a message that was not read.
fn refusal(unread: Unread) -> Response {
    let error = of_unread(&unread);
    match unread {
        Unread::Broken | Unread::Late => {
            rpc_error(StatusCode::BAD_REQUEST, INVALID_REQUEST, &error)
        }
        Unread::TooLarge(id) => {
            rpc_answer(StatusCode::PAYLOAD_TOO_LARGE, &id, INVALID_REQUEST, &error)
        }
        Unread::Crowded => {
            let mut response = rpc_error(StatusCode::TOO_MANY_REQUESTS, RATE_LIMITED, &error);
            let wait = HeaderValue::from_static("1");
            response.headers_mut().insert(header::RETRY_AFTER, wait);
            response
        }
    }
}

/// Returns the response; a refusal in plain text, as the protocol library
/// writes some, becomes the JSON-RPC error that clients read.
async fn as_json_rpc(response: Response, id: &Value) -> Response {
    let is_text = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !response.status().is_client_error() || !is_text {
        return response;
    }
    let (parts, body) = response.into_parts();
    let text = to_bytes(body, MAX_REFUSAL_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let error = Error::validation(text.trim().to_owned());
    rpc_answer(parts.status, id, INVALID_REQUEST, &error)
}

fn rpc_error(status: StatusCode, code: i32, error: &Error) -> Response {
    rpc_answer(status, &Value::Null, code, error)
}

fn rpc_answer(status: StatusCode, id: &Value, code: i32, error: &Error) -> Response {
    let body = json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": code, "message": error.message, "data": error.body() },
    });
    json_response(status, &body)
}
