//! What can go wrong, in the domain's words.

use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
};

/// Pieces of feedback of one person.
pub(super) const MAX: u64 = 1_000;

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// Somebody has said more than is kept.
    #[error("At most {} pieces of feedback are kept of a person", MAX)]
    TooMany,
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(DeskError);

impl Classify for DeskError {
    fn classify(self) -> Fault {
        match self {
            Self::TooMany => Fault::invalid(self.to_string()),
            Self::Common(error) => error.classify(),
        }
    }
}
