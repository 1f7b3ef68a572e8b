use crate::{
    actors::{
        delivery::Outbox, hosts::Hosts, kit::Handle, monitors::Monitors,
        organizations::Organizations,
    },
    clock::Clock,
    egress::Egress,
    store::{InstanceSecret, StateDb},
};

#[derive(Debug, Clone)]
pub struct StatusPagesEnv {
    pub db: StateDb,
    pub clock: Clock,
    pub organizations: Handle<Organizations>,
    pub monitors: Handle<Monitors>,
    pub outbox: Outbox,
    /// Whether email is configured.
    pub sends_mail: bool,
    pub egress: Egress,
    pub secret: InstanceSecret,
    pub base_url: String,
    /// Hosts of pages.
    pub hosts: Handle<Hosts>,
}
