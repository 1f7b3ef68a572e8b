//! Event times: from the year 2000 to an hour from now, nothing is clamped.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

use super::wire::Value;

/// 2000-01-01T00:00:00Z in Unix ms.
pub(super) const EARLIEST: i64 = 946_684_800_000;
/// How far clocks of clients may be ahead.
pub(super) const AHEAD: i64 = crate::events::event::MAX_AHEAD;

/// Whether a time may be given as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    /// Custom events: a number, its digits as a string, an ISO 8601 string or a date.
    Allowed,
    /// Everything the tracker sends: a number.
    Refused,
}

/// A time in Unix ms, `None` when absent; otherwise code and text of what is wrong.
pub(super) fn read(
    value: &Value<'_>,
    texts: Texts,
    received: i64,
) -> Result<Option<i64>, (&'static str, &'static str)> {
    let time = match value {
        Value::Absent => return Ok(None),
        Value::Number(number) => *number as i64,
        Value::Text(text) if texts == Texts::Allowed => parse(text.trim()).ok_or((
            "invalid_date",
            "`timestamp` must be Unix milliseconds, an ISO 8601 time or a date",
        ))?,
        _ if texts == Texts::Allowed => {
            return Err((
                "invalid_type",
                "`timestamp` must be Unix milliseconds, an ISO 8601 time or a date",
            ));
        }
        _ => {
            return Err((
                "invalid_type",
                "`timestamp` must be a number of Unix milliseconds",
            ));
        }
    };
    if time < EARLIEST {
        return Err(("too_small", "`timestamp` must not be before 2000-01-01"));
    }
    if time > received.saturating_add(AHEAD) {
        return Err((
            "too_big",
            "`timestamp` must not be more than one hour in the future",
        ));
    }
    Ok(Some(time))
}

/// Unix milliseconds in digits, RFC 3339, the same without a zone (then UTC), or a plain date (its first moment in UTC).
fn parse(text: &str) -> Option<i64> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // What does not fit is later than every clock.
        return Some(text.parse().unwrap_or(i64::MAX));
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_millis());
    }
    for format in [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
    ] {
        if let Ok(time) = NaiveDateTime::parse_from_str(text, format) {
            return Some(time.and_utc().timestamp_millis());
        }
    }
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_790_000_000_000;

    fn number(time: i64) -> Result<Option<i64>, &'static str> {
        read(&Value::Number(time as f64), Texts::Refused, NOW).map_err(|(code, _)| code)
    }

    fn text(text: &str) -> Result<Option<i64>, &'static str> {
        read(&Value::Text(text.into()), Texts::Allowed, NOW).map_err(|(code, _)| code)
    }

    #[test]
    fn both_ends_are_exact() {
        assert_eq!(number(EARLIEST), Ok(Some(EARLIEST)));
        assert_eq!(number(EARLIEST - 1), Err("too_small"));
        assert_eq!(number(NOW + AHEAD), Ok(Some(NOW + AHEAD)));
        assert_eq!(number(NOW + AHEAD + 1), Err("too_big"));
        assert_eq!(number(i64::MIN), Err("too_small"));
        assert_eq!(number(i64::MAX), Err("too_big"));
    }

    #[test]
    fn texts_mean_utc_unless_they_say_otherwise() {
        assert_eq!(
            text("2026-01-02T03:04:05.678Z"),
            Ok(Some(1_767_323_045_678))
        );
        assert_eq!(
            text("2026-01-02T05:04:05.678+02:00"),
            Ok(Some(1_767_323_045_678))
        );
        assert_eq!(text("2026-01-02T03:04:05.678"), Ok(Some(1_767_323_045_678)));
        assert_eq!(text("2026-01-02 03:04:05"), Ok(Some(1_767_323_045_000)));
        assert_eq!(text("2026-01-02"), Ok(Some(1_767_312_000_000)));
        assert_eq!(text("1999-12-31"), Err("too_small"));
        assert_eq!(text("yesterday"), Err("invalid_date"));
        assert_eq!(text(""), Err("invalid_date"));
    }

    #[test]
    fn digits_in_a_string_are_unix_milliseconds() {
        assert_eq!(text("1767323045678"), Ok(Some(1_767_323_045_678)));
        assert_eq!(text(" 1767323045678 "), Ok(Some(1_767_323_045_678)));
        assert_eq!(text(&(NOW + AHEAD).to_string()), Ok(Some(NOW + AHEAD)));
        assert_eq!(text(&(NOW + AHEAD + 1).to_string()), Err("too_big"));
        assert_eq!(text("1767323045"), Err("too_small"), "these are seconds");
        assert_eq!(text(&"9".repeat(40)), Err("too_big"));
        for broken in ["-1767323045678", "1767323045678.5", "1e12", "0x1", "１７"] {
            assert_eq!(text(broken), Err("invalid_date"), "{broken}");
        }
    }

    #[test]
    fn other_types_are_refused() {
        let refused = |value, texts| read(&value, texts, NOW).map_err(|(code, _)| code);
        assert_eq!(
            refused(Value::Bool(true), Texts::Allowed),
            Err("invalid_type")
        );
        assert_eq!(
            refused(Value::Text("2026-01-02".into()), Texts::Refused),
            Err("invalid_type")
        );
        assert_eq!(refused(Value::Absent, Texts::Refused), Ok(None));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(value in ".*") {
            let _ = text(&value);
        }
    }
}
