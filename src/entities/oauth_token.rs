//! Table `oauth_tokens`, written by `actors::oauth`.

use sea_orm::entity::prelude::*;

/// A code, an access token or a refresh token as stored; the secret is not.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_tokens")]
pub struct Model {
    /// SHA-256 of the secret, in hex.
    #[sea_orm(primary_key, auto_increment = false)]
    pub digest: String,
    pub grant_id: String,
    /// `code`, `access` or `refresh`.
    pub kind: String,
    /// Of a code: where it was sent.
    pub redirect_uri: Option<String>,
    /// Of a code: SHA-256 of the verifier (PKCE).
    pub challenge: Option<String>,
    pub expires_at: DateTimeUtc,
    /// When a code or refresh token was used; it is good once.
    pub used_at: Option<DateTimeUtc>,
}
