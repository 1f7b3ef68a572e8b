//! What a running program holds, over time: open files and memory, and the straight line through them.

use std::time::Duration;

use crate::{
    Setting,
    program::{House, Running},
    report::Report,
};

/// Files that may be open more at the end than at the beginning: connections come and go.
const MORE_FILES: f64 = 50.0;

/// Memory that grows on purpose: ten bits an event, until the event is older than `ingest.dedup_hours`.
const FILTERS: &str = "pharos_dedup_memory_bytes";

/// Hours, open files, bytes without the filters, bytes of the filters.
#[derive(Default)]
pub(crate) struct Samples(Vec<(f64, f64, f64, f64)>);

impl Samples {
    /// Looks at the program, this long after the beginning.
    pub(crate) async fn take(
        &mut self,
        at: Duration,
        house: &House,
        running: &Running,
    ) -> anyhow::Result<()> {
        let filters = house.metric(FILTERS).await?;
        let (files, memory) = (running.open_files() as f64, running.resident() as f64);
        let hours = at.as_secs_f64() / 3_600.0;
        self.0.push((hours, files, memory - filters, filters));
        Ok(())
    }

    /// Nothing may have grown; memory by this at most, bytes an hour, where times are judged.
    pub(crate) fn judge(&self, setting: &Setting, more_memory: f64, report: &mut Report) {
        // What a start needs is no growth.
        let settled = &self.0[self.0.len() / 4..];
        let (Some(first), Some(last)) = (settled.first(), settled.last()) else {
            return;
        };
        let files = slope(settled.iter().map(|(at, files, ..)| (*at, *files)));
        let memory = slope(floors(settled).into_iter());
        let filters = slope(settled.iter().map(|(at, .., filters)| (*at, *filters)));
        report.figure(format!(
            "open files {:.0} to {:.0} ({files:+.1} an hour), memory {:.0} to {:.0} MB ({:+.1} MB an hour through the least of each minute) beside filters of ids of {:.1} MB ({:+.1} MB an hour)",
            first.1, last.1, first.2 / 1e6, last.2 / 1e6, memory / 1e6, last.3 / 1e6, filters / 1e6
        ));
        report.check(last.1 <= first.1 + MORE_FILES, || {
            format!("{:.0} open files became {:.0}", first.1, last.1)
        });
        report.check(!setting.timed() || memory < more_memory, || {
            format!("memory grows by {:.0} MB an hour", memory / 1e6)
        });
    }
}

/// The least memory of each minute, which is what is kept: a question gives back what it needs, within seconds.
fn floors(samples: &[(f64, f64, f64, f64)]) -> Vec<(f64, f64)> {
    let minutes = samples.chunk_by(|one, next| minute(one.0) == minute(next.0));
    let least = minutes.filter_map(|minute| {
        let all = minute.iter().map(|(at, _, memory, _)| (*at, *memory));
        all.min_by(|one, other| one.1.total_cmp(&other.1))
    });
    least.collect()
}

fn minute(hours: f64) -> u64 {
    (hours * 60.0) as u64
}

/// The slope of the straight line that fits best.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = points.clone().count().max(1) as f64;
    let (x, y) = points
        .clone()
        .fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    let (x, y) = (x / count, y / count);
    let above: f64 = points
        .clone()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    let below: f64 = points.map(|point| (point.0 - x).powi(2)).sum();
    if below > 0.0 { above / below } else { 0.0 }
}
