//! What people should look at although the store goes on.

use std::sync::atomic::Ordering;

use super::EventStore;
use crate::{clock::iso_ms, events::disk::Room};

/// Files that are named one by one.
const MAX_NAMES: usize = 20;

impl EventStore {
    /// Everything that is not as it should be, a sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let health = self.health();
        let mut troubles = Vec::new();
        if health.closed.load(Ordering::Relaxed) {
            troubles.push("the disk refuses the event log: events are answered 503".to_owned());
        }
        if self.disk().room() < Room::Enough {
            let free = self.disk().free();
            troubles.push(format!(
                "only {free} bytes of the disk are free: events are answered 503"
            ));
        }
        if self.unsealed_bytes() > self.0.backlog {
            troubles.push(
                "events cannot be sealed and the backlog is full: events are answered 503"
                    .to_owned(),
            );
        }
        if let Some(trouble) = self.shipper().and_then(|shipper| shipper.trouble()) {
            troubles.push(format!("events wait in the log of this node: {trouble}"));
        }
        let refused = self.shipped().quarantined;
        if refused > 0 {
            troubles.push(format!(
                "ClickHouse refused {refused} events for what they hold; they are in `spool/quarantine`"
            ));
        }
        let damaged = self.damaged_segments();
        if !damaged.is_empty() {
            let names = &damaged[..damaged.len().min(MAX_NAMES)];
            troubles.push(format!(
                "{} event segments are damaged and left out of answers; copy them back from a backup to `segments`: {}",
                damaged.len(),
                names.join(", ")
            ));
        }
        let strays = self.0.strays.load(Ordering::Relaxed);
        if strays > 0 {
            troubles.push(format!(
                "the state database does not know {strays} files of events: they are in `segments/strays`. Put the state database back that \
                 they belong to, or delete them"
            ));
        }
        let stretches = health.damaged.load(Ordering::Relaxed);
        if stretches > 0 {
            troubles.push(format!(
                "{stretches} damaged stretches were found in the event log at start; copies are in `spool/quarantine`"
            ));
        }
        if let Some(gap) = self.dedup().gap {
            troubles.push(format!(
                "a file of event ids is damaged: repeated ids of events received before {} may be stored again",
                iso_ms(gap)
            ));
        }
        troubles
    }
}
