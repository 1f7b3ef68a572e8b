//! Feedback of people to the operator.
//!
//! Owns the table `feedback`. What is stored passed [`admit`], and goes with the person.
//!
//! There is no actor: nothing is kept in memory, and [`StateDb::begin`] lets one write at a time in.

use schemars::JsonSchema;
use sea_orm::{QueryOrder, QuerySelect, prelude::*};
use serde::{Deserialize, Serialize};

use super::{error::CommonError, issues::Issues};
use crate::{
    clock::{Clock, from_ms},
    entities::{self, feedback},
    fault::Issue,
    ids::{FeedbackId, OrganizationId, UserId},
    store::StateDb,
};

const MAX: u64 = 1_000;

/// What feedback is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FeedbackCategory")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Category {
    BugReport,
    FeatureRequest,
    UxImprovement,
    Performance,
    Documentation,
    Other,
}

impl Category {
    /// As it is stored and written on the wire.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// Reads a stored one; what is not known is something else.
    pub fn parse(text: &str) -> Self {
        text.parse().unwrap_or(Self::Other)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    pub id: FeedbackId,
    pub user: UserId,
    /// The organization that they were working in.
    pub organization: Option<OrganizationId>,
    /// What it is about, 3 to 200 characters.
    pub title: String,
    /// What was said, 10 to 5,000 characters.
    pub description: String,
    pub category: Category,
    pub created_ms: i64,
}

#[derive(Debug, Clone)]
pub struct NewFeedback {
    pub user: UserId,
    /// The organization that they are working in.
    pub organization: Option<OrganizationId>,
    /// What it is about, 3 to 200 characters.
    pub title: String,
    /// What is said, 10 to 5,000 characters.
    pub description: String,
    pub category: Category,
}

#[derive(Debug, Clone)]
pub struct FeedbackStore {
    db: StateDb,
    clock: Clock,
}

impl FeedbackStore {
    pub fn new(db: &StateDb, clock: Clock) -> Self {
        Self {
            db: db.for_domain("feedback"),
            clock,
        }
    }

    /// The feedback of a person, newest first.
    pub async fn list(&self, user: &UserId) -> Result<Vec<Feedback>, CommonError> {
        let rows = feedback::Entity::by_user(user)
            .order_by_desc(feedback::COLUMN.created_at)
            .order_by_desc(feedback::COLUMN.id)
            .limit(MAX)
            .all(self.db.reader())
            .await?;
        Ok(rows.into_iter().map(from_row).collect())
    }

    /// Stores a piece of feedback.
    pub async fn submit(&self, new: NewFeedback) -> Result<Feedback, CommonError> {
        let new = admit(new)?;
        let write = self.db.begin().await?;
        if feedback::Entity::by_user(&new.user).count(&*write).await? >= MAX {
            return Err(CommonError::refused(format!(
                "At most {MAX} pieces of feedback are kept of a person"
            )));
        }
        let row = feedback::Model {
            id: FeedbackId::new().to_string(),
            user_id: new.user.to_string(),
            organization_id: new.organization.map(String::from),
            title: new.title,
            description: new.description,
            category: new.category.as_str().to_owned(),
            created_at: from_ms(self.clock.now_ms()),
        };
        entities::insert(
            &*write,
            feedback::ActiveModel::from(row.clone()).reset_all(),
        )
        .await?;
        write.commit().await?;
        Ok(from_row(row))
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

/// What is wrong with a piece of feedback; spaces around it do not count.
fn admit(feedback: NewFeedback) -> Result<NewFeedback, Vec<Issue>> {
    let mut issues = Issues::default();
    let feedback = NewFeedback {
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
            issues.refuse("invalid_value", name, message);
        }
    }
    issues.finish(feedback)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feedback(title: usize, description: usize) -> bool {
        let feedback = NewFeedback {
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
}
