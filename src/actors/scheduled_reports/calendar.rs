//! When reports are due, and which days they cover (pure).

use chrono::{DateTime, Datelike as _, Days, Months, NaiveDate, TimeZone as _};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::text_enum::text_enums;

/// The frequency of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ReportFrequency")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Frequency {
    /// Every day, about the day before.
    Daily,
    /// Every Monday, about the week before.
    #[default]
    Weekly,
    /// On the first of the month, about the month before.
    Monthly,
}

text_enums!(Frequency);

/// The days that a report covers, in its time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub first: NaiveDate,
    pub last: NaiveDate,
}

impl Frequency {
    /// The last day on or before this one on which a report comes.
    fn day_before(self, day: NaiveDate) -> NaiveDate {
        let back = match self {
            Self::Daily => 0,
            Self::Weekly => day.weekday().num_days_from_monday(),
            Self::Monthly => day.day0(),
        };
        day - Days::new(back.into())
    }

    /// The next day behind one on which a report comes.
    fn day_after(self, day: NaiveDate) -> NaiveDate {
        match self {
            Self::Daily => day + Days::new(1),
            Self::Weekly => day + Days::new(7),
            Self::Monthly => day + Months::new(1),
        }
    }

    /// The days that end before a day on which a report comes.
    fn period_before(self, day: NaiveDate) -> Period {
        let first = match self {
            Self::Daily => day - Days::new(1),
            Self::Weekly => day - Days::new(7),
            Self::Monthly => day - Months::new(1),
        };
        Period {
            first,
            last: day - Days::new(1),
        }
    }

    /// The period that a report is compared with.
    pub fn previous(self, period: Period) -> Period {
        self.period_before(period.first)
    }
}

/// The period of the last report that was due by a moment, and when the next one is, Unix milliseconds.
pub(super) fn due(frequency: Frequency, zone: Tz, hour: u32, now_ms: i64) -> (Period, i64) {
    let now = DateTime::from_timestamp_millis(now_ms).unwrap_or_default();
    let today = now.with_timezone(&zone).date_naive();
    let mut day = frequency.day_before(today);
    if moment(day, zone, hour) > now_ms {
        day = frequency.day_before(day - Days::new(1));
    }
    let next = moment(frequency.day_after(day), zone, hour);
    (frequency.period_before(day), next)
}

/// An hour of a day in a zone, Unix milliseconds. One that clocks skip is the next that they show.
fn moment(day: NaiveDate, zone: Tz, hour: u32) -> i64 {
    let hours = (hour..hour + 4).filter_map(|hour| {
        let day = day + Days::new(u64::from(hour / 24));
        let at = day.and_hms_opt(hour % 24, 0, 0)?;
        zone.from_local_datetime(&at).earliest()
    });
    let mut hours = hours.map(|at| at.timestamp_millis());
    // No zone skips four hours but once in a century, by a whole day.
    hours.next().unwrap_or_else(|| {
        day.and_hms_opt(0, 0, 0)
            .map_or(0, |at| at.and_utc().timestamp_millis())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::iso_ms;

    fn at(text: &str) -> i64 {
        chrono::DateTime::parse_from_rfc3339(text)
            .unwrap()
            .timestamp_millis()
    }

    fn told(frequency: Frequency, zone: &str, now: &str) -> [String; 3] {
        let (period, next) = due(frequency, zone.parse().unwrap(), 8, at(now));
        [
            period.first.to_string(),
            period.last.to_string(),
            iso_ms(next)[..16].to_owned(),
        ]
    }

    #[test]
    fn reports_are_due_in_the_morning_after_their_period_in_their_zone() {
        use Frequency::{Daily, Monthly, Weekly};
        for (frequency, zone, now, expected) in [
            (
                Daily,
                "UTC",
                "2026-11-25T07:59:59Z",
                ["2026-11-23", "2026-11-23", "2026-11-25T08:00"],
            ),
            (
                Daily,
                "UTC",
                "2026-11-25T08:00:00Z",
                ["2026-11-24", "2026-11-24", "2026-11-26T08:00"],
            ),
            (
                Daily,
                "Asia/Tokyo",
                "2026-11-24T23:00:00Z",
                ["2026-11-24", "2026-11-24", "2026-11-25T23:00"],
            ),
            (
                Weekly,
                "Europe/Berlin",
                "2026-11-23T06:59:59Z",
                ["2026-11-09", "2026-11-15", "2026-11-23T07:00"],
            ),
            (
                Weekly,
                "Europe/Berlin",
                "2026-11-23T07:00:00Z",
                ["2026-11-16", "2026-11-22", "2026-11-30T07:00"],
            ),
            (
                Monthly,
                "UTC",
                "2026-03-01T07:00:00Z",
                ["2026-01-01", "2026-01-31", "2026-03-01T08:00"],
            ),
            (
                Monthly,
                "UTC",
                "2026-03-31T12:00:00Z",
                ["2026-02-01", "2026-02-28", "2026-04-01T08:00"],
            ),
        ] {
            assert_eq!(told(frequency, zone, now), expected, "{frequency:?} {now}");
        }
    }

    #[test]
    fn a_report_keeps_its_hour_over_a_change_of_clocks() {
        // Clocks go back on 25 October 2026.
        let zone = "Europe/Berlin";
        let told = |now| told(Frequency::Daily, zone, now)[2].clone();
        assert_eq!(told("2026-10-24T12:00:00Z"), "2026-10-25T07:00");
        assert_eq!(told("2026-10-23T12:00:00Z"), "2026-10-24T06:00");
        // And forward on 29 March, from two o'clock to three.
        let (_, next) = due(
            Frequency::Daily,
            zone.parse().unwrap(),
            2,
            at("2026-03-28T12:00:00Z"),
        );
        assert_eq!(&iso_ms(next)[..16], "2026-03-29T01:00");
    }

    #[test]
    fn a_period_is_compared_with_the_one_before() {
        let (month, _) = due(Frequency::Monthly, Tz::UTC, 8, at("2026-03-31T12:00:00Z"));
        let before = Frequency::Monthly.previous(month);
        assert_eq!(before.first.to_string(), "2026-01-01");
        assert_eq!(before.last.to_string(), "2026-01-31");
    }
}
