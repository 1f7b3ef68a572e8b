//! Table `oauth_apps`, written by `actors::oauth`.

use sea_orm::entity::prelude::*;

/// An app that has registered.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_apps")]
pub struct Model {
    /// Its `client_id`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// As it calls itself.
    pub name: String,
    /// A JSON list.
    pub redirect_uris: String,
    pub created_at: DateTimeUtc,
    /// When a person last allowed it something, or it last got a token.
    pub used_at: Option<DateTimeUtc>,
}
