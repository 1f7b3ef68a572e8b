//! Named ranges. Weeks start on Sunday.

use chrono::{Datelike, Days, NaiveDate};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    Today,
    Yesterday,
    Last7d,
    Last14d,
    Last30d,
    Last90d,
    ThisWeek,
    LastWeek,
    ThisMonth,
    LastMonth,
    ThisYear,
}

impl Preset {
    /// Every preset under its name on the wire, in the order of the reference.
    pub const ALL: [(&'static str, Self); 11] = [
        ("today", Self::Today),
        ("yesterday", Self::Yesterday),
        ("last_7d", Self::Last7d),
        ("last_14d", Self::Last14d),
        ("last_30d", Self::Last30d),
        ("last_90d", Self::Last90d),
        ("this_week", Self::ThisWeek),
        ("last_week", Self::LastWeek),
        ("this_month", Self::ThisMonth),
        ("last_month", Self::LastMonth),
        ("this_year", Self::ThisYear),
    ];

    /// Reads a preset's name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, preset)| *preset)
    }

    /// First and last date, both inclusive, when it is `today`.
    pub fn dates(self, today: NaiveDate) -> (NaiveDate, NaiveDate) {
        let back =
            |date: NaiveDate, days: u64| date.checked_sub_days(Days::new(days)).unwrap_or(date);
        let sunday = back(today, u64::from(today.weekday().num_days_from_sunday()));
        let month = today.with_day(1).unwrap_or(today);
        let last_month = back(month, 1);
        match self {
            Self::Today => (today, today),
            Self::Yesterday => (back(today, 1), back(today, 1)),
            Self::Last7d => (back(today, 6), today),
            Self::Last14d => (back(today, 13), today),
            Self::Last30d => (back(today, 29), today),
            Self::Last90d => (back(today, 89), today),
            Self::ThisWeek => (sunday, today),
            Self::LastWeek => (back(sunday, 7), back(sunday, 1)),
            Self::ThisMonth => (month, today),
            Self::LastMonth => (last_month.with_day(1).unwrap_or(last_month), last_month),
            Self::ThisYear => (month.with_month(1).unwrap_or(month), today),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(name: &str, today: &str) -> String {
        let (first, last) = Preset::parse(name).unwrap().dates(today.parse().unwrap());
        format!("{first} {last}")
    }

    #[test]
    fn presets_are_the_specs() {
        // A Wednesday.
        let today = "2025-03-12";
        assert_eq!(dates("today", today), "2025-03-12 2025-03-12");
        assert_eq!(dates("yesterday", today), "2025-03-11 2025-03-11");
        assert_eq!(dates("last_7d", today), "2025-03-06 2025-03-12");
        assert_eq!(dates("last_14d", today), "2025-02-27 2025-03-12");
        assert_eq!(dates("last_30d", today), "2025-02-11 2025-03-12");
        assert_eq!(dates("last_90d", today), "2024-12-13 2025-03-12");
        assert_eq!(dates("this_week", today), "2025-03-09 2025-03-12");
        assert_eq!(dates("last_week", today), "2025-03-02 2025-03-08");
        assert_eq!(dates("this_month", today), "2025-03-01 2025-03-12");
        assert_eq!(dates("last_month", today), "2025-02-01 2025-02-28");
        assert_eq!(dates("this_year", today), "2025-01-01 2025-03-12");
    }

    #[test]
    fn weeks_start_on_sunday_and_months_know_the_year() {
        assert_eq!(dates("this_week", "2025-03-09"), "2025-03-09 2025-03-09");
        assert_eq!(dates("last_month", "2024-03-31"), "2024-02-01 2024-02-29");
        assert_eq!(dates("last_month", "2025-01-15"), "2024-12-01 2024-12-31");
    }
}
