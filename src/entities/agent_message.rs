//! Table `agent_messages`, written by the domain `chats`.

use sea_orm::{QueryOrder as _, entity::prelude::*};

/// Something that was said in a conversation.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "agent_messages")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub id: String,
    #[sea_orm(column_type = "Text")]
    pub chat_id: String,
    /// Its place in it, from 1.
    pub position: i64,
    /// Who said it: `user`, `assistant` or `tool`.
    #[sea_orm(column_type = "Text")]
    pub role: String,
    /// What was said, as JSON.
    #[sea_orm(column_type = "Text")]
    pub body: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl Entity {
    /// What was said in one conversation, first things first. Whose it is was looked at before.
    pub fn of(chat: &str) -> Select<Self> {
        Self::find()
            .filter(COLUMN.chat_id.eq(chat))
            .order_by_asc(COLUMN.position)
    }
}
