//! How often an account did what: numbers in the bookkeeping file, never texts.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, named_params};

use crate::Store;
use crate::accounts::Caller;
use crate::error::Error;
use crate::sql::words;
use crate::threads::Threads;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Searches and briefings answered.
    Recalls,
    /// Memories that they showed.
    Recalled,
    /// Memories stored one by one.
    Remembered,
    /// Statements that were stored already.
    AlreadyKnew,
    /// Memories stored by imports.
    Imported,
    /// Memories retired without a successor.
    Forgotten,
    /// Tasks and questions stored.
    LoopsOpened,
    /// Tasks and questions ended.
    LoopsClosed,
}

words!(Metric {
    Recalls = "recalls",
    Recalled = "recalled",
    Remembered = "remembered",
    AlreadyKnew = "already_knew",
    Imported = "imported",
    Forgotten = "forgotten",
    LoopsOpened = "loops_opened",
    LoopsClosed = "loops_closed",
});

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 3_600_000;

/// Milliseconds that share a row, so that a busy client adds to rows and makes
/// none. Receipts ask for hours, and say from when they count.
const SPAN_MS: i64 = 10_000;

/// Days that are kept by spans; what is older is kept by day.
const FINE_DAYS: i64 = 7;

/// Days after which a count is dropped: more than a metric may ask for.
const KEPT_DAYS: i64 = 400;

/// A number of one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayCount {
    /// The first moment of the day in UTC, in milliseconds since the epoch.
    pub day: i64,
    /// What was counted.
    pub metric: Metric,
    /// How often.
    pub n: i64,
}

/// Numbers by account, beginning of the span, and word of the metric.
type Queued = BTreeMap<(String, i64, &'static str), i64>;

/// Counts that are yet to be written.
///
/// Calls that end together would each wait for a transaction of their own. So
/// one of them writes for all, and the others go on.
#[derive(Default)]
pub(crate) struct Counts {
    queued: Mutex<Queued>,
    /// Held by the one that writes.
    writing: Mutex<()>,
    /// Day on which this process last tidied its counts.
    tidied: Mutex<Option<i64>>,
}

/// Times that one call writes what others have queued meanwhile; what is left
/// then is written with the next count, and before anybody asks for it.
const TURNS: usize = 8;

impl Counts {
    fn add(&self, caller: &Caller, counts: &[(Metric, i64)], at: i64) {
        let mut queued = self.queued.lock().unwrap_or_else(PoisonError::into_inner);
        for (metric, n) in counts.iter().filter(|(_, n)| *n != 0) {
            let key = (caller.id().to_owned(), begin(at, SPAN_MS), metric.as_str());
            *queued.entry(key).or_default() += n;
        }
    }

    fn take(&self) -> Queued {
        std::mem::take(&mut *self.queued.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put_back(&self, unwritten: Queued) {
        let mut queued = self.queued.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, n) in unwritten {
            *queued.entry(key).or_default() += n;
        }
    }

    fn is_empty(&self) -> bool {
        self.queued
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }
}

impl Threads {
    /// Writes the counts that are queued, unless somebody does.
    fn write_counts(&self, at: i64) -> Result<(), Error> {
        for _ in 0..TURNS {
            let Ok(turn) = self.counts.writing.try_lock() else {
                return Ok(());
            };
            self.settle_counts()?;
            let today = at.div_euclid(DAY_MS);
            let mut tidied = self
                .counts
                .tidied
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if *tidied != Some(today) {
                self.with(|conn| tidy(conn, today))?;
                *tidied = Some(today);
            }
            drop(tidied);
            drop(turn);
            // Whoever found somebody writing relies on this look.
            if self.counts.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes the counts that are queued.
    pub(crate) fn settle_counts(&self) -> Result<(), Error> {
        self.with(|conn| {
            let queued = self.counts.take();
            if queued.is_empty() {
                return Ok(());
            }
            let outcome = write(conn, &queued);
            if matches!(outcome, Err(Error::Busy)) {
                // They are written with the next ones.
                self.counts.put_back(queued);
            }
            outcome
        })
    }
}

/// Writes counts, all or none.
fn write(conn: &Connection, queued: &Queued) -> Result<(), Error> {
    let tx = conn.unchecked_transaction()?;
    for ((account, at, metric), n) in queued {
        tx.prepare_cached(
            "INSERT INTO usage (account, at, metric, n) \
             VALUES (:account, :at, :metric, :n) ON CONFLICT DO UPDATE SET n = n + :n",
        )?
        .execute(named_params! {":account": account, ":at": at, ":metric": metric, ":n": n})?;
    }
    tx.commit()?;
    Ok(())
}

impl Store {
    /// Adds to the caller's counts of the span that a moment lies in.
    pub fn count(&self, caller: &Caller, counts: &[(Metric, i64)], at: i64) -> Result<(), Error> {
        self.threads.counts.add(caller, counts, at);
        self.threads.write_counts(at)
    }

    /// Returns the moment from which the caller's counts since another moment
    /// are known: the beginning of its span, or of its day if it is long past.
    pub fn counted_from(&self, since: i64, now: i64) -> i64 {
        let is_fine = since >= fine_from(now.div_euclid(DAY_MS));
        begin(since, if is_fine { SPAN_MS } else { DAY_MS })
    }

    /// Returns what the caller's counts since a moment come to.
    pub fn counts_since(&self, caller: &Caller, since: i64) -> Result<Vec<(Metric, i64)>, Error> {
        self.threads.settle_counts()?;
        self.threads.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT metric, sum(n) FROM usage WHERE account = :account AND at >= :since \
                 GROUP BY metric",
            )?;
            let rows = statement.query_map(
                named_params! {":account": caller.id(), ":since": since},
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Returns the caller's counts since a moment by day, oldest first.
    pub fn counts_by_day(&self, caller: &Caller, since: i64) -> Result<Vec<DayCount>, Error> {
        self.threads.settle_counts()?;
        self.threads.with(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT at - at % :day AS day, metric, sum(n) FROM usage \
                 WHERE account = :account AND at >= :since GROUP BY day, metric ORDER BY day",
            )?;
            let rows = statement.query_map(
                named_params! {":account": caller.id(), ":since": since, ":day": DAY_MS},
                |row| {
                    Ok(DayCount {
                        day: row.get(0)?,
                        metric: row.get(1)?,
                        n: row.get(2)?,
                    })
                },
            )?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

/// Returns the first moment of the days that are kept by spans.
fn fine_from(today: i64) -> i64 {
    (today - FINE_DAYS) * DAY_MS
}

/// Returns the beginning of the span of a width that a moment lies in.
fn begin(at: i64, width: i64) -> i64 {
    at - at.rem_euclid(width)
}

/// Makes one row of every day that has grown old, and drops the oldest.
fn tidy(conn: &Connection, today: i64) -> Result<(), Error> {
    let tx = conn.unchecked_transaction()?;
    let fine = fine_from(today);
    // Earlier versions made a row of every moment.
    for (before, width) in [(fine, DAY_MS), (i64::MAX, SPAN_MS)] {
        let params = named_params! {":before": before, ":width": width};
        tx.execute(
            "INSERT INTO usage (account, at, metric, n) \
             SELECT account, at - at % :width, metric, sum(n) FROM usage \
             WHERE at < :before AND at % :width <> 0 GROUP BY 1, 2, 3 \
             ON CONFLICT DO UPDATE SET n = n + excluded.n",
            params,
        )?;
        tx.execute(
            "DELETE FROM usage WHERE at < :before AND at % :width <> 0",
            params,
        )?;
    }
    tx.execute(
        "DELETE FROM usage WHERE at < :oldest",
        named_params! {":oldest": (today - KEPT_DAYS) * DAY_MS},
    )?;
    tx.commit()?;
    Ok(())
}
