//! Table `status_page_subscribers`, written by the domain `status_pages`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "status_page_subscribers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub page_id: String,
    /// `email` or `webhook`.
    pub kind: String,
    /// What rows of the same address have in common: a keyed hash.
    pub finding: String,
    /// The address, and what messages are signed with; sealed.
    pub sealed: Vec<u8>,
    /// The tag of the language of its emails.
    pub language: String,
    /// Ids of monitors on the page, as JSON; null = all of them.
    pub components: Option<String>,
    /// What `components` will be once that is confirmed.
    pub wanted: Option<String>,
    /// When the subscription was last requested.
    pub asked_at: DateTimeUtc,
    /// When it was first confirmed; null = it receives nothing yet.
    pub confirmed_at: Option<DateTimeUtc>,
    /// When the subscription was first requested.
    pub created_at: DateTimeUtc,
}
