//! HTTP: `/mcp` (Streamable HTTP, both eras, no transport sessions), the same
//! tools as plain routes, and health. Loopback only, one owner, one token.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::serve::ListenerExt;
use contract::routes::Auth;
use contract::served::OPENAPI;
use contract::{Error, Route};
use memory::{Call, ClientInfo};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};

use crate::door::Door;
use crate::logs;
use crate::wire::{MAX_MESSAGE_BYTES, mark_lone_surrogates};

mod bodies;
mod guard;

use bodies::{Bodies, PATIENCE, Unread};
pub use guard::RequestId;

/// What the routes share.
#[derive(Clone)]
struct Site {
    door: Arc<Door>,
    token: Arc<str>,
    address: SocketAddr,
    bodies: Bodies,
    /// The version of the contract that every answer names.
    version: HeaderValue,
}

impl Site {
    /// Reads the JSON of a body; its share of the memory is taken as long as
    /// the first part lives.
    async fn read(&self, body: Body) -> Result<(bodies::Read, Value), Error> {
        let read = self
            .bodies
            .read(body)
            .await
            .map_err(|unread| of_unread(&unread))?;
        let value = read_arguments(&read.bytes)?;
        Ok((read, value))
    }

    /// Returns the call of a plain request.
    fn call(&self, request: RequestId, headers: &HeaderMap) -> Call {
        Call {
            client: client_of(headers),
            request_id: request.observed(),
            stop: self.door.crowd().stop(),
            ..Call::default()
        }
    }
}

/// Returns a listener on loopback, and refuses to be reachable from elsewhere.
pub async fn bind(address: SocketAddr) -> Result<tokio::net::TcpListener> {
    if !address.ip().is_loopback() {
        bail!(
            "{address} is no loopback address: without accounts, the server is for this machine only"
        );
    }
    tokio::net::TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}; is another server running there?"))
}

/// Serves until `stop` resolves.
pub async fn serve<S: ServerHandler>(
    listener: tokio::net::TcpListener,
    handler: impl Fn() -> S + Send + Sync + 'static,
    door: Arc<Door>,
    token: String,
    version: &str,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let site = Site {
        door,
        token: token.into(),
        address: listener.local_addr()?,
        bodies: Bodies::new(),
        version: HeaderValue::from_str(version).context("the version is no header")?,
    };
    // Without it, every streamed reply waits 40 ms for Nagle's algorithm.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    // A client that ends its side of the connection has left, also when it
    // only meant to say no more: TCP does not tell the two apart, and for MCP
    // a connection that ends calls the request off.
    axum::serve(listener, router(site, handler))
        .with_graceful_shutdown(stop)
        .await
        .context("the server ended")
}

fn router<S: ServerHandler>(site: Site, handler: impl Fn() -> S + Send + Sync + 'static) -> Router {
    let config = StreamableHttpServerConfig::default()
        // Many clients never recover from a lost session; without one, nothing
        // is lost when the server restarts.
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        // The guard checks Host and Origin on every route, these included.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let mcp = StreamableHttpService::new(
        move || Ok(handler()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let mcp = Router::new()
        .route_service("/mcp", mcp)
        .layer(from_fn_with_state(site.clone(), guard::readable_message))
        .layer(from_fn_with_state(site.clone(), guard::mcp_token));
    // What is declared is served, and nothing else besides MCP.
    let (mut open, mut guarded) = (Router::new(), Router::new());
    for route in Route::ALL {
        let handler = match route {
            Route::CallTool => any(call_tool),
            Route::EraseMemories => post(erase_memories),
            Route::Health => get(health),
            Route::Openapi => get(openapi),
        };
        match route.auth() {
            Auth::None => open = open.route(route.path(), handler),
            Auth::Bearer => guarded = guarded.route(route.path(), handler),
        }
    }
    let guarded = guarded.layer(from_fn_with_state(site.clone(), guard::api_token));
    open.merge(guarded)
        .merge(mcp)
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(site.clone(), guard::origin))
        .layer(from_fn_with_state(site.clone(), guard::announce))
        .with_state(site)
}

async fn health() -> Response {
    json_response(StatusCode::OK, &json!({ "status": "ok" }))
}

/// Shows the document, without the tools that this server does not offer.
async fn openapi(State(site): State<Site>) -> Response {
    let Ok(mut document) = serde_json::from_str::<Value>(OPENAPI) else {
        return text_response(StatusCode::OK, OPENAPI.to_owned());
    };
    let calls = Route::CallTool.path();
    let calls = calls.split_once('{').map_or(calls, |(calls, _)| calls);
    if let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) {
        paths.retain(|path, _| {
            let tool = path.strip_prefix(calls);
            tool.is_none_or(|tool| site.door.find(tool).is_some())
        });
    }
    json_response(StatusCode::OK, &document)
}

async fn no_route() -> Response {
    let known = Route::ALL.map(|route| format!("{} {}", route.method(), route.path()));
    error_response(&Error::not_found(format!(
        "there is no such route; known: POST /mcp, {}",
        known.join(", ")
    )))
}

async fn no_method() -> Response {
    let error = Error::validation("this route does not take that method");
    let mut response = error_response(&error);
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}

async fn call_tool(
    State(site): State<Site>,
    axum::Extension(request): axum::Extension<RequestId>,
    Path(name): Path<String>,
    method: axum::http::Method,
    headers: HeaderMap,
    body: Body,
) -> Response {
    if method != axum::http::Method::POST {
        let mut response = no_method().await;
        let allowed = HeaderValue::from_static("POST");
        response.headers_mut().insert(header::ALLOW, allowed);
        return response;
    }
    let Some(tool) = site.door.find(&name) else {
        return error_response(&Error::not_found(site.door.unknown_tool(&name)));
    };
    let (_share, arguments) = match site.read(body).await {
        Ok(read) => read,
        Err(error) => return error_response(&error),
    };
    let call = site.call(request, &headers);
    let door = Arc::clone(&site.door);
    // When the connection breaks, this future is dropped and the call ends.
    let never = std::future::pending();
    let outcome = logs::observed(site.door.crowd(), call, tool, never, move |call| {
        door.call(call, tool, arguments)
    })
    .await;
    match outcome {
        Ok(payload) => json_response(StatusCode::OK, &payload),
        Err(error) => error_response(&error),
    }
}

async fn erase_memories(
    State(site): State<Site>,
    axum::Extension(request): axum::Extension<RequestId>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let (_share, body) = match site.read(body).await {
        Ok(read) => read,
        Err(error) => return error_response(&error),
    };
    let call = site.call(request, &headers);
    let door = Arc::clone(&site.door);
    let route = Route::EraseMemories.as_str();
    let never = std::future::pending();
    let outcome = logs::observed_method(site.door.crowd(), call, route, never, move |call| {
        door.erase(call, body)
    });
    match outcome.await {
        Ok(receipt) => json_response(StatusCode::OK, &receipt),
        Err(error) => error_response(&error),
    }
}

/// Returns what to say about a body that was not read.
fn of_unread(unread: &Unread) -> Error {
    match unread {
        Unread::Broken => Error::validation("the body broke off before its end"),
        Unread::Late => Error::validation(format!(
            "the whole body did not arrive within {} seconds; nothing was done, so send it again",
            PATIENCE.as_secs()
        )),
        Unread::TooLarge(_) => {
            Error::validation(format!("a body may have at most {MAX_MESSAGE_BYTES} bytes"))
        }
        Unread::Crowded => Error::rate_limited(
            "the server reads as much at once as it takes; nothing of this call was done, so send it again",
            1,
        ),
    }
}

fn read_arguments(bytes: &[u8]) -> Result<Value, Error> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&mark_lone_surrogates(bytes)).map_err(|error| {
        Error::validation(format!("the body is no JSON that can be read: {error}"))
    })
}

/// Returns the program behind a plain call, from its `User-Agent`.
pub fn client_of(headers: &HeaderMap) -> Option<ClientInfo> {
    let text = headers.get(header::USER_AGENT)?.to_str().ok()?;
    let (name, version) = text.split_once('/').unwrap_or((text, ""));
    let version = version.split_whitespace().next().unwrap_or_default();
    Some(ClientInfo::named(name, version))
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    text_response(status, value.to_string())
}

fn text_response(status: StatusCode, json: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, json).into_response()
}

/// Returns the one error body with the status of its code.
fn error_response(error: &Error) -> Response {
    let status =
        StatusCode::from_u16(error.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json_response(status, &error.body());
    let wait = error
        .details
        .as_ref()
        .and_then(|details| details.get("retry_after_s"))
        .and_then(Value::as_u64);
    if let Some(seconds) = wait {
        let value = HeaderValue::from(seconds);
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}
