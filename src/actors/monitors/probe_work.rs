//! What probes have to do, and what is known of them, from the read model.

use std::collections::HashMap;

use super::{
    Kind, MonitorError, MonitorsView, Probe, ProbeState, RemoteMonitor, places::repo::load_states,
};
use crate::{actors::hex, ids::ProbeId};

/// Bytes of a revision.
const LENGTH: usize = 16;

impl MonitorsView {
    /// The monitors of a probe, with the revision of all of them: those that chose it and are not paused.
    pub fn probe_work(&self, probe: &Probe) -> (String, Vec<RemoteMonitor>) {
        let own = self.monitors.values().map(|one| one.spec());
        let own = own.filter(|spec| {
            spec.organization == probe.organization
                && !spec.is_paused
                && spec.kind != Kind::Push
                && spec.is_checked_by(probe.id.as_str())
        });
        let mut work: Vec<RemoteMonitor> = own.map(|spec| RemoteMonitor::new(spec)).collect();
        work.sort_by(|a, b| a.id.cmp(&b.id));
        let mut hasher = blake3::Hasher::new();
        for monitor in &work {
            // What has no form as JSON is not sent either.
            hasher.update(&serde_json::to_vec(monitor).unwrap_or_default());
        }
        let revision = hex::encode(&hasher.finalize().as_bytes()[..LENGTH]);
        (revision, work)
    }

    /// When probes were seen last, and what else changes with their requests.
    pub async fn probe_states(&self) -> Result<HashMap<ProbeId, ProbeState>, MonitorError> {
        Ok(load_states(self.db.reader()).await?)
    }
}
