//! Labels of a chart's steps: days and hours of the wire, as the reader writes them.

use chrono::{NaiveDate, NaiveTime};

use crate::pages::time::DateFormat;

/// The day in a step's label of the wire.
pub(super) fn day(label: &str) -> Option<NaiveDate> {
    label.get(..10)?.parse().ok()
}

/// The hour in it, as the reader writes times of day; nothing where the step is a day.
fn hour(label: &str, date_format: &DateFormat) -> Option<String> {
    let time = NaiveTime::parse_from_str(label.get(11..16)?, "%H:%M").ok()?;
    Some(date_format.clock(time))
}

/// A step's label in full: `Wed, Oct 14` or `Wed, Oct 14, 13:00`. An hour that a zone repeats has its offset.
pub(super) fn name(label: &str, offset: &str, date_format: &DateFormat) -> String {
    let Some(day) = day(label) else {
        return label.to_owned();
    };
    let day = date_format.texts.weekday(day);
    match hour(label, date_format) {
        Some(hour) => format!("{day}, {hour}{offset}"),
        None => day,
    }
}

/// The same below an axis of one day: `13:00`, or `Oct 14` of a step that is a day.
pub(super) fn word(label: &str, date_format: &DateFormat) -> String {
    let named = || {
        day(label).map_or_else(
            || label.to_owned(),
            |day| date_format.texts.day_of_year(day),
        )
    };
    hour(label, date_format).unwrap_or_else(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_called_by_their_day_and_hour() {
        let date_format = DateFormat::default();
        let name = |label: &str| name(label, "", &date_format);
        assert_eq!(name("2026-10-14"), "Wed, Oct 14");
        assert_eq!(name("2026-10-14 13:00:00"), "Wed, Oct 14, 13:00");
        assert_eq!(
            super::name("2026-10-25 02:00:00", "+02:00", &date_format),
            "Sun, Oct 25, 02:00+02:00"
        );
        assert_eq!(name("é nonsense"), "é nonsense");
        let word = |label: &str| word(label, &date_format);
        assert_eq!(
            (word("2026-10-04"), word("2026-10-14 13:00:00")),
            ("Oct 4".into(), "13:00".into())
        );
        assert_eq!(word("nonsense"), "nonsense");
        let clock = DateFormat {
            time: "h:mm a".to_owned(),
            ..DateFormat::default()
        };
        assert_eq!(
            super::name("2026-10-14 13:00:00", "", &clock),
            "Wed, Oct 14, 1:00 PM"
        );
    }
}
