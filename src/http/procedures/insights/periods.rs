//! A period and an equally long part of the one before it.

use chrono_tz::Tz;

use super::target::PeriodBody;
use crate::{
    analytics::range::{Moment, Preset, Range, parse_moment},
    clock::iso_ms,
    fault::{Fault, Issue},
};

/// Two periods of the same length, in Unix ms, ends exclusive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Periods {
    pub(super) current: (i64, i64),
    pub(super) previous: (i64, i64),
}

/// The span that is asked for.
pub(super) fn range(period: &PeriodBody, usual: &str, now_ms: i64) -> Result<Range, Fault> {
    let refuse = |field: &str, message: String| {
        let issue = Issue::new("invalid_value", field.to_owned(), message.clone());
        Fault::issues(message, vec![issue])
    };
    let zone = match period.time_zone.as_deref() {
        None => Tz::UTC,
        Some(name) => name
            .parse()
            .map_err(|_| refuse("timeZone", format!("there is no time zone `{name}`")))?,
    };
    let (Some(from), Some(to)) = (&period.from, &period.to) else {
        let name = period.preset.as_deref().unwrap_or(usual);
        let preset = Preset::parse(name).ok_or_else(|| {
            let known = Preset::ALL.map(|(name, _)| name).join(", ");
            refuse("preset", format!("there is no period `{name}`: {known}"))
        })?;
        return Ok(Range::preset(preset, now_ms, zone));
    };
    let moment = |field: &str, text: &str| -> Result<Moment, Fault> {
        let read = parse_moment(text);
        read.ok_or_else(|| refuse(field, format!("`{field}` is a date such as 2026-12-31")))
    };
    Range::between(moment("from", from)?, moment("to", to)?, zone)
        .map_err(|_| refuse("to", "`to` lies before `from`".to_owned()))
}

impl Periods {
    /// What has passed of a period, and as much of the one of the same length before it.
    pub(super) fn resolve(period: &PeriodBody, now_ms: i64) -> Result<Self, Fault> {
        let range = range(period, "last_7d", now_ms)?;
        let whole = range.to - range.from;
        let passed = range.to.min(now_ms + 1).max(range.from) - range.from;
        let before = range.from - whole;
        Ok(Self {
            current: (range.from, range.from + passed),
            previous: (before, before + passed),
        })
    }
}

/// A span as queries take it.
pub(super) fn dates((from, to): (i64, i64)) -> (String, String) {
    (iso_ms(from), iso_ms((to - 1).max(from)))
}
