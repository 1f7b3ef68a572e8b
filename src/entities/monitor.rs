//! Table `monitors`, written by the domain `monitors`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "monitors")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Its number in event rows: random, positive, never reused.
    #[sea_orm(unique)]
    pub key: i64,
    pub organization_id: String,
    /// The website it belongs to.
    pub website_id: Option<String>,
    /// The short link whose target it watches.
    #[sea_orm(unique)]
    pub link_id: Option<String>,
    pub created_by: Option<String>,
    /// What kind of check it is.
    pub kind: String,
    /// What is checked, in canonical form.
    pub url: String,
    /// Everything that people say of it, as JSON.
    pub fields: String,
    /// Whether it rests.
    pub is_paused: bool,
    /// The first slot that was neither done nor missed, Unix milliseconds.
    pub next_slot: Option<i64>,
    /// Its state, as JSON.
    pub standing: String,
    /// The last check, as JSON.
    pub last: Option<String>,
    /// How often its heartbeat address was changed.
    pub push_turn: i32,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
