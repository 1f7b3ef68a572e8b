//! Dates and lengths of time.

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};

use super::Texts;

impl Texts {
    /// A date: `Oct 14, 2026`.
    pub fn day(self, date: NaiveDate) -> String {
        let (day, year) = (date.day().to_string(), date.year().to_string());
        self.date(&day, u64::from(date.month()), &year).into_owned()
    }

    /// A date without its year: `Oct 14`.
    pub fn day_of_year(self, date: NaiveDate) -> String {
        let day = date.day().to_string();
        self.date_of_year(&day, u64::from(date.month()))
            .into_owned()
    }

    /// A date without its year, with its day of the week: `Wed, Oct 14`.
    pub fn weekday(self, date: NaiveDate) -> String {
        let weekday = u64::from(date.weekday().number_from_monday());
        self.weekday_and_date(weekday, &self.day_of_year(date))
            .into_owned()
    }

    /// The dates from one to another: `Oct 14, 2026`, or `Oct 8 – Oct 14, 2026`.
    pub fn days_between(self, first: NaiveDate, last: NaiveDate) -> String {
        if first == last {
            return self.day(first);
        }
        let begin = if first.year() == last.year() {
            self.day_of_year(first)
        } else {
            self.day(first)
        };
        format!("{begin} – {}", self.day(last))
    }

    /// A month: `October 2026`.
    pub fn month(self, date: NaiveDate) -> String {
        let year = date.year().to_string();
        self.month_of_year(u64::from(date.month()), &year)
            .into_owned()
    }

    /// Date and time of day: `Oct 14, 2026, 12:05 UTC`.
    pub fn moment(self, at: DateTime<Utc>) -> String {
        let (date, time) = (self.day(at.date_naive()), at.format("%H:%M").to_string());
        self.date_and_time(&date, &time).into_owned()
    }

    /// Seconds as a length of time in its two largest units: `45s`, `1m 23s`, `2h 5m`, `3d 4h`.
    pub fn duration(self, seconds: f64) -> String {
        let whole = seconds.round().max(0.0) as u64;
        let (large, small) = match whole {
            0..60 => (self.seconds(whole), None),
            60..3_600 => (
                self.minutes(whole / 60),
                some(whole % 60, |count| self.seconds(count)),
            ),
            3_600..86_400 => {
                let minutes = some(whole % 3_600 / 60, |count| self.minutes(count));
                (self.hours(whole / 3_600), minutes)
            }
            _ => {
                let hours = some(whole % 86_400 / 3_600, |count| self.hours(count));
                (self.days(whole / 86_400), hours)
            }
        };
        match small {
            Some(small) => self.two_units(&large, &small).into_owned(),
            None => large.into_owned(),
        }
    }
}

/// A unit of which there is at least one.
fn some<T>(count: u64, write: impl FnOnce(u64) -> T) -> Option<T> {
    (count > 0).then(|| write(count))
}
