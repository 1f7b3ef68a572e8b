//! Ids of events that several nodes may have received: each id is stored by the node that claims it.

use std::{collections::HashSet, fmt, sync::atomic::Ordering::Relaxed};

use futures_util::future::BoxFuture;

use super::{super::EventStore, Shipper};
use crate::events::{
    ledger::{Outcome, Reason},
    log::{Lsn, frame},
    record,
    tail::TailFrame,
};

/// Decides, for all nodes, which of them stores the event of an id.
///
/// A node claims an id when the event is in its log and about to be shipped. One step is enough: the node that holds a claim
/// stores the event after any crash, and the others leave theirs out.
pub trait Claims: fmt::Debug + Send + Sync {
    /// Claims ids for a node; returns which of them belong to it, now or since an earlier claim.
    ///
    /// # Errors
    /// The outcome is unknown, for the returned reason. Claiming them again is safe.
    fn claim<'a>(
        &'a self,
        node: &'a str,
        ids: &'a [u128],
    ) -> BoxFuture<'a, Result<Vec<bool>, String>>;
}

/// The records of these frames whose ids another node claimed, as position and number. Empty without [`Claims`] or without an
/// answer: then ClickHouse merges duplicate rows.
pub(super) async fn claimed_elsewhere(shipper: &Shipper, frames: &[TailFrame]) -> Vec<(Lsn, u32)> {
    let Some(claims) = &shipper.remote.claims else {
        return Vec::new();
    };
    let (mut positions, mut ids) = (Vec::new(), Vec::new());
    for tail in frames {
        for (number, record) in frame::records(&tail.payload).enumerate() {
            if let Some(id) = record.key {
                positions.push((tail.lsn, number as u32));
                ids.push(id);
            }
        }
    }
    if ids.is_empty() {
        return Vec::new();
    }
    match claims.claim(&shipper.node, &ids).await {
        Ok(own) => positions
            .into_iter()
            .zip(own)
            .filter_map(|(position, own)| (!own).then_some(position))
            .collect(),
        Err(error) => {
            tracing::warn!(%error, "events are shipped without knowing whether another server stores them, too");
            let unclaimed = &shipper.metrics.unclaimed;
            unclaimed.fetch_add(ids.len() as u64, Relaxed);
            Vec::new()
        }
    }
}

/// Counts the records that were left out as duplicates. Call it when the batch is stored.
pub(super) fn count_duplicates(
    store: &EventStore,
    shipper: &Shipper,
    frames: &[TailFrame],
    elsewhere: &[(Lsn, u32)],
) {
    if elsewhere.is_empty() {
        return;
    }
    let metrics = &shipper.metrics;
    metrics.elsewhere.fetch_add(elsewhere.len() as u64, Relaxed);
    let elsewhere: HashSet<_> = elsewhere.iter().copied().collect();
    for tail in frames {
        for (number, record) in frame::records(&tail.payload).enumerate() {
            if elsewhere.contains(&(tail.lsn, number as u32)) {
                let (organization, website) = record::owner(&record.event).unwrap_or_default();
                store.count(&Outcome {
                    organization,
                    website,
                    reason: Reason::Duplicate,
                    at: tail.received,
                    origin: None,
                    count: 1,
                });
            }
        }
    }
}
