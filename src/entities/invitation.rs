//! Table `invitations`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

/// An invitation into an organization as stored; its token is not.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invitations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub id: String,
    /// SHA-256 of the token in its link, in hex.
    #[sea_orm(column_type = "Text", unique)]
    pub token_hash: String,
    #[sea_orm(column_type = "Text")]
    pub organization_id: String,
    /// Who is invited, in lower case.
    #[sea_orm(column_type = "Text")]
    pub email: String,
    /// `owner`, `admin`, `member` or `viewer`.
    #[sea_orm(column_type = "Text")]
    pub role: String,
    /// `pending`, `accepted`, `rejected` or `canceled`.
    #[sea_orm(column_type = "Text")]
    pub status: String,
    /// Who invited; `None` = the account is gone.
    #[sea_orm(column_type = "Text")]
    pub inviter_id: Option<String>,
    pub created_at: DateTimeUtc,
    /// Until when it may be accepted.
    pub expires_at: DateTimeUtc,
    /// When it stopped to be pending.
    pub decided_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Entity {
    /// The tenant door: the invitations of one organization.
    pub fn within(organization: &OrganizationId) -> Select<Self> {
        Self::find().filter(COLUMN.organization_id.eq(organization.as_str()))
    }
}
