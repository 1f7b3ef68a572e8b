//! Table `users`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    /// The person's id.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The address the person signs in with, in lower case.
    #[sea_orm(unique)]
    pub email: String,
    /// What the person is called.
    pub name: String,
    /// Argon2id in PHC form; empty = none.
    pub password_hash: String,
    /// Whether the address is known to be the person's.
    pub email_verified: bool,
    /// When the password was last changed; `None` = it is the first one.
    pub password_changed_at: Option<DateTimeUtc>,
    /// The tag of the language of the person's emails; null = not chosen.
    pub language: Option<String>,
    /// Whether the person may use a password where an organization insists on a provider.
    pub break_glass: bool,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
