//! Table `shares`, written by `actors::shares`.

use sea_orm::entity::prelude::*;

use crate::ids::{BoardId, WebsiteId};

/// A link under which others see a website's dashboard or a board, as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "shares")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The website whose dashboard it shows, and goes with; null for a board.
    pub website_id: Option<String>,
    /// The board that it shows, and goes with; null for a website.
    pub board_id: Option<String>,
    /// The last part of its address, which cannot be guessed.
    #[sea_orm(unique)]
    pub slug: String,
    /// What people set, as JSON.
    pub fields: String,
    /// In PHC form; without one there is no password.
    pub password_hash: Option<String>,
    pub created_by: Option<String>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}

impl Entity {
    /// The tenant door: the share links of one website.
    pub fn within(website: &WebsiteId) -> Select<Self> {
        Self::find().filter(COLUMN.website_id.eq(website.as_str()))
    }

    /// The same of one board.
    pub fn within_board(board: &BoardId) -> Select<Self> {
        Self::find().filter(COLUMN.board_id.eq(board.as_str()))
    }
}
