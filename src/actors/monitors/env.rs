use serde::{Deserialize, Serialize};

use super::ProbeInbox;
use crate::{
    actors::{
        delivery::Outbox, kit::Handle, links::Links, organizations::Organizations,
        websites::Websites,
    },
    clock::Clock,
    egress::Egress,
    events::store::EventStore,
    store::{InstanceSecret, StateDb},
};

#[derive(Clone)]
pub struct MonitorsEnv {
    pub db: StateDb,
    pub clock: Clock,
    pub events: EventStore,
    pub egress: Egress,
    pub organizations: Handle<Organizations>,
    pub websites: Handle<Websites>,
    pub links: Handle<Links>,
    /// `None` if email is not configured.
    pub outbox: Option<Outbox>,
    pub secret: InstanceSecret,
    /// Where reports of probes arrive.
    pub inbox: ProbeInbox,
    pub options: MonitorOptions,
}

/// `[monitors]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonitorOptions {
    /// Concurrent checks.
    pub concurrency: u32,
    /// Days of stored checks; 0 = all.
    pub retention_days: u32,
    /// Failed re-checks before a monitor counts as down.
    pub retries: u32,
}

impl Default for MonitorOptions {
    fn default() -> Self {
        Self {
            concurrency: 256,
            retention_days: 400,
            retries: 3,
        }
    }
}
