//! `export_metrics`: what the memory did for its caller, day by day.

use contract::tools::EXPORT_METRICS_DAYS_DEFAULT;
use contract::types::{
    ExportMetricsInput, ExportMetricsOutput, ExportMetricsOutputWindow, MetricCounts, MetricDay,
};
use store::{DayCount, Metric, Read};

use crate::clock::{DAY_MS, rfc3339};
use crate::error::Error;
use crate::{Call, Memory};

pub(crate) fn export_metrics(
    memory: &Memory,
    _call: &Call,
    view: &mut Read<'_>,
    input: ExportMetricsInput,
) -> Result<ExportMetricsOutput, contract::Error> {
    Ok(metrics(memory, view, &input)?)
}

fn metrics(
    memory: &Memory,
    view: &Read<'_>,
    input: &ExportMetricsInput,
) -> Result<ExportMetricsOutput, Error> {
    let days = input.days.unwrap_or(EXPORT_METRICS_DAYS_DEFAULT);
    let now = memory.now();
    let today = now - now.rem_euclid(DAY_MS);
    let first = today - (days - 1) * DAY_MS;
    let counted = memory.store()?.counts_by_day(view.caller(), first)?;
    let series = (0..days).map(|index| first + index * DAY_MS).map(|day| MetricDay {
        day: rfc3339(day).chars().take_while(|c| *c != 'T').collect(),
        counts: counts(counted.iter().filter(|count| count.day == day)),
    });
    Ok(ExportMetricsOutput {
        window: ExportMetricsOutputWindow { days, from: rfc3339(first), to: rfc3339(now) },
        metrics: counts(counted.iter()),
        series: series.collect(),
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
