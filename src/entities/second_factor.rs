//! Table `second_factors`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "second_factors")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
    /// The shared secret, sealed with a key of the installation.
    pub sealed_secret: Vec<u8>,
    /// The time step of the last code that was taken: no code counts twice.
    pub last_step: i64,
    pub created_at: DateTimeUtc,
    /// When the first code was right; before that it is not asked for.
    pub confirmed_at: Option<DateTimeUtc>,
}
