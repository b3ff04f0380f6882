//! Reads moments as other programs write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value;

/// Seconds from which a bare number counts milliseconds: the year 5138.
const MILLISECONDS_FROM: f64 = 1e11;

/// Returns the moment that a text names. Without a zone it is in UTC; a bare
/// day is its beginning.
pub fn moment(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let civil = text
        .parse::<DateTime>()
        .or_else(|_| text.parse::<Date>().map(|day| day.at(0, 0, 0, 0)))
        .ok()?;
    let moment = TimeZone::UTC.to_timestamp(civil).ok()?;
    Some(moment.as_millisecond())
}

/// Returns the moment of a number of seconds since the epoch, or of
/// milliseconds.
pub fn epoch(number: f64) -> Option<i64> {
    let milliseconds = if number.abs() >= MILLISECONDS_FROM {
        number
    } else {
        number * 1_000.0
    };
    let moment = Timestamp::from_millisecond(milliseconds.round() as i64).ok()?;
    (milliseconds.is_finite() && milliseconds >= 0.0).then(|| moment.as_millisecond())
}

/// Returns the moment that a value of JSON names.
pub fn value(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::String(text) => moment(text),
        Value::Number(number) => epoch(number.as_f64()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_every_form_that_programs_write() {
        let cases = [
            ("2024-07-01T05:30:00.5Z", Some(1_719_811_800_500)),
            ("2024-07-01T05:30:00-07:00", Some(1_719_837_000_000)),
            ("2024-07-01 05:30:00", Some(1_719_811_800_000)),
            ("2024-07-01T05:30:00.123456", Some(1_719_811_800_123)),
            ("2024-07-01", Some(1_719_792_000_000)),
            ("today", None),
            ("", None),
            ("2024-13-01", None),
        ];
        for (text, expected) in cases {
            assert_eq!(moment(text), expected, "{text}");
        }
        assert_eq!(epoch(1_719_811_800.25), Some(1_719_811_800_250));
        assert_eq!(epoch(1_719_811_800_250.0), Some(1_719_811_800_250));
        assert_eq!(epoch(f64::INFINITY), None);
        assert_eq!(epoch(-5.0), None);
    }
}
