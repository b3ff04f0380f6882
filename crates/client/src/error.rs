//! What can go wrong with a call, each sort as its own type.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::generated::contract::CONTRACT_VERSION;
use crate::generated::errors::{ErrorCode, Prefix};
use crate::words::{lost, short};

/// Why a call has no output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused; the code says why.
    #[error(transparent)]
    Answered(Box<ZeroMemoryError>),
    /// The server refused with a code that this version does not know, which
    /// only another major version can.
    #[error("{code}: {message}")]
    UnknownCode {
        /// The code on the wire.
        code: String,
        /// What is wrong, where, and what to do.
        message: String,
        /// Structured facts.
        details: Option<Box<Value>>,
    },
    /// The server has another contract.
    #[error(transparent)]
    ContractMismatch(#[from] ContractMismatch),
    /// The protocol was broken or refused: an unknown tool, an unknown prompt.
    #[error(
        "the server answered with protocol error {code}: {}; see whether it has what you asked for",
        short(message)
    )]
    Protocol {
        /// Code of JSON-RPC.
        code: i32,
        /// What the server says of it.
        message: String,
        /// What the server adds.
        data: Option<Box<Value>>,
    },
    /// The server cannot be reached or started, the connection broke, or
    /// something else answered. The message says which, and whether the call
    /// may have been carried out; the next one opens the connection again.
    #[error("{}", lost(.0.as_ref()))]
    Transport(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// No answer came in time, or no connection. The server was told to stop.
    #[error(
        "no answer came within {0:?}; see whether the server is well, raise Options::timeout, or \
         ask for less"
    )]
    Timeout(Duration),
    /// An answer came that is not what the contract promises.
    #[error(
        "the answer of {name} cannot be read: {}; update zero-memory-client or the server",
        short(why)
    )]
    Unreadable {
        /// Tool, resource or prompt.
        name: String,
        /// What does not fit.
        why: String,
        /// What was sent.
        raw: Box<Value>,
    },
}

impl From<ZeroMemoryError> for Error {
    fn from(error: ZeroMemoryError) -> Self {
        Self::Answered(Box::new(error))
    }
}

impl Error {
    /// Returns the code if the server refused.
    pub fn code(&self) -> Option<ErrorCode> {
        self.answered().map(|error| error.code)
    }

    /// Returns what the server answered if it refused.
    pub fn answered(&self) -> Option<&ZeroMemoryError> {
        match self {
            Self::Answered(error) => Some(error),
            Self::UnknownCode { .. }
            | Self::ContractMismatch(_)
            | Self::Protocol { .. }
            | Self::Transport(_)
            | Self::Timeout(_)
            | Self::Unreadable { .. } => None,
        }
    }
}

/// A refusal of the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ZeroMemoryError {
    /// What kind of failure it is; callers branch on it.
    pub code: ErrorCode,
    /// The stable beginning of the message, if it has one; it says more than
    /// the code.
    pub prefix: Option<Prefix>,
    /// What is wrong, where, and what to do.
    pub message: String,
    /// Structured facts.
    pub details: Option<Value>,
    /// When the same call may succeed, in seconds and parts of one; of
    /// `rate_limited` only.
    pub retry_after_s: Option<f64>,
    /// Every place where the arguments broke the schema or a rule.
    pub violations: Vec<Violation>,
}

/// A place where arguments are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// JSON pointer into the arguments.
    pub pointer: String,
    /// The rule that is broken: a keyword of JSON Schema, or one of the server.
    pub rule: String,
    /// What is wrong.
    pub message: String,
}

impl ZeroMemoryError {
    /// Returns what can be done about it.
    pub fn remedy(&self) -> &'static str {
        self.prefix
            .map_or_else(|| self.code.remedy(), Prefix::remedy)
    }

    /// Returns a refusal that the transport reports without a body.
    pub(crate) fn bare(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            prefix: None,
            message: message.into(),
            details: None,
            retry_after_s: None,
            violations: Vec::new(),
        }
    }
}

impl fmt::Display for ZeroMemoryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for ZeroMemoryError {}

/// The server has another major version of the contract, or announces none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContractMismatch {
    /// Version that this package was made from.
    pub client: &'static str,
    /// Version that the server announces, if it does.
    pub server: Option<String>,
}

impl fmt::Display for ContractMismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ours = CONTRACT_VERSION;
        match &self.server {
            Some(theirs) => write!(
                formatter,
                "the server has contract {} and this client {ours}; use versions with the same \
                 first number, or allow it with Options::allow_other_major",
                short(theirs)
            ),
            None => write!(
                formatter,
                "the server announces no contract of zero-memory; check the address, or allow it \
                 with Options::allow_other_major"
            ),
        }
    }
}

impl std::error::Error for ContractMismatch {}

/// Reads the one body that every refusal has: `{"error": {…}}`.
pub(crate) fn from_body(body: &Value) -> Option<Error> {
    let error = body.get("error")?.as_object()?;
    let word = text(error, "code")?;
    let message = text(error, "message")?;
    let details = error.get("details").cloned();
    let Some(code) = ErrorCode::find(&word) else {
        return Some(Error::UnknownCode {
            code: word,
            message,
            details: details.map(Box::new),
        });
    };
    let facts = details.as_ref();
    let violations = facts.and_then(|facts| facts.get("violations")?.as_array());
    let violations = violations.into_iter().flatten().filter_map(|violation| {
        let violation = violation.as_object()?;
        Some(Violation {
            pointer: text(violation, "pointer")?,
            rule: text(violation, "rule").unwrap_or_default(),
            message: text(violation, "message").unwrap_or_default(),
        })
    });
    let violations = violations.collect();
    let mut prefixes = Prefix::ALL.iter().copied();
    let error = ZeroMemoryError {
        code,
        prefix: prefixes
            .find(|prefix| prefix.code() == code && message.starts_with(prefix.as_str())),
        retry_after_s: facts.and_then(|facts| seconds(facts.get("retry_after_s")?.as_f64()?)),
        message,
        details,
        violations,
    };
    Some(error.into())
}

/// Returns a number of seconds if it is one.
fn seconds(told: f64) -> Option<f64> {
    (told >= 0.0).then_some(told)
}

fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_code_and_prefix_is_read_as_its_type() {
        for code in ErrorCode::ALL {
            let body = json!({ "error": { "code": code.as_str(), "message": "why" } });
            let error = from_body(&body).expect("it is a refusal");
            assert_eq!(error.code(), Some(code));
        }
        for prefix in Prefix::ALL {
            let message = format!("{} why", prefix.as_str());
            let body = json!({ "error": { "code": prefix.code().as_str(), "message": message } });
            let error = from_body(&body).expect("it is a refusal");
            let answered = error.answered().expect("a known code");
            assert_eq!(answered.prefix, Some(*prefix));
            assert_eq!(answered.remedy(), prefix.remedy());
        }
    }

    #[test]
    fn a_wait_is_any_number_of_seconds_that_is_none_below_nothing() {
        for (told, read) in [
            (json!(2), Some(2.0)),
            (json!(0.25), Some(0.25)),
            (json!(-1), None),
            (json!("2"), None),
        ] {
            let body = json!({ "error": {
                "code": "rate_limited", "message": "why", "details": { "retry_after_s": told },
            } });
            let error = from_body(&body).expect("it is a refusal");
            let answered = error.answered().expect("a known code");
            assert_eq!(answered.retry_after_s, read, "{told}");
        }
    }

    #[test]
    fn a_code_of_a_later_major_is_readable() {
        let body = json!({ "error": { "code": "tired", "message": "later" } });
        let error = from_body(&body).expect("it is a refusal");
        assert_eq!(error.code(), None);
        assert_eq!(error.to_string(), "tired: later");
    }

    #[test]
    fn what_is_no_refusal_is_none() {
        for body in [
            json!({}),
            json!({ "error": "x" }),
            json!({ "error": { "code": 1 } }),
        ] {
            assert!(from_body(&body).is_none(), "{body}");
        }
    }
}
