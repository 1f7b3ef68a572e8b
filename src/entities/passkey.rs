//! Table `passkeys`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "passkeys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub user_id: String,
    /// The authenticator's ID of it, base64url. Unique.
    pub credential_id: String,
    /// What the person calls it.
    pub name: String,
    /// Its public key and what it was made with, as JSON. It never changes.
    pub credential: String,
    /// The authenticator's count of its uses; 0 for one that does not count.
    pub counter: i64,
    /// Whether its authenticator may copy it to other devices.
    pub can_be_synced: bool,
    /// Whether it was copied, as of its last use.
    pub is_backed_up: bool,
    pub created_at: DateTimeUtc,
    /// When it last opened a session.
    pub last_used_at: Option<DateTimeUtc>,
}
