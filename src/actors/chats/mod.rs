//! Conversations of people with an agent, and what agents remember for them.
//!
//! Owns the tables `agent_chats`, `agent_messages` and `agent_memories`. Start at `messages.rs`. Who answers is no
//! business of this domain: it keeps what was said, and knows whether an answer is being written.
//!
//! It is an actor, because every boot ends the answers that an earlier life was writing.
//!
//! Invariants:
//! - A conversation belongs to one person and one organization; others do not find it by its id (threat T6).
//! - One answer is written in a conversation at a time, under a stream's id. What is stored under another id is refused, so
//!   that an answer that was ended, or whose conversation is gone, leaves no trace any more.
//! - After a start no answer is being written, and one that was says that it was interrupted.
//! - Nothing is kept in memory: readers go to storage through [`ChatsView`].

mod actor;
mod answers;
mod error;
mod memory;
mod message;
mod messages;
mod model;
mod view;

pub use actor::Chats;
pub use error::ChatError;
pub use memory::{ForgetMemory, Memory, SaveMemory};
pub use message::{Body, ChatMessage, Part, Role, Status};
pub use messages::{
    BeginAnswer, ChatAccess, CreateChat, DeleteChat, EndAnswer, Owner, RenameChat, StartedAnswer,
    StoreMessage,
};
pub use model::Chat;
pub use view::ChatsView;

/// Conversations that a person may have about an organization.
const MAX_CHATS: u64 = 1_000;
/// Messages of a conversation, those of tools included.
const MAX_MESSAGES: i64 = 2_000;
/// What is remembered for a person about an organization.
const MAX_MEMORIES: u64 = 500;
