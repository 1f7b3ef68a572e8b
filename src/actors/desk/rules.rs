//! What is acceptable.

use super::{Preferences, SetPreferences, SubmitFeedback};
use crate::fault::Issue;

/// Characters of a format.
const LONGEST: usize = 40;
/// What follows the browser.
const AUTO: &str = "auto";

/// The preferences of who never said any.
pub(super) fn usual() -> (String, String, String) {
    (AUTO.into(), "MMM D, YYYY".into(), "h:mm a".into())
}

/// Preferences with a change applied.
pub(super) fn changed(
    mut preferences: Preferences,
    change: SetPreferences,
) -> Result<Preferences, Vec<Issue>> {
    let mut issues = Vec::new();
    if let Some(zone) = change.timezone {
        let known = |zone: &str| zone == AUTO || zone.parse::<chrono_tz::Tz>().is_ok();
        if !known(&zone) {
            let message =
                "timezone must be `auto` or the name of a time zone, such as Europe/Berlin";
            issues.push(Issue::new("invalid_value", "timezone", message));
        }
        preferences.timezone = zone;
    }
    let formats = [
        (
            "dateFormat",
            change.date_format,
            &mut preferences.date_format,
        ),
        (
            "timeFormat",
            change.time_format,
            &mut preferences.time_format,
        ),
    ];
    for (name, format, place) in formats {
        let Some(format) = format else { continue };
        let fits = (1..=LONGEST).contains(&format.chars().count());
        if !fits || format.chars().any(char::is_control) {
            let message = format!("{name} must have 1 to {LONGEST} characters");
            issues.push(Issue::new("invalid_value", name, message));
        }
        *place = format;
    }
    if issues.is_empty() {
        Ok(preferences)
    } else {
        Err(issues)
    }
}

/// What is wrong with a piece of feedback; spaces around it do not count.
pub(super) fn admit(feedback: SubmitFeedback) -> Result<SubmitFeedback, Vec<Issue>> {
    let mut issues = Vec::new();
    let feedback = SubmitFeedback {
        title: feedback.title.trim().to_owned(),
        description: feedback.description.trim().to_owned(),
        ..feedback
    };
    let texts = [
        ("title", &feedback.title, 3..=200),
        ("description", &feedback.description, 10..=5_000),
    ];
    for (name, text, length) in texts {
        if !length.contains(&text.chars().count()) {
            let (least, most) = length.into_inner();
            let message = format!("{name} must have {least} to {most} characters");
            issues.push(Issue::new("invalid_value", name, message));
        }
    }
    if issues.is_empty() {
        Ok(feedback)
    } else {
        Err(issues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{actors::desk::Category, ids::UserId};

    fn feedback(title: usize, description: usize) -> bool {
        let feedback = SubmitFeedback {
            user: UserId::from("u"),
            organization: None,
            title: "ä".repeat(title),
            description: "ä".repeat(description),
            category: Category::Other,
        };
        admit(feedback).is_ok()
    }

    #[test]
    fn lengths_are_counted_in_characters() {
        for (title, fits) in [(2, false), (3, true), (200, true), (201, false)] {
            assert_eq!(feedback(title, 10), fits, "{title}");
        }
        for (description, fits) in [(9, false), (10, true), (5_000, true), (5_001, false)] {
            assert_eq!(feedback(3, description), fits, "{description}");
        }
    }

    #[test]
    fn preferences_are_checked_field_by_field() {
        let (timezone, date_format, time_format) = usual();
        let now = Preferences {
            id: "p".into(),
            user: UserId::from("u"),
            timezone,
            date_format,
            time_format,
            created_ms: 0,
            updated_ms: 0,
        };
        let change = |zone: &str, date: &str| SetPreferences {
            user: UserId::from("u"),
            timezone: Some(zone.to_owned()),
            date_format: Some(date.to_owned()),
            time_format: None,
        };
        let set = changed(now.clone(), change("Asia/Kathmandu", "YYYY")).unwrap();
        assert_eq!(
            (
                set.timezone.as_str(),
                set.date_format.as_str(),
                set.time_format.as_str()
            ),
            ("Asia/Kathmandu", "YYYY", "h:mm a")
        );
        let refused = changed(now, change("Mars/Olympus", "")).unwrap_err();
        let fields: Vec<&str> = refused.iter().map(|issue| issue.field.as_str()).collect();
        assert_eq!(fields, ["timezone", "dateFormat"]);
    }
}
