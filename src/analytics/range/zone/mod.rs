//! Offsets of a zone over a span, as numbers that a statement can bind.
//!
//! An engine never sees a zone. It computes `(time + shift) // unit` with the shift of the segment that the time
//! lies in, and gets a *key* that grows with time: the number of the local day, or of the local hour plus one for
//! every hour that the zone has repeated since the span began. So the two autumn hours of the same name have
//! different keys, while a day keeps one key however long it is.

use chrono::{
    DateTime, Datelike, Days, LocalResult, Months, NaiveDate, NaiveDateTime, Offset, TimeZone,
};
use chrono_tz::Tz;

use super::HOURLY_DAYS;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;

/// Width of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Granularity {
    /// A local minute.
    Minute,
    /// A local hour.
    #[strum(serialize = "hourly")]
    Hour,
    /// A local day.
    #[strum(serialize = "daily")]
    Day,
    /// Seven local days from a Sunday on.
    Week,
    /// A local month.
    Month,
}

impl Granularity {
    /// Reads a granularity with its aliases.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "hourly" | "hour" => Some(Self::Hour),
            "daily" | "day" => Some(Self::Day),
            _ => None,
        }
    }

    /// Reads a unit of time of the compiler's low-level body, which has more of them.
    pub fn parse_unit(text: &str) -> Option<Self> {
        match text {
            "minute" => Some(Self::Minute),
            "week" => Some(Self::Week),
            "month" => Some(Self::Month),
            _ => Self::parse(text),
        }
    }

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// The longest range in days that can be asked for.
    pub const fn max_days(self) -> i64 {
        match self {
            Self::Minute => 1,
            Self::Hour => HOURLY_DAYS,
            Self::Day | Self::Week | Self::Month => i64::MAX,
        }
    }

    /// Milliseconds of an undisturbed bucket; of weeks and months more than any of them has.
    pub const fn unit_ms(self) -> i64 {
        match self {
            Self::Minute => MINUTE_MS,
            Self::Hour => HOUR_MS,
            Self::Day => DAY_MS,
            Self::Week => 8 * DAY_MS,
            Self::Month => 32 * DAY_MS,
        }
    }

    /// The first date of the week or month that a date is in; of others the date itself.
    fn first_date(self, date: NaiveDate) -> NaiveDate {
        let back = match self {
            Self::Minute | Self::Hour | Self::Day => 0,
            Self::Week => date.weekday().num_days_from_sunday(),
            Self::Month => date.day0(),
        };
        date.checked_sub_days(Days::new(back.into()))
            .unwrap_or(date)
    }

    /// The first date of the next one.
    fn next_date(self, first: NaiveDate) -> NaiveDate {
        let next = match self {
            Self::Minute | Self::Hour | Self::Day => first.checked_add_days(Days::new(1)),
            Self::Week => first.checked_add_days(Days::new(7)),
            Self::Month => first.checked_add_months(Months::new(1)),
        };
        next.unwrap_or(NaiveDate::MAX)
    }
}

/// A part of a span in which keys are `(time + shift) // unit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// First millisecond after the part.
    pub until: i64,
    /// Milliseconds to add to a time.
    pub shift: i64,
    /// The zone's offset from UTC in the part, milliseconds.
    pub offset: i64,
}

impl Segment {
    /// The bucket key of a time in this part.
    pub fn key(&self, time: i64, grain: Granularity) -> i64 {
        (time + self.shift).div_euclid(grain.unit_ms())
    }
}

/// Cuts `[from, to)` into weeks or months; each has one key: the number of its first day.
fn periods(from: i64, to: i64, zone: Tz, grain: Granularity) -> Vec<Segment> {
    let mut parts = Vec::new();
    let mut first = grain.first_date(local_date(from, zone));
    loop {
        let next = grain.next_date(first);
        let begins = day_start(first, zone);
        let until = day_start(next, zone).min(to);
        let key = (first - NaiveDate::default()).num_days();
        parts.push(Segment {
            until,
            shift: key * grain.unit_ms() - begins,
            offset: offset_ms(begins, zone),
        });
        if until >= to || next <= first {
            return parts;
        }
        first = next;
    }
}

/// Cuts `[from, to)` where the zone's offset changes, or into weeks or months; at least one segment, the last one until
/// `to`.
pub fn segments(from: i64, to: i64, zone: Tz, grain: Granularity) -> Vec<Segment> {
    if matches!(grain, Granularity::Week | Granularity::Month) {
        return periods(from, to, zone, grain);
    }
    let unit = grain.unit_ms();
    let mut parts = Vec::new();
    let mut offset = offset_ms(from, zone);
    // What keys are ahead of plain local numbers, because of repeated hours.
    let mut ahead = 0;
    let mut at = from;
    while let Some(change) = next_change(at, to, zone) {
        let before = Segment {
            until: change,
            shift: offset + ahead * unit,
            offset,
        };
        let next = offset_ms(change, zone);
        let last_key = before.key(change - 1, grain);
        let next_key = (change + next).div_euclid(unit) + ahead;
        match grain {
            Granularity::Day if next_key < last_key => {
                // Just after midnight the clock went back to the evening before (St John's did): those minutes
                // count for the evening's day, so days follow each other.
                let midnight = last_key * unit - before.shift;
                let borrowed = before.shift - (last_key - next_key) * unit;
                parts.push(Segment {
                    until: midnight,
                    ..before
                });
                parts.push(Segment {
                    shift: borrowed,
                    ..before
                });
            }
            Granularity::Day | Granularity::Week | Granularity::Month => parts.push(before),
            Granularity::Minute | Granularity::Hour => {
                ahead += (last_key + 1 - next_key).max(0);
                parts.push(before);
            }
        }
        (at, offset) = (change, next);
    }
    parts.push(Segment {
        until: to,
        shift: offset + ahead * unit,
        offset,
    });
    parts.retain(|part| part.until > from || part.until == to);
    parts
}

/// The first instant after `from` and before `to` at which the offset differs from the one at `from`.
fn next_change(from: i64, to: i64, zone: Tz) -> Option<i64> {
    let offset = offset_ms(from, zone);
    let mut known = from;
    while known < to {
        let probe = (known + DAY_MS).min(to - 1);
        if offset_ms(probe, zone) != offset {
            let (mut low, mut high) = (known, probe);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if offset_ms(middle, zone) == offset {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            return Some(high);
        }
        if probe <= known {
            break;
        }
        known = probe;
    }
    None
}

/// The zone's offset from UTC at an instant, milliseconds.
pub fn offset_ms(unix_ms: i64, zone: Tz) -> i64 {
    let utc = DateTime::from_timestamp_millis(unix_ms).unwrap_or_default();
    let offset = zone.offset_from_utc_datetime(&utc.naive_utc());
    i64::from(offset.fix().local_minus_utc()) * 1_000
}

/// The local date of an instant.
pub fn local_date(unix_ms: i64, zone: Tz) -> NaiveDate {
    date_from_days((unix_ms + offset_ms(unix_ms, zone)).div_euclid(DAY_MS))
}

/// The date with this number of days since 1970-01-01.
pub fn date_from_days(days: i64) -> NaiveDate {
    DateTime::from_timestamp_millis(days.saturating_mul(DAY_MS))
        .unwrap_or_default()
        .date_naive()
}

/// The next date.
pub fn day_after(date: NaiveDate) -> NaiveDate {
    date.checked_add_days(Days::new(1)).unwrap_or(date)
}

/// The instant at which a local date begins; for a date that the zone skipped, the next one's.
pub fn day_start(date: NaiveDate, zone: Tz) -> i64 {
    let midnight = date.and_time(chrono::NaiveTime::MIN);
    match zone.from_local_datetime(&midnight) {
        LocalResult::Single(time) => time.timestamp_millis(),
        LocalResult::Ambiguous(early, late) => {
            let (early, late) = (early.timestamp_millis(), late.timestamp_millis());
            if local_date(late - 1, zone) < date {
                late
            } else {
                early
            }
        }
        LocalResult::None => after_gap(midnight, zone),
    }
}

/// The instant of a local time; the first of two, and the end of the gap for one that does not exist.
pub fn local_instant(local: NaiveDateTime, zone: Tz) -> i64 {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => time.timestamp_millis(),
        LocalResult::None => after_gap(local, zone),
    }
}

fn after_gap(local: NaiveDateTime, zone: Tz) -> i64 {
    let around = local.and_utc().timestamp_millis();
    next_change(around - 2 * DAY_MS, around + 2 * DAY_MS, zone).unwrap_or(around)
}

#[cfg(test)]
mod tests;
