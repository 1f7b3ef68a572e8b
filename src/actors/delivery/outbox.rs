//! The way in.

use std::sync::Arc;

use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use sea_orm::{prelude::*, sea_query::OnConflict};
use serde_json::Value;
use tokio::sync::Notify;

use crate::{
    actors::random::{self, NoRandomness},
    clock::from_ms,
    entities::outbox,
    ids::OrganizationId,
    store::{InstanceSecret, state::Write},
};

const SEALING: &str = "pharos 2026-11 what waits in the outbox";
const NONCE: usize = 24;

/// Something to deliver.
#[derive(Debug, Clone)]
pub struct Parcel {
    /// Who delivers it, such as `mail`.
    pub kind: &'static str,
    /// What it is about. A second parcel of the same key is not put in.
    pub key: String,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// What the courier is given.
    pub payload: Value,
}

/// Why a parcel was not put in. The caller must not commit.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// Storage refused.
    #[error("the outbox cannot be written: {0}")]
    State(#[from] DbErr),
    /// No random bytes.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

/// Puts parcels in; cheap to clone.
#[derive(Clone)]
pub struct Outbox {
    cipher: XChaCha20Poly1305,
    bell: Arc<Notify>,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Outbox(…)")
    }
}

impl Outbox {
    /// The outbox of an installation.
    pub fn new(secret: &InstanceSecret) -> Self {
        Self {
            cipher: XChaCha20Poly1305::new(&secret.key_for(SEALING).into()),
            bell: Arc::new(Notify::new()),
        }
    }

    /// Puts a parcel in, inside the transaction of its cause. Whether it is the first of its key.
    ///
    /// # Errors
    /// Nothing was put in.
    pub async fn put(
        &self,
        write: &Write,
        parcel: Parcel,
        now_ms: i64,
    ) -> Result<bool, OutboxError> {
        let id = uuid::Uuid::now_v7().to_string();
        let row = outbox::Model {
            payload: Some(self.close(&id, &parcel.payload)?),
            id,
            kind: parcel.kind.to_owned(),
            key: parcel.key,
            organization_id: parcel.organization.map(String::from),
            state: super::repo::WAITING.to_owned(),
            attempts: 0,
            next_attempt_at: from_ms(now_ms),
            last_error: None,
            created_at: from_ms(now_ms),
            finished_at: None,
        };
        let known = OnConflict::column(outbox::Column::Key)
            .do_nothing()
            .to_owned();
        let inserted = outbox::Entity::insert(outbox::ActiveModel::from(row).reset_all())
            .on_conflict(known)
            .exec_without_returning(&**write)
            .await?;
        Ok(inserted > 0)
    }

    /// Says that something may have been put in. What nobody rings for is found within seconds.
    pub fn ring(&self) {
        self.bell.notify_one();
    }

    /// Waits until somebody rings.
    pub(super) async fn rung(&self) {
        self.bell.notified().await;
    }

    fn close(&self, id: &str, payload: &Value) -> Result<Vec<u8>, NoRandomness> {
        let nonce: [u8; NONCE] = random::bytes()?;
        let text = payload.to_string();
        let message = Payload {
            msg: text.as_bytes(),
            aad: id.as_bytes(),
        };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), message);
        // Encryption fails for messages of hundreds of gigabytes only.
        let sealed = sealed.map_err(|_| NoRandomness)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// What is in a parcel; `None` when it was sealed with another key, or is damaged.
    pub(super) fn open(&self, id: &str, sealed: &[u8]) -> Option<Value> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let message = Payload {
            msg: sealed,
            aad: id.as_bytes(),
        };
        let plain = self.cipher.decrypt(&XNonce::from(*nonce), message).ok()?;
        serde_json::from_slice(&plain).ok()
    }
}

/// Takes out whatever concerns an organization, sent or not, inside the transaction that erases it.
///
/// # Errors
/// Storage refused; the caller must not commit.
pub async fn forget(write: &Write, organization: &OrganizationId) -> Result<(), DbErr> {
    outbox::Entity::delete_many()
        .filter(outbox::COLUMN.organization_id.eq(organization.as_str()))
        .exec(&**write)
        .await?;
    Ok(())
}
