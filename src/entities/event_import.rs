//! Table `event_imports`, written by the domain `imports`.

use sea_orm::entity::prelude::*;

use crate::ids::WebsiteId;

/// A file whose events are imported into a website while the server runs.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_imports")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Where its events go; it goes with the website.
    pub website_id: String,
    /// What kind of file it is.
    pub format: String,
    /// What its owner calls it.
    pub filename: String,
    /// Bytes of the whole file; unknown while a form sends it.
    pub size: Option<i64>,
    /// BLAKE3 of the whole file, hexadecimal, as its owner says.
    pub digest: Option<String>,
    /// How far it is.
    pub status: String,
    /// The node of the server in whose data directory the file is.
    pub node: String,
    /// The row of `imports` that knows what of the file is done.
    pub file_id: Option<String>,
    /// What the file holds, as JSON.
    pub plan: Option<String>,
    /// What of it was stored, as JSON.
    pub result: Option<String>,
    /// Why it has failed.
    pub failure: Option<String>,
    pub created_by: Option<String>,
    pub created_at: DateTimeUtc,
    /// When its status changed last, or something was uploaded or stored.
    pub updated_at: DateTimeUtc,
    pub finished_at: Option<DateTimeUtc>,
}

impl Entity {
    /// The tenant door: the imports of one website.
    pub fn within(website: &WebsiteId) -> Select<Self> {
        Self::find().filter(COLUMN.website_id.eq(website.as_str()))
    }
}
