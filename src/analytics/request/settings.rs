//! Settings of some types in their filters, beside which rows count.

use chrono::{Days, Months, NaiveDate};

use super::{Filter, Op};
use crate::analytics::{
    catalogue::{COMPARISON, QueryType, RETENTION, Values},
    range::{
        Range,
        zone::{day_after, day_start},
    },
};

/// Most days (or hours) of one cohort.
const WIDEST: i64 = 90;
/// Most pages of a journey.
const LONGEST: i64 = 20;
/// Pages of a journey when nothing is said.
const STEPS: i64 = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Buckets that make one cohort, and one step of time behind it.
    pub cohort_width: i64,
    /// Pages of a visit that are looked at.
    pub journey_steps: i64,
    /// The page that journeys begin with, if not with the visit.
    pub journey_start: Option<String>,
    /// The short link that rows are about, if not all of them.
    pub short_link: Option<String>,
    /// The period that the range is compared with: its first moment and the first one after it.
    pub earlier: Option<(i64, i64)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cohort_width: 1,
            journey_steps: STEPS,
            journey_start: None,
            short_link: None,
            earlier: None,
        }
    }
}

/// Reads the settings of a type at `now_ms`.
pub(super) fn read(
    kind: &QueryType,
    filters: &[Filter],
    range: &Range,
    now_ms: i64,
) -> Result<Settings, String> {
    let mut settings = Settings::default();
    if kind.name == RETENTION {
        return Ok(settings);
    }
    let told = |field: &&super::Field| field.values == Values::Setting;
    let mut comparison = "previous_period";
    for field in kind.own_filters.iter().filter(told) {
        let Some(value) = setting(filters, field.name)? else {
            continue;
        };
        match field.name {
            "cohort_width" => settings.cohort_width = number(field.name, value, 1, WIDEST)?,
            "journey_steps" => settings.journey_steps = number(field.name, value, 1, LONGEST)?,
            "journey_start" => settings.journey_start = Some(page(value)),
            "short_link" => settings.short_link = Some(value.to_owned()),
            _ => comparison = value,
        }
    }
    if kind.name == COMPARISON {
        settings.earlier = Some(earlier(comparison, range, now_ms)?);
    }
    Ok(settings)
}

/// The only value of a setting.
fn setting<'a>(filters: &'a [Filter], name: &str) -> Result<Option<&'a str>, String> {
    let mut found = filters.iter().filter(|filter| filter.field.name == name);
    match (found.next(), found.next()) {
        (None, _) => Ok(None),
        (Some(one), None) if one.op == Op::Eq => Ok(one.values.first().map(String::as_str)),
        _ => Err(format!("{name} takes one filter, with the operator eq")),
    }
}

fn number(name: &str, value: &str, least: i64, most: i64) -> Result<i64, String> {
    let number = value.parse().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{name} must be a whole number from {least} to {most}"))
}

/// A page as rows store it.
fn page(value: &str) -> String {
    match value.trim_end_matches('/') {
        "" => "/".to_owned(),
        page => page.to_owned(),
    }
}

/// The period that a range is compared with, by the calendar of its zone. A range that is not over is compared with as
/// much of it as has passed.
fn earlier(how: &str, range: &Range, now_ms: i64) -> Result<(i64, i64), String> {
    let days = Days::new(range.days().unsigned_abs() + 1);
    let back = |date: NaiveDate| match how {
        "previous_year" => date.checked_sub_months(Months::new(12)),
        _ => date.checked_sub_days(days),
    };
    if !["previous_period", "previous_year"].contains(&how) {
        return Err("compare_with must be previous_period or previous_year".to_owned());
    }
    let (Some(first), Some(last)) = (back(range.first), back(range.last)) else {
        return Err("there is no earlier period".to_owned());
    };
    // A moment of the first day stays as far behind its beginning.
    let into = range.from - day_start(range.first, range.zone);
    let from = day_start(first, range.zone) + into;
    let left = day_start(day_after(range.last), range.zone) - range.to;
    let to = day_start(day_after(last), range.zone) - left;
    let passed = now_ms.saturating_add(1).clamp(range.from, range.to) - range.from;
    let over = now_ms >= range.to;
    let to = if over { to } else { to.min(from + passed) };
    let to = to.min(range.from);
    Ok((from.min(to), to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::range::parse_moment;

    fn range(first: &str, last: &str, zone: &str) -> Range {
        let moment = |text| parse_moment(text).unwrap();
        Range::between(moment(first), moment(last), zone.parse().unwrap()).unwrap()
    }

    #[test]
    fn as_many_days_before_whatever_their_length() {
        // The clock goes forward on the 30th: the range has 47 hours, the days before it have 48.
        let asked = range("2025-03-29", "2025-03-30", "Europe/Berlin");
        let (from, to) = earlier("previous_period", &asked, i64::MAX).unwrap();
        assert_eq!(to, asked.from);
        assert_eq!((to - from) / 3_600_000, 48);
        let (from, to) = earlier("previous_year", &asked, i64::MAX).unwrap();
        let wanted = range("2024-03-29", "2024-03-30", "Europe/Berlin");
        assert_eq!((from, to), (wanted.from, wanted.to));
    }

    #[test]
    fn what_is_not_over_is_compared_with_as_much() {
        let asked = range("2025-06-12", "2025-06-12", "UTC");
        let now = asked.from + 5 * 3_600_000 - 1;
        let (from, to) = earlier("previous_period", &asked, now).unwrap();
        assert_eq!((asked.from - from, to - from), (86_400_000, 5 * 3_600_000));
        // Nothing of a day to come has passed.
        let (from, to) = earlier("previous_period", &asked, asked.from - 1).unwrap();
        assert_eq!(from, to);
    }

    #[test]
    fn part_of_a_day_is_compared_with_the_same_part() {
        let asked = range("2025-06-12 10:00:00", "2025-06-12 11:59:59", "UTC");
        let (from, to) = earlier("previous_period", &asked, i64::MAX).unwrap();
        assert_eq!((asked.from - from, asked.to - to), (86_400_000, 86_400_000));
        assert!(earlier("last_week", &asked, i64::MAX).is_err());
    }
}
