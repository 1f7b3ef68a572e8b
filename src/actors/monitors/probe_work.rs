//! What probes have to do, and what is known of them, from the read model.

use std::collections::HashMap;

use super::{
    MonitorError, MonitorsView, Probe, ProbeState, RemoteMonitor, places::repo::load_states,
};
use crate::ids::ProbeId;

impl MonitorsView {
    /// Changes with the monitors of a probe, and with nothing else.
    pub fn probe_revision(&self, probe: &Probe) -> String {
        self.work.revision(&probe.id)
    }

    /// The monitors of a probe, by id: those that chose it and are not paused.
    pub fn probe_work(&self, probe: &Probe) -> Vec<RemoteMonitor> {
        let ids = self.work.monitors(&probe.id);
        let own = ids.into_iter().filter_map(|id| self.monitors.get(id));
        let own = own.filter(|one| one.spec().organization == probe.organization);
        own.map(|one| RemoteMonitor::new(one.spec())).collect()
    }

    /// When probes were seen last, and what else changes with their requests.
    pub async fn probe_states(&self) -> Result<HashMap<ProbeId, ProbeState>, MonitorError> {
        Ok(load_states(self.db.reader()).await?)
    }
}
