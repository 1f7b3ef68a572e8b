//! A period and the one before it.

use super::{
    Oracle,
    question::{Question, is_activity},
    table::{Line, Order, Raw, Says, Table, rounded},
    visits::Sums,
};
use crate::{
    analytics::{catalogue::COMPARED, range::Range},
    events::event::Event,
};

pub(super) const ORACLES: &[Oracle] = &[("period_comparison", compared)];

/// The numbers of a period, in the order of the rows.
fn numbers(events: &[&Event]) -> [f64; 7] {
    let sums = Sums::from_events(events);
    [
        sums.views as f64,
        sums.visitors as f64,
        sums.durations.len() as f64,
        sums.bounce_rate().unwrap_or(0.0),
        sums.median().unwrap_or(0.0),
        sums.pages().unwrap_or(0.0),
        sums.events as f64,
    ]
    .map(|number| rounded(number, 2))
}

fn compared(asked: &Question<'_>) -> Table {
    let (then_from, then_to) = asked.parameter.settings.earlier.unwrap();
    let wide = Question {
        range: Range {
            from: then_from.min(asked.range.from),
            ..asked.range
        },
        ..*asked
    };
    let rows = wide.rows(is_activity);
    let (present, other): (Vec<&Event>, Vec<&Event>) = rows
        .into_iter()
        .partition(|event| event.time >= asked.range.from);
    let before: Vec<&Event> = other
        .into_iter()
        .filter(|event| event.time < then_to)
        .collect();
    let both = numbers(&present).into_iter().zip(numbers(&before));
    let lines = both.enumerate().map(|(place, (present, before))| {
        let part = (before != 0.0).then(|| 100.0 * (present - before) / before);
        let says = Says::default()
            .pick("metric", COMPARED, place)
            .float("current", Some(present), 2)
            .float("previous", Some(before), 2)
            .float("change", Some(present - before), 2)
            .maybe("change_percentage", part, 2)
            .time("previous_from", Some(then_from))
            .time("previous_to", Some(then_to - 1));
        Line {
            keys: vec![Raw::Int(place as i64)],
            says,
        }
    });
    Table {
        lines: lines.collect(),
        order: Order::Keys,
    }
}
