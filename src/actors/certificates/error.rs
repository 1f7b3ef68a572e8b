//! What can go wrong with what is stored of certificates.

use sea_orm::DbErr;

use crate::{actors::random::NoRandomness, store::StateError};

#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

impl From<DbErr> for CertificateError {
    fn from(error: DbErr) -> Self {
        Self::State(error.into())
    }
}
