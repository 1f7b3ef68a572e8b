//! Table `scheduled_reports`, written by `actors::scheduled_reports`.

use sea_orm::entity::prelude::*;

use crate::ids::{BoardId, WebsiteId};

/// A recipient of reports about a website or a board, as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "scheduled_reports")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The website that the reports are about, and go with; null for a board.
    pub website_id: Option<String>,
    /// The board that the reports are about, and go with; null for a website.
    pub board_id: Option<String>,
    /// `daily`, `weekly` or `monthly`.
    pub frequency: String,
    /// An IANA zone, in which days begin.
    pub timezone: String,
    /// The hour of the day in that zone.
    pub hour: i32,
    /// The tag of the language of the reports.
    pub language: String,
    /// What the same reports to the same recipient have in common: a keyed hash.
    #[sea_orm(unique)]
    pub finding: String,
    /// Where reports go; sealed.
    pub sealed: Vec<u8>,
    /// When the recipient was last asked.
    pub asked_at: DateTimeUtc,
    /// When the recipient agreed; null = it receives nothing yet.
    pub confirmed_at: Option<DateTimeUtc>,
    /// When the next report is due.
    pub next_at: DateTimeUtc,
    pub created_by: Option<String>,
    pub created_at: DateTimeUtc,
}

impl Entity {
    /// The tenant door: the recipients of reports of one website.
    pub fn within(website: &WebsiteId) -> Select<Self> {
        Self::find().filter(COLUMN.website_id.eq(website.as_str()))
    }

    /// The same of one board.
    pub fn within_board(board: &BoardId) -> Select<Self> {
        Self::find().filter(COLUMN.board_id.eq(board.as_str()))
    }
}
