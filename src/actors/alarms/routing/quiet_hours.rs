//! When quiet hours are, in a time zone whose clocks change. Pure.

use chrono::{Datelike, Days, NaiveDate, NaiveTime, Offset, TimeDelta, TimeZone};
use chrono_tz::Tz;

use super::{QuietHours, Weekday};
use crate::{actors::delivery::FieldError, clock::from_ms};

/// Minutes of a day.
const DAY: u32 = 1_440;
/// Quiet hours that follow each other: as many as a week has, on both sides of it.
const MAX_FOLLOWING: usize = 14;

impl QuietHours {
    /// Until when messages wait at this moment, both Unix milliseconds. `None`: they are delivered.
    pub fn end_ms(&self, now_ms: i64) -> Option<i64> {
        let hours = Hours::read(self).ok()?;
        let mut end_ms = hours.end_ms(now_ms)?;
        for _ in 0..MAX_FOLLOWING {
            // Those of the next day may begin where these end.
            match hours.end_ms(end_ms) {
                Some(later_ms) if later_ms > end_ms => end_ms = later_ms,
                _ => break,
            }
        }
        Some(end_ms)
    }
}

/// Quiet hours that were read. Times are minutes of the day.
#[derive(Debug)]
pub(super) struct Hours {
    zone: Tz,
    days: Vec<Weekday>,
    from: u32,
    to: u32,
}

impl Hours {
    pub(super) fn read(hours: &QuietHours) -> Result<Self, FieldError> {
        let wrong = |field: &str, message: String| (format!("quietHours.{field}"), message);
        let zone = hours.timezone.as_deref().unwrap_or("UTC");
        let zone: Tz = zone.parse().map_err(|_| {
            wrong(
                "timezone",
                format!("`{zone}` is no time zone. Example: Europe/Berlin"),
            )
        })?;
        let from = read_time(&hours.from).filter(|minutes| *minutes < DAY);
        let to = read_time(&hours.to);
        let (from, to) = match (from, to) {
            (Some(from), Some(to)) => (from, to),
            (None, _) => {
                let message = "must be a time from 00:00 to 23:59".to_owned();
                return Err(wrong("from", message));
            }
            (_, None) => {
                let message = "must be a time from 00:00 to 24:00".to_owned();
                return Err(wrong("to", message));
            }
        };
        if from == to {
            return Err(wrong("to", "must differ from `from`".to_owned()));
        }
        let days = if hours.days.is_empty() {
            Weekday::ALL.to_vec()
        } else {
            hours.days.clone()
        };
        let is_whole_week = Weekday::ALL.iter().all(|day| days.contains(day));
        if is_whole_week && (from, to) == (0, DAY) {
            let message = "must leave some time for messages".to_owned();
            return Err(wrong("to", message));
        }
        Ok(Self {
            zone,
            days,
            from,
            to,
        })
    }

    /// The end of the quiet hours that this moment is in, both Unix milliseconds.
    fn end_ms(&self, now_ms: i64) -> Option<i64> {
        let today = from_ms(now_ms).with_timezone(&self.zone).date_naive();
        let begins = [today.checked_sub_days(Days::new(1)), Some(today)];
        let spans = begins
            .into_iter()
            .flatten()
            .filter_map(|day| self.span(day));
        let open = spans.filter(|(start_ms, end_ms)| (*start_ms..*end_ms).contains(&now_ms));
        open.map(|(_, end_ms)| end_ms).max()
    }

    /// Start and end of the quiet hours that begin on a day, Unix milliseconds.
    fn span(&self, day: NaiveDate) -> Option<(i64, i64)> {
        let weekday = day.weekday().num_days_from_monday() as usize;
        let weekday = Weekday::ALL.get(weekday)?;
        if !self.days.contains(weekday) {
            return None;
        }
        let end = if self.to > self.from {
            day
        } else {
            day.checked_add_days(Days::new(1))?
        };
        let start_ms = self.moment_ms(day, self.from, false);
        Some((start_ms, self.moment_ms(end, self.to, true)))
    }

    /// A time of a day, Unix milliseconds. Of a time that a clock shows twice it is the later one for an end. A time that
    /// it jumps over counts as if it had not jumped yet.
    fn moment_ms(&self, day: NaiveDate, minutes: u32, is_end: bool) -> i64 {
        let local = day.and_time(NaiveTime::MIN) + TimeDelta::minutes(i64::from(minutes));
        let mapped = self.zone.from_local_datetime(&local);
        let found = if is_end {
            mapped.latest()
        } else {
            mapped.earliest()
        };
        if let Some(at) = found {
            return at.timestamp_millis();
        }
        let before = local - TimeDelta::days(1);
        let offset = self.zone.offset_from_utc_datetime(&before).fix();
        let offset = TimeDelta::seconds(i64::from(offset.local_minus_utc()));
        (local - offset).and_utc().timestamp_millis()
    }
}

impl Weekday {
    pub(super) const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];
}

/// `HH:MM` as minutes of the day, at most `24:00`.
fn read_time(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| is_number)
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    let minutes = hour * 60 + minute;
    (minute < 60 && minutes <= DAY).then_some(minutes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::iso_ms;

    fn hours(zone: &str, days: &[Weekday], from: &str, to: &str) -> QuietHours {
        QuietHours {
            timezone: Some(zone.to_owned()),
            days: days.to_vec(),
            from: from.to_owned(),
            to: to.to_owned(),
        }
    }

    fn at(text: &str) -> i64 {
        let read = chrono::DateTime::parse_from_rfc3339(text).unwrap();
        read.timestamp_millis()
    }

    fn end(hours: &QuietHours, now: &str) -> String {
        let end_ms = hours.end_ms(at(now));
        end_ms.map_or_else(|| "now".to_owned(), iso_ms)
    }

    #[test]
    fn a_night_belongs_to_the_day_on_which_it_begins() {
        // 2026-10-16 is a Friday.
        let night = hours("Europe/Berlin", &[Weekday::Friday], "22:00", "07:00");
        for (now, until) in [
            ("2026-10-16T19:59:59Z", "now"),
            ("2026-10-16T20:00:00Z", "2026-10-17T05:00:00.000Z"),
            ("2026-10-17T04:59:59Z", "2026-10-17T05:00:00.000Z"),
            ("2026-10-17T05:00:00Z", "now"),
            ("2026-10-17T20:30:00Z", "now"),
        ] {
            assert_eq!(end(&night, now), until, "{now}");
        }
    }

    #[test]
    fn clocks_that_change_make_a_night_longer_or_shorter() {
        let night = hours("Europe/Berlin", &[], "22:00", "07:00");
        // One hour more: 2026-10-25, 03:00 becomes 02:00. One hour less: 2027-03-28, 02:00 becomes 03:00.
        assert_eq!(
            end(&night, "2026-10-24T20:00:00Z"),
            "2026-10-25T06:00:00.000Z"
        );
        assert_eq!(
            end(&night, "2027-03-27T21:00:00Z"),
            "2027-03-28T05:00:00.000Z"
        );
        // An end that the clock shows twice is the later one; one that it skips comes after the jump.
        let early = hours("Europe/Berlin", &[], "22:00", "02:30");
        assert_eq!(
            end(&early, "2026-10-25T00:45:00Z"),
            "2026-10-25T01:30:00.000Z"
        );
        assert_eq!(
            end(&early, "2027-03-28T01:15:00Z"),
            "2027-03-28T01:30:00.000Z"
        );
        assert_eq!(end(&early, "2027-03-28T01:30:00Z"), "now");
    }

    #[test]
    fn whole_days_follow_each_other() {
        let weekend = [Weekday::Saturday, Weekday::Sunday];
        let weekend = hours("UTC", &weekend, "00:00", "24:00");
        assert_eq!(
            end(&weekend, "2026-10-17T12:00:00Z"),
            "2026-10-19T00:00:00.000Z"
        );
        assert_eq!(end(&weekend, "2026-10-19T00:00:00Z"), "now");
    }

    #[test]
    fn unreadable_hours_are_refused_with_their_field() {
        for (zone, from, to, field) in [
            ("Europe/Atlantis", "22:00", "07:00", "quietHours.timezone"),
            ("UTC", "24:00", "07:00", "quietHours.from"),
            ("UTC", "7:00", "08:00", "quietHours.from"),
            ("UTC", "22:00", "25:00", "quietHours.to"),
            ("UTC", "22:00", "22:60", "quietHours.to"),
            ("UTC", "22:00", "22:00", "quietHours.to"),
            ("UTC", "00:00", "24:00", "quietHours.to"),
        ] {
            let read = Hours::read(&hours(zone, &[], from, to));
            assert_eq!(read.unwrap_err().0, field, "{zone} {from} {to}");
        }
    }

    proptest! {
        #[test]
        fn quiet_hours_end_later_and_then_messages_are_delivered(
            zone in 0..chrono_tz::TZ_VARIANTS.len(), day in 0_usize..7, now_s in 0_i64..4_000_000_000,
            from in 0_u32..1_440, length in 1_u32..1_440
        ) {
            let text = |minutes: u32| format!("{:02}:{:02}", minutes / 60, minutes % 60);
            let zone = chrono_tz::TZ_VARIANTS[zone].name();
            let to = (from + length) % DAY;
            let hours = hours(zone, &Weekday::ALL[day..=day], &text(from), &text(to));
            if let Some(end_ms) = hours.end_ms(now_s * 1_000) {
                prop_assert!(end_ms > now_s * 1_000);
                prop_assert!(end_ms - now_s * 1_000 <= 2 * 86_400_000);
                prop_assert_eq!(hours.end_ms(end_ms), None);
            }
        }
    }
}
