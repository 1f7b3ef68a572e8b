//! The messages of this domain. Callers are authorized before they send one.

use actix::Message;

use super::{Body, Chat, ChatError, ChatMessage, Role};
use crate::ids::{ChatId, MessageId, OrganizationId, StreamId, UserId, WebsiteId};

/// Whose conversations are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub organization: OrganizationId,
    pub user: UserId,
}

/// Who looks for a conversation by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatAccess {
    /// The person whose it has to be.
    pub user: UserId,
    /// It has to be about one of these organizations.
    pub organizations: Vec<OrganizationId>,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Chat, ChatError>")]
pub struct CreateChat {
    pub owner: Owner,
    pub website: Option<WebsiteId>,
    /// What it is called, 1 to 120 characters.
    pub title: String,
}

/// Calls a conversation otherwise.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ChatError>")]
pub struct RenameChat {
    pub whose: ChatAccess,
    pub id: ChatId,
    /// What it is called from now on, 1 to 120 characters.
    pub title: String,
}

/// Deletes a conversation with all that was said in it. An answer that is being written goes with it.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ChatError>")]
pub struct DeleteChat {
    pub whose: ChatAccess,
    pub id: ChatId,
}

/// Stores what a person says, and that an answer to it is being written from now on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<StartedAnswer, ChatError>")]
pub struct BeginAnswer {
    pub whose: ChatAccess,
    pub id: ChatId,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StartedAnswer {
    pub chat: Chat,
    pub organization: OrganizationId,
    /// Under which the answer is written.
    pub stream: StreamId,
    /// All that was said, what the person just said included.
    pub said: Vec<ChatMessage>,
}

/// Stores a message of an answer, or more of it.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ChatError>")]
pub struct StoreMessage {
    pub chat: ChatId,
    pub stream: StreamId,
    pub id: MessageId,
    pub role: Role,
    /// All of it, as far as it has come.
    pub body: Body,
}

/// Says that no more of an answer comes.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ChatError>")]
pub struct EndAnswer {
    pub chat: ChatId,
    pub stream: StreamId,
}
