//! What can go wrong, in the domain's words.

use std::io;

use crate::{
    actors::{
        error::{CommonError, common_errors},
        profiles::ProfileError,
    },
    fault::{Classify, Fault, Kind},
    ids::ImportId,
};

#[derive(Debug, thiserror::Error)]
pub enum ImportsError {
    #[error("Import not found")]
    NotFound(ImportId),
    /// It is at another point than what was asked for needs; the text says which.
    #[error("{1}")]
    Conflict(ImportId, String),
    /// The file is larger than it may be, or than was said.
    #[error("{0}")]
    TooLarge(String),
    /// The disk of the data directory is nearly full.
    #[error("The server's disk is nearly full")]
    DiskFull,
    #[error("the upload can't be stored: {0}")]
    Disk(#[from] io::Error),
    #[error(transparent)]
    Profiles(#[from] ProfileError),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(ImportsError);

impl Classify for ImportsError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("import", id),
            Self::Conflict(id, _) => Fault::conflict("import", id, message),
            Self::TooLarge(_) => Fault::new(Kind::TooLarge, message),
            Self::DiskFull => Fault::unavailable(message),
            Self::Disk(error) => Fault::internal(error),
            Self::Profiles(error) => error.classify(),
            Self::Common(error) => error.classify(),
        }
    }
}
