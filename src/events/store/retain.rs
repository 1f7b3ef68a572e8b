//! Retention: whole segments go first, which writes nothing; those that straddle the border are written anew.

use std::sync::Arc;

use super::EventStore;
use crate::events::{
    deletion::DeletionTarget,
    error::EngineError,
    moves::Moves,
    segments::{self, Decides, Gone, Look, Retention, Rewritten, Segment, Verdict},
};

/// The segments that hold events which are too old.
#[derive(Debug, Default)]
pub struct Expired {
    /// Ids of those in which everything is.
    pub whole: Vec<String>,
    /// Those in which something may be.
    pub parts: Vec<Arc<Segment>>,
}

impl DeletionTarget {
    /// Whether a segment may hold some of it, as its row tells.
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

    /// Which rows are somebody else's.
    fn spares(self, moves: Arc<Moves>) -> impl Fn(&Decides) -> bool + Send + 'static {
        move |row| match &self {
            Self::Owner(organization) => {
                !moves.is_of(*organization, (row.organization, row.website))
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
    /// Says what has changed hands; queries that begin later know it.
    pub fn moved(&self, moves: Moves) {
        self.0
            .current
            .update(|snapshot| snapshot.moves = Arc::new(moves));
        self.0.current.positions.lost();
    }

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
        let keep = move |row: &Decides| !retention.expired(row.website, row.time, now);
        Ok(self.rewritten(segment, keep).await?.0)
    }

    /// How many events of a segment are too old, by kind.
    pub async fn too_old(
        &self,
        segment: Arc<Segment>,
        retention: Arc<Retention>,
        now: i64,
    ) -> Result<Gone, EngineError> {
        let keep = move |row: &Decides| !retention.expired(row.website, row.time, now);
        self.counted(segment, keep).await
    }

    /// Writes a segment without the events that have to go, and says how many those are. The caller commits the exchange,
    /// then calls [`Self::adopt`].
    pub async fn without(
        &self,
        segment: Arc<Segment>,
        target: DeletionTarget,
    ) -> Result<(Rewritten, Gone), EngineError> {
        if !target.may_be_in(&segment) {
            return Ok((Rewritten::Same, Gone::new()));
        }
        let keep = target.spares(Arc::clone(&self.snapshot().moves));
        self.rewritten(segment, keep).await
    }

    /// How many events of a segment would have to go, by kind.
    pub async fn count_in_segment(
        &self,
        segment: Arc<Segment>,
        target: DeletionTarget,
    ) -> Result<Gone, EngineError> {
        if !target.may_be_in(&segment) {
            return Ok(Gone::new());
        }
        let keep = target.spares(Arc::clone(&self.snapshot().moves));
        self.counted(segment, keep).await
    }

    async fn counted(
        &self,
        segment: Arc<Segment>,
        keep: impl Fn(&Decides) -> bool + Send + 'static,
    ) -> Result<Gone, EngineError> {
        let store = self.clone();
        self.keep(&self.0.workers.tidying, move || {
            if store.inspect(std::slice::from_ref(&segment), Look::Again) || segment.is_damaged() {
                return Ok(Gone::new());
            }
            segments::gone(&segment, keep)
        })
        .await
    }

    async fn rewritten(
        &self,
        segment: Arc<Segment>,
        keep: impl Fn(&Decides) -> bool + Send + 'static,
    ) -> Result<(Rewritten, Gone), EngineError> {
        let store = self.clone();
        self.keep(&self.0.workers.tidying, move || {
            if store.inspect(std::slice::from_ref(&segment), Look::Again) || segment.is_damaged() {
                return Ok((Rewritten::Same, Gone::new()));
            }
            let stopped = || store.is_stopping();
            segments::rewrite(&store.0.segments, &segment, keep, stopped)
        })
        .await
    }
}
