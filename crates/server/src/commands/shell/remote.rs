//! Asks a server over HTTP: its plain routes, and MCP where they have none.
//!
//! Only loopback is spoken to: there is no encryption here, and a token must
//! not cross a network in the clear.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use contract::constants::{CONTRACT_VERSION, CONTRACT_VERSION_HEADER, SERVER_NAME};
use contract::{Error, ErrorCode, Route};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::Ask;
use crate::commands::address;
use crate::say;

/// Where the token is read from: a word on the command line could be read by
/// everybody who lists the processes.
const TOKEN: &str = "ZERO_MEMORY_TOKEN";

/// How long an answer may take: a little longer than a call at the server.
const PATIENCE: Duration = Duration::from_secs(40);

/// Bytes of an answer; the server's own are far shorter.
const ANSWER_BYTES: usize = 16 << 20;

/// The version of MCP whose requests stand alone.
const REVISION: &str = "2026-07-28";

/// Asks, and returns what was answered or why it was refused.
pub fn answer(url: &str, ask: &Ask) -> Result<Result<Value, Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot start")?;
    runtime.block_on(async {
        tokio::time::timeout(PATIENCE, asked(url, ask))
            .await
            .with_context(|| format!("{url} did not answer within {} s", PATIENCE.as_secs()))?
    })
}

async fn asked(url: &str, ask: &Ask) -> Result<Result<Value, Error>> {
    let authority = loopback(url)?;
    meet(url, &authority).await?;
    match ask {
        Ask::Tool(tool, arguments) => {
            let path = Route::CallTool.path().replace("{tool}", tool.as_str());
            let (status, body) = post(&authority, &path, &[], arguments).await?;
            if status.is_success() {
                return Ok(Ok(body));
            }
            match refusal(status, &body) {
                Some(error) => Ok(Err(error)),
                None => bail!("{url} answered {status} and nothing that can be understood"),
            }
        }
        Ask::Resource(uri) => {
            let request = json!({
                "jsonrpc": "2.0",
                "id": 1,
                "method": "resources/read",
                "params": {
                    "uri": uri,
                    "_meta": {
                        "io.modelcontextprotocol/protocolVersion": REVISION,
                        "io.modelcontextprotocol/clientCapabilities": {},
                        "io.modelcontextprotocol/clientInfo": {
                            "name": SERVER_NAME,
                            "version": env!("CARGO_PKG_VERSION"),
                        },
                    },
                },
            });
            let headers = [
                ("MCP-Protocol-Version", REVISION),
                ("Mcp-Method", "resources/read"),
                ("Mcp-Name", uri),
            ];
            let (status, body) = post(&authority, "/mcp", &headers, &request).await?;
            if let Some(error) = refusal(status, &body) {
                return Ok(Err(error));
            }
            let text = body.pointer("/result/contents/0/text");
            let Some(text) = text.and_then(Value::as_str) else {
                bail!("{url} answered {status} and nothing that can be understood");
            };
            let value = serde_json::from_str(text);
            value.map(Ok).context("the answer is no JSON")
        }
    }
}

/// Returns host and port of a server on this machine.
fn loopback(url: &str) -> Result<String> {
    let uri = address::parsed(url).with_context(|| {
            format!("{url} is no address: write it like http://127.0.0.1:8787, as the server says when it starts")
        })?;
    if uri.scheme_str() != Some("http") || !address::is_local(&uri) {
        bail!(
            "{url} is not on this machine or not http: only http to a loopback address is spoken, so that no token crosses a network in the clear; forward a port of this machine to that server and name the port"
        );
    }
    let host = uri.host().unwrap_or_default();
    Ok(format!("{host}:{}", uri.port_u16().unwrap_or(80)))
}

/// Refuses a server of another major version before anything is asked of it: a
/// write would be done already when its answer is found to mean something else.
async fn meet(url: &str, authority: &str) -> Result<()> {
    let request = Request::get(Route::Health.path()).header(HOST, authority);
    let request = request
        .body(Full::default())
        .context("a request without a body")?;
    let response = sent(authority, request).await?;
    let named = response.headers().get(CONTRACT_VERSION_HEADER);
    let Some(version) = named.and_then(|value| value.to_str().ok()) else {
        bail!("{url} is no zero-memory server: it names no version of the contract");
    };
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    if major(version) != major(CONTRACT_VERSION) {
        bail!(
            "{url} speaks contract {version} and this program {CONTRACT_VERSION}: use the program of the server's version"
        );
    }
    let minor = |version: &str| -> Option<u32> { version.split('.').nth(1)?.parse().ok() };
    if minor(version) < minor(CONTRACT_VERSION) {
        say(&format!(
            "{url} is an older server, of contract {version}: it may lack some of what came with {CONTRACT_VERSION}"
        ));
    }
    Ok(())
}

async fn post(
    authority: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Result<(StatusCode, Value)> {
    let mut request = Request::post(path)
        .header(HOST, authority)
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json, text/event-stream");
    let token = std::env::var_os(TOKEN).unwrap_or_default();
    let token = token.to_string_lossy();
    if !token.trim().is_empty() {
        if !address::is_token(token.trim()) {
            bail!("what stands in {TOKEN} {}", address::NO_TOKEN);
        }
        request = request.header(AUTHORIZATION, format!("Bearer {}", token.trim()));
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request
        .body(Full::new(Bytes::from(body.to_string())))
        .context("the request cannot be written")?;
    let response = sent(authority, request).await?;
    let status = response.status();
    let bytes = serde_json::from_slice(response.body()).unwrap_or_default();
    Ok((status, bytes))
}

/// Sends a request on a connection of its own; returns the whole response.
async fn sent(authority: &str, request: Request<Full<Bytes>>) -> Result<Response<Bytes>> {
    let stream = TcpStream::connect(authority).await.with_context(|| {
        format!("no server answers at {authority}: start one with zero-memory serve")
    })?;
    stream.set_nodelay(true)?;
    let broke = || format!("the connection to {authority} broke");
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .with_context(broke)?;
    let driver = tokio::spawn(connection);
    let response = sender.send_request(request).await.with_context(broke)?;
    let (head, body) = response.into_parts();
    let bytes = Limited::new(body, ANSWER_BYTES)
        .collect()
        .await
        .map_err(|error| anyhow::anyhow!("{}: {error}", broke()))?
        .to_bytes();
    drop(sender);
    driver.abort();
    Ok(Response::from_parts(head, bytes))
}

/// Returns the error in a body. MCP numbers its own failures; there the status
/// says what kind it is.
fn refusal(status: StatusCode, body: &Value) -> Option<Error> {
    let error = body.get("error")?;
    let message = error.get("message")?.as_str()?;
    let named = error.get("code")?.as_str().and_then(ErrorCode::find);
    let of_status = || {
        let mut codes = ErrorCode::ALL.into_iter();
        codes.find(|code| code.http_status() == status.as_u16())
    };
    let Some(code) = named.or_else(of_status) else {
        return Some(Error::internal(message));
    };
    let told = Error::new(code, message);
    Some(match error.get("details") {
        Some(details) => told.with_details(details.clone()),
        None => told,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_on_this_machine_is_spoken_to() {
        for (url, authority) in [
            ("http://127.0.0.1:8787", "127.0.0.1:8787"),
            ("http://127.0.0.1:8787/mcp", "127.0.0.1:8787"),
            ("http://localhost", "localhost:80"),
            ("http://[::1]:9/", "[::1]:9"),
        ] {
            assert_eq!(loopback(url).unwrap(), authority, "{url}");
        }
        for url in [
            "https://127.0.0.1:8787",
            "http://192.0.2.1:8787",
            "http://example.com",
            "http://127.0.0.1.example.com",
            "127.0.0.1:8787",
            "nonsense",
            "",
        ] {
            assert!(loopback(url).is_err(), "{url}");
        }
    }
}
