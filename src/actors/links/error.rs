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
    #[error("{0}")]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(LinkError);

impl Classify for LinkError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("link", id),
            Self::NoFolder(id) => Fault::not_found("link folder", id),
            Self::SlugTaken(slug) => Fault::conflict("link", slug, message),
            Self::FolderTaken(slug) => Fault::conflict("link folder", slug, message),
            Self::Password(error) => error.classify(),
            Self::Common(error) => error.classify(),
        }
    }
}
