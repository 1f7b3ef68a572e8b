//! Table `outbox`: filled inside the transaction of the change; emptied by the domain `delivery`.

use sea_orm::entity::prelude::*;

/// A message that has to leave the program.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "outbox")]
pub struct Model {
    /// Its id; the receiver's means to recognise a repetition.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Who delivers it, such as `mail`.
    pub kind: String,
    /// What it is about; the same key is never put in twice.
    #[sea_orm(unique)]
    pub key: String,
    /// The organization it concerns.
    pub organization_id: Option<String>,
    /// What to deliver, sealed; removed after the last attempt.
    pub payload: Option<Vec<u8>>,
    /// `waiting`, `delivered`, `dead`, or `gone` where the receiver wants nothing any more.
    pub state: String,
    /// How often it was tried.
    pub attempts: i32,
    /// When it is tried next.
    pub next_attempt_at: DateTimeUtc,
    /// What the last try came to.
    pub last_error: Option<String>,
    pub created_at: DateTimeUtc,
    /// When it was delivered, or given up.
    pub finished_at: Option<DateTimeUtc>,
    /// The data directory whose process has it on its way, where several processes share the outbox.
    pub taken_by: Option<String>,
}
