//! What can go wrong, in the domain's words.

use super::Kind;
use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::DefinitionId,
};

#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    #[error("{} not found", .0.as_str())]
    NotFound(Kind, DefinitionId),
    /// There are as many as there may be.
    #[error("A website has at most {most} of these: delete a {} first", .kind.as_str())]
    TooMany { kind: Kind, most: u64 },
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(DefinitionError);

impl Classify for DefinitionError {
    fn classify(self) -> Fault {
        match self {
            Self::NotFound(kind, id) => Fault::not_found(kind.as_str(), id),
            Self::TooMany { .. } => Fault::invalid(self.to_string()),
            Self::Common(error) => error.classify(),
        }
    }
}
