//! Deletion of expired events and of [`DeletionTarget`]s. Whole segments go first, which writes nothing; others are rewritten.

use std::sync::Arc;

use super::EventStore;
use crate::events::{
    deletion::DeletionTarget,
    error::EngineError,
    segments::{self, Look, RetentionPolicy, Rewrite, RowCounts, RowKey, Segment, Verdict},
    transfers::Transfers,
};

/// The segments that hold expired events.
#[derive(Debug, Default)]
pub struct Expired {
    /// Ids of those with nothing else.
    pub whole: Vec<String>,
    /// Those that may hold some.
    pub parts: Vec<Arc<Segment>>,
}

impl DeletionTarget {
    /// Whether a segment may hold some of it, by its row in the manifest.
    fn may_be_in(&self, segment: &Segment) -> bool {
        let (low, high) = segment.row.websites;
        match self {
            Self::Owner(_) => true,
            Self::Things(keys) => keys.range(low..=high).next().is_some(),
            Self::Person(person) => {
                (low..=high).contains(&person.website)
                    && segment.row.tenants.may_hold(person.website)
            }
        }
    }

    /// Accepts the rows of others.
    fn keep(self, transfers: Arc<Transfers>) -> impl Fn(&RowKey) -> bool + Send + 'static {
        move |row| match &self {
            Self::Owner(organization) => {
                !transfers.owns(*organization, (row.organization, row.website))
            }
            Self::Things(keys) => !keys.contains(&row.website),
            Self::Person(person) => {
                row.website != person.website
                    || !(row.profile.as_deref() == Some(person.profile.as_str())
                        || person.visitors.contains(&row.visitor))
            }
        }
    }
}

impl EventStore {
    /// Sets the websites that were transferred; later queries know them.
    pub fn set_transfers(&self, transfers: Transfers) {
        self.0
            .current
            .update(|snapshot| snapshot.transfers = Arc::new(transfers));
        self.0.current.positions.lost();
    }

    /// Finds the segments that hold expired events at `now`, Unix ms.
    pub fn find_expired(&self, retention: &RetentionPolicy, now: i64) -> Expired {
        let mut expired = Expired::default();
        for segment in &self.snapshot().segments {
            match retention.verdict(&segment.row, now) {
                Verdict::Whole => expired.whole.push(segment.row.id.clone()),
                Verdict::Part if !segment.is_damaged() => expired.parts.push(Arc::clone(segment)),
                Verdict::Part | Verdict::Keep => {}
            }
        }
        expired
    }

    /// Rewrites a segment without expired events. The caller commits the exchange, then calls [`Self::adopt`].
    pub async fn delete_expired(
        &self,
        segment: Arc<Segment>,
        retention: Arc<RetentionPolicy>,
        now: i64,
    ) -> Result<Rewrite, EngineError> {
        let keep = move |row: &RowKey| !retention.is_expired(row.website, row.time, now);
        Ok(self.rewrite_segment(segment, keep).await?.0)
    }

    /// Counts the expired events of a segment.
    pub async fn count_expired_in_segment(
        &self,
        segment: Arc<Segment>,
        retention: Arc<RetentionPolicy>,
        now: i64,
    ) -> Result<RowCounts, EngineError> {
        let keep = move |row: &RowKey| !retention.is_expired(row.website, row.time, now);
        self.count_deleted(segment, keep).await
    }

    /// Rewrites a segment without the target's events, and counts them. The caller commits the exchange, then calls
    /// [`Self::adopt`].
    pub async fn delete_target(
        &self,
        segment: Arc<Segment>,
        target: DeletionTarget,
    ) -> Result<(Rewrite, RowCounts), EngineError> {
        if !target.may_be_in(&segment) {
            return Ok((Rewrite::Same, RowCounts::new()));
        }
        let keep = target.keep(Arc::clone(&self.snapshot().transfers));
        self.rewrite_segment(segment, keep).await
    }

    /// Counts the target's events in a segment.
    pub async fn count_target_in_segment(
        &self,
        segment: Arc<Segment>,
        target: DeletionTarget,
    ) -> Result<RowCounts, EngineError> {
        if !target.may_be_in(&segment) {
            return Ok(RowCounts::new());
        }
        let keep = target.keep(Arc::clone(&self.snapshot().transfers));
        self.count_deleted(segment, keep).await
    }

    async fn count_deleted(
        &self,
        segment: Arc<Segment>,
        keep: impl Fn(&RowKey) -> bool + Send + 'static,
    ) -> Result<RowCounts, EngineError> {
        let store = self.clone();
        self.run_upkeep(&self.0.workers.tidying, move || {
            if store.inspect(std::slice::from_ref(&segment), Look::Again) || segment.is_damaged() {
                return Ok(RowCounts::new());
            }
            segments::count_deleted(&segment, keep)
        })
        .await
    }

    async fn rewrite_segment(
        &self,
        segment: Arc<Segment>,
        keep: impl Fn(&RowKey) -> bool + Send + 'static,
    ) -> Result<(Rewrite, RowCounts), EngineError> {
        let store = self.clone();
        self.run_upkeep(&self.0.workers.tidying, move || {
            if store.inspect(std::slice::from_ref(&segment), Look::Again) || segment.is_damaged() {
                return Ok((Rewrite::Same, RowCounts::new()));
            }
            let stopped = || store.is_stopping();
            segments::rewrite(&store.0.segments, &segment, keep, stopped)
        })
        .await
    }
}
