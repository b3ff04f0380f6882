//! Percentiles and how they are written.

use std::time::Duration;

/// Times of one kind of call.
pub struct Times(Vec<Duration>);

impl Times {
    /// Returns the times, ready for percentiles.
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    /// Returns the time that this share of the calls stays within.
    pub fn percentile(&self, share: f64) -> f64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index into a short list"
        )]
        let index = (share * self.0.len().saturating_sub(1) as f64).round() as usize;
        self.0.get(index).map_or(0.0, Duration::as_secs_f64) * 1e3
    }

    /// Returns median and 95th percentile in milliseconds.
    pub fn row(&self) -> String {
        format!(
            "{:.2} / {:.2} ms",
            self.percentile(0.5),
            self.percentile(0.95)
        )
    }
}
