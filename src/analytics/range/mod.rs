//! Dates, presets and zones, resolved to instants (pure).
//!
//! A [`Range`] is a half-open span of Unix milliseconds in an IANA zone; [`zone`] cuts it where the zone's offset
//! changes, [`mod@buckets`] into hours or days. A day lasts from the first instant of its local date to the first
//! instant of the next, whether it has 23, 24 or 25 hours; a date that a zone skipped is empty.

mod buckets;
mod dates;
mod preset;
pub mod zone;

use chrono::NaiveDate;
use chrono_tz::Tz;

pub use buckets::{Bucket, buckets};
pub use dates::{Moment, parse_moment};
pub use preset::Preset;
pub use zone::{Granularity, Segment};

/// Nothing is older: earlier events are refused.
pub const EPOCH_MS: i64 = 946_684_800_000;
/// Event times may be this far ahead of the clock.
pub const AHEAD_MS: i64 = 3_600_000;
/// The longest `endDate - startDate` in days that may be asked by the hour.
pub const HOURLY_DAYS: i64 = 30;

/// A span of time as it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// First millisecond.
    pub from: i64,
    /// First millisecond after the span.
    pub to: i64,
    /// Local date of the start.
    pub first: NaiveDate,
    /// Local date of the end, inclusive.
    pub last: NaiveDate,
    /// The zone that days and hours are counted in.
    pub zone: Tz,
}

/// Why two dates make no range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// The end lies before the start.
    #[error("`endDate` lies before `startDate`")]
    Backwards,
}

impl Range {
    /// The span between two moments, the second inclusive.
    pub fn between(start: Moment, end: Moment, zone: Tz) -> Result<Self, RangeError> {
        let (from, first) = start.start_in(zone);
        let (to, last) = end.end_in(zone);
        if last < first || to < from {
            return Err(RangeError::Backwards);
        }
        Ok(Self {
            from,
            to,
            first,
            last,
            zone,
        })
    }

    /// The span of a preset at `now_ms`.
    pub fn preset(preset: Preset, now_ms: i64, zone: Tz) -> Self {
        let (first, last) = preset.dates(zone::local_date(now_ms, zone));
        Self {
            from: zone::day_start(first, zone),
            to: zone::day_start(zone::day_after(last), zone),
            first,
            last,
            zone,
        }
    }

    /// The last milliseconds up to `now_ms`, which is within.
    pub fn last(ms: i64, now_ms: i64, zone: Tz) -> Self {
        let (from, to) = (now_ms - ms + 1, now_ms + 1);
        Self {
            from,
            to,
            first: zone::local_date(from, zone),
            last: zone::local_date(now_ms, zone),
            zone,
        }
    }

    /// Days between the first and the last date; 0 for a single day.
    pub fn days(&self) -> i64 {
        (self.last - self.first).num_days()
    }

    /// The part of the span that may hold events at `now_ms`; possibly empty, never backwards.
    pub fn within_events(&self, now_ms: i64) -> (i64, i64) {
        let from = self.from.max(EPOCH_MS);
        let to = self.to.min(now_ms.saturating_add(AHEAD_MS + 1));
        (from, to.max(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Moment {
        parse_moment(text).unwrap()
    }

    #[test]
    fn the_end_date_is_inclusive_to_its_last_millisecond() {
        let range = Range::between(day("2025-03-09"), day("2025-03-09"), Tz::UTC).unwrap();
        assert_eq!(range.to - range.from, 86_400_000);
        assert_eq!(range.days(), 0);
    }

    #[test]
    fn days_around_clock_changes_have_23_and_25_hours() {
        let zone = chrono_tz::America::New_York;
        let hours = |date| {
            let range = Range::between(day(date), day(date), zone).unwrap();
            (range.to - range.from) / 3_600_000
        };
        assert_eq!(hours("2025-03-09"), 23);
        assert_eq!(hours("2025-11-02"), 25);
        assert_eq!(hours("2025-11-03"), 24);
    }

    #[test]
    fn a_skipped_date_is_empty_and_a_backward_range_refused() {
        let apia = chrono_tz::Pacific::Apia;
        let skipped = Range::between(day("2011-12-30"), day("2011-12-30"), apia).unwrap();
        assert_eq!(skipped.from, skipped.to);
        assert_eq!(
            Range::between(day("2025-01-02"), day("2025-01-01"), Tz::UTC),
            Err(RangeError::Backwards)
        );
    }

    #[test]
    fn an_end_with_a_time_of_day_is_inclusive_too() {
        let range = Range::between(
            day("2025-01-01 10:00:00"),
            day("2025-01-01T10:00:59"),
            Tz::UTC,
        )
        .unwrap();
        assert_eq!(range.to - range.from, 60_000);
    }

    #[test]
    fn events_lie_after_2000_and_before_the_next_hour() {
        let range = Range::between(day("0001-01-01"), day("9999-12-31"), Tz::UTC).unwrap();
        let now = 1_750_000_000_000;
        assert_eq!(range.within_events(now), (EPOCH_MS, now + AHEAD_MS + 1));
        let past = Range::between(day("1990-01-01"), day("1990-12-31"), Tz::UTC).unwrap();
        assert_eq!(past.within_events(now), (EPOCH_MS, EPOCH_MS));
    }
}
