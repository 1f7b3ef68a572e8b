//! What the domain of links is made of.

use std::sync::Arc;

use super::LinksView;
use crate::{
    actors::{kit::Handle, organizations::Organizations},
    clock::Clock,
    store::{InstanceSecret, StateDb},
};

#[derive(Debug, Clone)]
pub struct LinksEnv {
    pub db: StateDb,
    pub clock: Clock,
    /// The owners of links.
    pub organizations: Handle<Organizations>,
    /// Host (and port) of the links themselves: nothing leads back to it.
    pub own_host: String,
    /// What passes of links with a password are signed with.
    pub secret: InstanceSecret,
}

/// The actor; its state is its view.
#[derive(Debug)]
pub struct Links {
    pub(super) env: LinksEnv,
    pub(super) view: Arc<LinksView>,
}
