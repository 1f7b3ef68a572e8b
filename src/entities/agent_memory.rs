//! Table `agent_memories`, written by the domain `chats`.

use sea_orm::entity::prelude::*;

use crate::ids::{OrganizationId, UserId};

/// Something that an agent remembers for a person.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "agent_memories")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The organization that it is about.
    pub organization_id: String,
    pub user_id: String,
    /// The website that it is about.
    pub website_id: Option<String>,
    pub body: String,
    pub created_at: DateTimeUtc,
}

impl Entity {
    /// The tenant door: the memories of one person about one organization.
    pub fn within(organization: &OrganizationId, user: &UserId) -> Select<Self> {
        Self::find()
            .filter(COLUMN.organization_id.eq(organization.as_str()))
            .filter(COLUMN.user_id.eq(user.as_str()))
    }
}
