use crate::{
    actors::{
        delivery::{Channels, Outbox, Senders},
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
    pub events: EventStore,
    pub egress: Egress,
    pub organizations: Handle<Organizations>,
    pub websites: Handle<Websites>,
    pub monitors: Handle<Monitors>,
    pub outbox: Outbox,
    pub senders: Senders,
    pub channels: Channels,
    pub secret: InstanceSecret,
    pub base_url: String,
}
