//! Leaving out events that another node stores under the same id.

use std::{collections::HashSet, sync::atomic::Ordering::Relaxed};

use super::EventStore;
use crate::events::{
    ledger::{Outcome, Reason},
    log::{Lsn, frame},
    record,
    shipper::Shipping,
    tail::TailFrame,
};

/// Records of these frames whose ids are another node's, as position and number. None where there is nobody to ask, or no answer: then
/// rows of the same event fall together when ClickHouse merges them.
pub(super) async fn elsewhere(shipping: &Shipping, frames: &[TailFrame]) -> Vec<(Lsn, u32)> {
    let Some(claims) = &shipping.remote.claims else {
        return Vec::new();
    };
    let (mut places, mut ids) = (Vec::new(), Vec::new());
    for tail in frames {
        for (number, found) in frame::records(&tail.payload).enumerate() {
            if let Some(id) = found.key {
                places.push((tail.lsn, number as u32));
                ids.push(id);
            }
        }
    }
    if ids.is_empty() {
        return Vec::new();
    }
    match claims.claim(&shipping.node, &ids).await {
        Ok(own) => places
            .into_iter()
            .zip(own)
            .filter_map(|(place, own)| (!own).then_some(place))
            .collect(),
        Err(error) => {
            tracing::warn!(%error, "events are shipped without knowing whether another server stores them, too");
            let unclaimed = &shipping.figures.unclaimed;
            unclaimed.fetch_add(ids.len() as u64, Relaxed);
            Vec::new()
        }
    }
}

/// Counts what was left out as duplicates, once it is certain that it was.
pub(super) fn count(
    store: &EventStore,
    shipping: &Shipping,
    frames: &[TailFrame],
    elsewhere: &[(Lsn, u32)],
) {
    if elsewhere.is_empty() {
        return;
    }
    let figures = &shipping.figures;
    figures.elsewhere.fetch_add(elsewhere.len() as u64, Relaxed);
    let elsewhere: HashSet<_> = elsewhere.iter().copied().collect();
    for tail in frames {
        for (number, found) in frame::records(&tail.payload).enumerate() {
            if elsewhere.contains(&(tail.lsn, number as u32)) {
                let (organization, website) = record::owner(&found.event).unwrap_or_default();
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
