//! Table `identities`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// A person's account at a provider.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "identities")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The provider's name. Unique together with `issuer` and `subject`.
    pub provider: String,
    /// Another issuer under the same name knows other people.
    pub issuer: String,
    /// The provider's ID of the person.
    pub subject: String,
    pub user_id: String,
    pub created_at: DateTimeUtc,
    /// When it last opened a session.
    pub last_used_at: DateTimeUtc,
}
