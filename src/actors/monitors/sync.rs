//! Changes of monitors by other processes.

use std::sync::Arc;

use super::{Monitors, MonitorsView};

impl Monitors {
    /// Takes over added, changed and deleted monitors. Their state is kept, because it is newest here.
    pub(super) fn follow(&mut self, fresh: &MonitorsView) {
        if self.view.probes != fresh.probes {
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
