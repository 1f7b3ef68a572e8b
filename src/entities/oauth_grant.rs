//! Table `oauth_grants`, written by `actors::oauth`. Rows go with the membership.

use sea_orm::entity::prelude::*;

/// What a person allowed an app.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_grants")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub app_id: String,
    pub organization_id: String,
    pub user_id: String,
    /// How the session began in which it was allowed.
    pub method: String,
    /// A JSON list.
    pub scopes: String,
    /// `mcp` or `api`.
    pub resource: String,
    pub created_at: DateTimeUtc,
    /// When a token was last used, written every five minutes at most.
    pub last_used_at: Option<DateTimeUtc>,
    /// When it ends unless the app gets new tokens before.
    pub expires_at: DateTimeUtc,
}
