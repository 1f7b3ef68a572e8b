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
    pub organizations: Handle<Organizations>,
    /// The host (and port) of short links, which no target may have.
    pub own_host: String,
    /// Signs passes of links with a password.
    pub secret: InstanceSecret,
}

/// The actor; its state is its view.
pub struct Links {
    pub(super) env: LinksEnv,
    pub(super) view: Arc<LinksView>,
}
