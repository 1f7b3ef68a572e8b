//! Table `sessions`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// A browser session as stored; its token is not.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sessions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// SHA-256 of the token, in hex.
    #[sea_orm(unique)]
    pub token_hash: String,
    /// Whose session it is.
    pub user_id: String,
    /// The organization the person works in.
    pub active_organization_id: Option<String>,
    pub created_at: DateTimeUtc,
    /// When it was last used, written every few minutes at most.
    pub last_seen_at: DateTimeUtc,
    /// When it ends at the latest.
    pub expires_at: DateTimeUtc,
    /// The browser that signed in.
    pub user_agent: Option<String>,
    /// How the person signed in: `password`, `proxy` or `oidc:` and the provider's name.
    pub method: String,
    /// The provider's ID of its own session, which its logout names.
    pub provider_session: Option<String>,
}
