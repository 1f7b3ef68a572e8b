//! One click per link and address in five minutes.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::ids::WebsiteKey;

/// For how long an address counts once.
const WINDOW_MS: i64 = 5 * 60_000;
const SHARDS: usize = 64;
/// Addresses that a shard remembers; beyond it, those that come are counted and not remembered.
const MAX: usize = 32_768;

/// Who was counted lately.
pub(in crate::http) struct ClickDedup {
    secret: [u8; 32],
    shards: Box<[Mutex<Shard>]>,
}

#[derive(Default)]
struct Shard {
    seen: HashMap<u64, i64>,
    /// When it was swept last.
    swept_ms: i64,
}

impl Shard {
    fn knows(&self, name: u64, now_ms: i64) -> bool {
        let counted = self.seen.get(&name);
        counted.is_some_and(|counted| now_ms - counted < WINDOW_MS)
    }
}

impl ClickDedup {
    pub(in crate::http) fn new(secret: [u8; 32]) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { secret, shards }
    }

    /// Whether this is the first click of an address on a link in five minutes.
    pub(in crate::http) fn is_first(
        &self,
        link: WebsiteKey,
        address: IpAddr,
        series: Series,
        now_ms: i64,
    ) -> bool {
        let name = self.name(link, address, series);
        let mut shard = self.shard(name);
        if shard.knows(name, now_ms) {
            return false;
        }
        if shard.seen.len() >= MAX && now_ms - shard.swept_ms >= WINDOW_MS / 10 {
            shard.swept_ms = now_ms;
            shard
                .seen
                .retain(|_, counted| now_ms - *counted < WINDOW_MS);
        }
        if shard.seen.len() < MAX || shard.seen.contains_key(&name) {
            shard.seen.insert(name, now_ms);
        }
        true
    }

    /// Whether an address has clicked on a link in the last five minutes.
    pub(in crate::http) fn is_known(
        &self,
        link: WebsiteKey,
        address: IpAddr,
        series: Series,
        now_ms: i64,
    ) -> bool {
        let name = self.name(link, address, series);
        self.shard(name).knows(name, now_ms)
    }

    fn shard(&self, name: u64) -> MutexGuard<'_, Shard> {
        let shard = &self.shards[(name >> 32) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that says nothing to anybody who does not have the secret.
    fn name(&self, link: WebsiteKey, address: IpAddr, series: Series) -> u64 {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        hasher.update(&link.0.to_le_bytes()).update(&[series as u8]);
        match address {
            IpAddr::V4(address) => hasher.update(&address.octets()),
            IpAddr::V6(address) => hasher.update(&address.octets()),
        };
        let mut first = [0; 8];
        hasher.finalize_xof().fill(&mut first);
        u64::from_le_bytes(first)
    }
}

/// Which series a click counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// What people did.
    People,
    /// `HEAD`, prefetches and previews: no person reads the target.
    Looks,
    /// Other bots that say so.
    Bots,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_counts_once_in_five_minutes_on_each_link_and_in_each_series() {
        let once = ClickDedup::new([7; 32]);
        let (one, two) = (WebsiteKey(1), WebsiteKey(2));
        let address = |last: u8| IpAddr::from([192, 0, 2, last]);
        let people = |link, last, at| once.is_first(link, address(last), Series::People, at);
        let known = |at| once.is_known(one, address(1), Series::People, at);
        assert!(!known(0));
        assert!(people(one, 1, 0));
        assert!(known(WINDOW_MS - 1) && !known(WINDOW_MS));
        assert!(!people(one, 1, WINDOW_MS - 1));
        assert!(people(one, 1, WINDOW_MS));
        assert!(people(two, 1, 0) && people(one, 2, 0));
        assert!(once.is_first(one, address(1), Series::Looks, 0));
    }
}
