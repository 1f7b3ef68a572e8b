//! What can go wrong, in the domain's words.

use super::rules::MAX;
use crate::{
    actors::{
        error::{CommonError, common_errors},
        flags::FlagError,
        links::LinkError,
        monitors::MonitorError,
    },
    fault::{Classify, Fault},
    ids::BoardId,
};

#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    #[error("board not found")]
    NotFound(BoardId),
    #[error("An organization has at most {MAX} boards. Delete one first.")]
    TooMany,
    /// A panel's link cannot be looked for.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A panel's flag cannot be looked for.
    #[error(transparent)]
    Flag(#[from] FlagError),
    /// A panel's monitor cannot be looked for.
    #[error(transparent)]
    Monitor(#[from] MonitorError),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(BoardError);

impl Classify for BoardError {
    fn classify(self) -> Fault {
        match self {
            Self::NotFound(id) => Fault::not_found("board", id),
            Self::TooMany => Fault::invalid(self.to_string()),
            Self::Link(error) => error.classify(),
            Self::Flag(error) => error.classify(),
            Self::Monitor(error) => error.classify(),
            Self::Common(error) => error.classify(),
        }
    }
}
