//! How many events organizations have stored this month, for plans that limit it.
//!
//! The store itself is the account: a month that was not asked about yet is counted once (by receipt, so a late event
//! counts when it comes), and from then on kept up in memory. A request reserves its events before they are written, all or
//! none, and gives back what was not stored; so requests that come at the same time cannot exceed a limit together.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use chrono::{Datelike, TimeZone, Utc};
use futures_util::future::BoxFuture;
use tokio::sync::OnceCell;

use super::{
    statement::{Bind, Cell, QueryError, Scope, Statement},
    store::EventStore,
};
use crate::clock::from_ms;

/// Counts the events of an organization that were received in `[from, to)`.
type Count = dyn Fn(Scope) -> BoxFuture<'static, Result<u64, QueryError>> + Send + Sync;

/// Usage by organization; cheap to clone.
#[derive(Clone)]
pub struct Usage {
    count: Arc<Count>,
    months: Arc<Mutex<HashMap<i64, Arc<Month>>>>,
}

/// An organization's account of a month.
struct Month {
    /// First millisecond.
    from: i64,
    used: OnceCell<AtomicU64>,
}

/// Why events were not reserved.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// There is no room for all of them.
    #[error("{used} of the month's events are used")]
    Full {
        /// Events of this month so far.
        used: u64,
    },
    /// The count is unknown.
    #[error("events cannot be counted: {0}")]
    Unknown(#[from] QueryError),
}

/// Room for events that are about to be written; dropped without [`Reservation::keep`], it is given back.
#[must_use = "dropping it gives the room back"]
pub struct Reservation {
    month: Arc<Month>,
    events: u64,
}

impl std::fmt::Debug for Usage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Usage")
    }
}

impl Usage {
    /// Accounts over what the store holds.
    pub fn from_store(store: EventStore) -> Self {
        Self::from_counter(move |scope| {
            let store = store.clone();
            Box::pin(async move { count(&store, scope).await })
        })
    }

    /// Accounts over what `count` counts.
    pub(crate) fn from_counter(
        count: impl Fn(Scope) -> BoxFuture<'static, Result<u64, QueryError>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            count: Arc::new(count),
            months: Arc::default(),
        }
    }

    /// Events of the organization in the month of `now_ms` so far.
    pub async fn used(&self, organization: i64, now_ms: i64) -> Result<u64, QueryError> {
        let month = self.month(organization, now_ms);
        let used = self.account(&month, organization).await?;
        Ok(used.load(Ordering::Acquire))
    }

    /// Takes room for so many events, all or none.
    ///
    /// # Errors
    /// There is not as much left, or the count is unknown.
    pub async fn reserve(
        &self,
        organization: i64,
        events: u64,
        limit: u64,
        now_ms: i64,
    ) -> Result<Reservation, UsageError> {
        let month = self.month(organization, now_ms);
        let used = self.account(&month, organization).await?;
        let taken = used.fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
            used.checked_add(events).filter(|after| *after <= limit)
        });
        match taken {
            Ok(_) => Ok(Reservation { month, events }),
            Err(used) => Err(UsageError::Full { used }),
        }
    }

    fn month(&self, organization: i64, now_ms: i64) -> Arc<Month> {
        let from = month_start(now_ms);
        // Every statement leaves the map whole.
        let mut months = self.months.lock().unwrap_or_else(PoisonError::into_inner);
        let month = months
            .entry(organization)
            .or_insert_with(|| Month::new(from));
        if month.from != from {
            *month = Month::new(from);
        }
        Arc::clone(month)
    }

    /// The account, counted when it is asked for first. A count that fails is tried again by the next.
    async fn account<'m>(
        &self,
        month: &'m Month,
        organization: i64,
    ) -> Result<&'m AtomicU64, QueryError> {
        let scope = Scope {
            organization,
            website: None,
            from: month.from,
            to: i64::MAX,
        };
        let counted = || async { Ok(AtomicU64::new((self.count)(scope).await?)) };
        month.used.get_or_try_init(counted).await
    }
}

impl Month {
    fn new(from: i64) -> Arc<Self> {
        Arc::new(Self {
            from,
            used: OnceCell::new(),
        })
    }
}

impl Reservation {
    /// So many of the events are stored; the rest of the room is given back.
    pub fn keep(mut self, stored: u64) {
        self.give_back(self.events.saturating_sub(stored));
        self.events = 0;
    }

    fn give_back(&self, events: u64) {
        if let (Some(used), true) = (self.month.used.get(), events > 0) {
            used.fetch_sub(events, Ordering::AcqRel);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.give_back(self.events);
    }
}

/// First millisecond of the calendar month (UTC).
fn month_start(now_ms: i64) -> i64 {
    let now = from_ms(now_ms);
    let first = Utc.with_ymd_and_hms(now.year(), now.month(), 1, 0, 0, 0);
    first.single().map_or(0, |first| first.timestamp_millis())
}

async fn count(store: &EventStore, scope: Scope) -> Result<u64, QueryError> {
    let statement = Statement {
        spilling: None,
        text: "SELECT count(*) AS stored FROM {received} received WHERE kind < ?".to_owned(),
        // Kinds of events that strangers send; what is above is ours.
        binds: vec![Bind::Int(64)],
        scope,
    };
    let rows = store.query(statement).await?;
    match rows.rows.first().and_then(|row| row.first()) {
        Some(Cell::Int(stored)) => Ok(stored.unsigned_abs()),
        other => Err(QueryError::Engine(format!("a count is {other:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Barrier, atomic::AtomicBool};

    use futures_util::FutureExt as _;

    use super::*;

    /// 2026-10-14T12:00:00Z.
    const NOW: i64 = 1_791_979_200_000;
    const DAY_MS: i64 = 86_400_000;

    fn holding(events: u64) -> Usage {
        Usage::from_counter(move |scope| {
            // What is stored was received in October.
            let stored = if scope.from <= NOW { events } else { 0 };
            async move { Ok(stored) }.boxed()
        })
    }

    #[tokio::test]
    async fn a_month_is_counted_once_and_begins_on_its_first_day() {
        assert_eq!(month_start(NOW), 1_790_812_800_000, "2026-10-01T00:00:00Z");
        let usage = holding(3);
        assert_eq!(usage.used(1, NOW).await.unwrap(), 3);
        usage.reserve(1, 2, 5, NOW).await.unwrap().keep(2);
        let full = usage.reserve(1, 1, 5, NOW).await;
        assert!(matches!(full, Err(UsageError::Full { used: 5 })));
        usage.reserve(2, 1, 5, NOW).await.unwrap().keep(1);
        let november = NOW + 30 * DAY_MS;
        assert_eq!(usage.used(1, november).await.unwrap(), 0);
        usage.reserve(1, 5, 5, november).await.unwrap().keep(5);
    }

    #[tokio::test]
    async fn what_was_not_stored_is_given_back() {
        let usage = holding(0);
        drop(usage.reserve(1, 4, 5, NOW).await.unwrap());
        usage.reserve(1, 5, 5, NOW).await.unwrap().keep(2);
        assert_eq!(usage.used(1, NOW).await.unwrap(), 2);
        assert!(usage.reserve(1, 4, 5, NOW).await.is_err(), "all or none");
        usage.reserve(1, 3, 5, NOW).await.unwrap().keep(3);
    }

    #[test]
    fn many_at_a_time_cannot_exceed_a_limit_together() {
        let usage = holding(99);
        let begin = Barrier::new(50);
        let attempt = || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.build().unwrap();
            begin.wait();
            runtime.block_on(usage.reserve(1, 1, 100, NOW)).ok()
        };
        std::thread::scope(|scope| {
            let attempts: Vec<_> = (0..50).map(|_| scope.spawn(attempt)).collect();
            // All that was taken is held until all have tried.
            let ended = attempts.into_iter().map(|one| one.join().unwrap());
            let kept: Vec<_> = ended.flatten().collect();
            assert_eq!(kept.len(), 1);
        });
    }

    #[tokio::test]
    async fn a_count_that_fails_lets_nothing_in_and_is_tried_again() {
        let away = Arc::new(AtomicBool::new(true));
        let is_away = Arc::clone(&away);
        let usage = Usage::from_counter(move |_| {
            let away = is_away.load(Ordering::SeqCst);
            async move { if away { Err(QueryError::Busy) } else { Ok(1) } }.boxed()
        });
        let refused = usage.reserve(1, 1, 5, NOW).await;
        assert!(matches!(
            refused,
            Err(UsageError::Unknown(QueryError::Busy))
        ));
        away.store(false, Ordering::SeqCst);
        usage.reserve(1, 4, 5, NOW).await.unwrap().keep(4);
        assert_eq!(usage.used(1, NOW).await.unwrap(), 5);
    }
}
