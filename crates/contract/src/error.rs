//! The only error that leaves the process.

use std::fmt;

use serde_json::{Value, json};

use crate::errors::{ErrorCode, Prefix};
use crate::tools::ToolName;

/// A failure as the caller sees it.
///
/// The cause of an `internal` failure is kept apart for the log; it is never
/// part of the message and never serialised.
#[derive(Clone, Debug)]
pub struct Error {
    /// What kind of failure it is; callers branch on it.
    pub code: ErrorCode,
    /// What is wrong, where, and what to do.
    pub message: String,
    /// Structured facts, such as the violations of a schema.
    pub details: Option<Box<Value>>,
    prefix: Option<Prefix>,
    cause: Option<Box<str>>,
}

impl Error {
    /// Returns a failure without details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: None,
            prefix: None,
            cause: None,
        }
    }

    /// Returns a `validation_failed`.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ValidationFailed, message)
    }

    /// Returns a `validation_failed` that names one argument.
    pub fn argument(pointer: &str, rule: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let violation = json!({ "pointer": pointer, "rule": rule, "message": message });
        Self::validation(format!("{pointer}: {message}"))
            .with_details(json!({ "violations": [violation] }))
    }

    /// Returns a `forbidden`.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Forbidden, message)
    }

    /// Returns a `not_found`; the same for what is absent and what is hidden.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotFound, message)
    }

    /// Returns a `conflict`.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict, message)
    }

    /// Returns an `unauthorized`.
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Unauthorized, message)
    }

    /// Returns a `rate_limited` that says when to come back.
    pub fn rate_limited(message: impl Into<String>, retry_after_s: u64) -> Self {
        Self::new(ErrorCode::RateLimited, message)
            .with_details(json!({ "retry_after_s": retry_after_s }))
    }

    /// Returns an `internal`; the cause goes to the log only.
    pub fn internal(cause: impl fmt::Display) -> Self {
        Self {
            cause: Some(cause.to_string().into_boxed_str()),
            ..Self::new(ErrorCode::Internal, "the server failed")
        }
    }

    /// Returns a failure whose message starts with a stable prefix.
    pub fn prefixed(prefix: Prefix, message: impl fmt::Display) -> Self {
        Self {
            prefix: Some(prefix),
            ..Self::new(prefix.code(), format!("{} {message}", prefix.as_str()))
        }
    }

    /// Returns the failure with structured facts.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Returns the stable prefix of the message, if it has one.
    pub fn prefix(&self) -> Option<Prefix> {
        self.prefix
    }

    /// Returns what only the log may show.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// Returns the body that every surface answers with.
    pub fn body(&self) -> Value {
        let (code, message) = (self.code.as_str(), &self.message);
        match &self.details {
            None => json!({ "error": { "code": code, "message": message } }),
            Some(details) => {
                json!({ "error": { "code": code, "message": message, "details": details } })
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {}

impl ToolName {
    /// Returns whether the tool may answer with an error: one that it lists,
    /// or one that any may. `unauthorized` is about who calls, and is decided
    /// before a tool is.
    pub fn may_answer(self, error: &Error) -> bool {
        matches!(error.code, ErrorCode::Internal | ErrorCode::Unauthorized)
            || self
                .errors()
                .iter()
                .any(|entry| entry.code == error.code && entry.prefix == error.prefix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_never_shows_its_cause() {
        let error = Error::internal("SELECT * FROM memory failed");
        assert_eq!(
            error.body().to_string(),
            r#"{"error":{"code":"internal","message":"the server failed"}}"#
        );
        assert_eq!(error.cause(), Some("SELECT * FROM memory failed"));
    }

    #[test]
    fn a_prefixed_error_has_the_code_of_its_prefix() {
        for prefix in Prefix::ALL {
            let error = Error::prefixed(prefix, "why");
            assert_eq!(error.code, prefix.code());
            assert_eq!(error.message, format!("{} why", prefix.as_str()));
        }
    }
}
