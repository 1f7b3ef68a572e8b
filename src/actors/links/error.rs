use crate::{
    actors::{
        error::{CommonError, common_errors},
        password::PasswordError,
    },
    fault::{Classify, Fault},
    ids::{FolderId, LinkId},
};

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("link not found")]
    NotFound(LinkId),
    #[error("link folder not found")]
    NoFolder(FolderId),
    #[error("This slug is already taken")]
    SlugTaken(String),
    #[error("This folder slug is already taken")]
    FolderTaken(String),
    /// The queue of passwords to hash is full.
    #[error("Too many passwords are being checked at this moment")]
    Busy,
    /// A password could not be hashed, or a stored hash is damaged.
    #[error("password hashing failed: {0}")]
    Hashing(String),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(LinkError);

impl From<PasswordError> for LinkError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Busy => Self::Busy,
            PasswordError::Hashing(why) => Self::Hashing(why),
        }
    }
}

impl Classify for LinkError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("link", id),
            Self::NoFolder(id) => Fault::not_found("link folder", id),
            Self::SlugTaken(slug) => Fault::conflict("link", slug, message),
            Self::FolderTaken(slug) => Fault::conflict("link folder", slug, message),
            Self::Busy => Fault::unavailable(message),
            Self::Hashing(_) => Fault::internal(self),
            Self::Common(error) => error.classify(),
        }
    }
}
