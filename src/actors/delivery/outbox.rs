//! The way in.

use std::sync::Arc;

use sea_orm::prelude::*;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Notify;

use crate::{
    actors::{
        error::CommonError,
        seal::{Sealer, opaque_debug},
    },
    clock::from_ms,
    entities::{self, outbox},
    ids::OrganizationId,
    store::{InstanceSecret, state::Write},
};

const SEALING: &str = "pharos 2026-11 what waits in the outbox";

/// The member of a payload that says that there is a fallback. Senders skip it.
pub(super) const FALLBACK: &str = "hasFallback";

#[derive(Debug, Clone)]
pub struct Delivery {
    /// Who delivers it, such as `mail`.
    pub kind: &'static str,
    /// What it is about. A second delivery of the same key is not put in.
    pub key: String,
    pub organization: Option<OrganizationId>,
    /// What the sender is given.
    pub payload: Value,
}

impl Delivery {
    pub(super) fn new(
        kind: &'static str,
        key: String,
        organization: Option<OrganizationId>,
        payload: &impl Serialize,
    ) -> Self {
        Self {
            kind,
            key,
            organization,
            payload: serde_json::to_value(payload).unwrap_or_default(),
        }
    }

    /// The same for a delivery that goes to a fallback if it fails: it is tried a few times, and not for days.
    pub fn with_fallback(mut self) -> Self {
        if let Value::Object(payload) = &mut self.payload {
            payload.insert(FALLBACK.to_owned(), Value::Bool(true));
        }
        self
    }
}

/// Puts deliveries in; cheap to clone.
#[derive(Clone)]
pub struct Outbox {
    sealer: Sealer,
    bell: Arc<Notify>,
}

opaque_debug!(Outbox);

impl Outbox {
    pub fn new(secret: &InstanceSecret) -> Self {
        Self {
            sealer: Sealer::new(secret, SEALING),
            bell: Arc::new(Notify::new()),
        }
    }

    /// Puts a delivery in, inside the transaction of its cause. Whether it is the first of its key.
    ///
    /// # Errors
    /// Nothing was put in; the caller must not commit.
    pub async fn put(
        &self,
        write: &Write,
        delivery: Delivery,
        now_ms: i64,
    ) -> Result<bool, CommonError> {
        let id = uuid::Uuid::now_v7().to_string();
        let row = outbox::Model {
            payload: Some(
                self.sealer
                    .close(&id, delivery.payload.to_string().as_bytes())?,
            ),
            id,
            kind: delivery.kind.to_owned(),
            key: delivery.key,
            organization_id: delivery.organization.map(String::from),
            state: super::repo::WAITING.to_owned(),
            attempts: 0,
            next_attempt_at: from_ms(now_ms),
            last_error: None,
            created_at: from_ms(now_ms),
            finished_at: None,
            taken_by: None,
        };
        let row = outbox::ActiveModel::from(row).reset_all();
        Ok(entities::insert_if_absent(&**write, row, [outbox::Column::Key]).await?)
    }

    /// Wakes the domain after a commit. Without it, deliveries are found within seconds.
    pub fn ring(&self) {
        self.bell.notify_one();
    }
    pub(super) async fn wait(&self) {
        self.bell.notified().await;
    }

    /// What is in a delivery; `None` when it was sealed with another key, or is damaged.
    pub(super) fn open(&self, id: &str, sealed: &[u8]) -> Option<Value> {
        let plain = self.sealer.open(id, sealed)?;
        serde_json::from_slice(&plain).ok()
    }
}

/// Deletes the deliveries of an organization, sent or not, in the transaction that erases it.
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

/// Deletes deliveries whose keys begin like this, sent or not, in the caller's transaction.
///
/// # Errors
/// Storage refused; the caller must not commit.
pub async fn forget_about(write: &Write, prefix: &str) -> Result<(), DbErr> {
    outbox::Entity::delete_many()
        .filter(super::repo::has_prefix(prefix))
        .exec(&**write)
        .await?;
    Ok(())
}
