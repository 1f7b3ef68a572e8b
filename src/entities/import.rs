//! Table `imports`, written by `actors::imports`.

use sea_orm::entity::prelude::*;

/// How far a file was imported into a website.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "imports")]
pub struct Model {
    /// Its id, which the ids of its events begin with.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Where its events went.
    pub website_id: String,
    /// What kind of file it was.
    pub format: String,
    /// Bytes of the file that are done.
    pub position: i64,
    /// BLAKE3 of these bytes, hexadecimal.
    pub digest: String,
    /// Events that were stored.
    pub events: i64,
    /// The salt of visitor hashes while the import runs, hexadecimal; removed when it is done.
    #[sea_orm(nullable)]
    pub salt: Option<String>,
    /// When it began.
    pub started_at: DateTimeUtc,
    /// When the file's end was reached.
    pub finished_at: Option<DateTimeUtc>,
}
