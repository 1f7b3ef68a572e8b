//! The data-quality ledger: what became of everything that was sent and is not an event now.
//!
//! ```text
//! received = stored + duplicates + left out + refused + limited
//! ```
//!
//! What is stored needs no counter: the events themselves are counted. Everything else is a *counter*, a row of the event
//! table that represents a number of events that are not there ([`Details::Counter`]): whose, why, in which quarter of an
//! hour, and for blocked pages from which origin. Counters travel in frames of the spool like events, so they are as
//! durable, as visible and as well kept apart by tenant as those.
//!
//! - Duplicates are counted by the spool thread in the batch that answers them, so this number is exact.
//! - All other outcomes are added up here in memory and written by the spool thread about once a second, with a batch
//!   that it writes anyway where there is one. A crash loses at most that second of them.
//! - A seal adds the counters of a generation up, so an attack of a million requests leaves a few rows.
//!
//! Nothing in here is made of what a stranger sends, but for the origins, whose number is bounded ([`origins`]).

pub mod origins;
mod reason;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use bytes::Bytes;

use self::origins::Origins;
pub use self::reason::{Group, Reason};
use super::{
    event::{Details, Event},
    record,
};
use crate::events::log::frame::Record;

/// Counters count per quarter of an hour: every time zone's hours and days begin at one.
pub const SLOT: i64 = 15 * 60 * 1_000;
/// Threads that count at the same time do not wait for each other.
const SHARDS: usize = 16;
/// Most different counters that a shard holds while the disk refuses; what is beyond is only in the totals.
const MAX: usize = 8_192;

/// Something that was sent and is not stored.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The organization that it was meant for; 0 = unknown.
    pub organization: i64,
    /// The website that it was meant for; 0 = none or unknown.
    pub website: i64,
    /// Why it is not stored.
    pub reason: Reason,
    /// When it was received, Unix ms.
    pub at: i64,
    /// The page's origin as sent, where the reason is that origin.
    pub origin: Option<&'a str>,
    /// How many events.
    pub count: u64,
}

/// What is counted apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    organization: i64,
    website: i64,
    slot: i64,
    reason: Reason,
    origin: Option<Arc<str>>,
}

/// How many, and when the last one was received, Unix ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sum {
    count: u64,
    last: i64,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            count: 0,
            last: i64::MIN,
        }
    }
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.last = self.last.max(other.last);
    }
}

/// Counts on their way into the log.
#[derive(Debug, Default)]
pub struct Counters(HashMap<Key, Sum>);

impl Counters {
    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts one duplicate; `event` is its serialized form.
    pub fn duplicate(&mut self, event: &Bytes, received: i64) {
        // Unreadable records belong to no tenant.
        let (organization, website) = record::owner(event).unwrap_or_default();
        let key = Key {
            organization,
            website,
            slot: slot(received),
            reason: Reason::Duplicate,
            origin: None,
        };
        let one = Sum {
            count: 1,
            last: received,
        };
        self.0.entry(key).or_default().add(one);
    }

    /// The counters as records of a frame.
    pub fn records(&self) -> Vec<Record> {
        let encode = |(key, sum): (&Key, &Sum)| {
            // Serializing plain numbers and texts into memory cannot fail.
            let event = record::encode(&event(key, *sum), Vec::new()).unwrap_or_default();
            Record {
                key: None,
                untold: None,
                event: event.into(),
            }
        };
        self.0.iter().map(encode).collect()
    }
}

/// Adds up counters that count the same, in a fixed order. Other events do not belong here.
pub fn merged(counters: Vec<Event>) -> Vec<Event> {
    let mut sums: BTreeMap<_, Sum> = BTreeMap::new();
    for counter in counters {
        let Details::Counter { count } = counter.details else {
            continue;
        };
        let Event {
            organization,
            website,
            time,
            received: last,
            name,
            host,
            ..
        } = counter;
        let sum = sums
            .entry((website, time, organization, name, host))
            .or_default();
        sum.add(Sum { count, last });
    }
    let row = |((website, time, organization, name, host), sum): (_, Sum)| Event {
        organization,
        website,
        time,
        received: sum.last,
        name,
        host,
        details: Details::Counter { count: sum.count },
        ..Event::default()
    };
    sums.into_iter().map(row).collect()
}

fn slot(at: i64) -> i64 {
    at.div_euclid(SLOT) * SLOT
}

fn event(key: &Key, sum: Sum) -> Event {
    Event {
        organization: key.organization,
        website: key.website,
        time: key.slot,
        received: sum.last,
        name: key.reason.as_str().to_owned(),
        host: key.origin.as_deref().map(str::to_owned),
        details: Details::Counter { count: sum.count },
        ..Event::default()
    }
}

/// Counts outcomes from many threads until the spool thread takes them.
#[derive(Debug, Default)]
pub struct Ledger {
    shards: [Mutex<HashMap<Key, Sum>>; SHARDS],
    origins: Mutex<Origins>,
    pending: AtomicBool,
    totals: [AtomicU64; Reason::ALL.len()],
}

impl Ledger {
    /// Counts an outcome. Returns whether it is the first one since [`Self::take`]: the caller then informs the spool thread.
    pub fn add(&self, outcome: &Outcome<'_>) -> bool {
        if outcome.count == 0 {
            return false;
        }
        self.totals[outcome.reason as usize].fetch_add(outcome.count, Relaxed);
        let slot = slot(outcome.at);
        let origin = outcome.origin.map(|origin| {
            let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
            origins.intern(outcome.website, slot, origin)
        });
        let key = Key {
            organization: outcome.organization,
            website: outcome.website,
            slot,
            reason: outcome.reason,
            origin,
        };
        let mut shard = self.shards[shard()]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if shard.len() >= MAX && !shard.contains_key(&key) {
            return false;
        }
        let sum = Sum {
            count: outcome.count,
            last: outcome.at,
        };
        shard.entry(key).or_default().add(sum);
        drop(shard);
        !self.pending.swap(true, Relaxed)
    }

    /// Takes what was counted since the last time.
    pub fn take(&self) -> Counters {
        // First the mark, then the counts: what is counted in between is taken now and announced once more.
        self.pending.store(false, Relaxed);
        let mut taken: HashMap<Key, Sum> = HashMap::new();
        for shard in &self.shards {
            let counts = std::mem::take(&mut *shard.lock().unwrap_or_else(PoisonError::into_inner));
            if taken.is_empty() {
                taken = counts;
                continue;
            }
            for (key, sum) in counts {
                taken.entry(key).or_default().add(sum);
            }
        }
        Counters(taken)
    }

    /// Gives back what could not be written.
    pub fn put_back(&self, counters: Counters) {
        let mut shard = self.shards[0]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (key, sum) in counters.0 {
            if shard.len() < MAX || shard.contains_key(&key) {
                shard.entry(key).or_default().add(sum);
            }
        }
    }

    /// How many events met this outcome since the start of the process.
    pub fn total(&self, group: Group) -> u64 {
        let reasons = Reason::ALL.iter().zip(&self.totals);
        reasons
            .filter(|(reason, _)| reason.group() == group)
            .map(|(_, total)| total.load(Relaxed))
            .sum()
    }
}

/// The shard of this thread.
fn shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static MINE: usize = NEXT.fetch_add(1, Relaxed) % SHARDS);
    MINE.with(|mine| *mine)
}

#[cfg(test)]
mod tests;
