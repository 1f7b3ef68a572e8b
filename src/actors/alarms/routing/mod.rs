//! Settings of a destination: which alerts it gets, when, how many, and who gets those that can't be delivered there.

mod check;
mod quiet_hours;
mod recipient;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use recipient::Recipient;

/// How urgent an alert is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AlarmSeverity")]
pub enum Severity {
    /// It is sent in quiet hours, too.
    Critical,
    /// As usual.
    #[default]
    Warning,
    /// For information.
    Info,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AlarmWeekday")]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// Hours of the day in which messages wait, unless the alert is critical.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AlarmQuietHours")]
pub struct QuietHours {
    /// The time zone, such as `Europe/Berlin`; UTC by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// The days on which they begin; all by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<Weekday>,
    /// When they begin, such as `22:00`.
    pub from: String,
    /// When they end, such as `07:00`, at most `24:00`. Up to `from` it is a time of the next day.
    pub to: String,
}

/// The most messages in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AlarmRateLimit")]
pub struct RateLimit {
    /// Messages, 1 to 1,000.
    pub messages: u32,
    /// Minutes, 1 to 1,440.
    pub minutes: u32,
}

/// All of a destination's settings. None of them is set by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "AlarmRouting")]
pub struct Routing {
    /// The severities of the alerts that it gets; all if absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub severities: Vec<Severity>,
    /// When messages wait, unless the alert is critical.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
    /// The most messages that it gets in a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// The id of the destination that gets what can't be delivered here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

impl Routing {
    pub(super) fn takes(&self, severity: Severity) -> bool {
        self.severities.is_empty() || self.severities.contains(&severity)
    }

    /// Whether messages of an alert wait at this moment, Unix milliseconds.
    pub(super) fn is_quiet(&self, severity: Severity, now_ms: i64) -> bool {
        let hours = self.quiet_hours.as_ref();
        let hours = hours.filter(|_| severity != Severity::Critical);
        hours.is_some_and(|hours| hours.end_ms(now_ms).is_some())
    }

    /// How many messages may be sent at this moment, if these were sent before; both Unix milliseconds. Times of a clock that
    /// was ahead don't count.
    pub(super) fn count_room(&self, sent: &[i64], now_ms: i64) -> usize {
        let Some(limit) = self.rate_limit else {
            return usize::MAX;
        };
        let since_ms = now_ms - i64::from(limit.minutes) * 60_000;
        let recent = |at_ms: &&i64| since_ms < **at_ms && **at_ms <= now_ms;
        let recent = sent.iter().filter(recent).count();
        (limit.messages as usize).saturating_sub(recent)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_destination_without_settings_stores_nothing_and_gets_everything() {
        let none = Routing::default();
        assert_eq!(json!(none), json!({}));
        for severity in [Severity::Critical, Severity::Warning, Severity::Info] {
            assert!(none.takes(severity) && !none.is_quiet(severity, 0));
        }
        assert_eq!(none.count_room(&[0, 0, 0], 0), usize::MAX);
    }

    #[test]
    fn a_severity_list_takes_only_what_is_in_it() {
        let some = Routing {
            severities: vec![Severity::Critical],
            ..Routing::default()
        };
        assert!(some.takes(Severity::Critical) && !some.takes(Severity::Warning));
    }

    #[test]
    fn a_rate_limit_counts_the_messages_of_its_minutes() {
        let limited = Routing {
            rate_limit: Some(RateLimit {
                messages: 2,
                minutes: 1,
            }),
            ..Routing::default()
        };
        assert_eq!(limited.count_room(&[], 60_000), 2);
        assert_eq!(limited.count_room(&[0, 1, 59_000], 60_000), 0);
        assert_eq!(limited.count_room(&[0, 59_000], 60_000), 1);
        assert_eq!(limited.count_room(&[0, 59_000], 119_000), 2);
        // A clock that was ahead holds nothing back.
        assert_eq!(limited.count_room(&[60_001, 90_000], 60_000), 2);
        assert_eq!(limited.count_room(&[60_000, 90_000], 60_000), 1);
    }
}
