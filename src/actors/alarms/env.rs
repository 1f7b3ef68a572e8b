//! What the domain needs.

use crate::{
    actors::{
        delivery::{Bases, Outbox, Senders},
        kit::Handle,
        monitors::Monitors,
        organizations::Organizations,
        websites::Websites,
    },
    clock::Clock,
    egress::Egress,
    events::store::EventStore,
    store::{InstanceSecret, StateDb},
};

#[derive(Clone)]
pub struct AlarmsEnv {
    pub db: StateDb,
    pub clock: Clock,
    /// What queries ask.
    pub events: EventStore,
    /// What may be reached.
    pub egress: Egress,
    /// The owners of alarms.
    pub organizations: Handle<Organizations>,
    /// What alarms are about.
    pub websites: Handle<Websites>,
    /// What alarms are about, too.
    pub monitors: Handle<Monitors>,
    /// Where messages are put.
    pub outbox: Outbox,
    /// Who tries out destinations.
    pub senders: Senders,
    /// Where services that people gather in are reached.
    pub bases: Bases,
    pub secret: InstanceSecret,
    /// `{base_url}`.
    pub base_url: String,
}

impl std::fmt::Debug for AlarmsEnv {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("AlarmsEnv(…)")
    }
}
