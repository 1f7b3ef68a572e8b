//! What people have to say to whoever runs the installation.
//!
//! Owns the table `feedback`. What is stored passed [`admit`], and goes with the person.
//!
//! There is no actor: nothing is kept in memory, and [`StateDb::begin`] lets one write at a time in.

use schemars::JsonSchema;
use sea_orm::{QueryOrder, QuerySelect, prelude::*};
use serde::{Deserialize, Serialize};

use super::error::{CommonError, common_errors};
use crate::{
    clock::{Clock, from_ms},
    entities::{self, feedback},
    fault::{Classify, Fault, Issue},
    ids::{FeedbackId, OrganizationId, UserId},
    store::StateDb,
};

/// Pieces of feedback of one person.
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

/// What somebody had to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    pub id: FeedbackId,
    /// Who said it.
    pub user: UserId,
    /// The organization that they were working in.
    pub organization: Option<OrganizationId>,
    /// What it is about, 3 to 200 characters.
    pub title: String,
    /// What was said, 10 to 5,000 characters.
    pub description: String,
    /// Of which kind it is.
    pub category: Category,
    /// When, Unix milliseconds.
    pub created_ms: i64,
}

/// What somebody has to say.
#[derive(Debug, Clone)]
pub struct NewFeedback {
    /// Who says it.
    pub user: UserId,
    /// The organization that they are working in.
    pub organization: Option<OrganizationId>,
    /// What it is about, 3 to 200 characters.
    pub title: String,
    /// What is said, 10 to 5,000 characters.
    pub description: String,
    /// Of which kind it is.
    pub category: Category,
}

/// Why feedback was not stored or read.
#[derive(Debug, thiserror::Error)]
pub enum FeedbackError {
    /// Somebody has said more than is kept.
    #[error("At most {} pieces of feedback are kept of a person", MAX)]
    TooMany,
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(FeedbackError);

impl Classify for FeedbackError {
    fn classify(self) -> Fault {
        match self {
            Self::TooMany => Fault::invalid(self.to_string()),
            Self::Common(error) => error.classify(),
        }
    }
}

/// All feedback; cheap to clone.
#[derive(Debug, Clone)]
pub struct FeedbackStore {
    db: StateDb,
    clock: Clock,
}

impl FeedbackStore {
    /// The feedback in a database.
    pub fn new(db: &StateDb, clock: Clock) -> Self {
        Self {
            db: db.for_domain("feedback"),
            clock,
        }
    }

    /// What somebody has said, newest first.
    ///
    /// # Errors
    /// Storage fails.
    pub async fn list(&self, user: &UserId) -> Result<Vec<Feedback>, FeedbackError> {
        let rows = feedback::Entity::by_user(user)
            .order_by_desc(feedback::COLUMN.created_at)
            .order_by_desc(feedback::COLUMN.id)
            .limit(MAX)
            .all(self.db.reader())
            .await?;
        Ok(rows.into_iter().map(from_row).collect())
    }

    /// Stores what somebody has to say.
    ///
    /// # Errors
    /// It is not acceptable, the person has said as much as is kept, or storage fails.
    pub async fn submit(&self, new: NewFeedback) -> Result<Feedback, FeedbackError> {
        let new = admit(new)?;
        let write = self.db.begin().await?;
        if feedback::Entity::by_user(&new.user).count(&*write).await? >= MAX {
            return Err(FeedbackError::TooMany);
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
    let mut issues = Vec::new();
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
