use std::sync::Arc;

use super::{LinkRules, LinksView, SlugRule};
use crate::{
    actors::{
        hosts::{Hosts, HostsView},
        kit::Handle,
        organizations::Organizations,
    },
    clock::Clock,
    store::{InstanceSecret, StateDb},
};

#[derive(Debug, Clone)]
pub struct LinksEnv {
    pub db: StateDb,
    pub clock: Clock,
    pub organizations: Handle<Organizations>,
    pub hosts: Handle<Hosts>,
    /// The host (and port) of short links, which no target may have.
    pub own_host: String,
    /// Signs passes of links with a password.
    pub secret: InstanceSecret,
}

impl LinksEnv {
    /// What fields of links are checked against.
    pub(super) fn rules<'a>(&'a self, hosts: &'a HostsView, slugs: SlugRule) -> LinkRules<'a> {
        LinkRules {
            own_host: &self.own_host,
            hosts: Some(hosts),
            slugs,
        }
    }
}

/// The actor; its state is its view.
pub struct Links {
    pub(super) env: LinksEnv,
    pub(super) view: Arc<LinksView>,
}
