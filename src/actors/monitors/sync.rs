//! Changes of monitors by other processes.

use std::sync::Arc;

use super::{Monitors, MonitorsView, Probes};
use crate::ids::ProbeId;

impl Monitors {
    /// Takes over added, changed and deleted monitors. Their state is kept, because it is newest here.
    pub(super) fn follow(&mut self, fresh: &MonitorsView) {
        if self.view.probes != fresh.probes {
            for id in find_ended_tokens(&self.view.probes, &fresh.probes) {
                self.drop_ahead(&id);
            }
            Arc::make_mut(&mut self.view).probes = fresh.probes.clone();
        }
        let known = self.view.monitors.values();
        let gone: Vec<_> = known
            .filter(|one| !fresh.monitors.contains_key(&one.spec().id))
            .map(|one| (one.spec().key.0, one.spec().id.clone()))
            .collect();
        for (key, id) in gone {
            self.forget(key, &id);
        }
        for one in fresh.monitors.values() {
            let spec = one.spec();
            let Some(before) = self.view.by_id(spec.id.as_str()) else {
                Arc::make_mut(&mut self.view).put(Arc::clone(one));
                if !spec.is_paused {
                    self.go_on(spec);
                }
                continue;
            };
            let before = before.spec();
            if before.is_paused != spec.is_paused {
                self.adopt_pause(spec.as_ref().clone());
            } else if before.updated_ms != spec.updated_ms
                || before.organization != spec.organization
            {
                self.adopt_change(spec.as_ref().clone());
            }
        }
    }
}

/// The probes whose tokens were revoked or renewed.
fn find_ended_tokens(before: &Probes, after: &Probes) -> Vec<ProbeId> {
    let ended = after.iter().filter(|probe| {
        let known = before.by_id(probe.id.as_str());
        known.is_some_and(|known| {
            (known.digest, known.revoked_ms) != (probe.digest, probe.revoked_ms)
        })
    });
    ended.map(|probe| probe.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::{
        digest::Digest,
        monitors::{Probe, places::stored_reports::testing},
    };

    #[test]
    fn tokens_that_other_processes_have_ended_are_found() {
        let probes = |change: fn(&mut Probe)| {
            let mut changed = testing::probe("p");
            change(&mut changed);
            let mut probes = Probes::default();
            probes.put(Arc::new(changed));
            probes.put(Arc::new(testing::probe("q")));
            probes
        };
        let before = probes(|_| {});
        let revoked = probes(|probe| probe.revoked_ms = Some(5));
        let renewed = probes(|probe| probe.digest = Digest::from_secret("another"));
        let renamed = probes(|probe| probe.updated_ms = 5);
        for (after, expected) in [(&revoked, 1), (&renewed, 1), (&renamed, 0), (&before, 0)] {
            assert_eq!(find_ended_tokens(&before, after).len(), expected);
        }
        assert!(find_ended_tokens(&Probes::default(), &before).is_empty());
    }
}
