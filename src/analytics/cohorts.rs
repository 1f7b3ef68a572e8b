//! The rows of `identified_profile_retention`: one per cohort, behind one that adds them up.

use serde_json::{Value, json};

use super::{
    range::{Bucket, Range},
    request::CohortRequest,
};
use crate::{
    analytics::numbers::{int, rounded},
    clock::iso_ms,
    events::statement::{Cell, Rows},
};

/// The numbers of one or all cohorts.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    activated: i64,
    eligible: i64,
    retained: i64,
    events: i64,
    identified: i64,
}

impl Counts {
    /// Columns of a row behind its bucket.
    fn from_row(row: &[Cell]) -> Self {
        let at = |place: usize| row.get(place).and_then(int).unwrap_or(0);
        Self {
            activated: at(1),
            eligible: at(2),
            retained: at(3),
            events: at(4),
            identified: at(5),
        }
    }

    fn add(&mut self, other: Self) {
        self.activated += other.activated;
        self.eligible += other.eligible;
        self.retained += other.retained;
        self.events += other.events;
        self.identified += other.identified;
    }
}

/// Which activations a row is about.
struct Cohort<'a> {
    kind: &'a str,
    date: Option<&'a str>,
    first: String,
    last: String,
    start: i64,
    end: i64,
}

/// Shapes the rows of the statement, `bucket` and numbers.
pub(super) fn cohorts(
    retention: &CohortRequest,
    range: &Range,
    buckets: &[Bucket],
    rows: &Rows,
    now_ms: i64,
) -> Vec<Value> {
    let mut all = Counts::default();
    let mut list = Vec::new();
    for row in rows.rows.iter() {
        let key = row.first().and_then(int);
        let Some(bucket) = buckets.iter().find(|bucket| Some(bucket.key) == key) else {
            continue;
        };
        let counts = Counts::from_row(row);
        all.add(counts);
        let cohort = Cohort {
            kind: "cohort",
            date: Some(&bucket.label),
            first: bucket.label.clone(),
            last: bucket.label.clone(),
            start: bucket.start,
            end: bucket.end,
        };
        list.push(cohort_row(retention, range, &cohort, counts, now_ms));
    }
    let whole = Cohort {
        kind: "overall",
        date: None,
        first: range.first.to_string(),
        last: range.last.to_string(),
        start: range.from,
        end: range.to,
    };
    list.insert(0, cohort_row(retention, range, &whole, all, now_ms));
    list
}

fn cohort_row(
    retention: &CohortRequest,
    range: &Range,
    cohort: &Cohort<'_>,
    counts: Counts,
    now_ms: i64,
) -> Value {
    let share = |part: i64, whole: i64| match whole {
        0 => Value::Null,
        whole => rounded(100.0 * part as f64 / whole as f64, 2),
    };
    json!({
        "row_type": cohort.kind,
        "cohort_date": cohort.date,
        "activated_profiles": counts.activated,
        "eligible_profiles": counts.eligible,
        "retained_profiles": counts.retained,
        "not_retained_profiles": counts.eligible - counts.retained,
        "incomplete_profiles": counts.activated - counts.eligible,
        "retention_rate": share(counts.retained, counts.eligible),
        "activation_events": counts.events,
        "identified_activation_events": counts.identified,
        "unidentified_activation_events": counts.events - counts.identified,
        "activation_identity_coverage": share(counts.identified, counts.events),
        "cohort_from": cohort.first,
        "cohort_to": cohort.last,
        "cohort_start": iso_ms(cohort.start),
        "cohort_end": iso_ms(cohort.end),
        "observation_end": retention.observation_end.to_string(),
        "observed_before": iso_ms(retention.observed_before(now_ms)),
        "timezone": range.zone.name(),
        "horizon_days": retention.horizon_days,
        "identity_basis": "direct_profile_id",
        "activation_basis": "first_in_cohort_window",
    })
}
