//! The tables of this domain, and what anyone may read of them.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};

use super::{Category, DeskError, Feedback, Preferences, SubmitFeedback, error::MAX, rules};
use crate::{
    clock::from_ms,
    entities::{feedback, user_preferences},
    ids::{FeedbackId, PreferencesId, UserId},
    store::StateDb,
};

/// The reader of feedback.
#[derive(Debug, Clone)]
pub struct Drawer {
    db: StateDb,
}

impl Drawer {
    pub(super) const fn new(db: StateDb) -> Self {
        Self { db }
    }

    /// What somebody has said, newest first.
    ///
    /// # Errors
    /// Storage fails.
    pub async fn of(&self, user: &UserId) -> Result<Vec<Feedback>, DeskError> {
        let rows = feedback::Entity::by(user)
            .order_by_desc(feedback::COLUMN.created_at)
            .order_by_desc(feedback::COLUMN.id)
            .limit(MAX)
            .all(self.db.reader())
            .await?;
        Ok(rows.into_iter().map(from_row).collect())
    }
}

fn from_row(row: feedback::Model) -> Feedback {
    Feedback {
        id: row.id.into(),
        user: row.user_id.into(),
        organization: row.organization_id.map(Into::into),
        title: row.title,
        description: row.description,
        category: Category::parse(&row.category),
        created_ms: row.created_at.timestamp_millis(),
    }
}

pub(super) async fn count(db: &impl ConnectionTrait, user: &UserId) -> Result<u64, DbErr> {
    feedback::Entity::by(user).count(db).await
}

pub(super) async fn insert(
    db: &impl ConnectionTrait,
    message: SubmitFeedback,
    now_ms: i64,
) -> Result<Feedback, DbErr> {
    let kept = Feedback {
        id: FeedbackId::new(),
        user: message.user,
        organization: message.organization,
        title: message.title,
        description: message.description,
        category: message.category,
        created_ms: now_ms,
    };
    let row = feedback::ActiveModel {
        id: Set(kept.id.to_string()),
        user_id: Set(kept.user.to_string()),
        organization_id: Set(kept.organization.clone().map(String::from)),
        title: Set(kept.title.clone()),
        description: Set(kept.description.clone()),
        category: Set(kept.category.as_str().to_owned()),
        created_at: Set(from_ms(now_ms)),
    };
    feedback::Entity::insert(row)
        .exec_without_returning(db)
        .await?;
    Ok(kept)
}

pub(super) async fn preferences(
    db: &impl ConnectionTrait,
    user: &UserId,
) -> Result<Option<Preferences>, DbErr> {
    let row = user_preferences::Entity::find_by_id(user.to_string())
        .one(db)
        .await?;
    Ok(row.map(|row| Preferences {
        id: row.id,
        user: row.user_id.into(),
        timezone: row.timezone,
        date_format: row.date_format,
        time_format: row.time_format,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    }))
}

/// Stores the usual preferences of somebody who has none.
pub(super) async fn begin(
    db: &impl ConnectionTrait,
    user: &UserId,
    now_ms: i64,
) -> Result<Preferences, DbErr> {
    let (timezone, date_format, time_format) = rules::usual();
    let made = Preferences {
        id: PreferencesId::new().to_string(),
        user: user.clone(),
        timezone,
        date_format,
        time_format,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    user_preferences::Entity::insert(to_row(&made))
        .exec_without_returning(db)
        .await?;
    Ok(made)
}

pub(super) async fn change(db: &impl ConnectionTrait, changed: &Preferences) -> Result<(), DbErr> {
    user_preferences::Entity::update_many()
        .set(to_row(changed))
        .filter(user_preferences::COLUMN.user_id.eq(changed.user.as_str()))
        .exec(db)
        .await
        .map(drop)
}

fn to_row(preferences: &Preferences) -> user_preferences::ActiveModel {
    user_preferences::ActiveModel {
        user_id: Set(preferences.user.to_string()),
        id: Set(preferences.id.clone()),
        timezone: Set(preferences.timezone.clone()),
        date_format: Set(preferences.date_format.clone()),
        time_format: Set(preferences.time_format.clone()),
        created_at: Set(from_ms(preferences.created_ms)),
        updated_at: Set(from_ms(preferences.updated_ms)),
    }
}
