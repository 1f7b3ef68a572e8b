//! `/feedback/*`: feedback of people for the operator.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Group, bodies::EmptyBody, require_session};
use crate::{
    actors::feedback::{Category, Feedback, NewFeedback},
    clock::iso_ms,
    fault::Fault,
};

const GROUP: Group = Group::new("feedback", "Feedback");

procedures! { GROUP;
    SUBMIT = "submit", acts(Session), submit(SubmitBody) -> FeedbackOut:
        "Send feedback to the operator of the installation";
    LIST = "list", reads(Session), list(EmptyBody) -> Vec<FeedbackOut>:
        "List your feedback, newest first";
    GET_CREDITS_BALANCE = "getCreditsBalance", reads(Session), balance(EmptyBody) -> CreditsOut:
        "Get the credits for feedback: this installation gives none";
    REDEEM_CREDITS = "redeemCredits", acts(Session), redeem(RedeemBody) -> CreditsOut:
        "Refused: this installation gives no credits for feedback";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FeedbackSubmit")]
pub struct SubmitBody {
    /// What it is about, 3 to 200 characters.
    pub title: String,
    /// What is said, 10 to 5,000 characters.
    pub description: String,
    /// Its kind.
    pub category: Category,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FeedbackRedeem")]
pub struct RedeemBody {
    /// What the credits would be given for.
    pub tier_index: u32,
}

/// Feedback of a person.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Feedback")]
pub struct FeedbackOut {
    pub id: String,
    pub user_id: String,
    /// The organization that they were working in.
    pub organization_id: Option<String>,
    pub title: String,
    pub description: String,
    pub category: Category,
    pub created_at: String,
}

/// Credits for feedback.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FeedbackCredits")]
pub struct CreditsOut {
    /// Always 0.
    pub available: u32,
    /// Always 0.
    pub total_earned: u32,
    /// Always 0.
    pub total_spent: u32,
}

impl From<Feedback> for FeedbackOut {
    fn from(feedback: Feedback) -> Self {
        Self {
            id: feedback.id.to_string(),
            user_id: feedback.user.to_string(),
            organization_id: feedback.organization.map(String::from),
            title: feedback.title,
            description: feedback.description,
            category: feedback.category,
            created_at: iso_ms(feedback.created_ms),
        }
    }
}

async fn submit(call: Call, body: SubmitBody) -> Result<FeedbackOut, Fault> {
    let session = require_session(&call)?;
    let message = NewFeedback {
        user: session.user.clone(),
        organization: session.active_organization.clone(),
        title: body.title,
        description: body.description,
        category: body.category,
    };
    let kept = call.shared.feedback.submit(message).await?;
    tracing::info!(feedback.id = %kept.id, category = kept.category.as_str(), "feedback was submitted");
    Ok(kept.into())
}

async fn list(call: Call, _: EmptyBody) -> Result<Vec<FeedbackOut>, Fault> {
    let user = &require_session(&call)?.user;
    let found = call.shared.feedback.list(user).await?;
    Ok(found.into_iter().map(FeedbackOut::from).collect())
}

async fn balance(call: Call, _: EmptyBody) -> Result<CreditsOut, Fault> {
    require_session(&call)?;
    Ok(CreditsOut {
        available: 0,
        total_earned: 0,
        total_spent: 0,
    })
}

async fn redeem(call: Call, body: RedeemBody) -> Result<CreditsOut, Fault> {
    require_session(&call)?;
    Err(Fault::invalid(format!(
        "This installation gives no credits for feedback, so tier {} isn't available",
        body.tier_index
    )))
}
