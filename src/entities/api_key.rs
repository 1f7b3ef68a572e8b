//! Table `api_keys`, written by the domain `keys`.

use sea_orm::entity::prelude::*;

/// An API key as stored; its secret is not.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Its owner; a key without one can do nothing.
    pub organization_id: Option<String>,
    /// The person who made it, while there is one.
    pub created_by: Option<String>,
    pub name: String,
    pub description: Option<String>,
    /// SHA-256 of the secret, in hex.
    #[sea_orm(unique)]
    pub secret_hash: String,
    /// The text before the secret's underscore.
    pub prefix: String,
    /// The secret's first eight characters.
    pub start: String,
    /// `user`, `sdk` or `automation`.
    pub kind: String,
    /// A JSON list of scopes.
    pub scopes: String,
    /// A JSON object `{"global":[scopes],"websites":{"<id>":[scopes]}}`, or nothing: `scopes` hold everywhere.
    pub resources: Option<String>,
    /// A JSON list of texts.
    pub tags: String,
    /// Whether the key has a quota of its own.
    pub rate_limit_enabled: bool,
    /// Requests in the window.
    pub rate_limit_max: i32,
    /// The window in seconds.
    pub rate_limit_window: i32,
    /// Whether it is switched on.
    pub enabled: bool,
    /// When it stops working by itself.
    pub expires_at: Option<DateTimeUtc>,
    /// When it was revoked; for good.
    pub revoked_at: Option<DateTimeUtc>,
    /// When it was last used, written every five minutes at most.
    pub last_used_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
