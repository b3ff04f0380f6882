//! HTTP below the official client. It waits for whoever answers a request
//! with something else than its answer until the time is up; here that is
//! told at once.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;

type Failure = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = Pin<Box<dyn Stream<Item = Result<Sse, SseError>> + Send>>;

/// More redirects than any server leads through.
const MAX_REDIRECTS: usize = 10;

/// What is said of a stream that ended too early: the one answer that is none
/// and comes from a server that may have taken the call.
pub(crate) const BROKEN_OFF: &str = "a stream ended without an answer";

/// The client of reqwest, with answers that are looked at.
#[derive(Clone)]
pub(crate) struct Http(Client);

impl Http {
    /// Sets reqwest up as rmcp does it. What goes to this machine goes through
    /// no proxy of the environment: that would see the token.
    pub(crate) fn new(url: &str) -> Result<Self, reqwest::Error> {
        let mut builder = Client::builder()
            // A connection of the pool may have ended with the server.
            .pool_max_idle_per_host(0)
            .redirect(Policy::custom(redirected));
        if is_local(url) {
            builder = builder.no_proxy();
        }
        builder.build().map(Self)
    }
}

/// Whether an address is of this machine.
fn is_local(url: &str) -> bool {
    let host = reqwest::Url::parse(url).ok();
    let host = host.as_ref().and_then(reqwest::Url::host_str);
    host.is_some_and(|host| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let address = bare.parse::<std::net::IpAddr>();
        bare == "localhost" || address.is_ok_and(|address| address.is_loopback())
    })
}

/// Follows where the message stays what it is and goes to the same server: the
/// token is for no other one.
fn redirected(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let has_message = matches!(
        attempt.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    let first = attempt.previous().first();
    let is_same = first.is_some_and(|first| first.origin() == attempt.url().origin());
    if !has_message || !is_same {
        attempt.stop()
    } else if attempt.previous().len() > MAX_REDIRECTS {
        attempt.error("it redirects without end")
    } else {
        attempt.follow()
    }
}

impl StreamableHttpClient for Http {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits)
            .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let awaited = match &message {
            // It is answered by a stream that ends when somebody ends it.
            ClientJsonRpcMessage::Request(request)
                if !matches!(
                    request.request,
                    ClientRequest::SubscriptionsListenRequest(_)
                ) =>
            {
                Some(request.id.clone())
            }
            _ => None,
        };
        let sent = self
            .0
            .post_message_with_response_limits(uri, message, session, token, headers, limits);
        match awaited {
            Some(id) => answered(id, sent.await?).await,
            None => sent.await,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        self.0.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure> {
        self.0.get_stream(uri, session, last, token, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
        longest: usize,
    ) -> Result<Events, Failure> {
        self.0
            .get_stream_with_max_sse_event_size(uri, session, last, token, headers, longest)
            .await
    }
}

/// Returns the answer to a request, also out of a stream.
async fn answered(
    id: RequestId,
    response: StreamableHttpPostResponse,
) -> Result<StreamableHttpPostResponse, Failure> {
    let odd = |what: &'static str| StreamableHttpError::UnexpectedServerResponse(what.into());
    let (answer, session) = match response {
        StreamableHttpPostResponse::Accepted => return Err(odd("a success of HTTP with nothing")),
        StreamableHttpPostResponse::Sse(events, session) => {
            let found = within(events, &id).await?;
            (found.ok_or_else(|| odd(BROKEN_OFF))?, session)
        }
        other => {
            let (answer, session) = other.expect_initialized().await?;
            let ours = ours(answer, &id);
            let ours = ours.ok_or_else(|| odd("an answer to another request"))?;
            (ours, session)
        }
    };
    Ok(StreamableHttpPostResponse::Json(answer, session))
}

/// Returns the answer to a request out of a stream, in which anything else may
/// come before it.
async fn within(
    mut events: Events,
    id: &RequestId,
) -> Result<Option<ServerJsonRpcMessage>, Failure> {
    while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
        let text = event?.data.unwrap_or_default();
        let message = serde_json::from_str(&text).ok();
        if let Some(answer) = message.and_then(|message| ours(message, id)) {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

/// Returns a message that answers a request.
fn ours(mut message: ServerJsonRpcMessage, id: &RequestId) -> Option<ServerJsonRpcMessage> {
    let is_ours = match &mut message {
        ServerJsonRpcMessage::Response(response) => response.id == *id,
        // What could not read the request cannot name it.
        ServerJsonRpcMessage::Error(error) => error.id.get_or_insert_with(|| id.clone()) == id,
        _ => false,
    };
    is_ours.then_some(message)
}
