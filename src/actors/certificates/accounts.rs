//! The table of accounts at authorities.

use sea_orm::ActiveValue::Set;

use super::CertificateError;
use crate::{
    actors::seal::Sealer,
    clock::{Clock, from_ms},
    entities::{self, acme_account},
    store::{InstanceSecret, StateDb},
};

/// The purpose of the key under which credentials are sealed.
const PURPOSE: &str = "pharos 2026-11-28 accounts at certificate authorities";

/// Credentials, by what tells accounts apart.
pub(super) struct Accounts {
    db: StateDb,
    clock: Clock,
    sealer: Sealer,
}

impl Accounts {
    pub(super) fn new(db: StateDb, clock: Clock, secret: &InstanceSecret) -> Self {
        Self {
            db,
            clock,
            sealer: Sealer::new(secret, PURPOSE),
        }
    }

    /// The credentials of an account; `None` without one, or if another installation has sealed it.
    pub(super) async fn find(&self, id: &str) -> Result<Option<Vec<u8>>, CertificateError> {
        let row = entities::find::<acme_account::Entity>(self.db.writer(), id).await?;
        Ok(row.and_then(|row| self.sealer.open(id, &row.sealed_credentials)))
    }

    /// Stores an account in place of the one before.
    pub(super) async fn save(&self, id: &str, credentials: &[u8]) -> Result<(), CertificateError> {
        let row = acme_account::ActiveModel {
            id: Set(id.to_owned()),
            sealed_credentials: Set(self.sealer.close(id, credentials)?),
            created_at: Set(from_ms(self.clock.now_ms())),
        };
        let write = self.db.begin().await?;
        entities::delete::<acme_account::Entity>(&*write, id).await?;
        entities::insert(&*write, row).await?;
        Ok(write.commit_quietly().await?)
    }

    pub(super) async fn delete(&self, id: &str) -> Result<(), CertificateError> {
        let write = self.db.begin().await?;
        entities::delete::<acme_account::Entity>(&*write, id).await?;
        Ok(write.commit_quietly().await?)
    }
}
