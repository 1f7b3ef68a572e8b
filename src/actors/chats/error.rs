//! What can go wrong, in the domain's words.

use crate::{
    actors::kit::{Unavailable, UnknownOutcome},
    fault::{Classify, Fault, Kind},
    ids::{ChatId, MemoryId, StreamId},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The person has no conversation with this id.
    #[error("Agent chat not found")]
    NotFound(ChatId),
    /// The person has as many conversations as one may have.
    #[error("You have {0} chats, which is as many as one may have: delete some")]
    TooMany(u64),
    /// As much is remembered as may be.
    #[error("{0} things are remembered, which is as many as may be: forget some")]
    TooMuch(u64),
    /// Nothing with this id is remembered for the person.
    #[error("Memory not found")]
    NotRemembered(MemoryId),
    /// There is no room for more in the conversation.
    #[error("The chat is full: begin another")]
    Full(ChatId),
    /// An answer is being written already.
    #[error("An answer is being written: wait for its end, or stop it")]
    Busy(ChatId),
    /// The answer is not being written any more.
    #[error("the answer {0} has ended")]
    Ended(StreamId),
    #[error(transparent)]
    State(#[from] StateError),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<sea_orm::DbErr> for ChatError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl UnknownOutcome for ChatError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for ChatError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("agent chat", id),
            Self::NotRemembered(id) => Fault::not_found("memory", id),
            Self::TooMany(_) | Self::TooMuch(_) => Fault::invalid(message),
            Self::Full(id) | Self::Busy(id) => conflict(id.into(), message),
            Self::Ended(id) => conflict(id.into(), message),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}

fn conflict(id: String, message: String) -> Fault {
    let kind = Kind::Conflict {
        resource: "agent chat",
        id: Some(id),
    };
    Fault::new(kind, message)
}
