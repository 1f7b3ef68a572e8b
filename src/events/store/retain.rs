//! Retention: whole segments go first, which writes nothing; those that straddle the border are written anew.

use std::sync::Arc;

use super::EventStore;
use crate::events::{
    engine::EngineError,
    segments::{self, Decides, Look, Retention, Rewritten, Segment, retention::Verdict},
};

/// The segments that hold events which are too old.
#[derive(Debug, Default)]
pub struct Expired {
    /// Ids of those in which everything is.
    pub whole: Vec<String>,
    /// Those in which something may be.
    pub parts: Vec<Arc<Segment>>,
}

impl EventStore {
    /// Which segments hold events that are too old at `now`, Unix ms.
    pub fn expired(&self, retention: &Retention, now: i64) -> Expired {
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

    /// Writes a segment without the events that are too old. The caller commits the exchange, then calls
    /// [`Self::adopt`].
    pub async fn thin_out(
        &self,
        segment: Arc<Segment>,
        retention: Arc<Retention>,
        now: i64,
    ) -> Result<Rewritten, EngineError> {
        let keep = move |row: Decides| !retention.expired(row.website, row.time, now);
        self.rewritten(segment, keep).await
    }

    /// Writes a segment without the events of an organization. The caller commits the exchange, then calls [`Self::adopt`].
    pub async fn without_owner(
        &self,
        segment: Arc<Segment>,
        organization: i64,
    ) -> Result<Rewritten, EngineError> {
        let keep = move |row: Decides| row.organization != organization;
        self.rewritten(segment, keep).await
    }

    async fn rewritten(
        &self,
        segment: Arc<Segment>,
        keep: impl Fn(Decides) -> bool + Send + 'static,
    ) -> Result<Rewritten, EngineError> {
        let store = self.clone();
        self.keep(&self.0.workers.tidying, move || {
            if store.inspect(std::slice::from_ref(&segment), Look::Again) || segment.is_damaged() {
                return Ok(Rewritten::Same);
            }
            let stopped = || store.is_stopping();
            segments::rewrite(&store.0.segments, &segment, keep, stopped)
        })
        .await
    }
}
