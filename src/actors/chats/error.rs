//! What can go wrong, in the domain's words.

use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::{ChatId, MemoryId, StreamId},
};

#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The person has no conversation with this id.
    #[error("Agent chat not found")]
    NotFound(ChatId),
    /// Nothing with this id is remembered for the person.
    #[error("Memory not found")]
    NotRemembered(MemoryId),
    /// There is no room for more in the conversation.
    #[error("The chat is full: begin another")]
    Full(ChatId),
    #[error("An answer is being written: wait for its end, or stop it")]
    Busy(ChatId),
    /// The answer is not being written any more.
    #[error("the answer {0} has ended")]
    Ended(StreamId),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(ChatError);

impl Classify for ChatError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("agent chat", id),
            Self::NotRemembered(id) => Fault::not_found("memory", id),
            Self::Full(id) | Self::Busy(id) => Fault::conflict("agent chat", id, message),
            Self::Ended(id) => Fault::conflict("agent chat", id, message),
            Self::Common(error) => error.classify(),
        }
    }
}
