//! Rows of the statements as numbers.

use std::sync::Arc;

use crate::{
    analytics::{numbers::int, range::Bucket},
    events::statement::{Cell, Rows},
};

/// How a step went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Step {
    /// Who took it.
    pub users: u64,
    /// Time since the step before, of all of them together, ms.
    pub took_ms: i64,
}

/// People who came in on one day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Day {
    /// `YYYY-MM-DD`.
    pub date: String,
    pub users: u64,
    /// How many of them took all steps, whenever that was.
    pub conversions: u64,
    /// The time that took all of these together, ms.
    pub whole_ms: i64,
}

/// What became of a funnel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunnelMetrics {
    /// Who could have taken the first step: everybody for goals, those who took it for funnels.
    pub entered: u64,
    /// Per step.
    pub steps: Vec<Step>,
    /// From the first step to the last, of all who took it together, ms.
    pub whole_ms: i64,
    /// Every day of the range up to now.
    pub days: Vec<Day>,
    /// Errors in the range, of all visitors.
    pub errors: u64,
}

/// Where people came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunnelReferrer {
    /// Domain of the referrer; empty = none.
    pub domain: String,
    pub source: String,
    /// Kind of source.
    pub channel: String,
    /// Who took the first step.
    pub users: u64,
    /// Who took them all.
    pub conversions: u64,
}

/// An error that people met between two steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunnelError {
    /// The step that they had taken, from 1.
    pub step: usize,
    /// What the error says.
    pub message: String,
    /// Its type.
    pub kind: String,
    /// How often.
    pub count: u64,
}

/// Errors of a step, or of all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    pub errors: u64,
    pub users: u64,
    /// Visits in which they happened.
    pub sessions: u64,
    /// Of these people, who took no further step.
    pub dropped: u64,
}

/// Errors of people in a funnel that they had not gone through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunnelErrors {
    pub all: ErrorCounts,
    /// After each step and before the next.
    pub steps: Vec<ErrorCounts>,
    /// The most frequent of each step, at most five, by frequency.
    pub top: Vec<FunnelError>,
}

fn number(cell: Option<&Cell>) -> i64 {
    cell.and_then(int).unwrap_or(0)
}

fn count(cell: Option<&Cell>) -> u64 {
    u64::try_from(number(cell)).unwrap_or(0)
}

fn text(cell: Option<&Cell>) -> String {
    match cell {
        Some(Cell::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// `step, bucket, users, took, whole` as figures; step 0 has the errors.
pub(in crate::analytics) fn steps(
    length: usize,
    rows: &Rows,
    buckets: &[Bucket],
    now_ms: i64,
) -> FunnelMetrics {
    let mut figures = FunnelMetrics {
        steps: vec![Step::default(); length],
        ..FunnelMetrics::default()
    };
    let day = |bucket: &Bucket| Day {
        date: bucket.label.clone(),
        ..Day::default()
    };
    let mut days: Vec<Day> = buckets.iter().map(day).collect();
    for row in rows.rows.iter() {
        let (step, users) = (number(row.first()) as usize, count(row.get(2)));
        let (took_ms, whole_ms) = (number(row.get(3)), number(row.get(4)));
        if step == 0 {
            figures.errors += users;
            continue;
        }
        let Some(own) = figures.steps.get_mut(step - 1) else {
            continue;
        };
        own.users += users;
        own.took_ms += took_ms;
        let key = number(row.get(1));
        let place = buckets.iter().position(|bucket| bucket.key == key);
        let day = place.and_then(|place| days.get_mut(place));
        if step == length {
            figures.whole_ms += whole_ms;
        }
        if let Some(day) = day {
            if step == 1 {
                day.users += users;
            }
            if step == length {
                day.conversions += users;
                day.whole_ms += whole_ms;
            }
        }
    }
    figures.entered = figures.steps.first().map_or(0, |first| first.users);
    let happened = buckets.iter().zip(days);
    let happened = happened.filter(|(bucket, day)| bucket.start <= now_ms || day.users > 0);
    figures.days = happened.map(|(_, day)| day).collect();
    figures
}

/// `step, domain, source, channel, users` as sources, biggest first; step 2 is the last one.
pub(in crate::analytics) fn referrers(rows: &Rows) -> Vec<FunnelReferrer> {
    let mut found: Vec<FunnelReferrer> = Vec::new();
    for row in rows.rows.iter() {
        let (domain, source) = (text(row.get(1)), text(row.get(2)));
        let (channel, users) = (text(row.get(3)), count(row.get(4)));
        let same = |known: &&mut FunnelReferrer| {
            (&known.domain, &known.source, &known.channel) == (&domain, &source, &channel)
        };
        let place = found.iter_mut().find(same);
        let (first, last) = match number(row.first()) {
            1 => (users, 0),
            _ => (0, users),
        };
        if let Some(known) = place {
            known.users += first;
            known.conversions += last;
        } else {
            found.push(FunnelReferrer {
                domain,
                source,
                channel,
                users: first,
                conversions: last,
            });
        }
    }
    found.sort_by(|a, b| {
        let name =
            |one: &FunnelReferrer| (one.domain.clone(), one.source.clone(), one.channel.clone());
        b.users.cmp(&a.users).then_with(|| name(a).cmp(&name(b)))
    });
    found
}

/// `sort, step, message, type, errors, users, sessions, dropped` as troubles: sort 0 = all, 1 = of a step, 2 = of a message.
fn errors(length: usize, rows: &Rows) -> FunnelErrors {
    let mut troubles = FunnelErrors {
        steps: vec![ErrorCounts::default(); length],
        ..FunnelErrors::default()
    };
    for row in rows.rows.iter() {
        let step = number(row.get(1)) as usize;
        let met = ErrorCounts {
            errors: count(row.get(4)),
            users: count(row.get(5)),
            sessions: count(row.get(6)),
            dropped: count(row.get(7)),
        };
        match number(row.first()) {
            0 => troubles.all = met,
            1 => {
                if let Some(own) = step
                    .checked_sub(1)
                    .and_then(|at| troubles.steps.get_mut(at))
                {
                    *own = met;
                }
            }
            _ => troubles.top.push(FunnelError {
                step,
                message: text(row.get(2)),
                kind: text(row.get(3)),
                count: met.errors,
            }),
        }
    }
    troubles
}

/// `part, step, bucket, message, type` and four numbers as figures (part 0) and troubles (the others).
pub(in crate::analytics) fn with_errors(
    length: usize,
    rows: &Rows,
    buckets: &[Bucket],
    now_ms: i64,
) -> (FunnelMetrics, FunnelErrors) {
    let mut parts = (Rows::default(), Rows::default());
    for row in rows.rows.iter() {
        let cell = |place: usize| row.get(place).cloned().unwrap_or(Cell::Null);
        match number(row.first()) {
            0 => Arc::make_mut(&mut parts.0.rows).push([1, 2, 5, 6, 7].map(cell).to_vec()),
            part => {
                let rest = [1, 3, 4, 5, 6, 7, 8].map(cell);
                let row = std::iter::once(Cell::Int(part - 1)).chain(rest);
                Arc::make_mut(&mut parts.1.rows).push(row.collect());
            }
        }
    }
    let figures = steps(length, &parts.0, buckets, now_ms);
    (figures, errors(length, &parts.1))
}

/// `bucket, users, completed, took` of a goal as figures of one step that everybody enters.
pub(in crate::analytics) fn goal(rows: &Rows, buckets: &[Bucket], now_ms: i64) -> FunnelMetrics {
    let mut figures = FunnelMetrics::default();
    let mut own = Step::default();
    for bucket in buckets {
        let row = rows
            .rows
            .iter()
            .find(|row| number(row.first()) == bucket.key);
        let day = Day {
            date: bucket.label.clone(),
            users: row.map_or(0, |row| count(row.get(1))),
            conversions: row.map_or(0, |row| count(row.get(2))),
            whole_ms: row.map_or(0, |row| number(row.get(3))),
        };
        figures.entered += day.users;
        own.users += day.conversions;
        own.took_ms += day.whole_ms;
        if bucket.start <= now_ms || day.users > 0 {
            figures.days.push(day);
        }
    }
    figures.whole_ms = own.took_ms;
    figures.steps.push(own);
    figures
}
