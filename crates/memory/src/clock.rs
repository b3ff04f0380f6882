//! Time: where it comes from, and how it is written.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::error::Error;

/// Tells the time in UTC milliseconds since the epoch.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

pub(crate) const SECOND_MS: i64 = 1_000;
pub(crate) const MINUTE_MS: i64 = 60 * SECOND_MS;
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
pub(crate) const DAY_MS: i64 = 24 * HOUR_MS;

/// Returns the clock of the machine.
pub(crate) fn system() -> Clock {
    Arc::new(|| {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| {
                i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
            })
    })
}

/// Returns a moment as RFC 3339 in UTC with milliseconds.
pub(crate) fn rfc3339(at: i64) -> String {
    let moment = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{moment:.3}")
}

/// Returns the moment that an argument names, in RFC 3339.
pub(crate) fn parse(pointer: &str, text: &str) -> Result<i64, Error> {
    let moment: Result<Timestamp, _> = text.trim().parse();
    moment.map(Timestamp::as_millisecond).map_err(|_| {
        // The calendar goes on for a day that is not stored.
        let is_date = text
            .trim()
            .get(..19)
            .is_some_and(|date| date.parse::<DateTime>().is_ok());
        let message = if is_date {
            "it lies past 9999-12-30T22:00:00Z, the last moment that can be stored"
        } else {
            "this is no moment that a calendar has"
        };
        Error::Argument {
            pointer: pointer.to_owned(),
            rule: "date-time",
            message: message.to_owned(),
        }
    })
}

/// Returns how many whole days lie between two moments; none if the second
/// is before the first.
pub(crate) fn days_between(from: i64, to: i64) -> i64 {
    to.saturating_sub(from).max(0) / DAY_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc_with_milliseconds() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(1_796_115_600_042), "2026-12-01T09:00:00.042Z");
        assert_eq!(rfc3339(i64::MAX), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn days_are_whole_and_never_negative() {
        assert_eq!(days_between(0, DAY_MS - 1), 0);
        assert_eq!(days_between(0, DAY_MS), 1);
        assert_eq!(days_between(DAY_MS, 0), 0);
    }
}
