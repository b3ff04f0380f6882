//! `export_metrics`: what the memory did for its caller, day by day.

use contract::constants::ANSWER_MAX_CHARACTERS;
use contract::tools::EXPORT_METRICS_DAYS_DEFAULT;
use contract::types::{
    ExportMetricsInput, ExportMetricsOutput, ExportMetricsOutputWindow, MetricCounts, MetricDay,
};
use store::{DayCount, Metric, Read};

use crate::clock::{DAY_MS, rfc3339};
use crate::error::Error;
use crate::{Call, Keeper, wire};

pub(crate) fn export_metrics(
    memory: &Keeper,
    _call: &Call,
    view: &mut Read<'_>,
    input: ExportMetricsInput,
) -> Result<ExportMetricsOutput, contract::Error> {
    Ok(metrics(memory, view, &input)?)
}

fn metrics(
    memory: &Keeper,
    view: &Read<'_>,
    input: &ExportMetricsInput,
) -> Result<ExportMetricsOutput, Error> {
    let days = input.days.unwrap_or(EXPORT_METRICS_DAYS_DEFAULT);
    let now = memory.now();
    let today = now - now.rem_euclid(DAY_MS);
    let first = today - (days - 1) * DAY_MS;
    let counted = memory.bookkeeping()?.counts_by_day(view.caller(), first)?;
    let mut room = ANSWER_MAX_CHARACTERS - wire::ENVELOPE;
    let mut truncated = None;
    let mut series = Vec::new();
    // Newest first: what does not fit is the oldest.
    for of_day in counted.chunk_by(|one, next| one.day == next.day).rev() {
        let Some(DayCount { day, .. }) = of_day.first() else {
            continue;
        };
        let entry = MetricDay {
            day: rfc3339(*day).chars().take_while(|c| *c != 'T').collect(),
            counts: counts(of_day.iter()),
        };
        let n_characters = wire::size(&entry)?.1 + 1;
        if n_characters > room {
            truncated = Some(true);
            break;
        }
        room -= n_characters;
        series.push(entry);
    }
    series.reverse();
    Ok(ExportMetricsOutput {
        window: ExportMetricsOutputWindow { days, from: rfc3339(first), to: rfc3339(now) },
        metrics: counts(counted.iter()),
        series,
        truncated,
    })
}

fn counts<'a>(of: impl Iterator<Item = &'a DayCount>) -> MetricCounts {
    let mut sum = MetricCounts {
        recalls: 0,
        recalled: 0,
        remembered: 0,
        already_knew: 0,
        imported: 0,
        forgotten: 0,
        loops_opened: 0,
        loops_closed: 0,
    };
    for count in of {
        *match count.metric {
            Metric::Recalls => &mut sum.recalls,
            Metric::Recalled => &mut sum.recalled,
            Metric::Remembered => &mut sum.remembered,
            Metric::AlreadyKnew => &mut sum.already_knew,
            Metric::Imported => &mut sum.imported,
            Metric::Forgotten => &mut sum.forgotten,
            Metric::LoopsOpened => &mut sum.loops_opened,
            Metric::LoopsClosed => &mut sum.loops_closed,
        } += count.n;
    }
    sum
}
