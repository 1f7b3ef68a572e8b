//! Table `invitations`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// An invitation into an organization as stored; its token is not.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invitations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// SHA-256 of the token in its link, in hex.
    #[sea_orm(unique)]
    pub token_hash: String,
    pub organization_id: String,
    /// Who is invited, in lower case.
    pub email: String,
    /// `owner`, `admin`, `member` or `viewer`.
    pub role: String,
    /// `pending`, `accepted`, `rejected` or `canceled`.
    pub status: String,
    /// Who invited; `None` = the account is gone.
    pub inviter_id: Option<String>,
    pub created_at: DateTimeUtc,
    /// Until when it may be accepted.
    pub expires_at: DateTimeUtc,
    /// When it stopped to be pending.
    pub decided_at: Option<DateTimeUtc>,
}
