//! A conversation.

use crate::{
    entities::agent_chat,
    ids::{ChatId, StreamId, WebsiteId},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chat {
    pub id: ChatId,
    pub website: Option<WebsiteId>,
    pub title: String,
    /// The answer that is being written.
    pub active_stream: Option<StreamId>,
    pub created_ms: i64,
    /// When something was said last, or it was renamed, Unix ms.
    pub updated_ms: i64,
}

impl From<agent_chat::Model> for Chat {
    fn from(row: agent_chat::Model) -> Self {
        Self {
            id: row.id.into(),
            website: row.website_id.map(WebsiteId::from),
            title: row.title,
            active_stream: row.active_stream_id.map(StreamId::from),
            created_ms: row.created_at.timestamp_millis(),
            updated_ms: row.updated_at.timestamp_millis(),
        }
    }
}
