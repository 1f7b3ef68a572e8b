//! Retention: whole segments go first, which writes nothing; those that straddle the border are written anew.

use std::{collections::BTreeSet, sync::Arc};

use super::EventStore;
use crate::events::{
    engine::EngineError,
    moves::Moves,
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

/// Whose events are erased, by number in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doomed {
    /// An organization's.
    Owner(i64),
    /// Those of links, websites or monitors.
    Things(BTreeSet<i64>),
    /// Those of one person on a website.
    Person(Person),
}

/// A person on a website, as rows know them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The website's number.
    pub website: i64,
    /// The website's own id of the person.
    pub profile: String,
    /// The visitors that the person is.
    pub visitors: BTreeSet<u64>,
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
        self.rewritten(segment, keep).await
    }

    /// Writes a segment without the events that have to go. The caller commits the exchange, then calls [`Self::adopt`].
    pub async fn without(
        &self,
        segment: Arc<Segment>,
        doomed: Doomed,
    ) -> Result<Rewritten, EngineError> {
        let (low, high) = segment.row.websites;
        let may_hold = match &doomed {
            Doomed::Owner(_) => true,
            Doomed::Things(keys) => keys.range(low..=high).next().is_some(),
            Doomed::Person(person) => {
                (low..=high).contains(&person.website) && segment.row.held.may_hold(person.website)
            }
        };
        if !may_hold {
            return Ok(Rewritten::Same);
        }
        let moves = Arc::clone(&self.snapshot().moves);
        let keep = move |row: &Decides| match &doomed {
            Doomed::Owner(organization) => {
                !moves.is_of(*organization, (row.organization, row.website))
            }
            Doomed::Things(keys) => !keys.contains(&row.website),
            Doomed::Person(person) => {
                row.website != person.website
                    || !(row.profile.as_deref() == Some(person.profile.as_str())
                        || person.visitors.contains(&row.visitor))
            }
        };
        self.rewritten(segment, keep).await
    }

    async fn rewritten(
        &self,
        segment: Arc<Segment>,
        keep: impl Fn(&Decides) -> bool + Send + 'static,
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
