//! Heartbeat URLs. They are secrets that are derived from the installation's own: nothing is stored, and they can be shown
//! again.

use super::Monitor;
use crate::{actors::hex, ids::MonitorId, store::InstanceSecret};

const PURPOSE: &str = "pharos 2026-11 addresses of heartbeats";
/// Bytes of a token, too many to guess.
const LENGTH: usize = 16;
/// The default grace period of heartbeats, seconds.
const GRACE: u32 = 60;

#[derive(Clone)]
pub(super) struct Tokens([u8; 32]);

impl Tokens {
    pub(super) fn new(secret: &InstanceSecret) -> Self {
        Self(secret.key_for(PURPOSE))
    }

    /// The token of a monitor after so many renewals.
    pub(super) fn token(&self, id: &MonitorId, turn: i32) -> String {
        let hash = blake3::keyed_hash(&self.0, format!("{turn}:{id}").as_bytes());
        hex::encode(&hash.as_bytes()[..LENGTH])
    }
}

/// When the heartbeat after this one is overdue, Unix milliseconds.
pub(super) fn deadline(monitor: &Monitor, last_ms: i64) -> i64 {
    let grace_ms = i64::from(monitor.fields.grace.unwrap_or(GRACE)) * 1_000;
    let next = match monitor.schedule.interval_ms() {
        Some(interval) => last_ms.saturating_add(interval),
        None => monitor.schedule.next_after(last_ms).unwrap_or(i64::MAX),
    };
    next.saturating_add(grace_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_by_monitor_turn_and_installation() {
        let tokens = |byte| Tokens::new(&InstanceSecret::from_bytes([byte; 32]));
        let one = tokens(1).token(&"a".into(), 0);
        assert_eq!(one.len(), 2 * LENGTH);
        assert_eq!(one, tokens(1).token(&"a".into(), 0));
        for other in [
            tokens(1).token(&"a".into(), 1),
            tokens(1).token(&"b".into(), 0),
            tokens(2).token(&"a".into(), 0),
        ] {
            assert_ne!(one, other);
        }
    }
}
