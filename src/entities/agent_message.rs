//! Table `agent_messages`, written by the domain `chats`.

use sea_orm::{QueryOrder as _, entity::prelude::*};

/// Something that was said in a conversation.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "agent_messages")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub chat_id: String,
    /// Its place in it, from 1.
    pub position: i64,
    /// Who said it: `user`, `assistant` or `tool`.
    pub role: String,
    /// What was said, as JSON.
    pub body: String,
    pub created_at: DateTimeUtc,
}

impl Entity {
    /// The messages of one conversation, oldest first. The caller has checked its owner.
    pub fn in_chat(chat: &str) -> Select<Self> {
        Self::find()
            .filter(COLUMN.chat_id.eq(chat))
            .order_by_asc(COLUMN.position)
    }
}
