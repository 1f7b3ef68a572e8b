//! How people like to read times.
//!
//! Owns the table `user_preferences`. What is stored passed [`changed`], and goes with the person.
//!
//! There is no actor: nothing is kept in memory, and [`StateDb::begin`] lets one write at a time in.

use sea_orm::prelude::*;

use super::{error::CommonError, issues::Issues};
use crate::{
    clock::{Clock, from_ms},
    entities::{self, user_preferences},
    fault::Issue,
    ids::{PreferencesId, UserId},
    store::StateDb,
};

const MAX_FORMAT: usize = 40;
/// What follows the browser.
const AUTO: &str = "auto";

/// How a person likes to read times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferences {
    pub id: String,
    pub user: UserId,
    /// `auto` (the browser's), or an IANA zone.
    pub timezone: String,
    pub date_format: String,
    pub time_format: String,
    /// When they were first looked at, Unix milliseconds.
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// A change of preferences; what is not named stays as it is. Those of a person who never had any are as usual.
#[derive(Debug, Clone)]
pub struct PreferencesChange {
    pub user: UserId,
    /// `auto`, or an IANA zone.
    pub timezone: Option<String>,
    /// 1 to 40 characters.
    pub date_format: Option<String>,
    /// 1 to 40 characters.
    pub time_format: Option<String>,
}

/// The preferences of all people; cheap to clone.
#[derive(Debug, Clone)]
pub struct PreferencesStore {
    db: StateDb,
    clock: Clock,
}

impl PreferencesStore {
    pub fn new(db: &StateDb, clock: Clock) -> Self {
        Self {
            db: db.for_domain("preferences"),
            clock,
        }
    }

    /// Changes a person's preferences; a person without any gets the defaults first.
    pub async fn update(&self, change: PreferencesChange) -> Result<Preferences, CommonError> {
        let now_ms = self.clock.now_ms();
        let write = self.db.begin().await?;
        let known = user_preferences::Entity::find_by_id(change.user.to_string())
            .one(&*write)
            .await?;
        let before = if let Some(row) = known {
            from_row(row)
        } else {
            let usual = usual(&change.user, now_ms);
            entities::insert(&*write, to_row(&usual)).await?;
            usual
        };
        let mut after = changed(before.clone(), change)?;
        if after != before {
            after.updated_ms = now_ms;
            user_preferences::Entity::update(to_row(&after))
                .exec(&*write)
                .await?;
        }
        write.commit().await?;
        Ok(after)
    }
}

fn from_row(row: user_preferences::Model) -> Preferences {
    Preferences {
        id: row.id,
        user: row.user_id.into(),
        timezone: row.timezone,
        date_format: row.date_format,
        time_format: row.time_format,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    }
}

fn to_row(preferences: &Preferences) -> user_preferences::ActiveModel {
    let row = user_preferences::Model {
        user_id: preferences.user.to_string(),
        id: preferences.id.clone(),
        timezone: preferences.timezone.clone(),
        date_format: preferences.date_format.clone(),
        time_format: preferences.time_format.clone(),
        created_at: from_ms(preferences.created_ms),
        updated_at: from_ms(preferences.updated_ms),
    };
    user_preferences::ActiveModel::from(row).reset_all()
}

/// The default preferences of a person.
fn usual(user: &UserId, now_ms: i64) -> Preferences {
    Preferences {
        id: PreferencesId::new().to_string(),
        user: user.clone(),
        timezone: AUTO.into(),
        date_format: "MMM D, YYYY".into(),
        time_format: "h:mm a".into(),
        created_ms: now_ms,
        updated_ms: now_ms,
    }
}

fn changed(
    mut preferences: Preferences,
    change: PreferencesChange,
) -> Result<Preferences, Vec<Issue>> {
    let mut issues = Issues::default();
    if let Some(zone) = change.timezone {
        let known = |zone: &str| zone == AUTO || zone.parse::<chrono_tz::Tz>().is_ok();
        let message = "timezone must be `auto` or the name of a time zone, such as Europe/Berlin";
        issues.require(known(&zone), "invalid_value", "timezone", message);
        preferences.timezone = zone;
    }
    let (date, time) = (change.date_format, change.time_format);
    let formats = [
        ("dateFormat", date, &mut preferences.date_format),
        ("timeFormat", time, &mut preferences.time_format),
    ];
    for (name, format, target) in formats {
        let Some(format) = format else { continue };
        let fits = (1..=MAX_FORMAT).contains(&format.chars().count());
        let message = format!("{name} must have 1 to {MAX_FORMAT} characters");
        let is_readable = fits && !format.chars().any(char::is_control);
        issues.require(is_readable, "invalid_value", name, message);
        *target = format;
    }
    issues.finish(preferences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_are_checked_field_by_field() {
        let now = usual(&UserId::from("u"), 0);
        let change = |zone: &str, date: &str| PreferencesChange {
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
