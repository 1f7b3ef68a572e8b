//! Maintenance windows. Pure.

use chrono::DateTime;
use chrono_tz::Tz;

use super::{Window, cron::Cron};

const MAX_MINUTES: u32 = 1_440;

#[derive(Debug, Clone)]
pub enum Span {
    /// Start and end, Unix milliseconds.
    Once(i64, i64),
    /// The recurring start, and the length in milliseconds.
    Recurring(Cron, i64),
}

impl Span {
    pub fn read(window: &Window) -> Result<Self, String> {
        let zone = window.timezone.as_deref().unwrap_or("UTC");
        let zone: Tz = zone
            .parse()
            .map_err(|_| format!("`{zone}` is no time zone"))?;
        let moment = |text: &str| {
            let read = DateTime::parse_from_rfc3339(text).map(|at| at.timestamp_millis());
            read.map_err(|_| format!("`{text}` is no time such as 2026-12-31T22:00:00Z"))
        };
        match (
            &window.starts_at,
            &window.ends_at,
            &window.cron,
            window.minutes,
        ) {
            (Some(start), Some(end), None, None) => {
                let (start, end) = (moment(start)?, moment(end)?);
                if start >= end {
                    return Err("a window ends after it begins".to_owned());
                }
                Ok(Self::Once(start, end))
            }
            (None, None, Some(cron), Some(minutes)) => {
                if !(1..=MAX_MINUTES).contains(&minutes) {
                    return Err("a recurring window lasts 1 to 1,440 minutes".to_owned());
                }
                let cron = Cron::parse(cron, zone).map_err(|error| error.to_string())?;
                Ok(Self::Recurring(cron, i64::from(minutes) * 60_000))
            }
            _ => Err(
                "a window has a beginning and an end, or a cron expression and minutes".to_owned(),
            ),
        }
    }

    /// Whether it is open at this moment, Unix milliseconds.
    pub fn is_open(&self, at_ms: i64) -> bool {
        match self {
            Self::Once(start, end) => (*start..*end).contains(&at_ms),
            Self::Recurring(cron, length) => cron
                .next_after(at_ms.saturating_sub(*length))
                .is_some_and(|start| start <= at_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(window: &Value) -> Result<Span, String> {
        Span::read(&serde_json::from_value(window.clone()).unwrap())
    }

    #[test]
    fn a_single_window_is_open_from_its_beginning_to_its_end() {
        let span = read(
            &json!({ "startsAt": "2026-10-14T12:00:00Z", "endsAt": "2026-10-14T15:00:00+02:00" }),
        )
        .unwrap();
        let noon = 1_791_979_200_000;
        for (at, open) in [
            (noon - 1, false),
            (noon, true),
            (noon + 3_599_999, true),
            (noon + 3_600_000, false),
        ] {
            assert_eq!(span.is_open(at), open, "{}", at - noon);
        }
    }

    #[test]
    fn a_recurring_window_opens_again_and_again() {
        // Sundays at 3 in Berlin, which is 1 o'clock in UTC in summer.
        let span =
            read(&json!({ "cron": "0 3 * * 0", "minutes": 90, "timezone": "Europe/Berlin" }))
                .unwrap();
        let sunday = 1_791_680_400_000 + 7 * 86_400_000;
        for (at, open) in [
            (sunday - 1, false),
            (sunday, true),
            (sunday + 90 * 60_000 - 1, true),
            (sunday + 90 * 60_000, false),
            (sunday + 86_400_000, false),
            // A week later the clock has been set back, and three is an hour later.
            (sunday + 7 * 86_400_000, false),
            (sunday + 7 * 86_400_000 + 3_600_000, true),
        ] {
            assert_eq!(span.is_open(at), open, "{}", at - sunday);
        }
    }

    #[test]
    fn what_is_no_window_is_refused() {
        for window in [
            json!({}),
            json!({ "startsAt": "2026-10-14T12:00:00Z" }),
            json!({ "startsAt": "2026-10-14T12:00:00Z", "endsAt": "2026-10-14T12:00:00Z" }),
            json!({ "startsAt": "yesterday", "endsAt": "2026-10-14T12:00:00Z" }),
            json!({ "cron": "0 3 * * 0" }),
            json!({ "cron": "0 3 * * 0", "minutes": 0 }),
            json!({ "cron": "0 3 * * 0", "minutes": 1441 }),
            json!({ "cron": "often", "minutes": 5 }),
            json!({ "cron": "0 3 * * 0", "minutes": 5, "timezone": "Mars" }),
            json!({ "cron": "0 3 * * 0", "minutes": 5, "startsAt": "2026-10-14T12:00:00Z" }),
        ] {
            assert!(read(&window).is_err(), "{window}");
        }
    }
}
