//! What a caller may choose about a connection.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::version::Warning;

/// How often a call is made at most, the first time included.
const MAX_ATTEMPTS: u32 = 3;

/// Longest time that a call waits before it is made again.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Longest time in which a connection opens when the caller sets none. A server
/// answers before it has read its files, so this is for a machine in distress.
const LONGEST_OPENING: Duration = Duration::from_secs(30);

/// Longest time for one attempt of a call when the caller sets none: a server
/// gives up far earlier, and some answers that are none are never told by the
/// official client.
const LONGEST_CALL: Duration = Duration::from_secs(300);

/// Choices about a connection; [`Options::new`] has what most want.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// How often a call is made at most while the server answers
    /// `rate_limited`; 1 never repeats one. Nothing was done by a call that was
    /// refused so, so it is safe to repeat.
    pub max_attempts: u32,
    /// A longer wait than this is left to the caller: the error comes at once.
    pub max_wait: Duration,
    /// Whether to go on with a server whose contract has another major version,
    /// or that announces none.
    pub allow_other_major: bool,
    /// Longest time for one attempt of a call, with the opening of a connection
    /// if it needs one; the server is told to stop. It bounds the first opening
    /// too. When absent a call may take five minutes, and an opening 30 seconds.
    pub timeout: Option<Duration>,
    /// Which era of the protocol to speak.
    pub protocol: Protocol,
    /// Headers that are sent with every request over HTTP, each a name and a
    /// value, for what stands before the server.
    pub headers: Vec<(String, String)>,
    pub(crate) on_warning: Arc<dyn Fn(&Warning) + Send + Sync>,
}

/// An era of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protocol {
    /// The newest that the server speaks.
    #[default]
    Auto,
    /// With a handshake, up to revision 2025-11-25.
    Handshake,
    /// Without one, from revision 2026-07-28 on.
    Stateless,
}

impl Options {
    /// Returns what most want: three attempts, no wait beyond a minute, no
    /// other major version, warnings to `tracing`, five minutes for a call.
    pub fn new() -> Self {
        Self {
            max_attempts: MAX_ATTEMPTS,
            max_wait: MAX_WAIT,
            allow_other_major: false,
            timeout: None,
            protocol: Protocol::Auto,
            headers: Vec::new(),
            on_warning: Arc::new(|warning| tracing::warn!("{warning}")),
        }
    }

    /// Sets how often a call is made at most.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the longest wait before a call is repeated.
    #[must_use]
    pub fn max_wait(mut self, wait: Duration) -> Self {
        self.max_wait = wait;
        self
    }

    /// Goes on with a server of another major version, or of none.
    #[must_use]
    pub fn allow_other_major(mut self, allow: bool) -> Self {
        self.allow_other_major = allow;
        self
    }

    /// Sets the longest time for one attempt of a call, and for an opening.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Chooses the era of the protocol.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Adds a header that is sent with every request over HTTP.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Returns the longest time in which a connection opens.
    pub(crate) fn longest_opening(&self) -> Duration {
        self.timeout.unwrap_or(LONGEST_OPENING)
    }

    /// Returns the longest time for one attempt of a call.
    pub(crate) fn longest_call(&self) -> Duration {
        self.timeout.unwrap_or(LONGEST_CALL)
    }

    /// Hears warnings about the version of the server, in place of `tracing`.
    #[must_use]
    pub fn on_warning(mut self, hear: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        self.on_warning = Arc::new(hear);
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value of a header may be a secret.
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("Options")
            .field("max_attempts", &self.max_attempts)
            .field("max_wait", &self.max_wait)
            .field("allow_other_major", &self.allow_other_major)
            .field("timeout", &self.timeout)
            .field("protocol", &self.protocol)
            .field("headers", &headers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sets_no_limit_has_the_one_that_is_told() {
        let (opening, call) = (Duration::from_secs(30), Duration::from_secs(300));
        let options = Options::new();
        assert_eq!(options.longest_opening(), opening);
        assert_eq!(options.longest_call(), call);
        let short = options.timeout(Duration::from_secs(2));
        assert_eq!(short.longest_opening(), Duration::from_secs(2));
        assert_eq!(short.longest_call(), Duration::from_secs(2));
    }
}
