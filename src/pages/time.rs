//! Dates and times in the zone and the format of the reader.

use chrono::{DateTime, TimeZone as _};
use chrono_tz::Tz;

use crate::locale::Texts;

/// The formats of dates and times that a person prefers, and the language of what the person reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFormat {
    pub zone: Tz,
    pub texts: Texts,
    /// Of dates, such as `MMM D, YYYY`.
    pub date: String,
    /// Of times of day, such as `h:mm a`.
    pub time: String,
}

impl Default for DateFormat {
    fn default() -> Self {
        Self {
            zone: Tz::UTC,
            texts: Texts::ENGLISH,
            date: "MMM D, YYYY".to_owned(),
            time: "HH:mm".to_owned(),
        }
    }
}

impl DateFormat {
    /// A moment in the person's zone; the epoch for what no calendar holds.
    pub fn local(&self, unix_ms: i64) -> DateTime<Tz> {
        let found = self.zone.timestamp_millis_opt(unix_ms).single();
        found.unwrap_or_else(|| DateTime::UNIX_EPOCH.with_timezone(&self.zone))
    }

    /// The date of a moment. Patterns have English words, so in another language it is written as that does.
    pub fn date(&self, unix_ms: i64) -> String {
        let moment = self.local(unix_ms);
        if self.texts == Texts::ENGLISH {
            format_pattern(&self.date, &moment)
        } else {
            self.texts.day(moment.date_naive())
        }
    }

    /// The time of day of a moment.
    pub fn time(&self, unix_ms: i64) -> String {
        format_pattern(&self.time, &self.local(unix_ms))
    }

    /// A time of day that is the person's already.
    pub fn clock(&self, time: chrono::NaiveTime) -> String {
        let moment = chrono::NaiveDate::default().and_time(time);
        format_pattern(&self.time, &Tz::UTC.from_utc_datetime(&moment))
    }

    /// Date and time of day of a moment.
    pub fn moment(&self, unix_ms: i64) -> String {
        format!("{}, {}", self.date(unix_ms), self.time(unix_ms))
    }

    /// Text in which times of the wire are written as the person reads them.
    pub fn localize_times(&self, text: &str) -> String {
        let word = |word: &str| {
            let bare = word.trim_end_matches([' ', '.', ':', ',', ';']);
            moment(bare).map_or_else(
                || word.to_owned(),
                |at| self.moment(at) + &word[bare.len()..],
            )
        };
        text.split_inclusive(' ').map(word).collect()
    }

    /// The date of a moment as forms and addresses have it: `2026-10-14`.
    pub fn day(&self, unix_ms: i64) -> String {
        self.local(unix_ms).format("%Y-%m-%d").to_string()
    }

    /// A moment as a form has it, in the person's zone: `2026-10-14T12:05`, and with seconds where it has some.
    pub fn format_field(&self, unix_ms: i64) -> String {
        let is_whole = unix_ms.rem_euclid(60_000) < 1_000;
        let format = FIELD_FORMATS[usize::from(!is_whole)];
        self.local(unix_ms).format(format).to_string()
    }

    /// The moment in a field of a form; the earlier of two when clocks go back, and none when they skip it.
    pub fn parse_field(&self, text: &str) -> Option<i64> {
        let mut read = FIELD_FORMATS
            .iter()
            .filter_map(|format| chrono::NaiveDateTime::parse_from_str(text, format).ok());
        let naive = read.next()?;
        let found = self.zone.from_local_datetime(&naive).earliest()?;
        Some(found.timestamp_millis())
    }
}

/// How forms have a date and a time of day.
const FIELD_FORMATS: [&str; 2] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];

/// A time of the wire as Unix milliseconds.
pub fn moment(text: &str) -> Option<i64> {
    let at = DateTime::parse_from_rfc3339(text).ok()?;
    Some(at.timestamp_millis())
}

/// How long ago something was, in one unit: `just now`, `5 min ago`, `3 h ago`, `2 days ago`.
pub fn ago(unix_ms: i64, now_ms: i64) -> String {
    let seconds = (now_ms - unix_ms).max(0) / 1_000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "1 day ago".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// Parts of patterns, longest first, with those of `chrono`.
const PARTS: [(&str, &str); 18] = [
    ("YYYY", "%Y"),
    ("MMMM", "%B"),
    ("dddd", "%A"),
    ("MMM", "%b"),
    ("ddd", "%a"),
    ("YY", "%y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("HH", "%H"),
    ("hh", "%I"),
    ("mm", "%M"),
    ("ss", "%S"),
    ("M", "%-m"),
    ("D", "%-d"),
    ("H", "%-H"),
    ("h", "%-I"),
    ("a", "%p"),
    ("A", "%p"),
];

/// A moment in a pattern of the usual letters; other characters stay.
fn format_pattern(pattern: &str, moment: &DateTime<Tz>) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let part = PARTS.iter().find(|(letters, _)| rest.starts_with(letters));
        if let Some((letters, part)) = part {
            text.push_str(&moment.format(part).to_string());
            rest = &rest[letters.len()..];
        } else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    text
}

pub fn zone(name: &str) -> Option<Tz> {
    name.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-10-14T12:05:09Z, a Wednesday.
    const AT: i64 = 1_791_979_509_000;

    #[test]
    fn times_are_read_where_the_reader_is() {
        let mut date_format = DateFormat::default();
        assert_eq!(date_format.moment(AT), "Oct 14, 2026, 12:05");
        date_format.zone = zone("Asia/Kathmandu").unwrap();
        assert_eq!(date_format.time(AT), "17:50");
        date_format.zone = zone("Pacific/Kiritimati").unwrap();
        assert_eq!(date_format.day(AT), "2026-10-15");
        date_format.date = "dddd D.M.YY".to_owned();
        date_format.time = "h:mm a".to_owned();
        assert_eq!(date_format.moment(AT), "Thursday 15.10.26, 2:05 AM");
        assert!(zone("Mars/Base").is_none());
    }

    #[test]
    fn what_is_typed_is_in_the_zone_of_who_types() {
        let date_format = DateFormat {
            zone: zone("Europe/Berlin").unwrap(),
            ..DateFormat::default()
        };
        assert_eq!(date_format.format_field(AT - 9_000), "2026-10-14T14:05");
        assert_eq!(date_format.format_field(AT), "2026-10-14T14:05:09");
        assert_eq!(
            date_format.parse_field("2026-10-14T14:05"),
            Some(AT - 9_000)
        );
        assert_eq!(date_format.parse_field("2026-10-14T14:05:09"), Some(AT));
        assert_eq!(
            date_format.parse_field("2026-03-29T02:30"),
            None,
            "it is skipped"
        );
        for wrong in ["", "soon", "2026-10-14", "ääääääääääääääää"] {
            assert_eq!(date_format.parse_field(wrong), None, "{wrong}");
        }
        assert_eq!(moment("1970-01-01T00:00:01Z"), Some(1_000));
        assert_eq!(moment("then"), None);
    }

    #[test]
    fn patterns_of_strangers_are_just_text() {
        let date_format = DateFormat {
            date: "%Y <b>é %".to_owned(),
            ..DateFormat::default()
        };
        assert_eq!(date_format.date(AT), "%Y <b>é %");
        assert_eq!(DateFormat::default().day(i64::MAX), "1970-01-01");
    }

    #[test]
    fn what_is_past_has_one_unit() {
        let ago = |seconds: i64| ago(AT - seconds * 1_000, AT);
        assert_eq!(ago(-5), "just now");
        assert_eq!(ago(59), "just now");
        assert_eq!(ago(60), "1 min ago");
        assert_eq!(ago(7_200), "2 h ago");
        assert_eq!(ago(86_400), "1 day ago");
        assert_eq!(ago(400_000), "4 days ago");
    }

    #[test]
    fn times_within_text_are_written_as_they_are_read() {
        let date_format = DateFormat {
            zone: chrono_tz::Europe::Berlin,
            ..DateFormat::default()
        };
        assert_eq!(
            date_format.localize_times("It is down since 2026-10-14T12:05:00.000Z: HTTP 500."),
            "It is down since Oct 14, 2026, 14:05: HTTP 500."
        );
        assert_eq!(
            date_format.localize_times("It ends at 2026-12-31T23:30:00.000Z."),
            "It ends at Jan 1, 2027, 00:30."
        );
        let plain = "3.5 % is  more than 2026-10-14";
        assert_eq!(date_format.localize_times(plain), plain);
        assert_eq!(date_format.clock("09:05:00".parse().unwrap()), "09:05");
    }
}
