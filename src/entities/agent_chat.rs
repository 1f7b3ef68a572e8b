//! Table `agent_chats`, written by the domain `chats`.

use sea_orm::entity::prelude::*;

use crate::ids::{OrganizationId, UserId};

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "agent_chats")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The organization that it is about.
    pub organization_id: String,
    /// The person whose it is.
    pub user_id: String,
    /// The website that it is about.
    pub website_id: Option<String>,
    pub title: String,
    /// The answer that is being written.
    pub active_stream_id: Option<String>,
    pub created_at: DateTimeUtc,
    /// When something was said last, or it was renamed.
    pub updated_at: DateTimeUtc,
}

impl Entity {
    /// The tenant door: one person's conversations about one organization.
    pub fn within(organization: &OrganizationId, user: &UserId) -> Select<Self> {
        Self::find()
            .filter(COLUMN.organization_id.eq(organization.as_str()))
            .filter(COLUMN.user_id.eq(user.as_str()))
    }
}
