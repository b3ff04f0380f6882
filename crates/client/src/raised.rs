//! Turns what the official client raises into the failures of this package.

use std::error::Error as StdError;

use rmcp::ErrorData;
use rmcp::service::ServiceError;
#[cfg(feature = "http")]
use serde_json::Value;

use crate::error::{Error, ZeroMemoryError, from_body};
use crate::generated::errors::ErrorCode;
#[cfg(feature = "http")]
use crate::http::BROKEN_OFF;
use crate::words::{Loss, Lost};

/// Codes of JSON-RPC for a resource that is not there: of the era with a
/// handshake, and of the one without.
const ABSENT: [i32; 2] = [-32002, -32602];

/// How the official client begins to tell that HTTP refused its first request.
const REFUSED_BY_HTTP: &str = "server/discover rejected with HTTP";

/// Sorts a failure of the official client.
pub(crate) fn failed(error: ServiceError) -> Error {
    match error {
        ServiceError::McpError(error) => protocol(error),
        error @ ServiceError::UnexpectedResponse => gone(Loss::Answered, Box::new(error)),
        error => broken(Box::new(error)),
    }
}

/// Reads an error of JSON-RPC; the server puts the body of its own into it.
pub(crate) fn protocol(error: ErrorData) -> Error {
    let refusal = match &error.data {
        Some(data) => from_body(data),
        // A refusal by HTTP of the first request of a connection.
        None => carried(&error.message),
    };
    if refusal.is_none() && error.message.starts_with(REFUSED_BY_HTTP) {
        return gone(Loss::Answered, error.message.into());
    }
    refusal.unwrap_or_else(|| Error::Protocol {
        code: error.code.0,
        message: error.message.into_owned(),
        data: error.data.map(Box::new),
    })
}

/// A resource that is not there is `not_found`, as everything else is.
pub(crate) fn absent(error: Error, uri: &str) -> Error {
    match error {
        Error::Protocol {
            code,
            message,
            data: Some(data),
        } if ABSENT.contains(&code) && data.get("uri").is_some_and(|named| named == uri) => {
            ZeroMemoryError::bare(ErrorCode::NotFound, message).into()
        }
        error => error,
    }
}

/// Sorts a failure of the transport: what the server says with a status of HTTP
/// is an answer, not a broken connection.
pub(crate) fn broken(error: Box<dyn StdError + Send + Sync>) -> Error {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error.as_ref());
    let (mut why, mut loss) = (error.to_string(), Loss::Broken);
    while let Some(cause) = next {
        if let Some(answered) = answered(cause) {
            return answered;
        }
        // The official client puts the names of its types around the reason.
        why = spelled(cause);
        loss = loss_of(cause).unwrap_or(loss);
        next = cause.source().or_else(|| inside(cause));
    }
    transport(loss, why, error)
}

/// Returns a failure of the transport that is of this kind.
fn gone(loss: Loss, cause: Box<dyn StdError + Send + Sync>) -> Error {
    transport(loss, cause.to_string(), cause)
}

fn transport(loss: Loss, why: String, cause: Box<dyn StdError + Send + Sync>) -> Error {
    let cause = Some(cause);
    Error::Transport(Box::new(Lost { loss, why, cause }))
}

/// Returns what a cause says of the call; only what is sure.
#[cfg(feature = "http")]
fn loss_of(cause: &(dyn StdError + 'static)) -> Option<Loss> {
    use rmcp::transport::streamable_http_client::StreamableHttpError as Failure;

    if let Some(error) = cause.downcast_ref::<reqwest::Error>() {
        let told = [
            (error.is_connect(), Loss::Unreached),
            (error.is_builder(), Loss::Unsent),
            (error.is_redirect(), Loss::Answered),
        ];
        return told.into_iter().find(|(is, _)| *is).map(|(_, loss)| loss);
    }
    match cause.downcast_ref::<Failure<reqwest::Error>>()? {
        Failure::UnexpectedServerResponse(words) if words == BROKEN_OFF => None,
        Failure::ReservedHeaderConflict(_) => Some(Loss::Unsent),
        Failure::HttpStatus(_)
        | Failure::UnexpectedServerResponse(_)
        | Failure::ResponseBodyTooLarge { .. }
        | Failure::UnexpectedContentType(_)
        | Failure::Deserialize(_)
        | Failure::InsufficientScope(_)
        | Failure::SessionExpired
        | Failure::MissingSessionIdInResponse => Some(Loss::Answered),
        _ => None,
    }
}

#[cfg(not(feature = "http"))]
fn loss_of(_cause: &(dyn StdError + 'static)) -> Option<Loss> {
    None
}

/// Returns the words of a cause; those of the official client leave out that
/// HTTP called it a success.
fn spelled(cause: &(dyn StdError + 'static)) -> String {
    #[cfg(feature = "http")]
    {
        use rmcp::transport::streamable_http_client::StreamableHttpError as Failure;

        if let Some(Failure::UnexpectedContentType(kind)) =
            cause.downcast_ref::<Failure<reqwest::Error>>()
        {
            let kind = kind.as_deref().unwrap_or("nothing");
            return format!("a success of HTTP with {kind}, which is no answer");
        }
    }
    cause.to_string()
}

/// Returns what the official client keeps within an error and not as its cause.
#[cfg(feature = "http")]
fn inside<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    use rmcp::transport::streamable_http_client::StreamableHttpError;

    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>()? {
        StreamableHttpError::Client(inside) => Some(inside),
        _ => None,
    }
}

#[cfg(not(feature = "http"))]
fn inside<'a>(_error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    None
}

#[cfg(feature = "http")]
fn answered(cause: &(dyn StdError + 'static)) -> Option<Error> {
    use rmcp::transport::streamable_http_client::{AuthRequiredError, StreamableHttpError};

    let unknown = || {
        let why = "the server does not know the token; pass the one from the file \"token\" of \
                   its data folder";
        Some(ZeroMemoryError::bare(ErrorCode::Unauthorized, why).into())
    };
    if cause.is::<AuthRequiredError>() {
        return unknown();
    }
    if let Some(told) = carried(&cause.to_string()) {
        return Some(told);
    }
    let failure = cause.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    // What stands before the server may refuse without the header of a gate.
    let told = format!("HTTP {}", ErrorCode::Unauthorized.http_status());
    match failure {
        Some(StreamableHttpError::UnexpectedServerResponse(words)) if words.starts_with(&told) => {
            return unknown();
        }
        Some(StreamableHttpError::HttpStatus(refused))
            if refused.status == ErrorCode::Unauthorized.http_status() =>
        {
            return unknown();
        }
        _ => {}
    }
    // It passes for its own cause, so that one is found in it only.
    if let Some(StreamableHttpError::HttpStatus(refused)) = failure
        && refused.status == ErrorCode::RateLimited.http_status()
    {
        let why = "the server takes no more calls for now; call again later";
        let mut error = ZeroMemoryError::bare(ErrorCode::RateLimited, why);
        let told = refused.retry_after.as_deref();
        error.retry_after_s = told.and_then(waited);
        return Some(error.into());
    }
    None
}

/// Reads the seconds of a Retry-After: digits and nothing else. What Rust reads
/// as a number is more than that.
#[cfg(feature = "http")]
fn waited(told: &str) -> Option<f64> {
    let told = told.trim();
    let is_plain = told.bytes().all(|byte| byte.is_ascii_digit());
    told.parse().ok().filter(|_| is_plain)
}

/// Reads a refusal out of words: the official client keeps the body of most
/// statuses of HTTP as text only.
#[cfg(feature = "http")]
fn carried(told: &str) -> Option<Error> {
    let (_, body) = told.split_once(": {")?;
    let body: Value = serde_json::from_str(&format!("{{{body}")).ok()?;
    let inner = body.get("error").and_then(|error| error.get("data"));
    from_body(inner.unwrap_or(&body))
}

#[cfg(not(feature = "http"))]
fn carried(_told: &str) -> Option<Error> {
    None
}

#[cfg(not(feature = "http"))]
fn answered(_cause: &(dyn StdError + 'static)) -> Option<Error> {
    None
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::waited;

    #[test]
    fn only_digits_are_seconds() {
        assert_eq!(waited(" 7 "), Some(7.0));
        assert_eq!(waited("0"), Some(0.0));
        for odd in [
            "", "+7", "-7", "7.5", "7e1", "inf", "NaN", "0x7", "\u{0667}", "7 8",
        ] {
            assert_eq!(waited(odd), None, "{odd}");
        }
    }
}
