//! Which monitors each probe has, with a revision that changes with them. Pure.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{HERE, Kind, Monitor, RemoteMonitor};
use crate::ids::{MonitorId, ProbeId};

/// The monitors of every probe. A change of a monitor costs its own probes a hash, and all others nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkIndex(HashMap<String, Arc<OwnWork>>);

/// The monitors of one probe.
#[derive(Debug, Clone, Default)]
struct OwnWork {
    /// Each with a hash of what the probe gets of it.
    monitors: BTreeMap<MonitorId, u128>,
    /// The sum of the hashes, modulo 2^128.
    sum: u128,
}

impl WorkIndex {
    /// Adds a monitor, unless there is nothing to check.
    pub(super) fn put(&mut self, spec: &Monitor) {
        if spec.is_paused || spec.kind == Kind::Push || !spec.has_probes() {
            return;
        }
        let hash = hash(&RemoteMonitor::new(spec));
        for place in spec.places().into_iter().filter(|place| *place != HERE) {
            let own = Arc::make_mut(self.0.entry(place.to_owned()).or_default());
            let before = own.monitors.insert(spec.id.clone(), hash).unwrap_or(0);
            own.sum = own.sum.wrapping_sub(before).wrapping_add(hash);
        }
    }

    /// Removes a monitor as it was put.
    pub(super) fn take(&mut self, spec: &Monitor) {
        for place in spec.places() {
            let Some(own) = self.0.get_mut(place) else {
                continue;
            };
            let own = Arc::make_mut(own);
            let before = own.monitors.remove(&spec.id).unwrap_or(0);
            own.sum = own.sum.wrapping_sub(before);
            if own.monitors.is_empty() {
                self.0.remove(place);
            }
        }
    }

    pub(super) fn revision(&self, probe: &ProbeId) -> String {
        let sum = self.0.get(probe.as_str()).map_or(0, |own| own.sum);
        format!("{sum:032x}")
    }

    /// The monitors of a probe, in their order.
    pub(super) fn monitors(&self, probe: &ProbeId) -> Vec<&MonitorId> {
        let own = self.0.get(probe.as_str());
        own.map_or_else(Vec::new, |own| own.monitors.keys().collect())
    }
}

fn hash(monitor: &RemoteMonitor) -> u128 {
    // What has no form as JSON is not sent either.
    let text = serde_json::to_vec(monitor).unwrap_or_default();
    let mut head = [0; 16];
    head.copy_from_slice(&blake3::hash(&text).as_bytes()[..16]);
    u128::from_le_bytes(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::monitors::{Granularity, MonitorFields, testing};

    fn monitor(id: &str, places: &[&str], timeout: u32) -> Monitor {
        let places = places.iter().copied().map(str::to_owned).collect();
        let fields = MonitorFields {
            granularity: Some(Granularity::Minute),
            timeout: Some(timeout),
            places: Some(places),
            ..MonitorFields::default()
        };
        testing::monitor(id, fields)
    }

    /// The revisions of the probes `p` and `q`.
    fn revisions(work: &WorkIndex) -> [String; 2] {
        ["p", "q"].map(|probe| work.revision(&probe.into()))
    }

    fn ids(work: &WorkIndex, probe: &str) -> Vec<String> {
        let ids = work.monitors(&probe.into());
        ids.into_iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_change_changes_the_revision_of_its_own_probes_only() {
        let mut work = WorkIndex::default();
        let none = revisions(&work);
        let first = monitor("a", &["p", HERE], 5_000);
        work.put(&first);
        work.put(&monitor("b", &["q"], 5_000));
        let [p, q] = revisions(&work);
        assert!(p != none[0] && q != none[1] && p != q);
        assert_eq!(ids(&work, "p"), ["a"]);
        assert!(ids(&work, HERE).is_empty());

        let slower = monitor("a", &["p", HERE], 6_000);
        work.take(&first);
        work.put(&slower);
        let changed = revisions(&work);
        assert!(changed[0] != p && changed[1] == q);

        let moved = monitor("a", &["q"], 6_000);
        work.take(&slower);
        work.put(&moved);
        assert_eq!(revisions(&work)[0], none[0]);
        assert_eq!(ids(&work, "q"), ["a", "b"]);
        work.take(&moved);
        assert_eq!(revisions(&work), [none[0].clone(), q]);
    }

    #[test]
    fn a_paused_monitor_is_no_work() {
        let mut work = WorkIndex::default();
        work.put(&Monitor {
            is_paused: true,
            ..monitor("a", &["p"], 5_000)
        });
        assert!(ids(&work, "p").is_empty());
    }
}
