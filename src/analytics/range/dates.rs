//! Dates as requests write them.

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use chrono_tz::Tz;

use super::zone;

/// A point of a range as it was asked: a day, or an instant of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A whole day.
    Day(NaiveDate),
    /// A local time, and the milliseconds that its precision covers.
    Local(NaiveDateTime, i64),
    /// An instant (the text names its offset), and the milliseconds that its precision covers.
    Instant(i64, i64),
}

impl Moment {
    /// First millisecond and its local date.
    pub fn start_in(self, zone: Tz) -> (i64, NaiveDate) {
        match self {
            Self::Day(date) => (zone::day_start(date, zone), date),
            Self::Local(time, _) => (zone::local_instant(time, zone), time.date()),
            Self::Instant(ms, _) => (ms, zone::local_date(ms, zone)),
        }
    }

    /// First millisecond after, and the local date of the last one within.
    pub fn end_in(self, zone: Tz) -> (i64, NaiveDate) {
        match self {
            Self::Day(date) => (zone::day_start(zone::day_after(date), zone), date),
            Self::Local(time, covers) => (zone::local_instant(time, zone) + covers, time.date()),
            Self::Instant(ms, covers) => (ms + covers, zone::local_date(ms, zone)),
        }
    }
}

/// Reads `YYYY-MM-DD`, `YYYY-MM-DD HH:MM[:SS[.mmm]]` (also with `T`), or RFC 3339 with an offset.
pub fn parse_moment(text: &str) -> Option<Moment> {
    let digits = text.bytes().take(4).filter(u8::is_ascii_digit).count();
    if !text.is_ascii() || text.len() > 40 || digits < 4 || text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    if text.len() == 10 {
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        return Some(Moment::Day(date));
    }
    let covers = if text.contains('.') { 1 } else { 1_000 };
    if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
        return Some(Moment::Instant(instant.timestamp_millis(), covers));
    }
    let formats = [
        ("%Y-%m-%d %H:%M:%S%.f", covers),
        ("%Y-%m-%dT%H:%M:%S%.f", covers),
        ("%Y-%m-%d %H:%M", 60_000),
        ("%Y-%m-%dT%H:%M", 60_000),
    ];
    formats.into_iter().find_map(|(format, covers)| {
        let time = NaiveDateTime::parse_from_str(text, format).ok()?;
        Some(Moment::Local(time, covers))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_days_times_and_instants() {
        assert_eq!(
            parse_moment("2025-02-28"),
            Some(Moment::Day("2025-02-28".parse().unwrap()))
        );
        let ten = NaiveDate::from_ymd_opt(2025, 2, 28)
            .unwrap()
            .and_hms_opt(10, 5, 0)
            .unwrap();
        assert_eq!(
            parse_moment("2025-02-28 10:05:00"),
            Some(Moment::Local(ten, 1_000))
        );
        assert_eq!(
            parse_moment("2025-02-28T10:05"),
            Some(Moment::Local(ten, 60_000))
        );
        let instant = ten.and_utc().timestamp_millis() - 3_600_000;
        assert_eq!(
            parse_moment("2025-02-28T10:05:00.000+01:00"),
            Some(Moment::Instant(instant, 1))
        );
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "2025",
            "2025-2-3",
            "2025-02-30",
            "28.02.2025",
            "2025-02-28 25:00:00",
            "２025-02-28",
            "-025-02-28",
            "2025-02-28; DROP",
            "99999-01-01",
        ] {
            assert_eq!(parse_moment(text), None, "{text}");
        }
    }
}
