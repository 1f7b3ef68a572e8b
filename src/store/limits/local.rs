//! Counts in this process: sharded by identity, bounded in number. Idle identities leave first, then those with the least to
//! lose: no flood of other windows removes one that protects ([`Protection`]).

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use super::{
    Admission, Bucket, Decision, Demand, Identity, LimitError, Permit, Protection, Slot, ring::Ring,
};
use crate::{clock::Clock, fault::Window};

const SHARDS: usize = 64;
/// Identities a shard remembers; 64 × 4,096 addresses within a minute are more than one process can serve.
const SHARD_CAPACITY: usize = 4_096;

/// The in-process store of windows and slots.
#[derive(Debug)]
pub struct Local {
    clock: Clock,
    shards: Vec<Mutex<HashMap<Identity, Counts>>>,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Counts {
    rings: Vec<(Bucket, Ring)>,
    in_flight: Arc<AtomicU32>,
}

/// A running request of a key; dropping it frees the place.
#[derive(Debug)]
pub(super) struct InFlight(Arc<AtomicU32>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Local {
    /// Empty counts that read the time from `clock`.
    pub fn new(clock: Clock) -> Self {
        Self::with_capacity(clock, SHARD_CAPACITY)
    }

    fn with_capacity(clock: Clock, capacity: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self {
            clock,
            shards,
            capacity,
        }
    }

    pub(super) fn decide(&self, demand: &Demand, record: bool) -> Result<Permit, LimitError> {
        if demand.rates.is_empty() && demand.in_flight.is_none() {
            return Ok(Permit::default());
        }
        let now = self.clock.now_ms();
        let shard = &self.shards[demand.identity.shard(SHARDS)];
        // Counts are consistent after every statement, so a panic elsewhere cannot have broken them.
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if !shard.contains_key(&demand.identity) {
            make_room(&mut shard, self.capacity, now);
        }
        shard
            .entry(demand.identity)
            .or_default()
            .decide(demand, now, record)
    }

    /// Takes the newest admission of each window away.
    pub(super) fn forget(&self, demand: &Demand) {
        let shard = &self.shards[demand.identity.shard(SHARDS)];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counts) = shard.get_mut(&demand.identity) {
            for rate in &demand.rates {
                counts.ring(rate.bucket).take_back();
            }
        }
    }

    /// Takes all admissions of each window away.
    pub(super) fn clear_windows(&self, demand: &Demand) {
        let shard = &self.shards[demand.identity.shard(SHARDS)];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counts) = shard.get_mut(&demand.identity) {
            let named = |bucket| demand.rates.iter().any(|rate| rate.bucket == bucket);
            counts.rings.retain(|(bucket, _)| !named(*bucket));
        }
    }

    #[cfg(test)]
    fn identities(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| shard.lock().unwrap().len())
            .sum()
    }
}

impl Counts {
    fn decide(&mut self, demand: &Demand, now: i64, record: bool) -> Result<Permit, LimitError> {
        let mut refused: Option<Window> = None;
        for rate in &demand.rates {
            if let Err(window) = self.ring(rate.bucket).check(rate.max, rate.window_ms, now) {
                refused = Some(
                    refused
                        .filter(|other| other.reset_ms >= window.reset_ms)
                        .unwrap_or(window),
                );
            }
        }
        if let Some(window) = refused {
            return Err(LimitError::Window(window));
        }
        if let Some(cap) = demand.in_flight
            && self.in_flight.load(Ordering::Acquire) >= cap
        {
            let window = Window {
                limit: cap,
                remaining: 0,
                reset_ms: now + 1_000,
                retry_after: 1,
            };
            return Err(LimitError::InFlight(window));
        }
        if !record {
            return Ok(Permit::default());
        }
        for rate in &demand.rates {
            self.ring(rate.bucket).record(now);
        }
        let slot = demand.in_flight.map(|_| {
            self.in_flight.fetch_add(1, Ordering::AcqRel);
            Slot::Local(InFlight(Arc::clone(&self.in_flight)))
        });
        Ok(Permit { slot })
    }

    fn ring(&mut self, bucket: Bucket) -> &mut Ring {
        let at = self
            .rings
            .iter()
            .position(|(own, _)| *own == bucket)
            .unwrap_or_else(|| {
                self.rings.push((bucket, Ring::default()));
                self.rings.len() - 1
            });
        &mut self.rings[at].1
    }

    fn is_idle(&mut self, now: i64) -> bool {
        self.in_flight.load(Ordering::Acquire) == 0
            && self.rings.iter_mut().all(|(_, ring)| ring.is_idle(now))
    }

    /// What would be lost with it, least first: what its windows protect, how much these have counted, and since when.
    fn weight(&self) -> (Protection, usize, i64) {
        let counting = || self.rings.iter().filter(|(_, ring)| ring.count() > 0);
        let protections = counting().map(|(bucket, _)| bucket.protection());
        let protection = protections.max().unwrap_or_default();
        let protecting = counting().filter(|(bucket, _)| bucket.protection() == protection);
        let count = protecting.map(|(_, ring)| ring.count()).sum();
        let newest = counting().map(|(_, ring)| ring.newest()).max();
        (protection, count, newest.unwrap_or(i64::MIN))
    }
}

impl Admission for Local {
    fn admit(&self, demand: Demand) -> Decision<'_> {
        Box::pin(std::future::ready(self.decide(&demand, true)))
    }

    fn peek(&self, demand: Demand) -> Decision<'_> {
        Box::pin(std::future::ready(self.decide(&demand, false)))
    }

    fn take_back(&self, demand: Demand) -> Decision<'_> {
        self.forget(&demand);
        Box::pin(std::future::ready(Ok(Permit::default())))
    }

    fn clear(&self, demand: Demand) -> Decision<'_> {
        self.clear_windows(&demand);
        Box::pin(std::future::ready(Ok(Permit::default())))
    }
}

/// Drops idle identities of a full shard, or, when every one still counts, the eighth that has the least to lose.
///
/// An attacker who wants a window forgotten has to count more in each of thousands of others than is counted in it.
fn make_room(shard: &mut HashMap<Identity, Counts>, capacity: usize, now: i64) {
    if shard.len() < capacity {
        return;
    }
    shard.retain(|_, counts| !counts.is_idle(now));
    if shard.len() < capacity {
        return;
    }
    let mut weighed: Vec<((Protection, usize, i64), Identity)> = shard
        .iter()
        .filter(|(_, counts)| counts.in_flight.load(Ordering::Acquire) == 0)
        .map(|(identity, counts)| (counts.weight(), *identity))
        .collect();
    weighed.sort_unstable_by_key(|(weight, _)| *weight);
    for (_, identity) in weighed.iter().take(capacity.div_ceil(8)) {
        shard.remove(identity);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::limits::{Endpoint, Limits, Rate};

    #[expect(clippy::unnecessary_wraps, reason = "what `Demand::rate` takes")]
    fn some(bucket: Bucket, max: u32) -> Option<Rate> {
        Some(Rate {
            bucket,
            max,
            window_ms: 60_000,
        })
    }

    #[test]
    fn an_identity_is_the_beginning_of_its_hash_in_hexadecimal() {
        let whole = blake3::hash(b"key\0k").to_hex();
        assert_eq!(Identity::from_name("key", "k").hex(), whole[..32]);
    }

    #[test]
    fn a_refused_request_uses_up_nothing() {
        let clock = Clock::fixed(1_000_000);
        let local = Local::new(clock.clone());
        let who = Identity::from_name("key", "k");
        let both = Demand::new(who)
            .rate(some(Bucket::Key, 3))
            .rate(some(Bucket::Endpoint(Endpoint::Query), 1));
        let key_only = Demand::new(who).rate(some(Bucket::Key, 3));
        let _ = local.decide(&both, true).unwrap();
        for _ in 0..10 {
            assert!(
                matches!(local.decide(&both, true), Err(LimitError::Window(window)) if window.limit == 1)
            );
        }
        let _ = local.decide(&key_only, true).unwrap();
        let _ = local.decide(&key_only, true).unwrap();
        assert!(
            matches!(local.decide(&key_only, true), Err(LimitError::Window(window)) if window.limit == 3)
        );
        clock.advance(Duration::from_mins(1));
        let _ = local.decide(&both, true).unwrap();
    }

    #[test]
    fn identities_do_not_share_windows() {
        let local = Local::new(Clock::fixed(0));
        for name in ["a", "b"] {
            let demand = Demand::new(Identity::from_name("key", name)).rate(some(Bucket::Key, 1));
            let _ = local.decide(&demand, true).unwrap();
            assert!(local.decide(&demand, true).is_err());
        }
    }

    #[test]
    fn a_dropped_permit_frees_its_slot_and_the_refusal_is_the_contracts() {
        let local = Local::new(Clock::fixed(5_000));
        let cap = Limits::default().key_in_flight;
        let demand = Demand::new(Identity::from_name("key", "k")).in_flight(cap);
        let held: Vec<Permit> = (0..cap)
            .map(|_| local.decide(&demand, true).unwrap())
            .collect();
        let refused = local.decide(&demand, true).unwrap_err();
        let window = Window {
            limit: 20,
            remaining: 0,
            reset_ms: 6_000,
            retry_after: 1,
        };
        assert_eq!(refused, LimitError::InFlight(window));
        drop(held);
        for _ in 0..10_000 {
            drop(local.decide(&demand, true).unwrap());
        }
        let held: Vec<Permit> = (0..cap)
            .map(|_| local.decide(&demand, true).unwrap())
            .collect();
        assert_eq!(held.len(), 20);
    }

    #[test]
    fn peeking_records_nothing() {
        let local = Local::new(Clock::fixed(0));
        let demand = Demand::new(Identity::from_name("account", "a")).rate(some(Bucket::SignIn, 1));
        for _ in 0..5 {
            let _ = local.decide(&demand, false).unwrap();
        }
        let _ = local.decide(&demand, true).unwrap();
        assert!(local.decide(&demand, false).is_err());
    }

    #[test]
    fn what_is_taken_back_did_not_count() {
        let local = Local::new(Clock::fixed(0));
        let demand = Demand::new(Identity::from_name("account", "a")).rate(some(Bucket::SignIn, 2));
        local.forget(&demand);
        for _ in 0..5 {
            let _ = local.decide(&demand, true).unwrap();
            local.forget(&demand);
        }
        for _ in 0..2 {
            let _ = local.decide(&demand, true).unwrap();
        }
        assert!(local.decide(&demand, true).is_err());
        local.forget(&demand);
        let _ = local.decide(&demand, true).unwrap();
        assert!(local.decide(&demand, true).is_err());
    }

    #[test]
    fn who_was_seen_longest_ago_makes_room_where_everybody_counts() {
        const DAY_MS: i64 = 86_400_000;
        let mut shard = HashMap::new();
        let who = |number: i64| Identity::from_name("address", &number.to_string());
        // Times before 1970 are times, too.
        for at in -4..4 {
            let demand = Demand::new(who(at)).rate(Some(Rate {
                bucket: Bucket::Key,
                max: 1,
                window_ms: DAY_MS,
            }));
            let counts: &mut Counts = shard.entry(who(at)).or_default();
            let _ = counts.decide(&demand, at, true).unwrap();
        }
        make_room(&mut shard, 8, 4);
        let gone: Vec<i64> = (-4..4)
            .filter(|at| !shard.contains_key(&who(*at)))
            .collect();
        assert_eq!(gone, [-4]);
        make_room(&mut shard, 7, DAY_MS + 1);
        let left: Vec<i64> = (-4..4).filter(|at| shard.contains_key(&who(*at))).collect();
        assert_eq!(left, [2, 3], "the others are idle");
    }

    #[test]
    fn a_full_window_that_protects_survives_every_flood_of_other_windows() {
        const PROTECTING: [Bucket; 4] = [
            Bucket::SignIn,
            Bucket::Guess,
            Bucket::LinkPassword,
            Bucket::Subscription,
        ];
        let clock = Clock::fixed(0);
        let local = Local::with_capacity(clock.clone(), 8);
        let full = |bucket: Bucket| {
            Demand::new(Identity::from_name("address", bucket.name())).rate(some(bucket, 3))
        };
        for bucket in PROTECTING {
            for _ in 0..3 {
                let _ = local.decide(&full(bucket), true).unwrap();
            }
        }
        let flood = [
            Bucket::Endpoint(Endpoint::Flags),
            Bucket::Endpoint(Endpoint::Track),
            Bucket::Page,
            Bucket::SignIn,
        ];
        for number in 0..4_000 {
            let who = Identity::from_name("address", &number.to_string());
            for bucket in flood {
                let demand = Demand::new(who).rate(some(bucket, 600));
                let times = if bucket == Bucket::SignIn { 1 } else { 5 };
                for _ in 0..times {
                    let _ = local.decide(&demand, true).unwrap();
                }
            }
            clock.advance(Duration::from_millis(1));
        }
        assert!(local.identities() <= SHARDS * 8);
        for bucket in PROTECTING {
            assert!(local.decide(&full(bucket), true).is_err(), "{bucket:?}");
        }
    }

    #[test]
    fn memory_is_bounded_and_running_requests_stay() {
        let clock = Clock::fixed(0);
        let local = Local::with_capacity(clock.clone(), 8);
        let running = Demand::new(Identity::from_name("key", "running")).in_flight(1);
        let permit = local.decide(&running, true).unwrap();
        for number in 0..10_000 {
            let who = Identity::from_name("address", &number.to_string());
            let _ = local
                .decide(&Demand::new(who).rate(some(Bucket::Key, 1)), true)
                .unwrap();
            clock.advance(Duration::from_millis(1));
        }
        assert!(local.identities() <= SHARDS * 8);
        assert!(
            local.decide(&running, true).is_err(),
            "its slot is still taken"
        );
        drop(permit);
        let _ = local.decide(&running, true).unwrap();
    }
}
